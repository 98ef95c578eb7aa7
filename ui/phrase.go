package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// phrase is one line of text that never takes more room than it is given: what
// doesn't fit is elided, and the whole stands in the tip when the pointer rests
// on it. It is cheaper than a Label, of which long lists would have thousands.
type phrase struct {
	widget.BaseWidget
	text  string
	tip   string // what the pointer tells besides; "" is the text, when it is elided
	color fyne.ThemeColorName
	size  fyne.ThemeSizeName
	style fyne.TextStyle
	align fyne.TextAlign
	fixed bool // it wants room for all of its text

	elided bool
}

func newPhrase(text string, color fyne.ThemeColorName, size fyne.ThemeSizeName, style fyne.TextStyle) *phrase {
	p := &phrase{text: text, color: color, size: size, style: style}
	p.ExtendBaseWidget(p)
	return p
}

func plain(text string) *phrase {
	return newPhrase(text, theme.ColorNameForeground, theme.SizeNameText, fyne.TextStyle{})
}

func strong(text string) *phrase {
	return newPhrase(text, theme.ColorNameForeground, theme.SizeNameText, fyne.TextStyle{Bold: true})
}

func muted(text string) *phrase {
	return newPhrase(text, colorMuted, theme.SizeNameCaptionText, fyne.TextStyle{})
}

func mono(text string) *phrase {
	return newPhrase(text, colorMuted, theme.SizeNameCaptionText, fyne.TextStyle{Monospace: true})
}

func title(text string) *phrase {
	p := newPhrase(text, theme.ColorNameForeground, theme.SizeNameSubHeadingText, fyne.TextStyle{Bold: true})
	p.fixed = true
	return p
}

// whole makes p ask for room for all of its text.
func (p *phrase) whole() *phrase {
	p.fixed = true
	return p
}

// set changes what it says; it costs nothing when that is what it said.
func (p *phrase) set(text, tip string) {
	if p.text != text || p.tip != tip {
		p.text, p.tip = text, tip
		p.Refresh()
	}
}

func (p *phrase) paint(color fyne.ThemeColorName) {
	if p.color != color {
		p.color = color
		p.Refresh()
	}
}

// hover is what the pointer tells about it, "" for nothing.
func (p *phrase) hover() string {
	switch {
	case p.elided && p.tip != "" && p.tip != p.text:
		return p.text + "\n" + p.tip
	case p.elided:
		return p.text
	}
	return p.tip
}

func (p *phrase) CreateRenderer() fyne.WidgetRenderer {
	p.ExtendBaseWidget(p)
	r := &phraseRenderer{p: p, text: canvas.NewText("", color.Black)}
	r.Refresh()
	return r
}

type phraseRenderer struct {
	p    *phrase
	text *canvas.Text
}

func (r *phraseRenderer) MinSize() fyne.Size {
	p := r.p
	full := fyne.MeasureText(p.text, p.Theme().Size(p.size), p.style)
	if !p.fixed {
		full.Width = min(full.Width, 24)
	}
	return full
}

func (r *phraseRenderer) Layout(room fyne.Size) {
	p := r.p
	r.text.Text, p.elided = elide(p.text, room.Width, p.Theme().Size(p.size), p.style)
	height := fyne.MeasureText("x", p.Theme().Size(p.size), p.style).Height
	r.text.Resize(fyne.NewSize(room.Width, height))
	r.text.Move(fyne.NewPos(0, (room.Height-height)/2))
}

func (r *phraseRenderer) Refresh() {
	p := r.p
	r.text.Color = p.Theme().Color(p.color, fyne.CurrentApp().Settings().ThemeVariant())
	r.text.TextSize = p.Theme().Size(p.size)
	r.text.TextStyle = p.style
	r.text.Alignment = p.align
	r.Layout(p.Size())
	r.text.Refresh()
}

func (r *phraseRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.text} }
func (r *phraseRenderer) Destroy()                     {}

// elide cuts text to a width, at a character's border.
func elide(text string, width, size float32, style fyne.TextStyle) (string, bool) {
	if width <= 0 || fyne.MeasureText(text, size, style).Width <= width+0.5 {
		return text, false
	}
	runes := []rune(text)
	low, high := 0, len(runes) // low fits, high doesn't
	for low+1 < high {
		mid := (low + high) / 2
		if fyne.MeasureText(string(runes[:mid])+"…", size, style).Width <= width {
			low = mid
		} else {
			high = mid
		}
	}
	return string(runes[:low]) + "…", true
}

// hint is a phrase by itself, outside of a row, that shows its tip.
type hint struct {
	phrase
}

func newHint(p *phrase) *hint {
	h := &hint{}
	h.text, h.tip, h.color, h.size, h.style, h.align, h.fixed = p.text, p.tip, p.color, p.size, p.style, p.align, p.fixed
	h.ExtendBaseWidget(h)
	return h
}

func (h *hint) CreateRenderer() fyne.WidgetRenderer {
	r := &phraseRenderer{p: &h.phrase, text: canvas.NewText("", color.Black)}
	r.Refresh()
	return r
}

func (h *hint) MouseIn(e *desktop.MouseEvent)    { showTip(h, h.hover(), e.AbsolutePosition) }
func (h *hint) MouseMoved(e *desktop.MouseEvent) { showTip(h, h.hover(), e.AbsolutePosition) }
func (h *hint) MouseOut()                        { hideTip(h) }
