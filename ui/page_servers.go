package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// serversPage lists the servers, one row and one line of truth each. What is
// wrong with the chosen one stands below; a server can be opened to see the rest.
type serversPage struct {
	frame   *frame
	servers []wire.Server
	chosen  string // name of the server whose panel is shown
	held    bool

	box, list, none *fyne.Container
	about           *look.Text
	hold            *look.Button
	rows            *rows
	panel           *fyne.Container
	why             *whyCard
	brief           *briefPanel
	view            *serverView
}

func newServersPage(f *frame) *serversPage {
	p := &serversPage{frame: f, about: about()}
	p.hold = look.NewButton(lang.L("Hold everything"), look.Ordinary, func() { f.hold(!p.held) })
	top := head(pageTitle(lang.L("Servers")), p.about, p.hold, look.NewButton(lang.L("Add server"), look.Accent, func() { f.visit(PageAdd) }))
	p.rows = newRows(func() int { return len(p.servers) }, func() fyne.CanvasObject { return newServerRow(p) },
		func(i int, o fyne.CanvasObject) {
			if i < len(p.servers) {
				o.(*serverRow).update(p.servers[i], f.now())
			}
		})
	p.rows.onChoose = func(i int) { p.choose(p.servers[i].Name) }
	p.rows.onOpen = func(i int) { p.open(p.servers[i].Name) }
	p.rows.onDelete = func(i int) { f.remove(p.servers[i].Name) }
	p.why, p.brief = newWhyCard(f, p.edit), newBriefPanel(f, p.open)
	p.why.short = true
	p.panel = look.Stack(p.why.box, p.brief.box)
	p.list = framed(top, p.panel, p.rows)
	p.none = framed(head(pageTitle(lang.L("Servers")), look.Muted("")), nil, empty(lang.L("No servers yet"), lang.L("Add one, and every app on this computer can use it through Bridgekeeper."),
		look.NewButton(lang.L("Add server"), look.Accent, func() { f.visit(PageAdd) })))
	p.view = newServerView(f, p.back)
	p.view.box.Hide()
	p.none.Hide()
	p.box = look.Stack(p.list, p.none, p.view.box)
	return p
}

func (p *serversPage) content() fyne.CanvasObject { return p.box }
func (p *serversPage) seen(on bool)               { p.view.seen(on) }

func (p *serversPage) apply(s *wire.Snapshot) {
	p.servers = s.Servers
	p.held = !s.Core.Held.IsZero()
	about := summary(s.Servers)
	if p.frame.model.Down() != nil {
		about = lang.L("as last seen")
	}
	p.about.Set(about, "")
	text := lang.L("Hold everything")
	if p.held {
		text = lang.L("Go on")
	}
	p.hold.SetText(text)
	none := len(s.Servers) == 0 && p.frame.model.Known()
	if p.view.box.Visible() && !p.view.apply() {
		p.back() // it was removed
	}
	open := p.view.box.Visible()
	show(p.none, none && !open)
	show(p.list, !none && !open)
	if open || none {
		return
	}
	p.applyPanel()
	p.rows.refresh(p.says())
}

// says is all that the rows say.
func (p *serversPage) says() string {
	var b strings.Builder
	now := p.frame.now()
	for _, s := range p.servers {
		h := healthOf(s, now)
		memory, cpu := usage(s)
		fmt.Fprintln(&b, s.Name, s.Title, s.Entry.Command, s.Entry.Args, h, memory, cpu, s.CallsPerMinute)
	}
	return b.String()
}

func (p *serversPage) index(name string) int {
	return slices.IndexFunc(p.servers, func(s wire.Server) bool { return s.Name == name })
}

// choose shows a server's panel; with none chosen the first that needs a person has it.
func (p *serversPage) choose(name string) {
	p.chosen = name
	p.applyPanel()
}

func (p *serversPage) applyPanel() {
	i := p.index(p.chosen)
	if i < 0 {
		i = slices.IndexFunc(p.servers, func(s wire.Server) bool { return troubled(s) })
	}
	p.rows.choose(i)
	why, brief := false, false
	if i >= 0 {
		why = troubled(p.servers[i])
		brief = !why
	}
	moved := p.why.box.Visible() != why || p.brief.box.Visible() != brief
	if why {
		moved = p.why.update(p.servers[i]) || moved
	}
	if brief {
		p.brief.update(p.servers[i])
	}
	if moved {
		show(p.why.box, why)
		show(p.brief.box, brief)
		p.list.Refresh()
	}
}

// troubled reports whether a person should look at a server.
func troubled(s wire.Server) bool {
	return s.State == stateFailed || s.State == stateHeld || s.State == stateBackoff
}

func (p *serversPage) open(name string) {
	p.chosen = name
	p.list.Hide()
	p.view.box.Show() // what is hidden can't have the keyboard
	p.view.open(name)
}

// edit opens a server at its settings, at one variable if env isn't "".
func (p *serversPage) edit(name, env string) {
	p.open(name)
	p.view.edit(env)
}

