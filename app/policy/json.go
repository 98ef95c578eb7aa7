package policy

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/bits"
	"unicode/utf8"
)

// maxDepth bounds nesting: what reads JSON here recurses, and no definition or
// argument that people write goes a tenth as deep.
const maxDepth = 500

var (
	errJSON = errors.New("not JSON")
	errDeep = errors.New("nested too deep")
)

// reader walks JSON text without building anything. Positions past the end read
// as 0, which nothing accepts.
type reader struct {
	b []byte
	i int
}

func (r *reader) at() byte {
	if r.i < len(r.b) {
		return r.b[r.i]
	}
	return 0
}

func (r *reader) space() {
	for r.i < len(r.b) {
		switch r.b[r.i] {
		case ' ', '\n', '\r', '\t':
			r.i++
		default:
			return
		}
	}
}

// take moves past c and the space behind it.
func (r *reader) take(c byte) error {
	if r.at() != c {
		return errJSON
	}
	r.i++
	r.space()
	return nil
}

// str moves past a string and returns it with its quotes.
func (r *reader) str() ([]byte, error) {
	start := r.i
	if r.at() != '"' {
		return nil, errJSON
	}
	for i := plainEnd(r.b, start+1); i < len(r.b); i = plainEnd(r.b, i) {
		switch r.b[i] {
		case '"':
			r.i = i + 1
			return r.b[start:r.i], nil
		case '\\':
			i += 2
		default:
			return nil, errJSON
		}
	}
	return nil, errJSON
}

// plainEnd returns the first place from i on that has a quote, a backslash or a
// control character, or one at or past the end. It looks at eight bytes at once: texts are most of what
// is read here.
func plainEnd(b []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	zero := func(w uint64) uint64 { return (w - ones) &^ w & highs } // the lowest zero byte, and maybe some above
	for ; len(b)-i >= 8; i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if hit := zero(w^'"'*ones) | zero(w^'\\'*ones) | (w-' '*ones)&^w&highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)>>3
		}
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
		i++
	}
	return i
}

// scalar moves past a number or a word and returns it.
func (r *reader) scalar() ([]byte, error) {
	start := r.i
	for r.i < len(r.b) {
		c := r.b[r.i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' {
			r.i++
			continue
		}
		break
	}
	if word := r.b[start:r.i]; len(word) > 0 && json.Valid(word) {
		return word, nil
	}
	return nil, errJSON
}

// object calls member at the start of each value; member moves past it.
func (r *reader) object(member func(key []byte) error) error {
	if err := r.take('{'); err != nil {
		return err
	}
	for first := true; r.at() != '}'; first = false {
		if !first {
			if err := r.take(','); err != nil {
				return err
			}
		}
		key, err := r.str()
		if err != nil {
			return err
		}
		r.space()
		if err := r.take(':'); err != nil {
			return err
		}
		if err := member(key); err != nil {
			return err
		}
		r.space()
	}
	r.i++
	return nil
}

// array calls element at the start of each; element moves past it.
func (r *reader) array(element func() error) error {
	if err := r.take('['); err != nil {
		return err
	}
	for first := true; r.at() != ']'; first = false {
		if !first {
			if err := r.take(','); err != nil {
				return err
			}
		}
		if err := element(); err != nil {
			return err
		}
		r.space()
	}
	r.i++
	return nil
}

// value moves past any value and returns its bytes. It counts brackets only:
// whoever wants to know that the inside is right reads the inside.
func (r *reader) value() ([]byte, error) {
	start := r.i
	switch r.at() {
	case '"':
		return r.str()
	case '{', '[':
	default:
		return r.scalar()
	}
	for open := 0; r.i < len(r.b); {
		switch r.b[r.i] {
		case '"':
			if _, err := r.str(); err != nil {
				return nil, err
			}
			continue
		case '{', '[':
			open++
		case '}', ']':
			open--
		}
		r.i++
		if open == 0 {
			return r.b[start:r.i], nil
		}
	}
	return nil, errJSON
}

// members calls f with each member of the object raw, in order; keys have no
// quotes and no escapes. It reports whether raw is an object.
func members(raw []byte, f func(key, value []byte)) bool {
	r := reader{b: raw}
	r.space()
	err := r.object(func(key []byte) error {
		value, err := r.value()
		if err == nil {
			if bytes.IndexByte(key, '\\') >= 0 {
				f([]byte(text(key)), value)
			} else {
				f(key[1:len(key)-1], value)
			}
		}
		return err
	})
	r.space()
	return err == nil && r.i == len(raw)
}

// text is what a string in quotes says; lone surrogates and bytes that are no
// UTF-8 become U+FFFD.
func text(quoted []byte) string {
	if len(quoted) < 2 {
		return ""
	}
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return ""
	}
	return s
}
