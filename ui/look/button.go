package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Kind is how much a button stands out.
type Kind int

// Kinds of buttons.
const (
	Ordinary Kind = iota
	Accent        // the one of a page that a person most likely wants
	Danger        // ends, denies or removes
	Quiet         // looks like a link: what is seldom wanted
	Bare          // an icon alone, without a ground until the pointer is on it
)

// buttonHeight is that of all controls in a row.
const buttonHeight = 32

// Button is pressed by a click, the space bar and, unlike Fyne's own, by Enter.
// Keys, when set, sees each key first and may keep it.
type Button struct {
	widget.DisableableWidget
	Kind     Kind
	Icon     fyne.Resource // before the text
	Menu     bool          // there is a menu behind it: an arrow after the text
	Tip      string
	OnTapped func()
	Keys     func(*fyne.KeyEvent) (kept bool)
	OnFocus  func() // it has the keyboard now

	text                      string
	hovered, pressed, focused bool
}

// NewButton is a button.
func NewButton(text string, kind Kind, tapped func()) *Button {
	b := &Button{text: text, Kind: kind, OnTapped: tapped}
	b.ExtendBaseWidget(b)
	return b
}

// IconButton is a bare icon with a tip that names it.
func IconButton(icon fyne.Resource, tip string, tapped func()) *Button {
	b := NewButton("", Bare, tapped)
	b.Icon, b.Tip = icon, tip
	return b
}

// Text is what stands on it.
func (b *Button) Text() string { return b.text }

// SetText changes what stands on it.
func (b *Button) SetText(s string) {
	if b.text != s {
		b.text = s
		b.Refresh()
	}
}

// Able enables or disables it.
func (b *Button) Able(on bool) {
	if on == b.Disabled() {
		if on {
			b.Enable()
		} else {
			b.Disable()
		}
	}
}

// Tapped is for Fyne.
func (b *Button) Tapped(*fyne.PointEvent) {
	if !b.Disabled() && b.OnTapped != nil {
		b.OnTapped()
	}
}

// TypedKey is for Fyne.
func (b *Button) TypedKey(e *fyne.KeyEvent) {
	if b.Keys != nil && b.Keys(e) {
		return
	}
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		b.Tapped(nil)
	}
}

// TypedRune is for Fyne.
func (b *Button) TypedRune(rune) {}

// FocusGained is for Fyne.
func (b *Button) FocusGained() {
	b.focused = true
	b.Refresh()
	if b.OnFocus != nil {
		b.OnFocus()
	}
}

// FocusLost is for Fyne.
func (b *Button) FocusLost() { b.focused = false; b.Refresh() }

// Focused reports whether keys go to it.
func (b *Button) Focused() bool { return b.focused }

// MouseIn is for Fyne.
func (b *Button) MouseIn(e *desktop.MouseEvent) {
	b.hovered = true
	b.Refresh()
	b.MouseMoved(e)
}

// MouseMoved is for Fyne.
func (b *Button) MouseMoved(e *desktop.MouseEvent) {
	if b.Tip != "" {
		ShowTip(b, b.Tip, e.AbsolutePosition)
	}
}

// MouseOut is for Fyne.
func (b *Button) MouseOut() {
	b.hovered, b.pressed = false, false
	b.Refresh()
	HideTip(b)
}

// MouseDown is for Fyne.
func (b *Button) MouseDown(*desktop.MouseEvent) { b.pressed = true; b.Refresh() }

// MouseUp is for Fyne.
func (b *Button) MouseUp(*desktop.MouseEvent) { b.pressed = false; b.Refresh() }

// Cursor is for Fyne.
func (b *Button) Cursor() desktop.Cursor {
	if b.Kind == Quiet && !b.Disabled() {
		return desktop.PointerCursor
	}
	return desktop.DefaultCursor
}

// colors are those of ground and words.
func (b *Button) colors() (ground, words fyne.ThemeColorName) {
	switch b.Kind {
	case Accent:
		ground, words = theme.ColorNamePrimary, theme.ColorNameForegroundOnPrimary
	case Danger:
		ground, words = ColorFailedGround, theme.ColorNameError
	case Quiet:
		words = theme.ColorNamePrimary
	case Bare:
		words = ColorMuted
	default:
		ground, words = ColorRaised, theme.ColorNameForeground
	}
	if b.Disabled() {
		if ground != "" {
			ground = ColorRaised
		}
		words = ColorOff
	}
	return ground, words
}

