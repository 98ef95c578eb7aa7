package jsonedit

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/tailscale/hujson"
)

// splice replaces src[from:to]. All edits are splices: what they don't cover
// stays as the person wrote it, byte for byte.
type splice struct {
	from, to int
	with     string
}

// spliced carries out splices that don't overlap.
func spliced(src []byte, splices ...splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Compare(a.from, b.from) })
	var out bytes.Buffer
	at := 0
	for _, s := range splices {
		out.Write(src[at:s.from])
		out.WriteString(s.with)
		at = s.to
	}
	out.Write(src[at:])
	return out.Bytes()
}

// block is an object or array seen as a row of items between two brackets.
type block struct {
	src         []byte
	open, close int // offsets of the brackets
	items       []span
	unit        string // one step of indentation
}

type span struct{ from, to int }

func (t Text) block(v *hujson.Value) block {
	b := block{src: t.Src, open: v.StartOffset, close: v.EndOffset - 1, unit: t.Unit()}
	switch c := v.Value.(type) {
	case *hujson.Object:
		for _, m := range c.Members {
			b.items = append(b.items, span{m.Name.StartOffset, m.Value.EndOffset})
		}
	case *hujson.Array:
		for _, e := range c.Elements {
			b.items = append(b.items, span{e.StartOffset, e.EndOffset})
		}
	}
	return b
}

// Unit is the indentation that the file uses, two spaces when it shows none.
func (t Text) Unit() string {
	if root, ok := t.Root.Value.(*hujson.Object); ok && len(root.Members) > 0 {
		if in, first := indentAt(t.Src, root.Members[0].Name.StartOffset); first && in != "" {
			return in
		}
	}
	return "  "
}

// Newline is the line end that the file uses.
func Newline(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// indentAt returns the space that the line of an offset starts with, and whether
// nothing else is before the offset.
func indentAt(src []byte, at int) (indent string, first bool) {
	start := bytes.LastIndexByte(src[:at], '\n') + 1
	end := start
	for end < at && (src[end] == ' ' || src[end] == '\t') {
		end++
	}
	return string(src[start:end]), end == at
}

func (b block) onOneLine() bool { return bytes.IndexByte(b.src[b.open:b.close], '\n') < 0 }

// indent is where a new item on its own line starts.
func (b block) indent() string {
	for i := len(b.items) - 1; i >= 0; i-- {
		if in, first := indentAt(b.src, b.items[i].from); first {
			return in
		}
	}
	in, _ := indentAt(b.src, b.open)
	return in + b.unit
}

// comma returns the offset of the comma behind item i, or -1.
func (b block) comma(i int) int {
	if at := skipExtra(b.src, b.items[i].to); at < len(b.src) && b.src[at] == ',' {
		return at
	}
	return -1
}

// insert puts an item in the place of item i, or behind the last one. render
// gets the indentation of the line that the item starts on.
func (b block) insert(i int, render func(indent string) string) []splice {
	nl, in := Newline(b.src), b.indent()
	if len(b.items) == 0 {
		return b.fill(nl, in, render)
	}
	if i < len(b.items) {
		between := " "
		if _, first := indentAt(b.src, b.items[i].from); first {
			between = nl + in
		}
		at := b.items[i].from
		return []splice{{at, at, render(in) + "," + between}}
	}
	last := len(b.items) - 1
	comma := b.comma(last)
	if b.onOneLine() {
		outer, _ := indentAt(b.src, b.open)
		if comma >= 0 {
			return []splice{{comma + 1, comma + 1, " " + render(outer)}}
		}
		at := b.items[last].to
		return []splice{{at, at, ", " + render(outer)}}
	}
	if comma >= 0 {
		at := restOfLine(b.src, comma+1)
		return []splice{{at, at, nl + in + render(in) + ","}}
	}
	at := b.items[last].to
	end := restOfLine(b.src, at)
	closing := ""
	if skipSpace(b.src, end) == b.close {
		outer, _ := indentAt(b.src, b.open)
		closing = nl + outer // the bracket was on the last item's line
	}
	return []splice{{at, at, ","}, {end, end, nl + in + render(in) + closing}}
}

// fill puts the first item between the brackets, behind any comments there.
func (b block) fill(nl, in string, render func(string) string) []splice {
	outer, _ := indentAt(b.src, b.open)
	from := b.open + 1
	inside := bytes.TrimRight(b.src[from:b.close], " \t\r\n")
	from += len(inside)
	return []splice{{from, b.close, nl + in + render(in) + nl + outer}}
}

// restOfLine returns the offset behind what follows on the line of at and
// belongs to what is before it: space and comments.
func restOfLine(src []byte, at int) int {
	end := at
	for {
		at = skipSpace(src, at)
		next := endOfComment(src, at)
		if at >= len(src) || next == at {
			return end
		}
		if next > at && bytes.IndexByte(src[at:next], '\n') >= 0 {
			return next // a comment of several lines: what comes next starts behind it
		}
		at, end = next, next
		if end > 0 && src[end-1] == '\r' { // a line comment takes the CR of a CRLF along
			return end - 1
		}
	}
}

func skipSpace(src []byte, at int) int {
	for at < len(src) && (src[at] == ' ' || src[at] == '\t') {
		at++
	}
	return at
}

// remove takes item i away, with its comma. Comments around it stay: nobody but
// the person can tell what they are about.
func (b block) remove(i int) []splice {
	item := b.items[i]
	comma := b.comma(i)
	if comma < 0 && i > 0 {
		before := b.comma(i - 1)
		cut := splice{item.from, item.to, ""}
		cut.widen(b.src)
		return []splice{{before, before + 1, ""}, cut}
	}
	if comma < 0 {
		cut := splice{item.from, item.to, ""}
		cut.widen(b.src)
		return []splice{cut}
	}
	if len(bytes.TrimSpace(b.src[item.to:comma])) == 0 {
		cut := splice{item.from, comma + 1, ""}
		cut.widen(b.src)
		return []splice{cut}
	}
	return []splice{{item.from, item.to, ""}, {comma, comma + 1, ""}}
}

// widen takes the whole line when nothing else is on it, else the space before.
func (s *splice) widen(src []byte) {
	from := s.from
	for from > 0 && (src[from-1] == ' ' || src[from-1] == '\t') {
		from--
	}
	to := skipSpace(src, s.to)
	if to < len(src) && src[to] == '\r' {
		to++
	}
	startsLine := from == 0 || src[from-1] == '\n'
	if startsLine && to < len(src) && src[to] == '\n' {
		s.from, s.to = from, to+1
		return
	}
	if !startsLine {
		s.from = from
	}
}
