package ui

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"bridgekeeper/ui/look"
)

// toolbar is a line of controls that becomes two where there is little room. One
// object of each line takes the room that is left.
type toolbar struct {
	frame *frame
	one   []fyne.CanvasObject   // all, in one line
	two   [][]fyne.CanvasObject // the same in two
	wide  map[fyne.CanvasObject]bool
	only  []fyne.CanvasObject // that are in one of the two arrangements
	least float32             // below this width of the page there are two lines
}

// spring takes the room that is left in a line where nothing else does.
func spring() fyne.CanvasObject { return layout.NewSpacer() }

// distance is room between two groups of controls.
func distance(width float32) fyne.CanvasObject {
	b := look.NewBlock("", 0)
	b.Least = fyne.NewSize(width, 1)
	return b
}

func newToolbar(f *frame, least float32, stretch []fyne.CanvasObject, first, second, one []fyne.CanvasObject) *fyne.Container {
	t := &toolbar{frame: f, least: least, one: one, two: [][]fyne.CanvasObject{first, second}, wide: map[fyne.CanvasObject]bool{}}
	for _, o := range stretch {
		t.wide[o] = true
	}
	seen := map[fyne.CanvasObject]bool{}
	c := container.New(t)
	for _, list := range [][]fyne.CanvasObject{one, first, second} {
		for _, o := range list {
			if !seen[o] {
				seen[o] = true
				c.Add(o)
			}
		}
	}
	for o := range seen {
		if slices.Contains(one, o) != (slices.Contains(first, o) || slices.Contains(second, o)) {
			t.only = append(t.only, o)
		}
	}
	return c
}

// lines are the lines at the room that the page has.
func (t *toolbar) lines() [][]fyne.CanvasObject {
	if t.frame.room >= t.least {
		return [][]fyne.CanvasObject{t.one}
	}
	return t.two
}

func (t *toolbar) MinSize([]fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for i, line := range t.lines() {
		var high float32
		for _, o := range line {
			if o.Visible() {
				high = max(high, o.MinSize().Height)
			}
		}
		size.Height += high
		if i > 0 {
			size.Height += look.Gap
		}
	}
	return fyne.NewSize(200, size.Height)
}

func (t *toolbar) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	lines := t.lines()
	for _, o := range t.only {
		show(o, slices.ContainsFunc(lines, func(line []fyne.CanvasObject) bool { return slices.Contains(line, o) }))
	}
	var y float32
	for _, line := range lines {
		var used, high float32
		for _, o := range line {
			if !o.Visible() {
				continue
			}
			m := o.MinSize()
			high = max(high, m.Height)
			used += look.Gap
			if !t.wide[o] {
				used += m.Width
			}
		}
		var x float32
		for _, o := range line {
			if !o.Visible() {
				continue
			}
			m := o.MinSize()
			if t.wide[o] {
				m.Width = max(20, size.Width-used+look.Gap)
			}
			o.Resize(m)
			o.Move(fyne.NewPos(x, y+(high-m.Height)/2))
			x += m.Width + look.Gap
		}
		y += high + look.Gap
	}
}
