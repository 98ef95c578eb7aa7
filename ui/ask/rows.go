package ask

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// paper is a page broken into rows for a width in columns. Its text is kept once;
// rows and spans only point into it, so that a megabyte of arguments stays cheap.
type paper struct {
	text  string
	inks  []stretch // by start; what lies between is inkText
	rows  []row
	lines []placed
}

// stretch is a part of text in an ink.
type stretch struct {
	from, to int
	ink      ink
}

// placed is a line's part of the text.
type placed struct {
	from, to int
	indent   int
	further  int // of rows that go on
	ground   ground
}

// row is what of a line is shown beside each other.
type row struct {
	from, to int
	column   int // where it begins
	ground   ground
}

// newPaper joins lines.
func newPaper(ls []line) *paper {
	p := &paper{lines: make([]placed, 0, len(ls))}
	var b strings.Builder
	size, marks := 0, 0
	for _, l := range ls {
		for _, s := range l.spans {
			size += len(s.text)
			if s.ink != inkText {
				marks++
			}
		}
	}
	b.Grow(size)
	p.inks = make([]stretch, 0, marks)
	for _, l := range ls {
		from := b.Len()
		for _, s := range l.spans {
			if s.ink != inkText && s.text != "" {
				p.inks = append(p.inks, stretch{b.Len(), b.Len() + len(s.text), s.ink})
			}
			b.WriteString(s.text)
		}
		further := 2
		if l.prose {
			further = 0
		}
		p.lines = append(p.lines, placed{from, b.Len(), l.indent, further, l.ground})
	}
	p.text = b.String()
	return p
}

// wrap breaks the lines into rows of so many columns. Rows that go on stand a
// little further in.
func (p *paper) wrap(columns int) {
	p.rows = p.rows[:0]
	for _, l := range p.lines {
		column, at := l.indent, l.from
		for {
			room := max(8, columns-column)
			end := cut(p.text, at, l.to, room)
			p.rows = append(p.rows, row{at, end, column, l.ground})
			if at = end; at >= l.to {
				break
			}
			column = l.indent + l.further
		}
	}
}

// cut is where a row ends that begins at from and has room for so many columns:
// behind a blank in its last quarter if there is one.
func cut(text string, from, to, room int) int {
	used, blank := 0, 0
	for at := from; at < to; {
		r, n := utf8.DecodeRuneInString(text[at:])
		w := columnsOf(r)
		if used+w > room && at > from {
			if blank > 0 {
				return blank
			}
			return at
		}
		used += w
		at += n
		if r == ' ' && used > room*3/4 {
			blank = at
		}
	}
	return to
}

// columnsOf is how wide a letter stands in a monospaced row.
func columnsOf(r rune) int {
	switch {
	case r < 0x1100:
		return 1
	case r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// columnsIn is how wide a text stands.
func columnsIn(s string) (n int) {
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

// spans are the parts of a row in their inks.
func (p *paper) spans(r row) []stretch {
	i := sort.Search(len(p.inks), func(i int) bool { return p.inks[i].to > r.from })
	var out []stretch
	at := r.from
	for ; i < len(p.inks) && p.inks[i].from < r.to; i++ {
		from, to := max(p.inks[i].from, r.from), min(p.inks[i].to, r.to)
		if at < from {
			out = append(out, stretch{at, from, inkText})
		}
		out = append(out, stretch{from, to, p.inks[i].ink})
		at = to
	}
	if at < r.to {
		out = append(out, stretch{at, r.to, inkText})
	}
	return out
}

// rowAt is the row that shows a place of the text.
func (p *paper) rowAt(place int) int {
	return max(0, sort.Search(len(p.rows), func(i int) bool { return p.rows[i].from > place })-1)
}

// maxFound bounds what a search marks.
const maxFound = 10_000

// find is where a text stands, in any case of ASCII letters.
func (p *paper) find(what string) []stretch {
	if what == "" {
		return nil
	}
	text, what := lower(p.text), lower(what)
	var out []stretch
	for at := 0; len(out) < maxFound; {
		i := strings.Index(text[at:], what)
		if i < 0 {
			break
		}
		out = append(out, stretch{from: at + i, to: at + i + len(what)})
		at += i + len(what)
	}
	return out
}

// lower changes ASCII letters only, so that places stay where they are.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
