package ui

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/wire"
)

// lastWords is how many of a dead server's lines its card shows.
const lastWords = 6

// whyCard tells why a server doesn't run, what it said last, and what most
// likely helps, as one button.
type whyCard struct {
	frame *frame
	edit  func(server, env string)
	now   wire.Server
	fix   cause

	box    fyne.CanvasObject
	side   *block
	name   *phrase
	about  *phrase
	says   *widget.Label
	words  *widget.Label
	ground *fyne.Container
	main   *button
	again  *button
	log    *button
}

func newWhyCard(f *frame, edit func(server, env string)) *whyCard {
	c := &whyCard{frame: f, edit: edit, name: strong("").whole(), about: muted(""), says: paragraph(""), words: widget.NewLabel("")}
	c.words.TextStyle.Monospace = true
	c.words.SizeName = theme.SizeNameCaptionText
	c.words.Selectable = true
	c.words.Wrapping = fyne.TextWrapBreak
	c.ground = container.NewStack(newBlock(theme.ColorNameBackground, 4), c.words)
	c.main = accent("", c.help)
	c.again = newButton(lang.L("Start again"), func() { f.act(c.now.Name, "start") })
	c.log = link(lang.L("Open its log"), func() { f.logs(c.now.Name) })
	c.side = newBlock(theme.ColorNameError, 2)
	c.side.least = fyne.NewSize(3, 3)
	ground := newBlock(colorSurface, 6)
	ground.stroke = theme.ColorNameSeparator
	inner := below(4, container.New(titleLayout{}, c.name, c.about), c.says, c.ground,
		across(gap, c.main, c.again, c.log))
	c.box = inset(container.NewStack(ground, container.NewBorder(nil, nil, c.side, nil, inset(inner, 12, 8))), margin, 14)
	return c
}

func (c *whyCard) update(s wire.Server) {
	c.now, c.fix = s, causeOf(s)
	title, about, says := c.tell(s)
	c.name.set(title, "")
	c.about.set(about, "")
	if c.says.Text != says {
		c.says.SetText(says)
	}
	lines := ""
	if s.LastExit != nil {
		all := append(append([]string(nil), s.LastExit.Stderr...), s.LastExit.Stray...)
		lines = cleanLines(strings.Join(all[max(0, len(all)-lastWords):], "\n"))
	}
	if s.State == stateHeld {
		lines = clean(commandLine(s.Entry.Command, s.Entry.Args))
	}
	if c.words.Text != lines {
		c.words.SetText(lines)
	}
	show(c.ground, lines != "")
	tone := toneFailed
	if s.State != stateFailed {
		tone = toneAsking
	}
	c.side.paint(tone.color())
	c.main.SetText(c.fixWord())
	show(c.again, c.fix.fix != fixStart && s.State != stateHeld)
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
	about = join(restarts(s.Restarts), lang.L("last seen {{.Time}}", named{"Time": e.At.Local().Format("15:04:05")}))
	says = sentence(clean(e.Reason))
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
	name  *phrase
	facts *phrase
	again *button
}

func newBriefPanel(f *frame, open func(name string)) *briefPanel {
	b := &briefPanel{frame: f, name: strong("").whole(), facts: muted("")}
	b.again = newButton(lang.L("Restart"), func() { f.act(b.now.Name, "restart") })
	buttons := across(gap, b.again,
		newButton(lang.L("Log"), func() { f.logs(b.now.Name) }),
		newButton(lang.L("Remove"), func() { f.remove(b.now.Name) }),
		newButton(lang.L("Tools and settings"), func() { open(b.now.Name) }))
	line := container.NewBorder(nil, nil, nil, buttons, container.New(titleLayout{}, b.name, b.facts))
	b.box = container.NewBorder(rule(), nil, nil, nil, inset(line, margin, 10))
	return b
}

func (b *briefPanel) update(s wire.Server, now time.Time) {
	b.now = s
	b.name.set(s.Name, "")
	version := join(clean(s.Title), clean(s.Version))
	if version == s.Name {
		version = ""
	}
	b.facts.set(join(version, s.Protocol), "")
	can := running(s)
	if b.again.Disabled() == can {
		if can {
			b.again.Enable()
		} else {
			b.again.Disable()
		}
	}
}
