package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/ui/look"
)

// item is one choice of several: a page in the sidebar, a tab of a page. Space
// and Enter choose it, arrows go to its neighbours.
type item struct {
	widget.BaseWidget
	name   string
	icon   fyne.Resource
	badge  string
	narrow bool // the icon alone
	chosen bool
	tapped func()
	step   func(by int) // moves the focus

	hovered, focused bool
	ground           *look.Block
	picture          *widget.Icon
	words            *look.Text
	count            fyne.CanvasObject
	countText        *look.Text
}

func newItem(name string, icon fyne.Resource, tapped func()) *item {
	i := &item{name: name, icon: icon, tapped: tapped}
	i.ground, i.words = look.NewBlock("", 6), look.Plain(name).Whole()
	i.countText = look.Muted("").Whole()
	i.countText.Style.Bold = true
	i.countText.Paint(theme.ColorNameForegroundOnWarning)
	pill := look.NewBlock(theme.ColorNameWarning, 9)
	i.count = look.Stack(pill, look.Inset(i.countText, 7, 0))
	if icon != nil {
		i.picture = widget.NewIcon(icon)
	}
	i.ExtendBaseWidget(i)
	i.paint()
	return i
}

func (i *item) setBadge(text string) {
	if i.badge != text {
		i.badge = text
		i.countText.Set(text, "")
		i.Refresh()
	}
}

func (i *item) choose(on bool) {
	if i.chosen != on {
		i.chosen = on
		i.Refresh()
	}
}

func (i *item) paint() {
	ground, stroke, words := fyne.ThemeColorName(""), fyne.ThemeColorName(""), look.ColorMuted
	switch {
	case i.chosen:
		ground, words = theme.ColorNameSelection, theme.ColorNameForeground
	case i.hovered:
		ground = theme.ColorNameHover
	}
	if i.focused {
		stroke = theme.ColorNamePrimary
	}
	i.ground.Paint(ground, stroke)
	i.words.Paint(words)
	show(i.words, !i.narrow || i.picture == nil)
	show(i.count, i.badge != "")
	if i.picture != nil {
		i.picture.SetResource(theme.NewColoredResource(i.icon, words))
	}
}

func (i *item) CreateRenderer() fyne.WidgetRenderer { return &itemRenderer{i} }

type itemRenderer struct{ i *item }

func (r *itemRenderer) MinSize() fyne.Size {
	i := r.i
	w := float32(20)
	if i.picture != nil {
		w += 26
	}
	if i.words.Visible() {
		w += i.words.MinSize().Width
	} else {
		w -= 10
	}
	return fyne.NewSize(w, 34)
}

func (r *itemRenderer) Layout(s fyne.Size) {
	i := r.i
	i.ground.Resize(s)
	x := float32(10)
	if i.picture != nil {
		i.picture.Resize(fyne.NewSquareSize(18))
		i.picture.Move(fyne.NewPos(x, (s.Height-18)/2))
		x += 27
	}
	put(i.words, x, s.Width-x-8, 0, s.Height)
	m := i.count.MinSize()
	at := fyne.NewPos(s.Width-m.Width-10, (s.Height-m.Height)/2)
	if i.narrow {
		at = fyne.NewPos(s.Width-m.Width, 0)
	}
	i.count.Resize(m)
	i.count.Move(at)
}

func (r *itemRenderer) Refresh() {
	r.i.paint()
	r.Layout(r.i.Size())
	for _, o := range r.Objects() {
		o.Refresh()
	}
	canvas.Refresh(r.i)
}

func (r *itemRenderer) Objects() []fyne.CanvasObject {
	objects := []fyne.CanvasObject{r.i.ground, r.i.words, r.i.count}
	if r.i.picture != nil {
		objects = append(objects, r.i.picture)
	}
	return objects
}
func (r *itemRenderer) Destroy() {}

func (i *item) Tapped(*fyne.PointEvent) { i.tapped() }
func (i *item) FocusGained()            { i.focused = true; i.Refresh() }
func (i *item) FocusLost()              { i.focused = false; i.Refresh() }
func (i *item) TypedRune(rune)          {}

func (i *item) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		i.tapped()
	case fyne.KeyDown, fyne.KeyRight:
		i.step(1)
	case fyne.KeyUp, fyne.KeyLeft:
		i.step(-1)
	}
}

func (i *item) MouseIn(e *desktop.MouseEvent) {
	i.hovered = true
	i.Refresh()
	i.MouseMoved(e)
}

func (i *item) MouseMoved(e *desktop.MouseEvent) {
	if i.narrow {
		look.ShowTip(i, i.name, e.AbsolutePosition)
	}
}

func (i *item) MouseOut() {
	i.hovered = false
	i.Refresh()
	look.HideTip(i)
}

// tabs are the parts of a page, one of which is shown.
type tabs struct {
	bar    *fyne.Container
	body   *fyne.Container
	items  []*item
	parts  []fyne.CanvasObject
	chosen int
	onShow func(n int)
}

func newTabs(f *frame, onShow func(n int), names []string, parts ...fyne.CanvasObject) *tabs {
	t := &tabs{bar: look.Across(4), body: look.Stack(parts...), parts: parts, chosen: -1, onShow: onShow}
	for n, name := range names {
		i := newItem(name, nil, func() { t.choose(n) })
		i.step = func(by int) { f.focus(t.items[(n+by+len(t.items))%len(t.items)]) }
		t.items = append(t.items, i)
		t.bar.Add(i)
	}
	t.choose(0)
	return t
}

func (t *tabs) choose(n int) {
	if t.chosen == n {
		return
	}
	t.chosen = n
	for k, i := range t.items {
		i.choose(k == n)
		show(t.parts[k], k == n)
	}
	if t.onShow != nil {
		t.onShow(n)
	}
}
