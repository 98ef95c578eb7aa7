// Package rawjson finds the parts of a JSON text by their place, so that they can
// be read in the sender's order and replaced without touching the bytes around
// them. It owns nothing, starts nothing and never changes the text it is given;
// app/elicit and app/sampling read servers' questions with it.
package rawjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Errors of Members and Elements. A member that is there twice is an error,
// because two readers could take a different one.
var (
	ErrNotJSON   = errors.New("not a JSON text")
	ErrNotObject = errors.New("not a JSON object")
	ErrNotArray  = errors.New("not a JSON array")
	ErrTwice     = errors.New("there twice")
)

// Span is a half-open range of bytes in a text.
type Span struct{ Start, End int }

// Of is the part of a text.
func (s Span) Of(text []byte) json.RawMessage { return json.RawMessage(text[s.Start:s.End]) }

// In is the span of a part of this span, in the text that this span is of.
func (s Span) In(part Span) Span { return Span{s.Start + part.Start, s.Start + part.End} }

// Member is one member of an object: its name and where its value is.
type Member struct {
	Name string
	Span
}

// Members lists an object's members in the order of the text.
func Members(text []byte) ([]Member, error) {
	i, err := begin(text, '{', ErrNotObject)
	if err != nil {
		return nil, err
	}
	var all []Member
	seen := map[string]bool{}
	for text[i] != '}' {
		end := value(text, i)
		var name string
		if err := json.Unmarshal(text[i:end], &name); err != nil {
			return nil, ErrNotJSON
		}
		if seen[name] {
			return nil, fmt.Errorf("%.100q is %w", name, ErrTwice)
		}
		seen[name] = true
		i = space(text, space(text, end)+1) // the colon
		m := Member{Name: name, Span: Span{i, value(text, i)}}
		all = append(all, m)
		i = next(text, m.End)
	}
	return all, nil
}

// Elements lists an array's elements.
func Elements(text []byte) ([]Span, error) {
	i, err := begin(text, '[', ErrNotArray)
	if err != nil {
		return nil, err
	}
	var all []Span
	for text[i] != ']' {
		s := Span{i, value(text, i)}
		all = append(all, s)
		i = next(text, s.End)
	}
	return all, nil
}

// Kind names what a JSON value is: object, array, string, number, boolean, null;
// "" for no text.
func Kind(text []byte) string {
	i := space(text, 0)
	if i >= len(text) {
		return ""
	}
	switch text[i] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// Quote writes a string as JSON, without the escapes that only HTML needs.
func Quote(s string) []byte {
	var out buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return out[:len(out)-1] // the line feed
}

type buffer []byte

func (b *buffer) Write(p []byte) (int, error) { *b = append(*b, p...); return len(p), nil }

// Edit replaces one span of a text.
type Edit struct {
	Span
	New []byte
}

// Splice is the text with the edits made; they must be in order and apart. The
// text itself stays as it is.
func Splice(text []byte, edits []Edit) []byte {
	out := make([]byte, 0, len(text)+64)
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.Start]...), e.New...)
		at = e.End
	}
	return append(out, text[at:]...)
}

// begin checks the whole text, so that what follows need not, and is the place
// of the first thing after the bracket.
func begin(text []byte, open byte, wrong error) (int, error) {
	if !utf8.Valid(text) || !json.Valid(text) {
		return 0, ErrNotJSON
	}
	i := space(text, 0)
	if text[i] != open {
		return 0, wrong
	}
	return space(text, i+1), nil
}

// next steps over a comma, if there is one, to what follows.
func next(text []byte, i int) int {
	if i = space(text, i); text[i] == ',' {
		i = space(text, i+1)
	}
	return i
}

func space(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// value is the end of the value that begins at i, of a text that is known to be
// valid.
func value(text []byte, i int) int {
	depth := 0
	for {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i++
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++ // only inside of brackets
		default:
			i = word(text, i)
		}
		if depth == 0 {
			return i
		}
	}
}

// word is the end of a number, true, false or null.
func word(text []byte, i int) int {
	for i < len(text) {
		switch text[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return i
		}
		i++
	}
	return i
}
