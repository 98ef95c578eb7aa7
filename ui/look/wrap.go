package look

import (
	"image/color"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Para is text in as many lines as it takes. Like Text it is never read as markup.
type Para struct {
	widget.BaseWidget
	Style fyne.TextStyle
	Most  int // lines; 0 is no limit

	text   string
	color  fyne.ThemeColorName
	height fyne.ThemeSizeName
	width  float32 // for which lines was made
	lines  []string
}

// NewPara is a paragraph.
func NewPara(s string, color fyne.ThemeColorName, size fyne.ThemeSizeName) *Para {
	p := &Para{text: ShowLines(s), color: color, height: size}
	p.ExtendBaseWidget(p)
	return p
}

// Words is a paragraph of ordinary text.
func Words(s string) *Para { return NewPara(s, theme.ColorNameForeground, theme.SizeNameText) }

// Small is a paragraph of secondary text.
func Small(s string) *Para { return NewPara(s, ColorMuted, theme.SizeNameCaptionText) }

// Set changes what it says.
func (p *Para) Set(s string) {
	if s = ShowLines(s); p.text != s {
		p.text, p.lines = s, nil
		p.Refresh()
	}
}

// Paint changes the colour.
func (p *Para) Paint(color fyne.ThemeColorName) {
	if p.color != color {
		p.color = color
		p.Refresh()
	}
}

// String is the whole text.
func (p *Para) String() string { return p.text }

// lead is the height of a line for a size of text: 20 for 14, 17 for 12, 26 for 20.
func lead(size float32) float32 { return float32(int(size*1.3 + 1.8)) }

// broken are the lines at a width.
func (p *Para) broken(width float32) []string {
	if p.lines == nil || p.width != width {
		p.width = width
		p.lines = Break(p.text, width, p.Theme().Size(p.height), p.Style)
		if p.Most > 0 && len(p.lines) > p.Most {
			p.lines = append(p.lines[:p.Most-1:p.Most-1], strings.TrimRight(p.lines[p.Most-1], " ")+" …")
		}
	}
	return p.lines
}

// HeightFor is how high it is at a width.
func (p *Para) HeightFor(width float32) float32 {
	return lead(p.Theme().Size(p.height)) * float32(len(p.broken(width)))
}

// CreateRenderer is for Fyne.
func (p *Para) CreateRenderer() fyne.WidgetRenderer {
	p.ExtendBaseWidget(p)
	return &paraRenderer{p: p}
}

type paraRenderer struct {
	p     *Para
	lines []fyne.CanvasObject
}

func (r *paraRenderer) Objects() []fyne.CanvasObject { return r.lines }
func (r *paraRenderer) Destroy()                     {}

func (r *paraRenderer) MinSize() fyne.Size {
	size := r.p.Theme().Size(r.p.height)
	if r.p.width == 0 {
		return fyne.NewSize(size*4, lead(size))
	}
	return fyne.NewSize(size*4, r.p.HeightFor(r.p.width))
}

func (r *paraRenderer) Layout(s fyne.Size) {
	lines := r.p.broken(s.Width)
	for len(r.lines) < len(lines) {
		r.lines = append(r.lines, canvas.NewText("", color.Black))
	}
	r.lines = r.lines[:len(lines)]
	size := r.p.Theme().Size(r.p.height)
	for i, o := range r.lines {
		line := o.(*canvas.Text)
		line.Text, line.Color, line.TextSize, line.TextStyle = lines[i], Color(r.p.color), size, r.p.Style
		line.Move(fyne.NewPos(0, float32(i)*lead(size)))
		line.Resize(fyne.NewSize(s.Width, lead(size)))
	}
}

func (r *paraRenderer) Refresh() {
	r.p.lines = nil
	r.Layout(r.p.Size())
	canvas.Refresh(r.p)
}

// Break breaks a text into lines of a width: at blanks, or within words that have
// none.
func Break(s string, width, size float32, style fyne.TextStyle) []string {
	var lines []string
	width = max(width, size) // before the first layout it is 0, or less
	wide := func(s string) float32 { return fyne.MeasureText(s, size, style).Width }
	for paragraph := range strings.SplitSeq(s, "\n") {
		line, used := "", float32(0)
		for word := range strings.SplitAfterSeq(paragraph, " ") {
			w := wide(strings.TrimRight(word, " "))
			if line != "" && used+w > width {
				lines = append(lines, strings.TrimRight(line, " "))
				line, used = "", 0
			}
			for w > width {
				head := fitting(word, width, size, style)
				lines = append(lines, word[:head])
				word = word[head:]
				w = wide(strings.TrimRight(word, " "))
			}
			line += word
			used += wide(word)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return lines
}

// fitting is how many bytes of a word fit into a width; at least one letter.
func fitting(word string, width, size float32, style fyne.TextStyle) int {
	_, fit := utf8.DecodeRuneInString(word)
	most := min(utf8.RuneCountInString(word), int(width/(size/5))+8)
	ends := make([]int, 0, most)
	for i := range word {
		if i > 0 {
			ends = append(ends, i)
		}
		if len(ends) == most {
			break
		}
	}
	low, high := 0, len(ends)
	for low < high {
		mid := (low + high) / 2
		if fyne.MeasureText(word[:ends[mid]], size, style).Width <= width {
			fit, low = max(fit, ends[mid]), mid+1
		} else {
			high = mid
		}
	}
	return fit
}
