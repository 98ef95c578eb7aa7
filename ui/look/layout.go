package look

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// Inset puts space around an object.
func Inset(o fyne.CanvasObject, x, y float32) *fyne.Container {
	return container.New(inset{x, y}, o)
}

// Across puts objects beside each other, in the middle of the height, each as
// wide as it wants.
func Across(space float32, objects ...fyne.CanvasObject) *fyne.Container {
	return container.New(across{space}, objects...)
}

// Ends puts one object at the left and others at the right, in the middle of the
// height; the left one has what room is left.
func Ends(left fyne.CanvasObject, right ...fyne.CanvasObject) *fyne.Container {
	return container.New(ends{Gap}, append([]fyne.CanvasObject{left}, right...)...)
}

type across struct{ space float32 }

func (l across) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	n := 0
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		size.Width, size.Height = size.Width+m.Width, max(size.Height, m.Height)
		n++
	}
	size.Width += l.space * float32(max(0, n-1))
	return size
}

func (l across) Layout(objects []fyne.CanvasObject, size fyne.Size) {
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

type ends struct{ space float32 }

func (l ends) MinSize(objects []fyne.CanvasObject) fyne.Size { return across(l).MinSize(objects) }

func (l ends) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	x := size.Width
	for i := len(objects) - 1; i > 0; i-- {
		if !objects[i].Visible() {
			continue
		}
		m := objects[i].MinSize()
		x -= m.Width
		objects[i].Resize(m)
		objects[i].Move(fyne.NewPos(x, (size.Height-m.Height)/2))
		x -= l.space
	}
	m := objects[0].MinSize()
	objects[0].Resize(fyne.NewSize(max(m.Width, x), m.Height))
	objects[0].Move(fyne.NewPos(0, (size.Height-m.Height)/2))
}
