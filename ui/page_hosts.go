package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// hostsPage lists the AI applications that have a token, says what each of them
// may do, and lets one more in.
type hostsPage struct {
	frame  *frame
	hosts  []wire.Host
	chosen string
	url    string

	box, none *fyne.Container
	about     *look.Text
	rows      *rows
	list      *fyne.Container
	panel     *hostPanel
	join      *joinPanel
}

func newHostsPage(f *frame) *hostsPage {
	p := &hostsPage{frame: f, about: about()}
	p.rows = newRows(func() int { return len(p.hosts) }, func() fyne.CanvasObject { return newHostRow() },
		func(i int, o fyne.CanvasObject) {
			if i < len(p.hosts) {
				o.(*hostRow).update(p.hosts[i], f.now())
			}
		})
	p.rows.onChoose = func(i int) { p.choose(p.hosts[i].Name) }
	p.rows.onOpen = func(i int) { p.frame.focus(p.panel.ask) }
	p.rows.onDelete = func(i int) { p.panel.remove() }
	p.panel = newHostPanel(f)
	p.join = newJoinPanel(f, p.joined)
	p.none = look.Stack(empty(lang.L("No app is connected yet"),
		lang.L("Each app gets a token of its own, so that you see who calls what, and can take it away again."),
		look.NewButton(lang.L("Connect an app"), look.Accent, p.join.begin)))
	top := head(pageTitle(lang.L("Hosts")), p.about, look.NewButton(lang.L("Connect an app"), look.Accent, p.join.begin))
	p.list = framed(look.Column(0, top, p.join.box), p.panel.box, look.Stack(p.rows, p.none))
	p.join.onMove = p.list.Refresh
	p.box = p.list
	p.panel.box.Hide()
	return p
}

func (p *hostsPage) content() fyne.CanvasObject { return p.box }
func (p *hostsPage) seen(bool)                  {}

func (p *hostsPage) apply(s *wire.Snapshot) {
	p.hosts, p.url = s.Hosts, s.Core.URL
	seen := 0
	for _, h := range s.Hosts {
		if h.Sessions > 0 {
			seen++
		}
	}
	about := ""
	if seen > 0 {
		about = lang.N("{{.Count}} connected now", seen, named{"Count": seen})
	}
	p.about.Set(about, "")
	show(p.none, len(p.hosts) == 0 && !p.join.box.Visible())
	show(p.rows, len(p.hosts) > 0)
	p.rows.choose(p.index())
	p.rows.refresh(p.says())
	p.applyPanel()
}

// says is all that the rows say.
func (p *hostsPage) says() string {
	var b strings.Builder
	now := p.frame.now()
	for _, h := range p.hosts {
		fmt.Fprintln(&b, h.Name, h.Client, h.Sessions > 0, look.Ago(h.LastSeen, now), h.Terms, h.Calls, h.Protocol)
	}
	return b.String()
}

func (p *hostsPage) index() int {
	return slices.IndexFunc(p.hosts, func(h wire.Host) bool { return h.Name == p.chosen })
}

func (p *hostsPage) choose(name string) {
	p.chosen = name
	p.applyPanel()
}

func (p *hostsPage) applyPanel() {
	i := p.index()
	if i >= 0 {
		p.panel.update(p.hosts[i])
	}
	if p.panel.box.Visible() != (i >= 0) {
		show(p.panel.box, i >= 0)
		p.list.Refresh()
	}
}

// joined chooses the host that was just let in.
func (p *hostsPage) joined(name string) {
	p.chosen = name
	p.apply(p.frame.model.Snapshot())
}

// hostRow is one host of the list.
type hostRow struct {
	row
	dot                      *look.Block
	name, client, seen, used *look.Text
	calls, protocol          *look.Text
}

func newHostRow() *hostRow {
	r := &hostRow{dot: look.Dot(look.Off), name: look.Strong(""), client: look.Muted(""), seen: look.Plain(""), used: look.Muted(""), calls: look.Plain(""), protocol: look.Muted("")}
	r.calls.Align, r.protocol.Align = fyne.TextAlignTrailing, fyne.TextAlignTrailing
	r.init(r, serverRowHeight, func(s fyne.Size) {
		x, right := float32(look.Margin), s.Width-look.Margin
		put(r.dot, x, 0, 0, s.Height)
		x += 23
		put(r.calls, right-110, 110, 8, 20)
		put(r.protocol, right-110, 110, 30, 17)
		room := right - 110 - look.Wide - x
		put(r.name, x, room/2-look.Wide, 8, 20)
		put(r.client, x, room/2-look.Wide, 30, 17)
		put(r.seen, x+room/2, room/2, 8, 20)
		put(r.used, x+room/2, room/2, 30, 17)
	}, r.dot, r.name, r.client, r.seen, r.used, r.calls, r.protocol)
	return r
}

