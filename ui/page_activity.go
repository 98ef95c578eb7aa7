package ui

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// activityPace is how often new entries are drawn: the charts are counted anew.
const activityPace = 500 * time.Millisecond

// activityPage shows the record of calls: a chart, what is slow, one line a call.
type activityPage struct {
	frame *frame
	calls *calls
	shown []wire.Activity // newest first
	drawn uint64
	stop  []func()

	box    *fyne.Container
	charts *fyne.Container
	since  *picker
	host   *picker
	server *picker
	what   *picker
	search *widget.Entry
	bars   *look.Bars
	counts *look.Text
	by     *picker
	slow   *fyne.Container
	rows   *rows
	none   fyne.CanvasObject
	detail *fyne.Container
	facts  *facts
	picked string // id of the entry whose details are shown
}

func newActivityPage(f *frame) *activityPage {
	p := &activityPage{frame: f, calls: newCalls(), counts: look.Muted("").Whole(), slow: look.Column(6), facts: newFacts()}
	again := func(string) { p.draw() }
	p.since = newPicker([]option{{"24h", lang.L("Last 24 hours")}, {"1h", lang.L("Last hour")}, {"168h", lang.L("Last 7 days")}, {"", lang.L("All that is kept")}}, again)
	p.host = newPicker([]option{{"", lang.L("All hosts")}}, again)
	p.server = newPicker([]option{{"", lang.L("All servers")}}, again)
	p.what = newPicker([]option{{"", lang.L("Everything")}, {"allowed", lang.L("Allowed")}, {"asked", lang.L("Asked")}, {"denied", lang.L("Denied")}, {"wrong", lang.L("Went wrong")}}, again)
	p.search = widget.NewEntry()
	p.search.SetPlaceHolder(lang.L("Search"))
	p.search.OnChanged = again
	export := look.NewButton(lang.L("Export…"), look.Ordinary, p.export)
	name, left := pageTitle(lang.L("Activity")), spring()
	bar := newToolbar(f, 10_000, []fyne.CanvasObject{p.search, left}, []fyne.CanvasObject{name, left, p.since, export},
		[]fyne.CanvasObject{p.host, p.server, p.what, p.search}, nil)

	p.bars = look.NewBars(theme.ColorNamePrimary, theme.ColorNameWarning, theme.ColorNameError)
	legend := look.Across(6, look.Muted(lang.L("Calls an hour")).Whole(), look.Tag(lang.L("asked"), look.Asking), look.Tag(lang.L("denied"), look.Failed))
	chart := look.Card(look.Column(10, look.Ends(legend, p.counts), p.bars), "")
	p.counts.Align = fyne.TextAlignTrailing
	p.by = newPicker([]option{{"tool", lang.L("tools")}, {"server", lang.L("servers")}, {"host", lang.L("hosts")}}, again)
	slow := look.Card(look.Column(6, look.Ends(look.Muted(lang.L("Slowest, p95")), p.by), p.slow), "")
	p.charts = look.Inset(container.New(chartsLayout{}, chart, slow), look.Margin, 0)

	p.rows = newRows(func() int { return len(p.shown) }, func() fyne.CanvasObject { return newCallRow() },
		func(i int, o fyne.CanvasObject) {
			if i < len(p.shown) {
				o.(*callRow).update(p.shown[i], f.now())
			}
		})
	p.rows.onChoose = func(i int) { p.pick(p.shown[i].ID) }
	p.none = empty(lang.L("No calls here"), lang.L("Every call of a tool is written down here, with who decided about it and how it came out."), nil)
	p.detail = container.NewBorder(look.Rule(), nil, nil, nil, look.Inset(p.facts.box, look.Margin, 10))
	p.detail.Hide()
	p.box = framed(look.Column(0, look.Inset(bar, look.Margin, 14), p.charts, look.Inset(look.Rule(), 0, 6)), p.detail, look.Stack(p.rows, p.none))
	return p
}

func (p *activityPage) content() fyne.CanvasObject { return p.box }

func (p *activityPage) apply(s *wire.Snapshot) {
	hosts, servers := []option{{"", lang.L("All hosts")}}, []option{{"", lang.L("All servers")}}
	for _, h := range s.Hosts {
		hosts = append(hosts, option{h.Name, h.Name})
	}
	hosts = append(hosts, option{"cli", lang.L("command line")})
	for _, one := range s.Servers {
		servers = append(servers, option{one.Name, one.Name})
	}
	p.host.offer(hosts)
	p.server.offer(servers)
	p.fit()
}

