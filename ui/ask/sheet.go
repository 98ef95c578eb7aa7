package ask

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/ui/look"
)

const (
	// rowHeight of a sheet.
	rowHeight = 20
	// restRows is how many rows a sheet asks room for at most; the window may give more.
	restRows = 11
	// manyRows is the same where all of it should be seen at once.
	manyRows = 15
	// leastRows is what it keeps when there is little room.
	leastRows = 5
	sheetPad  = 12
)

// sheet shows a page of monospaced rows, of which only those exist that can be
// seen. It scrolls with the wheel and, when it has the keyboard, with its keys.
type sheet struct {
	widget.BaseWidget
	paper   *paper
	columns int
	rest    int // rows that it asks room for at most
	scroll  *inner
	field   *field
	found   []stretch
	current int // of found
	p       *Popup
	focused bool
}

func (p *Popup) newSheet(ls []line) *sheet {
	s := &sheet{paper: newPaper(ls), p: p, rest: restRows}
	s.field = &field{s: s}
	s.field.ExtendBaseWidget(s.field)
	s.scroll = newInner(s.field)
	s.scroll.outer = func(e *fyne.ScrollEvent) {
		if p.scroll != nil {
			p.scroll.scroll.Scrolled(e)
		}
	}
	s.scroll.OnScrolled = func(fyne.Position) { s.field.Refresh() }
	s.ExtendBaseWidget(s)
	return s
}

// set shows another page.
func (s *sheet) set(ls []line) {
	s.paper, s.columns, s.found = newPaper(ls), 0, nil
	s.scroll.Offset = fyne.Position{}
	s.Refresh()
}

// search marks what is found and shows the first; it tells how often it stands there.
func (s *sheet) search(what string) int {
	s.found, s.current = s.paper.find(what), 0
	s.reveal()
	return len(s.found)
}

// next goes to another place of what was searched.
func (s *sheet) next(by int) {
	if n := len(s.found); n > 0 {
		s.current = (s.current + by + n) % n
		s.reveal()
	}
}

func (s *sheet) reveal() {
	if len(s.found) > 0 {
		y := float32(s.paper.rowAt(s.found[s.current].from)) * rowHeight
		if top := s.scroll.Offset.Y; y < top || y > top+s.scroll.Size().Height-2*rowHeight {
			s.to(y - s.scroll.Size().Height/3)
		}
	}
	s.field.Refresh()
}

func (s *sheet) to(y float32) {
	most := s.field.MinSize().Height - s.scroll.Size().Height
	s.scroll.ScrollToOffset(fyne.NewPos(0, max(0, min(y, most))))
	s.field.Refresh()
}

// letter is how wide one column is.
func letter() float32 {
	const many = "0000000000"
	return fyne.MeasureText(many, theme.Size(look.SizeMono), fyne.TextStyle{Monospace: true}).Width / float32(len(many))
}

// fit breaks the page anew if the width asks for it.
func (s *sheet) fit(width float32) {
	columns := int((width - 2*sheetPad) / letter())
	if columns != s.columns {
		s.columns = columns
		s.paper.wrap(columns)
	}
}

// HeightFor is how high it wants to be.
func (s *sheet) HeightFor(width float32) float32 {
	s.fit(width)
	return float32(min(s.rest, len(s.paper.rows)))*rowHeight + 2*sheetPad - 4
}

// CreateRenderer is for Fyne.
func (s *sheet) CreateRenderer() fyne.WidgetRenderer {
	ring := canvas.NewRectangle(color.Transparent)
	ring.CornerRadius = look.Corner
	return &sheetRenderer{s, ring}
}

type sheetRenderer struct {
	s    *sheet
	ring *canvas.Rectangle
}

func (r *sheetRenderer) MinSize() fyne.Size           { return fyne.NewSize(120, rowHeight+2*sheetPad-4) }
func (r *sheetRenderer) Destroy()                     {}
func (r *sheetRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.s.scroll, r.ring} }

func (r *sheetRenderer) Layout(size fyne.Size) {
	r.s.fit(size.Width)
	r.s.scroll.Resize(size)
	r.ring.Resize(size)
	r.s.scroll.Refresh()
}

func (r *sheetRenderer) Refresh() {
	r.ring.StrokeColor, r.ring.StrokeWidth = color.Transparent, 0
	if r.s.focused {
		r.ring.StrokeColor, r.ring.StrokeWidth = look.Color(theme.ColorNamePrimary), 2
	}
	r.Layout(r.s.Size())
	r.ring.Refresh()
	r.s.field.Refresh()
}

