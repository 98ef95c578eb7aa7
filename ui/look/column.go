package look

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// Tall is an object whose height depends on its width.
type Tall interface {
	fyne.CanvasObject
	HeightFor(width float32) float32
}

// TallLayout is a layout whose height depends on its width.
type TallLayout interface {
	HeightFor(objects []fyne.CanvasObject, width float32) float32
}

// HeightFor is how high an object wants to be at a width.
func HeightFor(o fyne.CanvasObject, width float32) float32 {
	switch o := o.(type) {
	case Tall:
		return o.HeightFor(width)
	case *fyne.Container:
		if l, ok := o.Layout.(TallLayout); ok {
			return l.HeightFor(o.Objects, width)
		}
	}
	return o.MinSize().Height
}

// Column puts objects under each other, all as wide as itself, and asks those
// that break lines how high they will be.
func Column(space float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(&column{space: space}, objects...)
}

// Stretch makes one object of a column take what height is left.
func Stretch(c *fyne.Container, o fyne.CanvasObject) *fyne.Container {
	c.Layout.(*column).stretch = o
	return c
}

type column struct {
	space   float32
	stretch fyne.CanvasObject
	width   float32 // of the last layout: what MinSize counts with
}

func (l *column) HeightFor(objects []fyne.CanvasObject, width float32) float32 {
	var height float32
	n := 0
	for _, o := range objects {
		if o.Visible() {
			height += HeightFor(o, width)
			n++
		}
	}
	return height + l.space*float32(max(0, n-1))
}

func (l *column) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		if o.Visible() {
			size.Width = max(size.Width, o.MinSize().Width)
		}
	}
	size.Height = l.HeightFor(objects, max(size.Width, l.width))
	return size
}

func (l *column) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	left := max(0, size.Height-l.HeightFor(objects, size.Width))
	var y float32
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		h := HeightFor(o, size.Width)
		if o == l.stretch {
			h += left
		}
		o.Resize(fyne.NewSize(size.Width, h))
		o.Move(fyne.NewPos(0, y))
		y += h + l.space
	}
}

// inset is space around one object.
type inset struct{ x, y float32 }

func (l inset) HeightFor(objects []fyne.CanvasObject, width float32) float32 {
	return HeightFor(objects[0], max(0, width-2*l.x)) + 2*l.y
}

func (l inset) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return objects[0].MinSize().AddWidthHeight(2*l.x, 2*l.y)
}

func (l inset) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Resize(fyne.NewSize(max(0, size.Width-2*l.x), max(0, size.Height-2*l.y)))
	objects[0].Move(fyne.NewPos(l.x, l.y))
}

// Stack puts objects above each other, all as large as itself.
func Stack(objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(stack{}, objects...)
}

type stack struct{}

func (stack) HeightFor(objects []fyne.CanvasObject, width float32) float32 {
	var height float32
	for _, o := range objects {
		if o.Visible() {
			height = max(height, HeightFor(o, width))
		}
	}
	return height
}

func (stack) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		if o.Visible() {
			size = size.Max(o.MinSize())
		}
	}
	return size
}

func (stack) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Resize(size)
		o.Move(fyne.NewPos(0, 0))
	}
}

// edged is content with a narrow side at its left.
type edged struct{ side float32 }

func (l edged) HeightFor(objects []fyne.CanvasObject, width float32) float32 {
	return HeightFor(objects[1], width-l.side)
}

func (l edged) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return objects[1].MinSize().AddWidthHeight(l.side, 0)
}

func (l edged) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Resize(fyne.NewSize(l.side, size.Height))
	objects[0].Move(fyne.NewPos(0, 0))
	objects[1].Resize(size.SubtractWidthHeight(l.side, 0))
	objects[1].Move(fyne.NewPos(l.side, 0))
}