// fit leaves the charts out of a low window.
func (p *activityPage) fit() {
	if on := p.frame.high >= shortWindow; p.charts.Visible() != on {
		show(p.charts, on)
		p.box.Refresh()
	}
}

func (p *activityPage) seen(on bool) {
	for _, stop := range p.stop {
		stop()
	}
	p.stop = nil
	if on {
		p.stop = []func(){p.frame.model.Keep(p.read), p.frame.model.Keep(p.beat)}
		p.draw()
	}
}

// read follows the record.
func (p *activityPage) read(ctx context.Context, c *client.Client) {
	for ctx.Err() == nil {
		err := c.FollowActivity(ctx, wire.ActivityQuery{Limit: keptCalls}, func(a wire.Activity) error {
			p.calls.add(a)
			return nil
		})
		if text := refused(err); text != "" {
			p.frame.model.cross(func() { p.frame.tell(text, "", nil, true) })
		}
		select {
		case <-ctx.Done():
		case <-time.After(logRetry):
		}
	}
}

func (p *activityPage) beat(ctx context.Context, _ *client.Client) {
	tick := time.NewTicker(activityPace)
	defer tick.Stop()
	var drawn uint64
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if now := p.calls.version(); now != drawn {
				drawn = now
				p.frame.model.cross(p.draw)
			}
		}
	}
}

// draw counts anew and shows what the filter takes.
func (p *activityPage) draw() {
	if p.rows == nil {
		return // still being built
	}
	now := p.frame.now()
	f := callFilter{host: p.host.value(), server: p.server.value(), what: p.what.value(), text: strings.ToLower(p.search.Text)}
	f.since, _ = time.ParseDuration(p.since.value()) // "" is 0: all
	p.shown, p.drawn = p.calls.newest(func(a *wire.Activity) bool { return f.takes(a, now) })
	t := tallyOf(p.shown, p.by.value(), now)
	p.bars.Set(t.hours)
	counts := join(lang.N("{{.Calls}} calls", t.calls, named{"Calls": thousands(t.calls)}),
		lang.L("{{.Count}} asked", named{"Count": thousands(t.asked)}), lang.L("{{.Count}} denied", named{"Count": thousands(t.denied)}))
	if p.counts.String() != counts {
		p.counts.Set(counts, "")
		p.charts.Refresh()
	}
	p.slow.RemoveAll()
	for _, s := range t.slow {
		p.slow.Add(look.Ends(look.Plain(s.name), look.Plain(took(s.p95)).Whole()))
	}
	p.fit()
	none := len(p.shown) == 0
	show(p.none, none)
	show(p.rows, !none)
	p.rows.choose(slices.IndexFunc(p.shown, func(a wire.Activity) bool { return a.ID == p.picked }))
	p.rows.Refresh()
	p.tell()
}

func (p *activityPage) pick(id string) {
	p.picked = id
	p.tell()
}

// tell shows all that is known of the chosen entry.
func (p *activityPage) tell() {
	i := slices.IndexFunc(p.shown, func(a wire.Activity) bool { return a.ID == p.picked })
	moved := p.detail.Visible() != (i >= 0)
	show(p.detail, i >= 0)
	if i >= 0 {
		a := p.shown[i]
		args := ""
		if a.ArgBytes > 0 {
			args = lang.L("{{.Bytes}} bytes, SHA-256 {{.Sum}}…", named{"Bytes": thousands(a.ArgBytes), "Sum": a.ArgSum})
		}
		if len(a.Args) > 0 {
			args = string(a.Args)
		}
		result := ""
		if a.Bytes > 0 {
			result = lang.L("{{.Bytes}} bytes", named{"Bytes": thousands(a.Bytes)})
		}
		moved = p.facts.set([]fact{
			{lang.L("When"), look.Exact(a.Time), ""},
			{lang.L("Call"), join(a.Host, a.Server, a.Tool), ""},
			{lang.L("Decision"), decidedBy(a), ""},
			{lang.L("Arguments"), args, ""},
			{lang.L("Outcome"), join(a.Outcome, result), ""},
			{lang.L("What"), a.Text, ""},
		}) || moved
	}
	if moved {
		p.box.Refresh()
	}
}

// decidedBy is a decision with its reason and who made it.
func decidedBy(a wire.Activity) string {
	word, _ := decisionWords(a)
	if a.Kind != wire.ActivityCall || a.Outcome != "ok" && a.Outcome != "" {
		word = lang.L("allowed")
		if a.Decision == "deny" {
			word = lang.L("denied")
		}
	}
	parts := []string{word}
	for _, more := range []string{a.Rule, deciderWord(a.By)} {
		if !strings.Contains(strings.Join(parts, " "), more) {
			parts = append(parts, more)
		}
	}
	return join(parts...)
}