// CreateRenderer is for Fyne.
func (b *Button) CreateRenderer() fyne.WidgetRenderer {
	b.ExtendBaseWidget(b)
	r := &buttonRenderer{b: b, ground: canvas.NewRectangle(color.Transparent), veil: canvas.NewRectangle(color.Transparent),
		ring: canvas.NewRectangle(color.Transparent), words: canvas.NewText("", color.Black), icon: canvas.NewImageFromResource(nil), arrow: canvas.NewImageFromResource(nil)}
	r.icon.FillMode, r.arrow.FillMode = canvas.ImageFillContain, canvas.ImageFillContain
	r.paint()
	return r
}

type buttonRenderer struct {
	b                  *Button
	ground, veil, ring *canvas.Rectangle
	words              *canvas.Text
	icon, arrow        *canvas.Image
}

const (
	buttonSide  = 14 // from the edge to the text
	buttonIcon  = 18
	buttonArrow = 12
)

func (r *buttonRenderer) Destroy() {}
func (r *buttonRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.ground, r.veil, r.words, r.icon, r.arrow, r.ring}
}

// inner is the width of what stands on the button.
func (r *buttonRenderer) inner() float32 {
	var w float32
	if r.b.text != "" {
		w = fyne.MeasureText(r.b.text, r.b.Theme().Size(SizeControl), r.words.TextStyle).Width
	}
	if r.b.Icon != nil {
		w += buttonIcon
		if r.b.text != "" {
			w += 6
		}
	}
	if r.b.Menu {
		w += buttonArrow
		if r.b.text != "" {
			w += 6
		}
	}
	return w
}

func (r *buttonRenderer) MinSize() fyne.Size {
	side := float32(buttonSide)
	switch r.b.Kind {
	case Quiet:
		side = 4 // its text stands at the edge of what is above and below
	case Ordinary, Accent, Danger:
		if r.b.text == "" {
			side = 9
		}
	case Bare:
		side = (buttonHeight - 4 - buttonIcon) / 2
		return fyne.NewSize(r.inner()+2*side, buttonHeight-4)
	}
	return fyne.NewSize(r.inner()+2*side, buttonHeight)
}

func (r *buttonRenderer) Layout(s fyne.Size) {
	r.ground.Resize(s)
	r.veil.Resize(s)
	r.ring.Resize(s)
	x := (s.Width - r.inner()) / 2
	if r.b.Icon != nil {
		r.icon.Resize(fyne.NewSquareSize(buttonIcon))
		r.icon.Move(fyne.NewPos(x, (s.Height-buttonIcon)/2))
		x += buttonIcon + 6
	}
	m := r.words.MinSize()
	r.words.Resize(m)
	r.words.Move(fyne.NewPos(x, (s.Height-m.Height)/2))
	if r.b.Menu {
		if r.b.text != "" {
			x += m.Width + 6
		}
		r.arrow.Resize(fyne.NewSquareSize(buttonArrow))
		r.arrow.Move(fyne.NewPos(x, (s.Height-buttonArrow)/2))
	}
}

func (r *buttonRenderer) paint() {
	b := r.b
	ground, words := b.colors()
	r.words.Text, r.words.TextSize, r.words.Color = b.text, b.Theme().Size(SizeControl), Color(words)
	r.words.TextStyle.Bold = b.Kind == Accent || b.Kind == Danger
	r.ground.FillColor, r.veil.FillColor, r.ring.StrokeColor, r.ring.StrokeWidth = color.Transparent, color.Transparent, color.Transparent, 0
	if ground != "" {
		r.ground.FillColor = Color(ground)
	}
	switch {
	case b.Disabled():
	case b.pressed:
		r.veil.FillColor = Color(theme.ColorNamePressed)
	case b.hovered:
		r.veil.FillColor = Color(theme.ColorNameHover)
	}
	if b.focused {
		ring := theme.ColorNamePrimary
		if b.Kind == Accent {
			ring = theme.ColorNameForeground
		}
		r.ring.StrokeColor, r.ring.StrokeWidth = Color(ring), 2
	}
	for _, rect := range []*canvas.Rectangle{r.ground, r.veil, r.ring} {
		rect.CornerRadius = Corner
	}
	r.icon.Hidden, r.arrow.Hidden = b.Icon == nil, !b.Menu
	if b.Icon != nil {
		r.icon.Resource = theme.NewColoredResource(b.Icon, words)
	}
	if b.Menu {
		r.arrow.Resource = IconIn("down", words)
	}
}

func (r *buttonRenderer) Refresh() {
	r.paint()
	r.Layout(r.b.Size())
	for _, o := range r.Objects() {
		o.Refresh()
	}
}