// FocusGained is for Fyne.
func (s *sheet) FocusGained() {
	s.focused = true
	s.Refresh()
	s.p.reveal(s)
}

// FocusLost is for Fyne.
func (s *sheet) FocusLost() { s.focused = false; s.Refresh() }

// TypedRune is for Fyne.
func (s *sheet) TypedRune(rune) {}

// TypedKey is for Fyne.
func (s *sheet) TypedKey(e *fyne.KeyEvent) {
	if s.p.keys(e) {
		return
	}
	y, page := s.scroll.Offset.Y, s.scroll.Size().Height-rowHeight
	switch e.Name {
	case fyne.KeyUp:
		s.to(y - rowHeight)
	case fyne.KeyDown:
		s.to(y + rowHeight)
	case fyne.KeyPageUp:
		s.to(y - page)
	case fyne.KeyPageDown, fyne.KeySpace:
		s.to(y + page)
	case fyne.KeyHome:
		s.to(0)
	case fyne.KeyEnd:
		s.to(s.field.MinSize().Height)
	}
}

// field is the whole page as the scroller sees it.
type field struct {
	widget.BaseWidget
	s *sheet
}

// CreateRenderer is for Fyne.
func (f *field) CreateRenderer() fyne.WidgetRenderer { return &fieldRenderer{s: f.s} }

type fieldRenderer struct {
	s       *sheet
	objects []fyne.CanvasObject
}

func (r *fieldRenderer) MinSize() fyne.Size {
	return fyne.NewSize(100, float32(len(r.s.paper.rows))*rowHeight+2*sheetPad-4)
}
func (r *fieldRenderer) Destroy()                     {}
func (r *fieldRenderer) Layout(fyne.Size)             { r.draw() }
func (r *fieldRenderer) Objects() []fyne.CanvasObject { return r.objects }

func (r *fieldRenderer) Refresh() {
	r.draw()
	canvas.Refresh(r.s.field)
}

// draw makes objects for the rows that can be seen.
func (r *fieldRenderer) draw() {
	r.objects = r.objects[:0]
	top, height := r.s.scroll.Offset.Y, r.s.scroll.Size().Height
	first := max(0, int((top-sheetPad)/rowHeight))
	last := min(len(r.s.paper.rows), first+int(height/rowHeight)+3)
	for i := first; i < last; i++ {
		r.row(r.s.paper.rows[i], sheetPad-2+float32(i)*rowHeight)
	}
}

func (r *fieldRenderer) row(one row, y float32) {
	wide := letter()
	x := sheetPad + float32(one.column)*wide
	switch one.ground {
	case groundGone:
		r.ground(look.ColorFailedGround, 0, y, r.s.field.Size().Width, 0)
	case groundAdded:
		r.ground(look.ColorReadyGround, 0, y, r.s.field.Size().Width, 0)
	}
	for _, f := range r.s.found { // few: what is seen decides
		if f.from < one.to && f.to > one.from {
			at := x + wide*float32(columnsIn(r.s.paper.text[one.from:max(f.from, one.from)]))
			r.ground(look.ColorAccentGround, at, y, wide*float32(columnsIn(r.s.paper.text[max(f.from, one.from):min(f.to, one.to)])), 3)
		}
	}
	for _, s := range r.s.paper.spans(one) {
		text := r.s.paper.text[s.from:s.to]
		width := wide * float32(columnsIn(text))
		if s.ink == inkHidden {
			r.ground(look.ColorAskingGround, x, y, width, 3)
		}
		t := canvas.NewText(text, look.Color(inkColor(s.ink, one.ground)))
		t.TextSize, t.TextStyle = theme.Size(look.SizeMono), fyne.TextStyle{Monospace: s.ink != inkNote}
		t.Move(fyne.NewPos(x, y))
		t.Resize(fyne.NewSize(width, rowHeight))
		r.objects = append(r.objects, t)
		x += width
	}
}

func (r *fieldRenderer) ground(name fyne.ThemeColorName, x, y, width, radius float32) {
	b := canvas.NewRectangle(look.Color(name))
	b.CornerRadius = radius
	b.Move(fyne.NewPos(x, y))
	b.Resize(fyne.NewSize(width, rowHeight))
	r.objects = append(r.objects, b)
}

func inkColor(i ink, g ground) fyne.ThemeColorName {
	switch {
	case i == inkHidden:
		return theme.ColorNameWarning
	case g == groundGone:
		return theme.ColorNameError
	case g == groundAdded:
		return theme.ColorNameSuccess
	case i == inkName:
		return theme.ColorNamePrimary
	case i == inkSign, i == inkNote:
		return look.ColorMuted
	}
	return theme.ColorNameForeground
}