func deciderWord(by string) string {
	switch by {
	case "":
		return ""
	case "policy":
		return lang.L("by the rules")
	case "nobody":
		return lang.L("nobody could be asked")
	case "host":
		return lang.L("left to the app")
	}
	return lang.L("by you")
}

// export writes what the record has for the host, server and time that are chosen.
func (p *activityPage) export() {
	save := dialog.NewFileSave(func(w fyne.URIWriteCloser, err error) {
		switch {
		case err != nil:
			p.frame.fail(err)
		case w != nil:
			p.write(w)
		}
	}, p.frame.win)
	save.SetFileName("bridgekeeper-activity.csv")
	save.Show()
}

// write fills a file: CSV by its name, else JSON lines.
func (p *activityPage) write(w fyne.URIWriteCloser) {
	name, format := w.URI().Name(), wire.FormatJSONL
	if strings.EqualFold(path.Ext(name), ".csv") {
		format = wire.FormatCSV
	}
	q := wire.ActivityQuery{Host: p.host.value(), Server: p.server.value()}
	if since, err := time.ParseDuration(p.since.value()); err == nil {
		q.Since = p.frame.now().Add(-since)
	}
	p.frame.do(func(ctx context.Context, c *client.Client) error {
		err := c.ExportActivity(ctx, q, format, w)
		if closed := w.Close(); err == nil {
			err = closed
		}
		return err
	}, func() { p.frame.tell(lang.L("{{.Name}} is written.", named{"Name": name}), "", nil, false) })
}

// callRow is one entry of the record.
type callRow struct {
	row
	time, host, server, tool, word, took *look.Text
}

func newCallRow() *callRow {
	small := func(c fyne.ThemeColorName) *look.Text {
		return look.NewText("", c, look.SizeMono, fyne.TextStyle{Monospace: true})
	}
	r := &callRow{time: small(look.ColorMuted), host: look.Plain(""), server: look.Plain(""), tool: small(theme.ColorNameForeground), word: look.Plain(""), took: look.Muted("")}
	r.took.Align = fyne.TextAlignTrailing
	r.init(r, 30, func(s fyne.Size) {
		x, right := float32(look.Margin), s.Width-look.Margin
		put(r.time, x, 70, 0, s.Height)
		x += 82
		put(r.took, right-64, 64, 0, s.Height)
		room := right - 76 - x
		cut := []float32{0.2, 0.18, 0.28, 0.34}
		if s.Width < 640 { // the tool's name says more than its server's
			cut = []float32{0.24, 0, 0.38, 0.38}
		}
		show(r.server, cut[1] > 0)
		for i, o := range []*look.Text{r.host, r.server, r.tool, r.word} {
			put(o, x, room*cut[i]-look.Wide, 0, s.Height)
			x += room * cut[i]
		}
	}, r.time, r.host, r.server, r.tool, r.word, r.took)
	return r
}

func (r *callRow) update(a wire.Activity, now time.Time) {
	clock := a.Time.Local().Format("15:04:05")
	if now.Sub(a.Time) > 24*time.Hour {
		clock = a.Time.Local().Format("2 Jan")
	}
	r.time.Set(clock, look.Exact(a.Time))
	r.host.Set(a.Host, "")
	r.server.Set(a.Server, "")
	r.tool.Set(a.Tool, "")
	word, tone := decisionWords(a)
	r.word.Set(word, a.Rule)
	color := tone.Words()
	if tone == look.Ready {
		color = theme.ColorNameSuccess
	}
	r.word.Paint(color)
	text := "—"
	if a.MS > 0 {
		text = took(a.MS)
	}
	r.took.Set(text, "")
}

// chartsLayout puts the two cards beside each other, the first one wider; where
// there is little room the second one isn't shown.
type chartsLayout struct{}

const chartsHeight = 152

func (chartsLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, chartsHeight) }

func (chartsLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	second := s.Width >= 620
	show(o[1], second)
	w := s.Width
	if second {
		w = s.Width*0.62 - 8
		o[1].Move(fyne.NewPos(w+16, 0))
		o[1].Resize(fyne.NewSize(s.Width-w-16, s.Height))
	}
	o[0].Resize(fyne.NewSize(w, s.Height))
}
