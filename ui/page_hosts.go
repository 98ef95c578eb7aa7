package ui

import (
	"context"
	"fmt"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

// hostsPage lists the AI applications that have a token, says what each of them
// may do, and lets one more in.
type hostsPage struct {
	frame  *frame
	hosts  []wire.Host
	chosen string
	url    string

	box, none *fyne.Container
	about     *phrase
	rows      *rows
	list      *fyne.Container
	panel     *hostPanel
	join      *joinPanel
}

func newHostsPage(f *frame) *hostsPage {
	p := &hostsPage{frame: f, about: muted("")}
	p.about.size = theme.SizeNameText
	p.rows = newRows(func() int { return len(p.hosts) }, func() fyne.CanvasObject { return newHostRow() },
		func(i int, o fyne.CanvasObject) {
			if i < len(p.hosts) {
				o.(*hostRow).update(p.hosts[i], f.now())
			}
		})
	p.rows.onChoose = func(i int) { p.choose(p.hosts[i].Name) }
	p.rows.onOpen = func(i int) { focusOn(p.panel.ask) }
	p.rows.onDelete = func(i int) { p.panel.remove() }
	p.panel = newHostPanel(f)
	p.join = newJoinPanel(f, p.joined)
	p.none = container.NewStack(empty(lang.L("No app is connected yet"),
		lang.L("Each app gets a token of its own, so that you see who calls what, and can take it away again."),
		accent(lang.L("Connect an app"), p.join.begin)))
	top := head(title(lang.L("Hosts")), p.about, accent(lang.L("Connect an app"), p.join.begin))
	p.list = container.NewBorder(below(0, top, p.join.box), p.panel.box, nil, nil, container.NewStack(p.rows, p.none))
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
	p.about.set(about, "")
	show(p.none, len(p.hosts) == 0 && !p.join.box.Visible())
	show(p.rows, len(p.hosts) > 0)
	p.rows.choose(p.index())
	p.rows.Refresh()
	p.applyPanel()
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
	dot                      *block
	name, client, seen, used *phrase
	calls, protocol          *phrase
}

func newHostRow() *hostRow {
	r := &hostRow{dot: dot(toneOff), name: strong(""), client: muted(""), seen: plain(""), used: muted(""), calls: plain(""), protocol: muted("")}
	r.calls.align, r.protocol.align = fyne.TextAlignTrailing, fyne.TextAlignTrailing
	r.init(r, serverRowHeight, func(s fyne.Size) {
		x, right := float32(margin), s.Width-margin
		put(r.dot, x, 0, 0, s.Height)
		x += 23
		put(r.calls, right-110, 110, 8, 20)
		put(r.protocol, right-110, 110, 30, 17)
		room := right - 110 - wide - x
		put(r.name, x, room/2-wide, 8, 20)
		put(r.client, x, room/2-wide, 30, 17)
		put(r.seen, x+room/2, room/2, 8, 20)
		put(r.used, x+room/2, room/2, 30, 17)
	}, r.dot, r.name, r.client, r.seen, r.used, r.calls, r.protocol)
	return r
}

func (r *hostRow) update(h wire.Host, now time.Time) {
	tone := toneOff
	seen := lang.L("Not seen yet")
	switch {
	case h.Sessions > 0:
		tone, seen = toneReady, lang.L("Connected")
	case !h.LastSeen.IsZero():
		seen = lang.L("Seen {{.Ago}}", named{"Ago": ago(h.LastSeen, now)})
	}
	r.dot.paint(tone.color())
	r.name.set(h.Name, "")
	r.client.set(clean(h.Client), "")
	r.seen.set(seen, exact(h.LastSeen))
	r.used.set(join(asksWord(h.Terms.Ask), questionsWord(h.Terms.Questions)), lang.L("added {{.Time}}", named{"Time": exact(h.Created)}))
	r.calls.set(lang.N("{{.Calls}} calls", int(h.Calls), named{"Calls": thousands(int(h.Calls))}), lang.L("since Bridgekeeper started"))
	r.protocol.set(h.Protocol, "")
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
	name   *phrase
	ask    *picker
	shows  *picker
	minute *widget.Entry
	atOnce *widget.Entry
}

func newHostPanel(f *frame) *hostPanel {
	p := &hostPanel{frame: f, name: strong("").whole()}
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
	gone := newButton(lang.L("Take its token away"), p.remove)
	form := below(gap, container.NewBorder(nil, nil, p.name, gone),
		labelled(lang.L("Ask me before"), p.ask), labelled(lang.L("Servers' questions"), p.shows),
		labelled(lang.L("Calls a minute"), p.minute), labelled(lang.L("Calls at once"), p.atOnce))
	p.box = container.NewBorder(rule(), nil, nil, nil, inset(form, margin, wide))
	return p
}

func (p *hostPanel) update(h wire.Host) {
	other := h.Name != p.now.Name
	p.now = h
	p.name.set(h.Name, "")
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
	add   *button
	wrong *widget.Label
	given wire.NewHost
	title *phrase
	token *widget.Entry
	how   *picker
	text  *widget.Entry
}

func newJoinPanel(f *frame, onDone func(name string)) *joinPanel {
	j := &joinPanel{frame: f, onDone: onDone, name: widget.NewEntry(), wrong: paragraph(""), title: strong("")}
	j.name.SetPlaceHolder(lang.L("such as claude-code or cursor"))
	j.name.OnSubmitted = func(string) { j.store() }
	j.name.OnChanged = func(string) {
		if j.wrong.Visible() {
			j.wrong.Hide()
			j.moved()
		}
	}
	j.wrong.Importance = widget.DangerImportance
	j.wrong.Hide()
	j.add = newButton(lang.L("Make a token"), j.store)
	j.form = below(gap, strong(lang.L("Connect an app")),
		container.NewBorder(nil, nil, nil, across(gap, j.add, newButton(lang.L("Cancel"), j.end)), j.name), j.wrong)
	j.token = widget.NewEntry()
	j.token.TextStyle.Monospace = true
	j.text = widget.NewMultiLineEntry()
	j.text.TextStyle.Monospace = true
	j.text.SetMinRowsVisible(7)
	j.how = newPicker([]option{{"json", lang.L("as JSON, for Cursor, VS Code and most others")}, {"claude", lang.L("for Claude Code, as a command")},
		{"codex", lang.L("for Codex, in config.toml")}}, func(string) { j.text.SetText(j.instructions()) })
	copyToken := newButton(lang.L("Copy"), func() { f.copy(j.given.Token, lang.L("The token is on the clipboard.")) })
	copyText := newButton(lang.L("Copy"), func() { f.copy(j.text.Text, lang.L("It is on the clipboard.")) })
	once := paragraph(lang.L("This is the only time the token is shown. Only a hash of it is kept."))
	once.Importance = widget.WarningImportance
	j.done = below(gap, j.title, once, container.NewBorder(nil, nil, nil, copyToken, j.token),
		container.NewBorder(nil, nil, j.how, copyText, nil), j.text, across(0, newButton(lang.L("I have put it in"), j.end)))
	j.done.Hide()
	j.box = container.NewStack(inset(card(container.NewStack(j.form, j.done), theme.ColorNamePrimary), margin, gap))
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
	focusOn(j.name)
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
	j.add.Disable()
	j.frame.model.Do(func(ctx context.Context, c *client.Client) (err error) {
		given, err = c.AddHost(ctx, name)
		return err
	}, func(err error) {
		j.add.Enable()
		if err != nil {
			j.wrong.SetText(explain(err))
			j.wrong.Show()
			j.moved()
			return
		}
		j.given = *given
		j.title.set(lang.L("{{.Name}} may connect", named{"Name": given.Name}), "")
		j.token.SetText(given.Token)
		j.text.SetText(j.instructions())
		j.form.Hide()
		j.done.Show()
		j.moved()
	})
}

// instructions is what a person puts into the app.
func (j *joinPanel) instructions() string {
	switch j.how.value() {
	case "claude":
		return fmt.Sprintf("claude mcp add --transport http bridgekeeper %s --header \"Authorization: Bearer %s\"", j.given.URL, j.given.Token)
	case "codex":
		return fmt.Sprintf("[mcp_servers.bridgekeeper]\nurl = %q\nhttp_headers = { Authorization = %q }", j.given.URL, "Bearer "+j.given.Token)
	}
	return fmt.Sprintf("{\n  \"mcpServers\": {\n    \"bridgekeeper\": {\n      \"type\": \"http\",\n      \"url\": %q,\n      \"headers\": { \"Authorization\": %q }\n    }\n  }\n}",
		j.given.URL, "Bearer "+j.given.Token)
}
