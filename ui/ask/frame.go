package ask

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// content is what a kind of question has of its own.
type content struct {
	tags  []fyne.CanvasObject
	title []look.Run
	below []look.Run // under the title, in secondary text
	parts []fyne.CanvasObject
	// stretch is the part that takes what height is left, and gives when there is
	// too little; nil for none.
	stretch *panel
}

// maxName is how many letters of a name are set in a title. Longer ones are no
// names that a person could tell apart.
const maxName = 160

// clipped is a foreign text of at most so many letters.
func clipped(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// contents is what to show, by kind.
func (p *Popup) contents() content {
	switch {
	case p.q.Kind == wire.AskCall && p.q.Call != nil:
		return p.call()
	case p.q.Kind == wire.AskForm && p.q.Form != nil:
		return p.form()
	case p.q.Kind == wire.AskURL && p.q.URL != nil:
		return p.page()
	case p.q.Kind == wire.AskSampling && p.q.Sampling != nil:
		return p.sampling()
	case p.q.Kind == wire.AskSamplingResult && p.q.Sampling != nil:
		return p.samplingResult()
	case p.q.Kind == wire.AskFirstRun && p.q.Command != nil:
		return p.command()
	case p.q.Kind == wire.AskChangedTool && p.q.Change != nil:
		return p.change()
	case p.q.Kind == wire.AskLower && p.q.Lower != nil:
		return p.lower()
	case p.q.Kind == wire.AskNewHost:
		return p.newHost()
	}
	return p.unknown()
}

// build makes the window's content.
func (p *Popup) build() {
	p.status = look.NewText("", look.ColorMuted, theme.SizeNameText, fyne.TextStyle{}).Whole()
	p.problem = look.NewPara("", theme.ColorNameError, theme.SizeNameText)
	p.problem.Hide()
	p.hint = look.Small("")
	p.hint.Hide()
	p.body = look.Column(look.Wide)
	p.buttons()
	p.top = container.NewStack()
	fill := func() {
		c := p.contents()
		p.top.Objects = []fyne.CanvasObject{look.Ends(look.Across(look.Gap, c.tags...), p.status)}
		head := []fyne.CanvasObject{look.NewRich(theme.ColorNameForeground, look.SizeTitle, inBold(c.title)...)}
		if c.below != nil {
			head = append(head, look.NewRich(look.ColorMuted, theme.SizeNameText, c.below...))
		}
		parts := []fyne.CanvasObject{look.Column(4, head...)}
		for _, n := range p.q.Notes { // before what may be long
			parts = append(parts, warning(n))
		}
		parts = append(parts, c.parts...)
		if p.q.Why != "" {
			parts = append(parts, p.why())
		}
		p.body.Objects = parts
		p.stretch = c.stretch
		if c.stretch != nil {
			look.Stretch(p.body, c.stretch.CanvasObject)
		}
	}
	fill()
	p.refill = func() {
		fill()
		p.win.Content().Refresh()
	}
	p.tell()
	foot := look.Column(look.Gap, p.problem, p.hint, p.row())
	p.scroll = newBodyScroll(p.body)
	whole := container.New(&frame{}, look.Inset(p.top, look.Margin, 0), container.New(p.scroll, p.scroll.scroll), look.Inset(foot, look.Margin, 0))
	p.win.SetContent(look.WithTips(p.win.Canvas(), whole))
	p.win.Resize(fyne.NewSize(width, p.height(foot)))
	p.able()
	if p.q.Call != nil && p.q.Call.Cut {
		p.fetch()
	}
}

// height is that of the window as it opens. A sheet gives rows away before
// anything must be scrolled into sight.
func (p *Popup) height(foot fyne.CanvasObject) float32 {
	want := func() float32 {
		return look.HeightFor(p.body, bodyWidth) + frameSpace + p.top.MinSize().Height + look.HeightFor(foot, bodyWidth)
	}
	if over := want() - tallest; over > 0 && p.stretch != nil {
		s := p.stretch.sheet
		shown := min(s.rest, len(s.paper.rows))
		s.rest = max(leastRows, shown-int(math.Ceil(float64(over)/rowHeight)))
	}
	return min(tallest, want())
}

// why is why a person is asked.
func (p *Popup) why() fyne.CanvasObject {
	return look.NewRich(look.ColorMuted, theme.SizeNameCaptionText, runs("Asked because: {{.Why}}", map[string]look.Run{"Why": {Text: p.q.Why}})...)
}

// warning is a sentence that wants to be read, behind its sign.
func warning(text string) fyne.CanvasObject {
	return container.New(signed{}, container.NewGridWrap(fyne.NewSquareSize(18), widget.NewIcon(look.IconIn("warning", theme.ColorNameWarning))),
		look.NewRich(theme.ColorNameWarning, theme.SizeNameText, look.Run{Text: text}))
}

// longText is how many bytes of what others wrote are set as a paragraph; more
// goes into a sheet, which makes only the rows that can be seen.
const longText = 3000

// quote is what a server or a model wrote, told from our own words by a bar.
func (p *Popup) quote(text string) fyne.CanvasObject {
	if len(text) > longText {
		return p.newPanel(lang.L("What the server says"), textLines(text), func() string { return text }).CanvasObject
	}
	return look.Box(look.Inset(look.NewRich(theme.ColorNameForeground, theme.SizeNameText, look.Run{Text: text}), 14, 10), look.ColorOff)
}

// buttons makes those that answer.
func (p *Popup) buttons() {
	p.no = look.NewButton(no(p.q.Kind), look.Danger, func() { p.refuse(wire.ChooseDeny) })
	if p.q.Kind == wire.AskForm || p.q.Kind == wire.AskURL {
		p.no.Kind = look.Ordinary
	}
	p.no.Keys = p.keys
	var choices []string
	for _, c := range p.q.Choices {
		if c != wire.ChooseDeny && c != wire.ChooseCancel {
			choices = append(choices, c)
		}
	}
	if len(choices) == 0 {
		return
	}
	main := choices[0]
	label := longer(main)
	if main == wire.ChooseOnce || p.q.Kind != wire.AskCall {
		label = yes(p.q.Kind)
	}
	p.yes = look.NewButton(label, look.Ordinary, func() { p.allow(main) })
	if p.q.Kind == wire.AskForm {
		p.yes.Kind = look.Accent
	}
	p.yes.Keys = p.keys
	if len(choices) > 1 {
		p.more = look.NewButton("", look.Ordinary, func() { p.menu(choices[1:]) })
		p.more.Menu, p.more.Tip, p.more.Keys = true, lang.L("Allow for longer"), p.keys
	}
}

// row is the buttons beside each other: what is done least at the left, no at the
// right.
func (p *Popup) row() fyne.CanvasObject {
	left := look.Across(look.Gap)
	switch {
	case p.takes(wire.ChooseCancel):
		b := look.NewButton(lang.L("Not now"), look.Quiet, p.dismiss)
		b.Keys = p.keys
		left.Add(b)
	case p.q.Server != "":
		const room = 110 // for the name
		name, cut := look.Elide(look.Show(p.q.Server), room, theme.Size(look.SizeControl), fyne.TextStyle{})
		b := look.NewButton(lang.L("Deny all from {{.Server}}", filled{"Server": name}), look.Quiet, p.denyAll)
		b.Keys = p.keys
		if cut {
			b.Tip = look.Show(p.q.Server)
		}
		left.Add(b)
	}
	right := []fyne.CanvasObject{}
	if p.yes != nil {
		pair := []fyne.CanvasObject{p.yes}
		if p.more != nil {
			pair = append(pair, p.more)
		}
		right = append(right, look.Across(2, pair...))
	}
	if p.q.Kind == wire.AskForm || p.q.Kind == wire.AskURL { // yes is what it is there for
		right = append([]fyne.CanvasObject{p.no}, right...)
	} else {
		right = append(right, p.no)
	}
	return look.Ends(container.New(outdent{}, left), right...)
}

// menu offers the choices that last.
func (p *Popup) menu(choices []string) {
	if !p.armed || p.sent || p.ended {
		return
	}
	var items []*fyne.MenuItem
	for _, c := range choices {
		items = append(items, fyne.NewMenuItem(longer(c), func() { p.allow(c) }))
	}
	m := widget.NewPopUpMenu(fyne.NewMenu("", items...), p.win.Canvas())
	at := p.app.Driver().AbsolutePositionForObject(p.more)
	size := m.MinSize()
	m.ShowAtPosition(fyne.NewPos(max(4, at.X+p.more.Size().Width-size.Width), max(4, at.Y-size.Height-4)))
}

// fetch gets the arguments that were too long for a list. Until they are here
// nothing can be allowed.
func (p *Popup) fetch() {
	p.whole = false
	p.able()
	p.act.Fetch(p.q.ID, func(q *wire.Question, err error) {
		switch {
		case p.ended:
		case err != nil && over(err):
			p.Withdraw(sentence(err))
		case err != nil:
			p.fail(err)
		default:
			p.q.Call, p.whole = q.Call, true
			p.refill()
			p.able()
		}
	})
}

// say replaces everything by a few words and a button that closes.
func (p *Popup) say(title, text, mono string) {
	done := look.NewButton(lang.L("Close"), look.Ordinary, func() { p.close(false) })
	done.Keys = p.keys
	parts := []fyne.CanvasObject{look.Title(title), look.NewRich(look.ColorMuted, theme.SizeNameText, look.Run{Text: text})}
	if mono != "" {
		parts = append(parts, look.NewRich(theme.ColorNameForeground, theme.SizeNameText, look.Run{Text: mono, Mono: true}))
	}
	parts = append(parts, look.Ends(look.Across(0), done))
	p.win.SetContent(look.WithTips(p.win.Canvas(), look.Inset(look.Column(look.Wide, parts...), look.Margin, look.Margin)))
	p.win.Canvas().Focus(done)
}

const (
	frameTop   = 18
	frameSpace = frameTop + 12 + 14 + look.Margin - 4
)

// frame is a head, a body that scrolls, and a foot.
type frame struct{}

func (frame) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(max(420, o[0].MinSize().Width, o[2].MinSize().Width), o[0].MinSize().Height+o[2].MinSize().Height+frameSpace+120)
}

