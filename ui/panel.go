package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// shortWindow is below what height a list matters more than a card under it.
const shortWindow = 520

// lastWords is how many of a dead server's lines its card shows.
const lastWords = 6

// whyCard tells why a server doesn't run, what it said last, and what most
// likely helps, as one button.
type whyCard struct {
	frame *frame
	edit  func(server, env string)
	now   wire.Server
	fix   cause
	short bool // in a low window it leaves the last words out

	box    fyne.CanvasObject
	side   *look.Block
	name   *look.Text
	about  *look.Text
	says   *look.Para
	words  *widget.Label
	ground *fyne.Container
	main   *look.Button
	again  *look.Button
	log    *look.Button
}

func newWhyCard(f *frame, edit func(server, env string)) *whyCard {
	c := &whyCard{frame: f, edit: edit, name: look.Strong("").Whole(), about: look.Muted(""), says: look.Words(""), words: widget.NewLabel("")}
	c.words.TextStyle.Monospace = true
	c.words.SizeName = theme.SizeNameCaptionText
	c.words.Selectable = true
	c.words.Wrapping = fyne.TextWrapBreak
	c.ground = look.Stack(look.NewBlock(theme.ColorNameBackground, 4), c.words)
	c.main = look.NewButton("", look.Accent, c.help)
	c.again = look.NewButton(lang.L("Start again"), look.Ordinary, func() { f.act(c.now.Name, "start") })
	c.log = look.NewButton(lang.L("Open its log"), look.Quiet, func() { f.logs(c.now.Name) })
	c.side = look.NewBlock(theme.ColorNameError, 2)
	inner := look.Column(6, container.New(titleLayout{}, c.name, c.about), c.says, c.ground,
		look.Across(look.Gap, c.main, c.again, c.log))
	c.box = look.Inset(look.Edged(c.side, look.Inset(inner, 14, 12)), look.Margin, 14)
	return c
}

// update reports whether the card may have another size now.
func (c *whyCard) update(s wire.Server) (moved bool) {
	c.now, c.fix = s, causeOf(s)
	title, about, says := c.tell(s)
	before := c.name.String() + c.says.String() + c.words.Text + c.main.Text()
	c.name.Set(title, "")
	c.about.Set(about, "")
	c.says.Set(says)
	lines := ""
	if s.LastExit != nil {
		all := append(append([]string(nil), s.LastExit.Stderr...), s.LastExit.Stray...)
		lines = look.ShowLines(strings.Join(all[max(0, len(all)-lastWords):], "\n"))
	}
	if s.State == stateHeld {
		lines = look.Show(commandLine(s.Entry.Command, s.Entry.Args))
	}
	if c.words.Text != lines {
		c.words.SetText(lines)
	}
	ground := lines != "" && (!c.short || c.frame.high >= shortWindow)
	moved = c.ground.Visible() != ground
	show(c.ground, ground)
	tone := look.Failed
	if s.State != stateFailed {
		tone = look.Asking
	}
	c.side.Paint(tone.Color(), "")
	c.main.SetText(c.fixWord())
	show(c.again, c.fix.fix != fixStart && s.State != stateHeld)
	moved = moved || c.name.String()+c.says.String()+c.words.Text+c.main.Text() != before
	if moved {
		c.box.Refresh()
	}
	return moved
}

// tell returns the card's title, what stands beside it, and its sentence.
func (c *whyCard) tell(s wire.Server) (title, about, says string) {
	if s.State == stateHeld {
		return lang.L("{{.Name}} waits for your trust", named{"Name": s.Name}), "",
			lang.L("Look at what would run before it does. Until then hosts don't see its tools.")
	}
	title = lang.L("{{.Name}} stopped", named{"Name": s.Name})
	if s.State == stateBackoff {
		title = lang.L("{{.Name}} crashed and starts again", named{"Name": s.Name})
	}
	e := s.LastExit
	if e == nil {
		return title, "", ""
	}
	about = join(exitWords(e), lang.L("last one {{.Time}}", named{"Time": e.At.Local().Format("15:04:05")}))
	if s.Restarts > 0 {
		about = join(lang.N("{{.Count}} crashes", s.Restarts+1, named{"Count": s.Restarts + 1}), about)
	}
	says = sentence(look.Show(e.Reason))
	if c.fix.says != "" {
		says += " " + c.fix.says
	}
	return title, about, says
}

func (c *whyCard) fixWord() string {
	switch {
	case c.now.State == stateHeld:
		return lang.L("Review")
	case c.fix.fix == fixEnv:
		return lang.L("Change {{.Name}}…", named{"Name": c.fix.env})
	case c.fix.fix == fixCommand:
		return lang.L("Edit the command…")
	}
	return lang.L("Start again")
}

func (c *whyCard) help() {
	switch {
	case c.now.State == stateHeld:
		c.frame.review(c.now.Name)
	case c.fix.fix == fixStart:
		c.frame.act(c.now.Name, "start")
	default:
		c.edit(c.now.Name, c.fix.env)
	}
}

// briefPanel is the line below the list about a server with which all is well.
type briefPanel struct {
	frame *frame
	now   wire.Server
	box   fyne.CanvasObject
	line  *fyne.Container
	name  *look.Text
	facts *look.Text
	again *look.Button
}

func newBriefPanel(f *frame, open func(name string)) *briefPanel {
	b := &briefPanel{frame: f, name: look.Strong("").Whole(), facts: look.Muted("")}
	b.again = look.NewButton(lang.L("Restart"), look.Ordinary, func() { f.act(b.now.Name, "restart") })
	buttons := look.Across(look.Gap, look.NewButton(lang.L("Details"), look.Ordinary, func() { open(b.now.Name) }),
		look.NewButton(lang.L("Log"), look.Ordinary, func() { f.logs(b.now.Name) }), b.again,
		look.NewButton(lang.L("Remove"), look.Ordinary, func() { f.remove(b.now.Name) }))
	b.line = container.NewBorder(nil, nil, nil, buttons, container.New(titleLayout{}, b.name, b.facts))
	b.box = container.NewBorder(look.Rule(), nil, nil, nil, look.Inset(b.line, look.Margin, 10))
	return b
}

func (b *briefPanel) update(s wire.Server) {
	b.now = s
	other := b.name.String() != s.Name
	b.name.Set(s.Name, "")
	version := join(look.Show(s.Title), look.Show(s.Version))
	if version == s.Name {
		version = ""
	}
	b.facts.Set(join(version, s.Protocol), "")
	b.again.Able(running(s))
	if other {
		b.line.Refresh()
	}
}
