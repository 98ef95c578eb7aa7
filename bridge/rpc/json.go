package rpc

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/bits"
)

// scanner walks JSON text (RFC 8259) without building anything. Positions past
// the end read as 0, which no state accepts.
type scanner struct{ b []byte }

func (s *scanner) at(i int) byte {
	if i < len(s.b) {
		return s.b[i]
	}
	return 0
}

func (s *scanner) syntax(i int) error {
	return fmt.Errorf("%w: at byte %d", ErrNotJSON, i)
}

func (s *scanner) space(i int) int {
	for i < len(s.b) && (s.b[i] == ' ' || s.b[i] == '\n' || s.b[i] == '\r' || s.b[i] == '\t') {
		i++
	}
	return i
}

// key returns a member's name without quotes, unescaped when it has escapes.
func (s *scanner) key(k Span) []byte {
	in := s.b[k.Start+1 : k.End-1]
	for _, c := range in {
		if c == '\\' {
			var text string
			if json.Unmarshal(s.b[k.Start:k.End], &text) == nil {
				return []byte(text)
			}
		}
	}
	return in
}

// object walks the members of the object at i; member is called at the start of
// each value and returns its end.
func (s *scanner) object(i, depth int, member func(key Span, at int) (int, error)) (int, error) {
	i = s.space(i + 1)
	if s.at(i) == '}' {
		return i + 1, nil
	}
	for {
		end, at, err := s.name(i)
		if err != nil {
			return 0, err
		}
		end, err = member(Span{i, end}, at)
		if err != nil {
			return end, err
		}
		i = s.space(end)
		switch s.at(i) {
		case ',':
			i = s.space(i + 1)
		case '}':
			return i + 1, nil
		default:
			return 0, s.syntax(i)
		}
	}
}

// name reads `"key" :` at i and returns the key's end and the value's start.
func (s *scanner) name(i int) (end, value int, err error) {
	if s.at(i) != '"' {
		return 0, 0, s.syntax(i)
	}
	if end, err = s.str(i); err != nil {
		return 0, 0, err
	}
	i = s.space(end)
	if s.at(i) != ':' {
		return 0, 0, s.syntax(i)
	}
	return end, s.space(i + 1), nil
}

// value returns the end of the value at i. It keeps its own stack of open
// containers, one bit each (1: object), so that depth costs no recursion.
func (s *scanner) value(i int) (int, error) {
	var first uint64 // the first 64 levels need no allocation
	var more []uint64
	depth := 0
	push := func(object uint64) error {
		if depth >= MaxDepth {
			return ErrTooDeep
		}
		if depth < 64 {
			first = first&^(1<<depth) | object<<depth
		} else {
			n := depth - 64
			if n>>6 == len(more) {
				more = append(more, 0)
			}
			more[n>>6] = more[n>>6]&^(1<<(n&63)) | object<<(n&63)
		}
		depth++
		return nil
	}
	inObject := func() bool {
		n := depth - 1
		if n < 64 {
			return first>>n&1 == 1
		}
		n -= 64
		return more[n>>6]>>(n&63)&1 == 1
	}
	var err error
	for {
		// A value starts here.
		opened := false
		switch c := s.at(i); c {
		case '"':
			i, err = s.str(i)
		case '{':
			if err = push(1); err != nil {
				return 0, err
			}
			if i = s.space(i + 1); s.at(i) != '}' {
				opened = true
				_, i, err = s.name(i)
			}
		case '[':
			if err = push(0); err != nil {
				return 0, err
			}
			i = s.space(i + 1)
			opened = s.at(i) != ']'
		case 't':
			i, err = s.literal(i, "true")
		case 'f':
			i, err = s.literal(i, "false")
		case 'n':
			i, err = s.literal(i, "null")
		default:
			i, err = s.number(i)
		}
		if err != nil {
			return 0, err
		}
		if opened {
			continue
		}
		// A value ended, or a container is empty: close what closes here.
		for more := false; !more; {
			if depth == 0 {
				return i, nil
			}
			if i < len(s.b) && s.b[i] <= ' ' {
				i = s.space(i)
			}
			switch c := s.at(i); {
			case c == ',' && inObject():
				_, i, err = s.name(s.space(i + 1))
				more = true
			case c == ',':
				i = s.space(i + 1)
				more = true
			case c == '}' && inObject(), c == ']' && !inObject():
				i++
				depth--
			default:
				err = s.syntax(i)
			}
			if err != nil {
				return 0, err
			}
		}
	}
}

func (s *scanner) literal(i int, word string) (int, error) {
	if len(s.b)-i < len(word) || string(s.b[i:i+len(word)]) != word {
		return 0, s.syntax(i)
	}
	return i + len(word), nil
}

func (s *scanner) digits(i int) int {
	for i < len(s.b) && s.b[i]-'0' < 10 {
		i++
	}
	return i
}

func (s *scanner) number(i int) (int, error) {
	if s.at(i) == '-' {
		i++
	}
	end := s.digits(i)
	if end == i || s.b[i] == '0' && end > i+1 {
		return 0, s.syntax(i)
	}
	if s.at(end) == '.' {
		i = end + 1
		if end = s.digits(i); end == i {
			return 0, s.syntax(i)
		}
	}
	if c := s.at(end); c == 'e' || c == 'E' {
		i = end + 1
		if c = s.at(i); c == '+' || c == '-' {
			i++
		}
		if end = s.digits(i); end == i {
			return 0, s.syntax(i)
		}
	}
	return end, nil
}

// str returns the end of the string at i. Eight bytes are looked at in one
// step until one of them is a quote, a backslash or a control character.
func (s *scanner) str(i int) (int, error) {
	i++
	for {
		for len(s.b)-i >= 8 {
			w := binary.LittleEndian.Uint64(s.b[i:])
			if hit := zeroBytes(w^quotes) | zeroBytes(w^slashes) | under32(w); hit != 0 {
				i += bits.TrailingZeros64(hit) >> 3
				break
			}
			i += 8
		}
		switch c := s.at(i); {
		case c == '"':
			return i + 1, nil
		case c == '\\':
			n := s.escape(i)
			if n == 0 {
				return 0, s.syntax(i)
			}
			i += n
		case c < ' ': // also the end of the text
			return 0, s.syntax(i)
		default:
			i++
		}
	}
}

const (
	ones    = 0x0101010101010101
	highs   = 0x8080808080808080
	quotes  = '"' * ones
	slashes = '\\' * ones
)

// zeroBytes sets the high bit of the lowest zero byte of w (and maybe of bytes
// above it, which does not matter for finding the first).
func zeroBytes(w uint64) uint64 { return (w - ones) &^ w & highs }

// under32 does the same for the lowest byte below 0x20.
func under32(w uint64) uint64 { return (w - ' '*ones) &^ w & highs }

// escape returns the length of the escape sequence at i, 0 when it is none.
func (s *scanner) escape(i int) int {
	switch s.at(i + 1) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		for k := i + 2; k < i+6; k++ {
			if c := s.at(k); c-'0' > 9 && (c|0x20)-'a' > 5 {
				return 0
			}
		}
		return 6
	}
	return 0
}
