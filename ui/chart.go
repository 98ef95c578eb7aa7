package ui

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// spark is a small line of counts, oldest first.
type spark struct {
	widget.BaseWidget
	counts []int
}

func newSpark() *spark {
	s := &spark{}
	s.ExtendBaseWidget(s)
	return s
}

func (s *spark) set(counts []int) {
	if !equal(s.counts, counts) {
		s.counts = counts
		s.Refresh()
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (s *spark) CreateRenderer() fyne.WidgetRenderer { return &sparkRenderer{s: s} }

type sparkRenderer struct {
	s     *spark
	lines []fyne.CanvasObject
}

func (r *sparkRenderer) MinSize() fyne.Size { return fyne.NewSize(90, 22) }
func (r *sparkRenderer) Destroy()           {}

func (r *sparkRenderer) Objects() []fyne.CanvasObject { return r.lines }

func (r *sparkRenderer) Refresh() {
	r.Layout(r.s.Size())
	canvas.Refresh(r.s)
}

func (r *sparkRenderer) Layout(size fyne.Size) {
	counts := r.s.counts
	most := 1
	for _, n := range counts {
		most = max(most, n)
	}
	for len(r.lines) < len(counts)-1 {
		l := canvas.NewLine(color.Black)
		l.StrokeWidth = 1.5
		r.lines = append(r.lines, l)
	}
	r.lines = r.lines[:max(0, len(counts)-1)]
	stroke := r.s.Theme().Color(theme.ColorNamePrimary, fyne.CurrentApp().Settings().ThemeVariant())
	at := func(i int) fyne.Position {
		x := size.Width * float32(i) / float32(max(1, len(counts)-1))
		return fyne.NewPos(x, 1+(size.Height-2)*(1-float32(counts[i])/float32(most)))
	}
	for i, o := range r.lines {
		l := o.(*canvas.Line)
		l.StrokeColor, l.Position1, l.Position2 = stroke, at(i), at(i+1)
	}
}

// bars is a chart of counts in time, each a stack of parts.
type bars struct {
	widget.BaseWidget
	parts  []fyne.ThemeColorName // of a stack, from below
	stacks [][]int
}

func newBars(parts ...fyne.ThemeColorName) *bars {
	b := &bars{parts: parts}
	b.ExtendBaseWidget(b)
	return b
}

func (b *bars) set(stacks [][]int) {
	b.stacks = stacks
	b.Refresh()
}

func (b *bars) CreateRenderer() fyne.WidgetRenderer { return &barsRenderer{b: b} }

type barsRenderer struct {
	b     *bars
	rects []fyne.CanvasObject
}

func (r *barsRenderer) MinSize() fyne.Size           { return fyne.NewSize(120, 72) }
func (r *barsRenderer) Destroy()                     {}
func (r *barsRenderer) Objects() []fyne.CanvasObject { return r.rects }

func (r *barsRenderer) Refresh() {
	r.Layout(r.b.Size())
	canvas.Refresh(r.b)
}

func (r *barsRenderer) Layout(size fyne.Size) {
	most, n := 1, len(r.b.stacks)
	for _, stack := range r.b.stacks {
		sum := 0
		for _, v := range stack {
			sum += v
		}
		most = max(most, sum)
	}
	r.rects = r.rects[:0]
	if n == 0 {
		return
	}
	step := size.Width / float32(n)
	thick := min(step-4, 24)
	for i, stack := range r.b.stacks {
		y := size.Height
		for part, v := range stack {
			if v == 0 {
				continue
			}
			h := max(2, (size.Height-2)*float32(v)/float32(most))
			rect := canvas.NewRectangle(r.b.Theme().Color(r.b.parts[part], fyne.CurrentApp().Settings().ThemeVariant()))
			rect.CornerRadius = 2
			rect.Move(fyne.NewPos(step*float32(i), y-h))
			rect.Resize(fyne.NewSize(thick, h))
			r.rects = append(r.rects, rect)
			y -= h
		}
	}
}
