package policy

import (
	"bytes"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// canonical returns the canonical form of raw.
func canonical(raw []byte) ([]byte, error) {
	var c canon
	err := c.run(raw, false)
	return c.out, err
}

// canon writes JSON text in its canonical form: members sorted, no white space,
// each character escaped in one way only. Two texts have the same form only
// when they say the same; a member that stands twice stays twice.
type canon struct {
	in      []byte
	i       int
	out     []byte
	sets    bool   // sort the lists that are sets in a schema
	spans   []span // members of the objects that are open, a stack
	scratch []byte
}

// span is a member in out, or an element; key is the end of its key.
type span struct{ start, key, end int }

func (c *canon) run(raw []byte, sets bool) error {
	c.in, c.i, c.sets = raw, 0, sets
	c.out, c.spans = c.out[:0], c.spans[:0]
	c.space()
	err := c.value(0, "")
	c.space()
	if err == nil && c.i != len(raw) {
		err = errJSON
	}
	return err
}

func (c *canon) at() byte {
	if c.i < len(c.in) {
		return c.in[c.i]
	}
	return 0
}

func (c *canon) space() {
	for c.i < len(c.in) && (c.in[c.i] == ' ' || c.in[c.i] == '\n' || c.in[c.i] == '\r' || c.in[c.i] == '\t') {
		c.i++
	}
}

// value writes one value; set is not empty when a list there is a set.
func (c *canon) value(depth int, set string) error {
	if depth > maxDepth {
		return errDeep
	}
	switch c.at() {
	case '{':
		return c.object(depth)
	case '[':
		return c.array(depth, set != "")
	case '"':
		return c.str()
	}
	r := reader{b: c.in, i: c.i}
	word, err := r.scalar()
	c.out, c.i = append(c.out, word...), r.i
	return err
}

func (c *canon) object(depth int) error {
	base := len(c.spans)
	c.out = append(c.out, '{')
	first := len(c.out)
	c.i++
	c.space()
	for c.at() != '}' {
		if len(c.spans) > base {
			if err := c.comma(); err != nil {
				return err
			}
		}
		s := span{start: len(c.out)}
		if err := c.str(); err != nil {
			return err
		}
		s.key = len(c.out)
		c.space()
		if c.at() != ':' {
			return errJSON
		}
		c.out = append(c.out, ':')
		c.i++
		c.space()
		if err := c.value(depth+1, c.setOf(s)); err != nil {
			return err
		}
		s.end = len(c.out)
		c.spans = append(c.spans, s)
		c.space()
	}
	c.i++
	c.arrange(base, first)
	c.out = append(c.out, '}')
	return nil
}

// setOf tells whether the member's value is a set, when it is a list.
func (c *canon) setOf(s span) string {
	if c.sets {
		switch string(c.out[s.start:s.key]) {
		case `"required"`, `"enum"`, `"type"`:
			return "set"
		}
	}
	return ""
}

func (c *canon) array(depth int, set bool) error {
	base := len(c.spans)
	c.out = append(c.out, '[')
	first := len(c.out)
	c.i++
	c.space()
	for n := 0; c.at() != ']'; n++ {
		if n > 0 {
			if err := c.comma(); err != nil {
				return err
			}
		}
		// Only lists of texts: a list of values may be one whose order counts.
		set = set && c.at() == '"'
		start := len(c.out)
		if err := c.value(depth+1, ""); err != nil {
			return err
		}
		if set {
			c.spans = append(c.spans, span{start, len(c.out), len(c.out)})
		}
		c.space()
	}
	c.i++
	if set {
		c.arrange(base, first)
	}
	c.spans = c.spans[:base]
	c.out = append(c.out, ']')
	return nil
}

func (c *canon) comma() error {
	if c.at() != ',' {
		return errJSON
	}
	c.out = append(c.out, ',')
	c.i++
	c.space()
	return nil
}

// arrange sorts what was written from first on, whose parts are the spans from
// base on, and takes the spans off the stack.
func (c *canon) arrange(base, first int) {
	spans := c.spans[base:]
	byKey := func(a, b span) int { return bytes.Compare(c.out[a.start:a.key], c.out[b.start:b.key]) }
	if !slices.IsSortedFunc(spans, byKey) {
		slices.SortStableFunc(spans, byKey)
		c.scratch = c.scratch[:0]
		for i, s := range spans {
			if i > 0 {
				c.scratch = append(c.scratch, ',')
			}
			c.scratch = append(c.scratch, c.out[s.start:s.end]...)
		}
		c.out = append(c.out[:first], c.scratch...)
	}
	c.spans = c.spans[:base]
}

// str writes a string. Bytes that are no UTF-8 and halves of surrogate pairs
// stay as they are: two of them must not become the same.
func (c *canon) str() error {
	if c.at() != '"' {
		return errJSON
	}
	c.out = append(c.out, '"')
	start := c.i + 1
	for i := plainEnd(c.in, start); i < len(c.in); i = plainEnd(c.in, start) {
		c.out = append(c.out, c.in[start:i]...)
		switch c.in[i] {
		case '"':
			c.out = append(c.out, '"')
			c.i = i + 1
			return nil
		case '\\':
			n := c.escape(i)
			if n == 0 {
				return errJSON
			}
			start = i + n
		default:
			return errJSON
		}
	}
	return errJSON
}

// escape writes what the escape sequence at i stands for and returns its
// length, 0 when it is none.
func (c *canon) escape(i int) int {
	if i+1 >= len(c.in) {
		return 0
	}
	switch b := c.in[i+1]; b {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		c.out = append(c.out, '\\', b)
		return 2
	case '/':
		c.out = append(c.out, '/')
		return 2
	case 'u':
	default:
		return 0
	}
	unit, ok := hex4(c.in, i+2)
	if !ok {
		return 0
	}
	if utf16.IsSurrogate(unit) {
		if i+7 < len(c.in) && c.in[i+6] == '\\' && c.in[i+7] == 'u' {
			if low, ok := hex4(c.in, i+8); ok {
				if r := utf16.DecodeRune(unit, low); r != utf8.RuneError {
					c.out = utf8.AppendRune(c.out, r)
					return 12
				}
			}
		}
		c.out = appendUnit(c.out, unit)
		return 6
	}
	c.char(unit)
	return 6
}

func (c *canon) char(r rune) {
	switch r {
	case '"', '\\':
		c.out = append(c.out, '\\', byte(r))
	case '\b':
		c.out = append(c.out, '\\', 'b')
	case '\f':
		c.out = append(c.out, '\\', 'f')
	case '\n':
		c.out = append(c.out, '\\', 'n')
	case '\r':
		c.out = append(c.out, '\\', 'r')
	case '\t':
		c.out = append(c.out, '\\', 't')
	default:
		if r < ' ' {
			c.out = appendUnit(c.out, r)
			return
		}
		c.out = utf8.AppendRune(c.out, r)
	}
}

func appendUnit(b []byte, unit rune) []byte {
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[unit>>12&15], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15])
}

func hex4(b []byte, i int) (r rune, ok bool) {
	if i+4 > len(b) {
		return 0, false
	}
	for _, c := range b[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
