// Package plain makes foreign text fit to be shown to a person: characters that
// can't be seen, or that turn the order of what can, are left out. It never
// decides what a text means and never touches what is sent; whoever shows words
// of a server calls it.
package plain

import (
	"strings"
	"unicode"
)

// Text is s without characters that hide something, and whether there were any.
// Line feeds and tabs stay, and so do the joiners that emoji and several scripts
// need.
func Text(s string) (string, bool) {
	hidden := false
	out := strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r == '\r':
			return -1 // of a line's end, or it would overwrite the line
		case r == '\u2028', r == '\u2029':
			return '\n'
		case Hidden(r):
			hidden = true
			return -1
		}
		return r
	}, s)
	return out, hidden
}

// Line is Text in one line.
func Line(s string) (string, bool) {
	out, hidden := Text(s)
	return strings.Join(strings.Fields(out), " "), hidden
}

// Hidden reports whether a character is one that a person can't see, or that
// changes how others are seen: controls, marks of direction, zero widths, tags.
func Hidden(r rune) bool {
	switch {
	case r == '\u200c', r == '\u200d': // joiners
		return false
	case r == '\u034f', r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0', r == '\u2800':
		return true // blank letters
	case r >= 0xE0100 && r <= 0xE01EF: // variation selectors that no font of ours has: a way to smuggle text
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar
}