func (r *hostRow) update(h wire.Host, now time.Time) {
	tone := look.Off
	seen := lang.L("Not seen yet")
	switch {
	case h.Sessions > 0:
		tone, seen = look.Ready, lang.L("Connected")
	case !h.LastSeen.IsZero():
		seen = lang.L("Seen {{.Ago}}", named{"Ago": look.Ago(h.LastSeen, now)})
	}
	r.dot.Paint(tone.Color(), "")
	r.name.Set(h.Name, "")
	r.client.Set(look.Show(h.Client), "")
	r.seen.Set(seen, look.Exact(h.LastSeen))
	r.used.Set(join(asksWord(h.Terms.Ask), questionsWord(h.Terms.Questions)), lang.L("added {{.Time}}", named{"Time": look.Exact(h.Created)}))
	r.calls.Set(lang.N("{{.Calls}} calls", int(h.Calls), named{"Calls": thousands(int(h.Calls))}), lang.L("since Bridgekeeper started"))
	r.protocol.Set(h.Protocol, "")
}

func asksWord(preset string) string {
	switch preset {
	case wire.PresetEverything:
		return lang.L("asks before every call")
	case wire.PresetChanges:
		return lang.L("asks before changes")
	case wire.PresetDestructive:
		return lang.L("asks before destruction")
	case wire.PresetNever:
		return lang.L("never asks")
	}
	return lang.L("asks as its servers say")
}

func questionsWord(where string) string {
	if where == "host" {
		return lang.L("shows servers' questions itself")
	}
	return ""
}

// hostPanel is what a person chooses for one host. Each choice counts at once.
type hostPanel struct {
	frame  *frame
	now    wire.Host
	box    fyne.CanvasObject
	name   *look.Text
	ask    *picker
	shows  *picker
	minute *widget.Entry
	atOnce *widget.Entry
}

func newHostPanel(f *frame) *hostPanel {
	p := &hostPanel{frame: f, name: look.Strong("").Whole()}
	p.ask = newPicker(append([]option{{"", lang.L("what each server says")}}, presets()...), func(v string) { p.set(wire.EditHost{Ask: &v}) })
	p.shows = newPicker([]option{{"", lang.L("here, in a window of its own")}, {"host", lang.L("in this app, if it can")}}, func(v string) { p.set(wire.EditHost{Questions: &v}) })
	limit := func(read func(n int) wire.EditHost, field string) *widget.Entry {
		e := widget.NewEntry()
		e.SetPlaceHolder(lang.L("no limit"))
		e.OnSubmitted = func(text string) {
			n, err := whole(text, field)
			if err != nil {
				f.fail(&wire.Error{Message: err.Error()})
				return
			}
			p.set(read(n))
		}
		return e
	}
	p.minute = limit(func(n int) wire.EditHost { return wire.EditHost{PerMinute: &n} }, lang.L("Calls a minute"))
	p.atOnce = limit(func(n int) wire.EditHost { return wire.EditHost{AtOnce: &n} }, lang.L("Calls at once"))
	gone := look.NewButton(lang.L("Take its token away"), look.Ordinary, p.remove)
	form := look.Column(look.Gap, container.NewBorder(nil, nil, p.name, gone),
		labelled(lang.L("Ask me before"), p.ask), labelled(lang.L("Servers' questions"), p.shows),
		labelled(lang.L("Calls a minute"), p.minute), labelled(lang.L("Calls at once"), p.atOnce))
	p.box = container.NewBorder(look.Rule(), nil, nil, nil, look.Inset(form, look.Margin, look.Wide))
	return p
}

func (p *hostPanel) update(h wire.Host) {
	other := h.Name != p.now.Name
	p.now = h
	p.name.Set(h.Name, "")
	p.ask.set(h.Terms.Ask)
	p.shows.set(known(h.Terms.Questions, "here"))
	if l := h.Terms.Limits; other {
		if l == nil {
			l = &wire.Limits{}
		}
		p.minute.SetText(number(l.PerMinute))
		p.atOnce.SetText(number(l.AtOnce))
	}
}

func (p *hostPanel) set(req wire.EditHost) {
	name := p.now.Name
	p.frame.do(func(ctx context.Context, c *client.Client) error { return c.SetHost(ctx, name, req) }, nil)
}

// remove asks first: a token that is taken away can't be given back.
func (p *hostPanel) remove() {
	name := p.now.Name
	p.frame.tell(lang.L("{{.Name}} can't connect any more once its token is gone.", named{"Name": name}), lang.L("Take it away"), func() {
		p.frame.do(func(ctx context.Context, c *client.Client) error { return c.RemoveHost(ctx, name) }, func() {
			p.frame.tell(lang.L("{{.Name}} has no token any more.", named{"Name": name}), "", nil, false)
		})
	}, false)
}