func (frame) Layout(o []fyne.CanvasObject, size fyne.Size) {
	top, foot := o[0].MinSize().Height, look.HeightFor(o[2], size.Width)
	o[0].Resize(fyne.NewSize(size.Width, top))
	o[0].Move(fyne.NewPos(0, frameTop))
	o[2].Resize(fyne.NewSize(size.Width, foot))
	o[2].Move(fyne.NewPos(0, size.Height-foot-look.Margin+4))
	o[1].Resize(fyne.NewSize(size.Width, size.Height-top-foot-frameSpace))
	o[1].Move(fyne.NewPos(0, frameTop+top+12))
}

// signed is a sign at the left of text that breaks lines.
type signed struct{}

const signSpace = 26

func (signed) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	return max(20, look.HeightFor(o[1], width-signSpace))
}

func (signed) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(100, max(20, o[1].MinSize().Height))
}

func (signed) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Resize(fyne.NewSquareSize(18))
	o[0].Move(fyne.NewPos(0, 1))
	o[1].Resize(size.SubtractWidthHeight(signSpace, 0))
	o[1].Move(fyne.NewPos(signSpace, 0))
}

// outdent moves buttons without a ground so that their words stand at the edge.
type outdent struct{}

const quietSide = 4

func (outdent) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().SubtractWidthHeight(quietSide, 0)
}

func (outdent) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Resize(size.AddWidthHeight(quietSide, 0))
	o[0].Move(fyne.NewPos(-quietSide, 0))
}
