package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"bridgekeeper/ui/look"
)

func pageTitle(s string) *look.Text { return look.Title(s).Whole() }

// faint is a paragraph of explanation.
func faint(s string) *look.Para { return look.NewPara(s, look.ColorMuted, theme.SizeNameText) }

// about is the line beside a page's title.
func about() *look.Text {
	return look.NewText("", look.ColorMuted, theme.SizeNameText, fyne.TextStyle{})
}

// head is the top of a page: its title, a line about it, and its buttons.
func head(name, about *look.Text, buttons ...fyne.CanvasObject) fyne.CanvasObject {
	line := container.New(titleLayout{}, name, about)
	return look.Inset(look.Ends(line, buttons...), look.Margin, 14)
}

// titleLayout sets a line about a page on the baseline of its title.
type titleLayout struct{}

func (titleLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(a.Width+look.Wide+b.Width, max(a.Height, b.Height))
}

func (titleLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	a, b := o[0].MinSize(), o[1].MinSize()
	y := (size.Height - a.Height) / 2
	o[0].Move(fyne.NewPos(0, y))
	o[0].Resize(fyne.NewSize(min(a.Width, size.Width), a.Height))
	o[1].Move(fyne.NewPos(a.Width+look.Wide, y+(a.Height-b.Height)*0.7))
	o[1].Resize(fyne.NewSize(max(0, size.Width-a.Width-2*look.Wide), b.Height))
}

// empty is what a page shows that has nothing to show: why, and one thing to do.
func empty(says, more string, action fyne.CanvasObject) fyne.CanvasObject {
	top := pageTitle(says)
	top.Align = fyne.TextAlignCenter
	box := look.Column(look.Wide, container.NewCenter(top), container.New(fixedWidth(380), faint(more)))
	if action != nil {
		box.Add(container.NewCenter(action))
	}
	return container.NewCenter(box)
}

// fixedWidth gives its one object a width and the height that this takes.
type fixedWidth float32

func (w fixedWidth) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(float32(w), look.HeightFor(o[0], float32(w)))
}

func (w fixedWidth) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Resize(fyne.NewSize(float32(w), size.Height))
	o[0].Move(fyne.NewPos((size.Width-float32(w))/2, 0))
}

// scrolled is content that may be higher than its room, with lines broken at the
// width that it has.
type scrolled struct {
	box    *fyne.Container
	scroll *container.Scroll
}

func newScrolled(content fyne.CanvasObject) *scrolled {
	s := &scrolled{scroll: container.NewVScroll(content)}
	s.box = container.New(scrolledLayout{s.scroll}, s.scroll)
	return s
}

// top goes to the beginning.
func (s *scrolled) top() { s.scroll.ScrollToTop() }

// again lays the content out anew after parts of it came, went or grew.
func (s *scrolled) again() {
	s.scroll.Content.Refresh()
	s.box.Refresh()
}

type scrolledLayout struct{ scroll *container.Scroll }

func (l scrolledLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(120, 80) }

func (l scrolledLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	content := l.scroll.Content
	content.Resize(fyne.NewSize(size.Width, look.HeightFor(content, size.Width)))
	l.scroll.Resize(size)
	l.scroll.Refresh()
}

// put places an object in the middle of a line's height; its width is its own or w.
func put(o fyne.CanvasObject, x, w, top, height float32) {
	m := o.MinSize()
	if w == 0 {
		w = m.Width
	}
	o.Resize(fyne.NewSize(max(0, w), m.Height))
	o.Move(fyne.NewPos(x, top+(height-m.Height)/2))
}

// show shows or hides an object; it costs nothing when it is as it should be.
func show(o fyne.CanvasObject, on bool) {
	if o.Visible() == on {
		return
	}
	if on {
		o.Show()
	} else {
		o.Hide()
	}
}

// framed puts a page's content between what is above and below it, whose lines
// break at the page's width. Either may be nil.
func framed(top, bottom, center fyne.CanvasObject) *fyne.Container {
	l := &framedLayout{top, bottom, center}
	c := container.New(l)
	for _, o := range []fyne.CanvasObject{top, center, bottom} { // the order of the keyboard
		if o != nil {
			c.Add(o)
		}
	}
	return c
}

type framedLayout struct{ top, bottom, center fyne.CanvasObject }

func (l *framedLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(240, 120) }

func (l *framedLayout) Layout(_ []fyne.CanvasObject, s fyne.Size) {
	edge := func(o fyne.CanvasObject) float32 {
		if o == nil || !o.Visible() {
			return 0
		}
		return look.HeightFor(o, s.Width)
	}
	top, bottom := edge(l.top), edge(l.bottom)
	if l.top != nil {
		l.top.Resize(fyne.NewSize(s.Width, top))
	}
	if l.bottom != nil {
		l.bottom.Resize(fyne.NewSize(s.Width, bottom))
		l.bottom.Move(fyne.NewPos(0, s.Height-bottom))
	}
	l.center.Move(fyne.NewPos(0, top))
	l.center.Resize(fyne.NewSize(s.Width, max(0, s.Height-top-bottom)))
}

// beside puts a button, which may be nil, at the right of a paragraph.
func beside(words *look.Para, button fyne.CanvasObject) *fyne.Container {
	if button == nil {
		return container.New(besideLayout{}, words)
	}
	return container.New(besideLayout{}, words, button)
}

type besideLayout struct{}

// HeightFor is for look: it depends on where lines break.
func (l besideLayout) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	button := l.button(o)
	return max(look.HeightFor(o[0], max(0, width-button.Width)), button.Height)
}

// button is the room that the button takes.
func (besideLayout) button(o []fyne.CanvasObject) fyne.Size {
	if len(o) < 2 {
		return fyne.Size{}
	}
	return o[1].MinSize().AddWidthHeight(look.Wide, 0)
}

func (l besideLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return o[0].MinSize().AddWidthHeight(l.button(o).Width, 0).Max(l.button(o))
}

func (l besideLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	button := l.button(o)
	width := max(0, s.Width-button.Width)
	high := look.HeightFor(o[0], width)
	o[0].Resize(fyne.NewSize(width, high))
	o[0].Move(fyne.NewPos(0, (s.Height-high)/2))
	if len(o) > 1 {
		m := o[1].MinSize()
		o[1].Resize(m)
		o[1].Move(fyne.NewPos(s.Width-m.Width, (s.Height-m.Height)/2))
	}
}

// newHalves puts a list above what is told of its chosen row.
func newHalves(above, below fyne.CanvasObject) *fyne.Container {
	return container.New(halvesLayout{}, above, look.Rule(), below)
}

type halvesLayout struct{}

func (halvesLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(240, 120) }

func (halvesLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	h := float32(int(s.Height * 0.58))
	o[0].Resize(fyne.NewSize(s.Width, h))
	o[1].Move(fyne.NewPos(0, h))
	o[1].Resize(fyne.NewSize(s.Width, 1))
	o[2].Move(fyne.NewPos(look.Margin-look.Gap, h+1))
	o[2].Resize(fyne.NewSize(max(0, s.Width-2*look.Margin+look.Gap), max(0, s.Height-h-1)))
}
