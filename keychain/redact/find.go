package redact

import (
	"bytes"
	"encoding/binary"
	"slices"
)

func first(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// hash spreads four bytes over the filter, which holds 2^16 bits: two thousand
// patterns let three in a hundred positions through, and it stays in the
// processor's nearest cache.
func hash(v uint32) uint32 { return v * 0x9E3779B1 >> 16 }

// cut is where squeeze left out line breaks.
type cut struct{ at, removed int }

// squeezed is text without line breaks, and the way back to it.
type squeezed struct {
	text []byte
	cuts []cut
}

// squeeze takes line breaks out, so that a value that was broken is found. A
// text of one line is not copied.
func squeeze(text []byte) squeezed {
	body := bytes.TrimRight(text, "\r\n")
	if bytes.IndexByte(body, '\n') < 0 && bytes.IndexByte(body, '\r') < 0 {
		return squeezed{text: body}
	}
	q := squeezed{text: make([]byte, 0, len(body))}
	removed := 0
	for len(body) > 0 {
		n := bytes.IndexAny(body, "\r\n")
		if n < 0 {
			n = len(body)
		}
		q.text = append(q.text, body[:n]...)
		rest := bytes.TrimLeft(body[n:], "\r\n")
		removed += len(body) - n - len(rest)
		q.cuts = append(q.cuts, cut{len(q.text), removed})
		body = rest
	}
	return q
}

// origin is where a byte of the squeezed text stood.
func (q squeezed) origin(pos int) int {
	if len(q.cuts) == 0 {
		return pos
	}
	i, exact := slices.BinarySearchFunc(q.cuts, pos, func(c cut, pos int) int { return c.at - pos })
	if exact {
		i++
	}
	if i == 0 {
		return pos
	}
	return pos + q.cuts[i-1].removed
}

// find returns what is to be replaced, in order and without overlaps. With final
// the text ends there, and the larger part of a value at its end counts as the
// value. open is where a private key begins that doesn't end, or -1.
func (s *set) find(text []byte, final bool) (spans []span, open int) {
	if len(s.found) > 0 {
		spans = s.values(squeeze(text), final, spans)
	}
	for _, w := range s.words {
		spans = words(text, []byte(w.Secret.Reveal()), w.Name, spans)
	}
	spans, open = shapes(text, spans)
	return merge(spans), open
}

// values looks for every pattern. Matches may overlap: a short value at the
// beginning of a longer one must not hide the rest of it. With partial the larger
// part of a pattern at the end of the text counts, too.
func (s *set) values(q squeezed, partial bool, spans []span) []span {
	text := q.text
	for i := 0; i+indexed <= len(text); i++ {
		key := binary.LittleEndian.Uint32(text[i:])
		h := hash(key)
		if s.filter[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		if at, ok := longest(s.found[key], text, i, partial); ok {
			at.start, at.end = q.origin(at.start), q.origin(at.end-1)+1
			spans = append(spans, at)
		}
	}
	return spans
}

// longest finds the longest pattern at a place; one that is there whole counts
// before one that is cut off by the end.
func longest(list []pattern, text []byte, i int, partial bool) (at span, ok bool) {
	have := len(text) - i
	for _, p := range list {
		if len(p.text) <= have {
			if string(text[i:i+len(p.text)]) == p.text {
				start, end := p.widen(text, i)
				return span{start, end, p.name}, true
			}
		} else if !ok && partial && have >= minValue && 2*have >= len(p.text) && p.text[:have] == string(text[i:]) {
			at, ok = span{i, len(text), p.name}, true
		}
	}
	return at, ok
}

// widen takes the neighbours that hold bits of an encoded value, and its padding.
func (p pattern) widen(text []byte, start int) (from, to int) {
	end := start + len(p.text)
	if p.before && start > 0 && base64Char(text[start-1]) {
		start--
	}
	if p.after && end < len(text) && base64Char(text[end]) {
		end++
	}
	if p.before || p.after {
		for n := 0; n < 2 && end < len(text) && text[end] == '='; n++ {
			end++
		}
	}
	return start, end
}

func base64Char(c byte) bool {
	return alnum(c) || c == '+' || c == '/' || c == '-' || c == '_'
}

func alnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// begins calls f for each place near the end where a pattern begins that the
// text is too short for, with how much of it is there.
func (s *set) begins(text []byte, f func(pos int, p pattern)) {
	for i := max(0, len(text)-s.longest); i+indexed <= len(text); i++ {
		key := binary.LittleEndian.Uint32(text[i:])
		h := hash(key)
		if s.filter[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		for _, p := range s.found[key] {
			if len(p.text) > len(text)-i && p.text[:len(text)-i] == string(text[i:]) {
				f(i, p)
				break
			}
		}
	}
}

// words adds a short value where it stands alone.
func words(text, word []byte, name string, spans []span) []span {
	for at := 0; ; {
		i := bytes.Index(text[at:], word)
		if i < 0 {
			return spans
		}
		start := at + i
		end := start + len(word)
		if !wordChar(text, start-1) && !wordChar(text, end) {
			spans = append(spans, span{start, end, name})
		}
		at = start + 1
	}
}

func wordChar(text []byte, i int) bool {
	return i >= 0 && i < len(text) && (alnum(text[i]) || text[i] == '_' || text[i] >= 0x80)
}
