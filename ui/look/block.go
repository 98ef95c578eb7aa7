package look

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Block is a rectangle in colours of the theme, which it follows.
type Block struct {
	widget.BaseWidget
	Fill, Stroke fyne.ThemeColorName // "" for none
	Radius       float32
	Thick        float32 // of the stroke; 0 is 1
	Least        fyne.Size
}

// NewBlock is a block without a stroke.
func NewBlock(fill fyne.ThemeColorName, radius float32) *Block {
	b := &Block{Fill: fill, Radius: radius}
	b.ExtendBaseWidget(b)
	return b
}

// Paint changes the colours; it costs nothing when they are the same.
func (b *Block) Paint(fill, stroke fyne.ThemeColorName) {
	if b.Fill != fill || b.Stroke != stroke {
		b.Fill, b.Stroke = fill, stroke
		b.Refresh()
	}
}

// CreateRenderer is for Fyne.
func (b *Block) CreateRenderer() fyne.WidgetRenderer {
	b.ExtendBaseWidget(b)
	r := &blockRenderer{b: b, rect: canvas.NewRectangle(color.Transparent)}
	r.paint()
	return r
}

type blockRenderer struct {
	b    *Block
	rect *canvas.Rectangle
}

func (r *blockRenderer) MinSize() fyne.Size           { return r.b.Least }
func (r *blockRenderer) Layout(s fyne.Size)           { r.rect.Resize(s) }
func (r *blockRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.rect} }
func (r *blockRenderer) Destroy()                     {}

func (r *blockRenderer) Refresh() {
	r.paint()
	r.rect.Refresh()
}

func (r *blockRenderer) paint() {
	r.rect.FillColor, r.rect.StrokeColor, r.rect.StrokeWidth = color.Transparent, color.Transparent, 0
	if r.b.Fill != "" {
		r.rect.FillColor = Color(r.b.Fill)
	}
	if r.b.Stroke != "" {
		r.rect.StrokeColor, r.rect.StrokeWidth = Color(r.b.Stroke), max(1, r.b.Thick)
	}
	r.rect.CornerRadius = r.b.Radius
}

// Rule is a thin line across.
func Rule() *Block {
	b := NewBlock(theme.ColorNameSeparator, 0)
	b.Least = fyne.NewSize(1, 1)
	return b
}

// dotSide is a state's dot.
const dotSide = 9

// Dot is a state as a colour; a word always stands beside it.
func Dot(t Tone) *Block {
	b := NewBlock(t.Color(), dotSide/2.0)
	b.Least = fyne.NewSquareSize(dotSide)
	return b
}

// State is a dot and its word.
func State(t Tone, word string) fyne.CanvasObject {
	words := Plain(word).Whole()
	words.Paint(t.Words())
	return Across(Gap, Dot(t), words)
}

// Tag is a short word on a ground of its tone.
func Tag(word string, t Tone) fyne.CanvasObject {
	words := Muted(word).Whole()
	if t != Off {
		words.Paint(t.Color())
	}
	return Stack(NewBlock(t.Ground(), 4), Inset(words, 7, 2))
}

// Key is a hint at a key of the keyboard.
func Key(name string) fyne.CanvasObject {
	b := NewBlock(ColorSurface, 4)
	b.Stroke = theme.ColorNameSeparator
	return Stack(b, Inset(Muted(name).Whole(), 6, 1))
}

// Card is a box for something that one acts on as a whole; edge colours its left
// side, "" for none.
func Card(content fyne.CanvasObject, edge fyne.ThemeColorName) fyne.CanvasObject {
	return Box(Inset(content, 16, 14), edge)
}

// Box is a card that leaves the space around its content to it.
func Box(content fyne.CanvasObject, edge fyne.ThemeColorName) fyne.CanvasObject {
	ground := NewBlock(ColorSurface, Corner)
	ground.Stroke = theme.ColorNameSeparator
	if edge == "" {
		return Stack(ground, content)
	}
	return Stack(ground, container.New(edged{3}, NewBlock(edge, 1.5), content))
}
