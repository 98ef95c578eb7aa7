// Package redact takes secrets out of text that people see or that is kept:
// logs, the record of calls, traces, errors, the support bundle.
//
// It knows the values that are in use and replaces them, in the forms in which
// programs print them, by a mask with the secret's name; what only looks like a
// secret (a known prefix, a bearer token, a private key, a password in a URL)
// becomes a mask without one. It owns the current set of values and, in a
// Writer, the few bytes that may be the beginning of one. It never writes a
// value anywhere and decides nothing about what is logged. The app gives it the
// values and puts it in front of everything that leaves.
package redact

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	"bridgekeeper/keychain"
)

// Value is a secret and the name that its mask shows.
type Value struct {
	Name   string
	Secret keychain.Secret
}

// Redactor holds the current set of values. The zero value knows shapes only.
// It is safe for concurrent use: a call works with the set of its beginning.
type Redactor struct{ current atomic.Pointer[set] }

// Use replaces the set of values. Those shorter than three bytes can't be taken
// out without taking half of every text; their names are returned. Below six
// bytes a value is replaced only where it stands as a word of its own, and in
// no other form.
func (r *Redactor) Use(values []Value) (uncovered []string) {
	s, uncovered := newSet(values)
	r.current.Store(s)
	return uncovered
}

var shapesOnly, _ = newSet(nil)

func (r *Redactor) set() *set {
	if s := r.current.Load(); s != nil {
		return s
	}
	return shapesOnly
}

// Bytes returns text without secrets; text itself, not a copy, if there are none.
// Lines stay lines: a secret that goes over several has its mask in each.
func (r *Redactor) Bytes(text []byte) []byte {
	spans, _ := r.set().find(text, true)
	if len(spans) == 0 {
		return text
	}
	return replace(nil, text, spans)
}

// String is Bytes for a string.
func (r *Redactor) String(text string) string {
	spans, _ := r.set().find([]byte(text), true)
	if len(spans) == 0 {
		return text
	}
	return string(replace(nil, []byte(text), spans))
}

// Lines redacts lines that follow each other, as a log view has them, so that a
// value broken over two is found. The result has as many.
func (r *Redactor) Lines(lines []string) []string {
	if len(lines) == 0 {
		return lines
	}
	joined := strings.Join(lines, "\n")
	clean := r.String(joined)
	if clean == joined {
		return lines
	}
	return strings.Split(clean, "\n")
}

// span is a piece of text to be replaced; without a name it was known by shape.
type span struct {
	start, end int
	name       string
}

// merge joins spans that overlap. The longest with a name gives the name.
func merge(spans []span) []span {
	if len(spans) < 2 {
		return spans
	}
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	out := spans[:1]
	named := 0 // length of the span that named the last one
	if out[0].name != "" {
		named = out[0].end - out[0].start
	}
	for _, s := range spans[1:] {
		last := &out[len(out)-1]
		length := 0
		if s.name != "" {
			length = s.end - s.start
		}
		if s.start >= last.end {
			out, named = append(out, s), length
			continue
		}
		if length > named {
			last.name, named = s.name, length
		}
		last.end = max(last.end, s.end)
	}
	return out
}

// replace appends text to out with masks in place of spans.
func replace(out, text []byte, spans []span) []byte {
	at := 0
	for _, s := range spans {
		out = append(out, text[at:s.start]...)
		for line := range bytes.Lines(text[s.start:s.end]) {
			content := bytes.TrimRight(line, "\r\n")
			if len(content) > 0 {
				out = append(out, keychain.Mask...)
				if s.name != "" {
					out = append(append(append(out, '('), s.name...), ')')
				}
			}
			out = append(out, line[len(content):]...)
		}
		at = s.end
	}
	return append(out, text[at:]...)
}
