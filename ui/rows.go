package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// rows is a list in which the arrow keys choose, Enter opens and Delete removes.
// Only rows that can be seen exist, so a list may be as long as it likes.
type rows struct {
	widget.List
	onChoose func(id int)
	onOpen   func(id int)
	onDelete func(id int)
	onCopy   func()
	chosen   int // -1 for none
	quiet    bool
	says     string // what the rows said when they were drawn last
}

func newRows(length func() int, create func() fyne.CanvasObject, update func(int, fyne.CanvasObject)) *rows {
	r := &rows{chosen: -1}
	r.Length, r.CreateItem, r.UpdateItem = length, create, update
	r.OnSelected = func(id int) {
		r.chosen = id
		if r.onChoose != nil && !r.quiet {
			r.onChoose(id)
		}
	}
	r.ExtendBaseWidget(r)
	return r
}

// refresh draws the rows anew when what they say isn't what it was: drawing costs
// more than finding that out, and times are told every second.
func (r *rows) refresh(says string) {
	if r.says != says {
		r.says = says
		r.Refresh()
	}
}

// choose marks row id, -1 for none, without telling onChoose.
func (r *rows) choose(id int) {
	if id == r.chosen {
		return
	}
	r.quiet = true
	r.UnselectAll()
	r.chosen = id
	if id >= 0 {
		r.Select(id)
	}
	r.quiet = false
}

func (r *rows) TypedKey(e *fyne.KeyEvent) {
	n := r.Length()
	if n == 0 {
		return
	}
	switch e.Name {
	case fyne.KeyDown:
		r.Select(min(r.chosen+1, n-1))
	case fyne.KeyUp:
		r.Select(max(r.chosen-1, 0))
	case fyne.KeyPageDown:
		r.Select(min(r.chosen+10, n-1))
	case fyne.KeyPageUp:
		r.Select(max(r.chosen-10, 0))
	case fyne.KeyHome:
		r.Select(0)
	case fyne.KeyEnd:
		r.Select(n - 1)
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace:
		if r.onOpen != nil && r.chosen >= 0 && r.chosen < n {
			r.onOpen(r.chosen)
		} else if r.chosen < 0 {
			r.Select(0)
		}
	case fyne.KeyDelete:
		if r.onDelete != nil && r.chosen >= 0 && r.chosen < n {
			r.onDelete(r.chosen)
		}
	}
}

// FocusGained chooses the first row, so that the keyboard has a place.
func (r *rows) FocusGained() {
	r.List.FocusGained()
	if r.chosen < 0 && r.Length() > 0 {
		r.Select(0)
	}
}

func (r *rows) TypedShortcut(s fyne.Shortcut) {
	if _, ok := s.(*fyne.ShortcutCopy); ok && r.onCopy != nil {
		r.onCopy()
	}
}

// row is one line of a list: cells that place puts where they belong. It takes
// the pointer's moves from Fyne's list, whose light would flicker between a row's
// texts.
type row struct {
	widget.BaseWidget
	cells  []fyne.CanvasObject
	place  func(size fyne.Size)
	height float32
}

func (r *row) init(self fyne.Widget, height float32, place func(fyne.Size), cells ...fyne.CanvasObject) {
	r.cells, r.place, r.height = cells, place, height
	r.ExtendBaseWidget(self)
}

func (r *row) CreateRenderer() fyne.WidgetRenderer { return &rowRenderer{r} }

func (r *row) MouseIn(*desktop.MouseEvent)    {}
func (r *row) MouseMoved(*desktop.MouseEvent) {}
func (r *row) MouseOut()                      {}

type rowRenderer struct{ r *row }

func (w *rowRenderer) MinSize() fyne.Size           { return fyne.NewSize(40, w.r.height) }
func (w *rowRenderer) Layout(s fyne.Size)           { w.r.place(s) }
func (w *rowRenderer) Objects() []fyne.CanvasObject { return w.r.cells }
func (w *rowRenderer) Destroy()                     {}

func (w *rowRenderer) Refresh() {
	w.Layout(w.r.Size())
	for _, c := range w.r.cells {
		c.Refresh()
	}
}
