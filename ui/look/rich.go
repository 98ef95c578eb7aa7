package look

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Run is a part of a paragraph with a look of its own. Its text may be foreign:
// it is never read as markup, and what hides in it is named and marked.
type Run struct {
	Text  string
	Color fyne.ThemeColorName // "" is the paragraph's
	Bold  bool
	Mono  bool
}

// Rich is a paragraph of runs, in as many lines as it takes.
type Rich struct {
	widget.BaseWidget
	Trailing bool // at the right

	runs   []Run
	color  fyne.ThemeColorName
	height fyne.ThemeSizeName

	width float32 // for which bits was made
	bits  []bit
	lines int
}

// bit is a piece of a run at its place: line and distance from the left.
type bit struct {
	Run
	hidden bool
	line   int
	x, w   float32
}

// NewRich is a paragraph of runs.
func NewRich(color fyne.ThemeColorName, size fyne.ThemeSizeName, runs ...Run) *Rich {
	r := &Rich{color: color, height: size, runs: runs}
	r.ExtendBaseWidget(r)
	return r
}

// Set changes the runs.
func (r *Rich) Set(runs ...Run) {
	r.runs, r.bits = runs, nil
	r.Refresh()
}

// String is the whole text, with names for what hides.
func (r *Rich) String() string {
	var b strings.Builder
	for _, run := range r.runs {
		b.WriteString(ShowLines(run.Text))
	}
	return b.String()
}

func (r *Rich) style(b *bit) fyne.TextStyle { return fyne.TextStyle{Bold: b.Bold, Monospace: b.Mono} }

// sizeOf is a bit's height: monospaced letters look larger than others.
func (r *Rich) sizeOf(b *bit) float32 {
	size := r.Theme().Size(r.height)
	if b.Mono {
		size *= 0.93
	}
	return size
}

// set breaks the runs into bits for a width.
func (r *Rich) set(width float32) []bit {
	if r.bits != nil && r.width == width {
		return r.bits
	}
	r.width, r.bits = width, []bit{}
	line, x := 0, float32(0)
	for _, run := range r.runs {
		for i, paragraph := range strings.Split(strings.ReplaceAll(run.Text, "\r\n", "\n"), "\n") {
			if i > 0 {
				line, x = line+1, 0
			}
			for _, piece := range Pieces(strings.ReplaceAll(paragraph, "\t", "    ")) {
				for word := range strings.SplitAfterSeq(piece.Text, " ") {
					if word != "" {
						line, x = r.place(bit{Run: Run{word, run.Color, run.Bold, run.Mono}, hidden: piece.Hidden}, line, x)
					}
				}
			}
		}
	}
	r.lines = line + 1
	return r.bits
}

// place puts one word behind the last, on the next line, or on as many as it takes.
func (r *Rich) place(b bit, line int, x float32) (int, float32) {
	size, style := r.sizeOf(&b), r.style(&b)
	wide := func(s string) float32 { return fyne.MeasureText(s, size, style).Width }
	if x > 0 && x+wide(strings.TrimRight(b.Text, " ")) > r.width {
		line, x = line+1, 0
	}
	for wide(strings.TrimRight(b.Text, " ")) > r.width {
		head := fitting(b.Text, r.width, size, style)
		if head >= len(b.Text) {
			break
		}
		part := b
		part.Text, part.line, part.x = b.Text[:head], line, 0
		part.w = wide(part.Text)
		r.bits = append(r.bits, part)
		b.Text, line, x = b.Text[head:], line+1, 0
	}
	b.line, b.x, b.w = line, x, wide(b.Text)
	if last := len(r.bits) - 1; last >= 0 && !b.hidden {
		// One object for words that look alike and follow each other.
		if p := &r.bits[last]; p.line == line && !p.hidden && p.Color == b.Color && p.Bold == b.Bold && p.Mono == b.Mono {
			p.Text += b.Text
			p.w += b.w
			return line, x + b.w
		}
	}
	r.bits = append(r.bits, b)
	return line, x + b.w
}

// HeightFor is how high it is at a width.
func (r *Rich) HeightFor(width float32) float32 {
	r.set(width)
	return lead(r.Theme().Size(r.height)) * float32(r.lines)
}

// CreateRenderer is for Fyne.
func (r *Rich) CreateRenderer() fyne.WidgetRenderer {
	r.ExtendBaseWidget(r)
	return &richRenderer{r: r}
}

type richRenderer struct {
	r       *Rich
	objects []fyne.CanvasObject
}

func (o *richRenderer) Objects() []fyne.CanvasObject { return o.objects }
func (o *richRenderer) Destroy()                     {}

func (o *richRenderer) MinSize() fyne.Size {
	size := o.r.Theme().Size(o.r.height)
	if o.r.width == 0 {
		return fyne.NewSize(size*4, lead(size))
	}
	return fyne.NewSize(size*4, o.r.HeightFor(o.r.width))
}

func (o *richRenderer) Layout(s fyne.Size) {
	o.objects = o.objects[:0]
	height := lead(o.r.Theme().Size(o.r.height))
	bits := o.r.set(s.Width)
	for i, b := range bits {
		if o.r.Trailing {
			end := i // the last of its line
			for end+1 < len(bits) && bits[end+1].line == b.line {
				end++
			}
			last := bits[end]
			last.Text = strings.TrimRight(last.Text, " ")
			b.x += s.Width - last.x - fyne.MeasureText(last.Text, o.r.sizeOf(&last), o.r.style(&last)).Width
		}
		name := o.r.color
		if b.Color != "" {
			name = b.Color
		}
		at := fyne.NewPos(b.x, float32(b.line)*height)
		if b.hidden {
			name = theme.ColorNameWarning
			ground := canvas.NewRectangle(Color(ColorAskingGround))
			ground.CornerRadius = 3
			ground.Move(at)
			ground.Resize(fyne.NewSize(b.w, height))
			o.objects = append(o.objects, ground)
		}
		text := canvas.NewText(b.Text, color.Black)
		text.Color, text.TextSize, text.TextStyle = Color(name), o.r.sizeOf(&b), o.r.style(&b)
		text.Move(at)
		text.Resize(fyne.NewSize(b.w, height))
		o.objects = append(o.objects, text)
	}
}

func (o *richRenderer) Refresh() {
	o.r.bits = nil
	o.Layout(o.r.Size())
	canvas.Refresh(o.r)
}
