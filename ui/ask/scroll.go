package ask

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"bridgekeeper/ui/look"
)

// inner is a scroller within another: at its end the wheel moves the outer one.
// Without that the pointer would be caught in every panel it passes.
type inner struct {
	container.Scroll
	outer func(*fyne.ScrollEvent)
}

func newInner(content fyne.CanvasObject) *inner {
	i := &inner{}
	i.Direction, i.Content = container.ScrollVerticalOnly, content
	i.ExtendBaseWidget(i)
	return i
}

// Scrolled is for Fyne.
func (i *inner) Scrolled(e *fyne.ScrollEvent) {
	before := i.Offset
	i.Scroll.Scrolled(e)
	if i.Offset == before && i.outer != nil {
		i.outer(e)
	}
}

// bodyScroll scrolls a column that it first tells its width.
type bodyScroll struct {
	scroll *container.Scroll
	inside *fyne.Container
}

func newBodyScroll(body *fyne.Container) *bodyScroll {
	inside := look.Inset(body, look.Margin, 0)
	return &bodyScroll{container.NewVScroll(inside), inside}
}

// MinSize is for Fyne.
func (b *bodyScroll) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(100, 60) }

// Layout is for Fyne.
func (b *bodyScroll) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	b.inside.Resize(fyne.NewSize(size.Width, b.inside.Size().Height)) // so that it knows how high it is
	b.scroll.Resize(size)
	b.scroll.Refresh()
}

// reveal scrolls until an object of the body can be seen: Fyne gives the keyboard
// to what is out of sight, too.
func (p *Popup) reveal(o fyne.CanvasObject) {
	if p.scroll == nil || p.win == nil {
		return
	}
	const air = 12
	d := p.app.Driver()
	at := d.AbsolutePositionForObject(o).Y - d.AbsolutePositionForObject(p.scroll.inside).Y
	if at < 0 || at > p.scroll.inside.Size().Height {
		return // not in the body
	}
	s := p.scroll.scroll
	top, height := s.Offset.Y, s.Size().Height
	most := max(0, p.scroll.inside.Size().Height-height)
	switch end := at + o.Size().Height; {
	case at-air < top || o.Size().Height > height:
		s.ScrollToOffset(fyne.NewPos(0, max(0, min(at-air, most))))
	case end+air > top+height:
		s.ScrollToOffset(fyne.NewPos(0, min(end+air-height, most)))
	}
}