// joinPanel lets a host in: a name, then its token, shown once, with how to use it.
type joinPanel struct {
	frame  *frame
	onDone func(name string)
	onMove func()

	box   *fyne.Container
	form  *fyne.Container
	done  *fyne.Container
	name  *widget.Entry
	add   *look.Button
	wrong *look.Para
	given wire.NewHost
	title *look.Text
	token *widget.Entry
	how   *picker
	place *look.Para
	text  *widget.Entry
}

func newJoinPanel(f *frame, onDone func(name string)) *joinPanel {
	j := &joinPanel{frame: f, onDone: onDone, name: widget.NewEntry(), wrong: look.Words(""), title: look.Strong("")}
	j.name.SetPlaceHolder(lang.L("such as claude-code or cursor"))
	j.name.OnSubmitted = func(string) { j.store() }
	j.name.OnChanged = func(string) {
		if j.wrong.Visible() {
			j.wrong.Hide()
			j.moved()
		}
	}
	j.wrong.Paint(theme.ColorNameError)
	j.wrong.Hide()
	j.add = look.NewButton(lang.L("Make a token"), look.Ordinary, j.store)
	j.form = look.Column(look.Gap, look.Strong(lang.L("Connect an app")),
		container.NewBorder(nil, nil, nil, look.Across(look.Gap, j.add, look.NewButton(lang.L("Cancel"), look.Ordinary, j.end)), j.name), j.wrong)
	j.token = widget.NewEntry()
	j.token.TextStyle.Monospace = true
	j.text = widget.NewMultiLineEntry()
	j.text.TextStyle.Monospace = true
	j.text.SetMinRowsVisible(9)
	j.how = newPicker(recipeOptions(), func(string) { j.instruct() })
	j.place = look.Small("")
	copyToken := look.NewButton(lang.L("Copy"), look.Ordinary, func() { f.copy(j.given.Token, lang.L("The token is on the clipboard.")) })
	copyText := look.NewButton(lang.L("Copy"), look.Ordinary, func() { f.copy(j.text.Text, lang.L("It is on the clipboard.")) })
	once := look.Words(lang.L("This is the only time the token is shown. Only a hash of it is kept."))
	once.Paint(theme.ColorNameWarning)
	j.done = look.Column(look.Gap, look.Ends(j.title, look.NewButton(lang.L("I have put it in"), look.Ordinary, j.end)), once, container.NewBorder(nil, nil, nil, copyToken, j.token),
		look.Ends(look.Across(look.Gap, look.Plain(lang.L("How to connect")).Whole(), j.how), copyText), j.place, j.text)
	j.done.Hide()
	j.box = look.Stack(look.Inset(look.Card(look.Stack(j.form, j.done), theme.ColorNamePrimary), look.Margin, look.Gap))
	j.box.Hide()
	return j
}

func (j *joinPanel) moved() {
	j.box.Refresh()
	if j.onMove != nil {
		j.onMove()
	}
}

// begin opens the panel at its first step.
func (j *joinPanel) begin() {
	j.name.SetText("")
	j.form.Show()
	j.done.Hide()
	j.box.Show()
	j.moved()
	j.onDone("")
	j.frame.focus(j.name)
}

func (j *joinPanel) end() {
	j.given = wire.NewHost{}
	j.token.SetText("")
	j.text.SetText("")
	j.box.Hide()
	j.moved()
	j.onDone(j.name.Text)
}

func (j *joinPanel) store() {
	name := j.name.Text
	var given *wire.NewHost
	j.add.Able(false)
	j.frame.model.Do(func(ctx context.Context, c *client.Client) (err error) {
		given, err = c.AddHost(ctx, name)
		return err
	}, func(err error) {
		j.add.Able(true)
		if err != nil {
			j.wrong.Set(explain(err))
			j.wrong.Show()
			j.moved()
			return
		}
		j.given = *given
		j.title.Set(lang.L("{{.Name}} may connect", named{"Name": given.Name}), "")
		j.token.SetText(given.Token)
		j.how.set(recipeFor(given.Name).app)
		j.instruct()
		j.form.Hide()
		j.done.Show()
		j.moved()
	})
}

// instruct shows what a person puts into the app that is chosen.
func (j *joinPanel) instruct() {
	i := slices.IndexFunc(recipes, func(r recipe) bool { return r.app == j.how.value() })
	j.text.SetText(recipes[i].fill(j.given))
	j.place.Set(recipes[i].place())
	j.moved()
}
