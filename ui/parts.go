package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Distances, in steps of four.
const (
	gap    = 8
	wide   = 12
	margin = 22
)

// button is Fyne's button for who uses the keyboard: Enter presses it, too.
type button struct {
	widget.Button
}

func newButton(text string, tapped func()) *button {
	b := &button{}
	b.Text, b.OnTapped = text, tapped
	b.ExtendBaseWidget(b)
	return b
}

// accent is the one button of a page that a person most likely wants.
func accent(text string, tapped func()) *button {
	b := newButton(text, tapped)
	b.Importance = widget.HighImportance
	return b
}

// link is a button that looks like text: what is seldom wanted.
func link(text string, tapped func()) *button {
	b := newButton(text, tapped)
	b.Importance = widget.LowImportance
	return b
}

func (b *button) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter {
		e = &fyne.KeyEvent{Name: fyne.KeySpace}
	}
	b.Button.TypedKey(e)
}

// block is a rectangle in a colour of the theme.
type block struct {
	widget.BaseWidget
	fill, stroke fyne.ThemeColorName // "" for none
	radius       float32
	least        fyne.Size
}

func newBlock(fill fyne.ThemeColorName, radius float32) *block {
	b := &block{fill: fill, radius: radius}
	b.ExtendBaseWidget(b)
	return b
}

// rule is a thin line.
func rule() *block {
	b := newBlock(theme.ColorNameSeparator, 0)
	b.least = fyne.NewSize(1, 1)
	return b
}

func (b *block) paint(fill fyne.ThemeColorName) {
	if b.fill != fill {
		b.fill = fill
		b.Refresh()
	}
}

func (b *block) CreateRenderer() fyne.WidgetRenderer {
	b.ExtendBaseWidget(b)
	r := &blockRenderer{b: b, rect: canvas.NewRectangle(color.Transparent)}
	r.Refresh()
	return r
}

type blockRenderer struct {
	b    *block
	rect *canvas.Rectangle
}

func (r *blockRenderer) MinSize() fyne.Size           { return r.b.least }
func (r *blockRenderer) Layout(s fyne.Size)           { r.rect.Resize(s) }
func (r *blockRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.rect} }
func (r *blockRenderer) Destroy()                     {}
func (r *blockRenderer) Refresh() {
	v := fyne.CurrentApp().Settings().ThemeVariant()
	r.rect.FillColor, r.rect.StrokeColor, r.rect.StrokeWidth = color.Transparent, color.Transparent, 0
	if r.b.fill != "" {
		r.rect.FillColor = r.b.Theme().Color(r.b.fill, v)
	}
	if r.b.stroke != "" {
		r.rect.StrokeColor, r.rect.StrokeWidth = r.b.Theme().Color(r.b.stroke, v), 1
	}
	r.rect.CornerRadius = r.b.radius
	r.rect.Refresh()
}

// dot is a server's state as a colour; a word always stands beside it.
func dot(t tone) *block {
	b := newBlock(t.color(), 4.5)
	b.least = fyne.NewSize(9, 9)
	return b
}

// tag is a short word on a coloured ground.
func tag(text string, t tone) fyne.CanvasObject {
	words := muted(text).whole()
	if t != toneOff {
		words.color = t.color()
	}
	return container.NewStack(newBlock(t.ground(), 4), inset(words, 7, 2))
}

// card is a box for something that one acts on as a whole; edge colours its left side.
func card(content fyne.CanvasObject, edge fyne.ThemeColorName) fyne.CanvasObject {
	ground := newBlock(colorSurface, 6)
	ground.stroke = theme.ColorNameSeparator
	if edge == "" {
		return container.NewStack(ground, inset(content, 16, 14))
	}
	side := newBlock(edge, 2)
	side.least = fyne.NewSize(3, 3)
	return container.NewStack(ground, container.NewBorder(nil, nil, side, nil, inset(content, 16, 14)))
}

// inset puts space around an object.
func inset(o fyne.CanvasObject, x, y float32) *fyne.Container {
	return container.New(layout.NewCustomPaddedLayout(y, y, x, x), o)
}

// across puts objects beside each other, each as wide as it wants and in the middle.
func across(space float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(acrossLayout{space}, objects...)
}

type acrossLayout struct{ space float32 }

func (l acrossLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		if size.Width > 0 {
			size.Width += l.space
		}
		size = fyne.NewSize(size.Width+m.Width, max(size.Height, m.Height))
	}
	return size
}

func (l acrossLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	var x float32
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		o.Resize(m)
		o.Move(fyne.NewPos(x, (size.Height-m.Height)/2))
		x += m.Width + l.space
	}
}

// below puts objects under each other.
func below(space float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(layout.NewCustomPaddedVBoxLayout(space), objects...)
}

// paragraph is text of several lines.
func paragraph(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.Wrapping = fyne.TextWrapWord
	return l
}

// head is the top of a page: its title, a line about it, and its buttons.
func head(name *phrase, about *phrase, buttons ...fyne.CanvasObject) fyne.CanvasObject {
	line := container.New(titleLayout{}, name, about)
	return inset(container.NewBorder(nil, nil, nil, across(gap, buttons...), line), margin, 14)
}

// titleLayout sets a line about a page on the baseline of its title.
type titleLayout struct{}

func (titleLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(a.Width+wide+b.Width, max(a.Height, 32))
}

func (titleLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	a, b := o[0].MinSize(), o[1].MinSize()
	y := (size.Height - a.Height) / 2
	o[0].Move(fyne.NewPos(0, y))
	o[0].Resize(a)
	o[1].Move(fyne.NewPos(a.Width+wide, y+(a.Height-b.Height)*0.7))
	o[1].Resize(fyne.NewSize(max(0, size.Width-a.Width-2*wide), b.Height))
}

// empty is what a page shows that has nothing to show: why, and one thing to do.
func empty(says, more string, action fyne.CanvasObject) fyne.CanvasObject {
	top := title(says)
	top.align = fyne.TextAlignCenter
	text := paragraph(more)
	text.Alignment = fyne.TextAlignCenter
	text.Importance = widget.LowImportance
	box := below(gap, container.NewCenter(top), container.New(fixedWidth(420), text))
	if action != nil {
		box.Add(container.NewCenter(action))
	}
	return container.NewCenter(box)
}

// fixedWidth gives its one object a width and the height that this takes.
type fixedWidth float32

func (w fixedWidth) MinSize(o []fyne.CanvasObject) fyne.Size {
	o[0].Resize(fyne.NewSize(float32(w), o[0].Size().Height))
	return fyne.NewSize(float32(w), o[0].MinSize().Height)
}

func (w fixedWidth) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Resize(fyne.NewSize(float32(w), size.Height))
	o[0].Move(fyne.NewPos((size.Width-float32(w))/2, 0))
}

func newIconButton(icon fyne.Resource, tapped func()) *button {
	b := link("", tapped)
	b.Icon = icon
	return b
}