func (p *serversPage) back() {
	p.view.close()
	p.view.box.Hide()
	p.apply(p.frame.model.Snapshot())
	p.frame.focus(p.rows)
}

// press does what a row's button says.
func (p *serversPage) press(s wire.Server, act string) {
	switch act {
	case actStart, actStop:
		p.frame.act(s.Name, act)
	case actWhy:
		p.rows.choose(p.index(s.Name))
		p.choose(s.Name)
	case actReview:
		p.frame.review(s.Name)
	}
}

// review opens the question that a held server waits for.
func (f *frame) review(server string) {
	for _, q := range f.model.Snapshot().Questions {
		if q.Server == server && (q.Kind == wire.AskFirstRun || q.Kind == wire.AskChangedTool) {
			f.ask(q.ID)
			return
		}
	}
	f.do(func(ctx context.Context, c *client.Client) error {
		_, err := c.Review(ctx, server) // it asks once more
		return err
	}, nil)
}

// remove takes a server away, with time to undo that.
func (f *frame) remove(server string) {
	f.model.Remove(server, func(err error) {
		if err != nil {
			f.fail(err)
		}
	})
	f.tell(lang.L("{{.Name}} was removed.", named{"Name": server}), lang.L("Undo"), func() { f.model.Undo(server) }, false)
}

// serverRow is one server of the list.
type serverRow struct {
	row
	page *serversPage
	now  wire.Server
	act  string

	dot                         *look.Block
	name, command, word, detail *look.Text
	memory, cpu                 *look.Text
	spark                       *look.Spark
	button                      *look.Button
}

const serverRowHeight = 56 // and the list's own space of 4

func newServerRow(p *serversPage) *serverRow {
	r := &serverRow{page: p, dot: look.Dot(look.Off), name: look.Strong(""), command: look.NewText("", look.ColorMuted, look.SizeMono, fyne.TextStyle{Monospace: true}), word: look.Plain(""), detail: look.Muted(""),
		memory: look.Muted(""), cpu: look.Muted(""), spark: look.NewSpark()}
	r.memory.Align, r.cpu.Align = fyne.TextAlignTrailing, fyne.TextAlignTrailing
	r.button = look.NewButton("", look.Ordinary, func() { p.press(r.now, r.act) })
	r.init(r, serverRowHeight, r.lay, r.dot, r.name, r.command, r.word, r.detail, r.memory, r.cpu, r.spark, r.button)
	return r
}

func (r *serverRow) update(s wire.Server, now time.Time) {
	r.now = s
	h := healthOf(s, now)
	r.dot.Paint(h.tone.Color(), "")
	r.name.Set(s.Name, s.Title)
	line := look.Show(commandLine(s.Entry.Command, s.Entry.Args))
	r.command.Set(line, "")
	r.word.Set(h.word, "")
	r.word.Paint(h.tone.Words())
	since := ""
	if !h.since.IsZero() {
		since = lang.L("since {{.Time}}", named{"Time": look.Exact(h.since)})
	}
	r.detail.Set(h.detail, since)
	memory, cpu := usage(s)
	r.memory.Set(memory, lang.L("Memory of it and all that it started"))
	r.cpu.Set(cpu, lang.L("Share of one processor"))
	r.spark.Set(s.CallsPerMinute)
	r.act = h.act
	text := actWord(h.act)
	if r.button.Text() != text {
		r.button.SetText(text)
		r.lay(r.Size())
	}
	show(r.button, h.act != "")
}

func usage(s wire.Server) (memory, cpu string) {
	if s.MemoryBytes == 0 {
		return "", ""
	}
	return size(s.MemoryBytes), strconv.FormatFloat(s.CPUPercent, 'f', 1, 64) + " %"
}

func actWord(act string) string {
	switch act {
	case actStart:
		return lang.L("Start")
	case actStop:
		return lang.L("Stop")
	case actWhy:
		return lang.L("Why?")
	case actReview:
		return lang.L("Review")
	}
	return ""
}

func (r *serverRow) lay(s fyne.Size) {
	const top, bottom = 8, 30
	x, right := float32(look.Margin), s.Width-look.Margin
	put(r.dot, x, 0, 0, s.Height)
	x += 23
	m := r.button.MinSize()
	put(r.button, right-m.Width, 0, 0, s.Height)
	right -= max(m.Width, 70) + 20
	usage, spark := s.Width >= 560, s.Width >= 720
	show(r.memory, usage)
	show(r.cpu, usage)
	show(r.spark, spark)
	if usage {
		put(r.memory, right-64, 64, top, 20)
		put(r.cpu, right-64, 64, bottom, 17)
		right -= 64 + 24
	}
	if spark {
		r.spark.Resize(fyne.NewSize(90, 22))
		r.spark.Move(fyne.NewPos(right-90, (s.Height-22)/2))
		right -= 90 + 24
	}
	room := right - x
	name := room * 0.58
	put(r.name, x, name-look.Wide, top, 20)
	put(r.command, x, name-look.Wide, bottom, 17)
	put(r.word, x+name, room-name, top, 20)
	put(r.detail, x+name, room-name, bottom, 17)
}
