package look

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Spark is a small line of counts, oldest first.
type Spark struct {
	widget.BaseWidget
	counts []int
}

// NewSpark is an empty line.
func NewSpark() *Spark {
	s := &Spark{}
	s.ExtendBaseWidget(s)
	return s
}

// Set changes the counts; it costs nothing when they are the same.
func (s *Spark) Set(counts []int) {
	if !slices.Equal(s.counts, counts) {
		s.counts = slices.Clone(counts)
		s.Refresh()
	}
}

// CreateRenderer is for Fyne.
func (s *Spark) CreateRenderer() fyne.WidgetRenderer {
	s.ExtendBaseWidget(s)
	return &sparkRenderer{s: s}
}

type sparkRenderer struct {
	s     *Spark
	lines []fyne.CanvasObject
}

func (r *sparkRenderer) MinSize() fyne.Size           { return fyne.NewSize(90, 22) }
func (r *sparkRenderer) Destroy()                     {}
func (r *sparkRenderer) Objects() []fyne.CanvasObject { return r.lines }

func (r *sparkRenderer) Layout(size fyne.Size) {
	counts := r.s.counts
	n := max(0, len(counts)-1)
	for len(r.lines) < n {
		r.lines = append(r.lines, &canvas.Line{StrokeWidth: 1.5})
	}
	r.lines = r.lines[:n]
	most := max(1, slices.Max(append([]int{0}, counts...)))
	place := func(i int) fyne.Position {
		return fyne.NewPos(size.Width*float32(i)/float32(max(1, n)), 1+(size.Height-2)*(1-float32(counts[i])/float32(most)))
	}
	for i, o := range r.lines {
		l := o.(*canvas.Line)
		l.StrokeColor, l.Position1, l.Position2 = Color(theme.ColorNamePrimary), place(i), place(i+1)
	}
}

func (r *sparkRenderer) Refresh() {
	r.Layout(r.s.Size())
	canvas.Refresh(r.s)
}

// Bars is a chart of counts in time, each bar a stack of parts.
type Bars struct {
	widget.BaseWidget
	parts  []fyne.ThemeColorName
	stacks [][]int
}

// NewBars is an empty chart whose stacks have parts in these colours, from below.
func NewBars(parts ...fyne.ThemeColorName) *Bars {
	b := &Bars{parts: parts}
	b.ExtendBaseWidget(b)
	return b
}

// Set changes the stacks, oldest first.
func (b *Bars) Set(stacks [][]int) {
	b.stacks = stacks
	b.Refresh()
}

// CreateRenderer is for Fyne.
func (b *Bars) CreateRenderer() fyne.WidgetRenderer {
	b.ExtendBaseWidget(b)
	return &barsRenderer{b: b}
}

type barsRenderer struct {
	b     *Bars
	rects []fyne.CanvasObject
}

func (r *barsRenderer) MinSize() fyne.Size           { return fyne.NewSize(120, 72) }
func (r *barsRenderer) Destroy()                     {}
func (r *barsRenderer) Objects() []fyne.CanvasObject { return r.rects }

func (r *barsRenderer) Refresh() {
	r.Layout(r.b.Size())
	canvas.Refresh(r.b)
}

func sum(stack []int) (n int) {
	for _, v := range stack {
		n += v
	}
	return n
}

func (r *barsRenderer) Layout(size fyne.Size) {
	most := 1
	for _, stack := range r.b.stacks {
		most = max(most, sum(stack))
	}
	step := size.Width / float32(max(1, len(r.b.stacks)))
	thick := max(1, min(step-4, 24))
	used := 0
	rect := func(c color.Color) *canvas.Rectangle {
		if used == len(r.rects) {
			r.rects = append(r.rects, canvas.NewRectangle(color.Transparent))
		}
		used++
		one := r.rects[used-1].(*canvas.Rectangle)
		one.FillColor, one.CornerRadius = c, 2
		return one
	}
	for i, stack := range r.b.stacks {
		y := size.Height
		for part, v := range stack[:min(len(stack), len(r.b.parts))] {
			if v <= 0 {
				continue
			}
			h := max(2, (size.Height-2)*float32(v)/float32(most))
			y -= h
			one := rect(Color(r.b.parts[part]))
			one.Move(fyne.NewPos(step*float32(i), y))
			one.Resize(fyne.NewSize(thick, h))
		}
	}
	r.rects = r.rects[:used]
}
