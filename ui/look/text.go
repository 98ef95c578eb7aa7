package look

import (
	"image/color"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Text is one line that never takes more room than it is given: what doesn't fit
// is elided, and the whole stands in a tip when the pointer rests on it. It is
// never read as markup, and characters that hide something are shown (Show).
type Text struct {
	widget.BaseWidget
	Style  fyne.TextStyle
	Height fyne.ThemeSizeName
	Align  fyne.TextAlign

	text   string
	tip    string
	color  fyne.ThemeColorName
	whole  bool
	elided bool
}

// NewText is a line of text.
func NewText(s string, color fyne.ThemeColorName, size fyne.ThemeSizeName, style fyne.TextStyle) *Text {
	t := &Text{text: Show(s), color: color, Height: size, Style: style}
	t.ExtendBaseWidget(t)
	return t
}

// Plain is ordinary text.
func Plain(s string) *Text {
	return NewText(s, theme.ColorNameForeground, theme.SizeNameText, fyne.TextStyle{})
}

// Strong is text in bold.
func Strong(s string) *Text {
	return NewText(s, theme.ColorNameForeground, theme.SizeNameText, fyne.TextStyle{Bold: true})
}

// Muted is secondary text.
func Muted(s string) *Text {
	return NewText(s, ColorMuted, theme.SizeNameCaptionText, fyne.TextStyle{})
}

// Mono is a command, an argument, a line of a log.
func Mono(s string) *Text {
	return NewText(s, theme.ColorNameForeground, SizeMono, fyne.TextStyle{Monospace: true})
}

// Title is a page's title.
func Title(s string) *Text {
	return NewText(s, theme.ColorNameForeground, SizeTitle, fyne.TextStyle{Bold: true})
}

// Section is the title of a part of a page.
func Section(s string) *Text {
	return NewText(s, ColorMuted, theme.SizeNameCaptionText, fyne.TextStyle{Bold: true})
}

// Whole makes t ask for room for all of its text.
func (t *Text) Whole() *Text {
	t.whole = true
	return t
}

// Set changes what it says and what its tip tells ("" is the text, when it is
// elided); it costs nothing when that is what it says.
func (t *Text) Set(s, tip string) {
	if s, tip = Show(s), Show(tip); t.text != s || t.tip != tip {
		t.text, t.tip = s, tip
		t.Refresh()
	}
}

// Paint changes the colour.
func (t *Text) Paint(color fyne.ThemeColorName) {
	if t.color != color {
		t.color = color
		t.Refresh()
	}
}

// String is the whole text.
func (t *Text) String() string { return t.text }

// MouseIn, MouseMoved and MouseOut are for Fyne.
func (t *Text) MouseIn(e *desktop.MouseEvent) { t.MouseMoved(e) }

// MouseMoved is for Fyne.
func (t *Text) MouseMoved(e *desktop.MouseEvent) {
	switch {
	case t.tip != "":
		ShowTip(t, t.tip, e.AbsolutePosition)
	case t.elided:
		ShowTip(t, t.text, e.AbsolutePosition)
	}
}

// MouseOut is for Fyne.
func (t *Text) MouseOut() { HideTip(t) }

// CreateRenderer is for Fyne.
func (t *Text) CreateRenderer() fyne.WidgetRenderer {
	t.ExtendBaseWidget(t)
	r := &textRenderer{t: t, line: canvas.NewText("", color.Black)}
	r.paint()
	return r
}

type textRenderer struct {
	t    *Text
	line *canvas.Text
}

func (r *textRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.line} }
func (r *textRenderer) Destroy()                     {}

func (r *textRenderer) MinSize() fyne.Size {
	size := r.t.Theme().Size(r.t.Height)
	m := fyne.MeasureText(r.t.text, size, r.t.Style)
	if !r.t.whole {
		m.Width = min(m.Width, 3*size)
	}
	return m
}

func (r *textRenderer) Layout(s fyne.Size) {
	text, elided := Elide(r.t.text, s.Width, r.t.Theme().Size(r.t.Height), r.t.Style)
	r.t.elided = elided
	if r.line.Text != text {
		r.line.Text = text
		r.line.Refresh()
	}
	r.line.Resize(s)
}

func (r *textRenderer) paint() {
	r.line.Color, r.line.TextSize = Color(r.t.color), r.t.Theme().Size(r.t.Height)
	r.line.TextStyle, r.line.Alignment = r.t.Style, r.t.Align
}

func (r *textRenderer) Refresh() {
	r.paint()
	r.Layout(r.t.Size())
	r.line.Refresh()
}

// Elide is what of a text fits into a width, with an ellipsis if that isn't all.
func Elide(s string, width, size float32, style fyne.TextStyle) (string, bool) {
	// What is far too long is not measured whole: a letter is hardly ever narrower
	// than a fifth of its size.
	most := int(width/(size/5)) + 8
	long := utf8.RuneCountInString(s) > most
	if !long && fyne.MeasureText(s, size, style).Width <= width+0.5 {
		return s, false
	}
	runes := []rune(s)
	low, high := 0, min(len(runes), most)
	for low < high {
		mid := (low + high + 1) / 2
		if fyne.MeasureText(strings.TrimRight(string(runes[:mid]), " ")+"…", size, style).Width <= width {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return strings.TrimRight(string(runes[:low]), " ") + "…", true
}
