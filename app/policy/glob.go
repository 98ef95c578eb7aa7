package policy

import (
	"math"
	"slices"
	"strings"
)

// glob is a name in which * stands for any run of characters, also of none.
// Nothing else is special, and case counts.
type glob struct {
	text  string
	parts []string // between the stars
}

func newGlob(text string) glob {
	if text == "" {
		text = "*"
	}
	parts := strings.Split(text, "*")
	if len(parts) > 2 { // ** is *
		inner := slices.DeleteFunc(slices.Clone(parts[1:len(parts)-1]), func(p string) bool { return p == "" })
		parts = append(append(parts[:1:1], inner...), parts[len(parts)-1])
		text = strings.Join(parts, "*")
	}
	return glob{text, parts}
}

func (g glob) exact() bool { return len(g.parts) == 1 }
func (g glob) any() bool   { return g.text == "*" }

// weight says how specific the pattern is: one without a star beats all others,
// then more text beats less.
func (g glob) weight() int {
	if g.exact() {
		return math.MaxInt
	}
	return len(g.text) - (len(g.parts) - 1)
}

func (g *glob) match(s string) bool {
	if len(g.parts) == 1 {
		return s == g.text
	}
	first, last := g.parts[0], g.parts[len(g.parts)-1]
	if !strings.HasPrefix(s, first) || len(s) < len(first)+len(last) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, p := range g.parts[1 : len(g.parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return true
}

// covers reports whether g matches everything that h matches. A star of h can
// stand for a text that g doesn't have (no pattern has control characters), so
// only a star of g can take it in.
func (g glob) covers(h glob) bool { return g.match(strings.ReplaceAll(h.text, "*", "\x00")) }

// overlaps reports whether some name matches both.
func (g glob) overlaps(h glob) bool {
	switch {
	case g.exact():
		return h.match(g.text)
	case h.exact():
		return g.match(h.text)
	}
	a, b := g.text, h.text
	// fits[j]: what is left of a from i and of b from j have a name in common.
	fits, below := make([]bool, len(b)+1), make([]bool, len(b)+1)
	for i := len(a); i >= 0; i-- {
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a) && j == len(b):
				fits[j] = true
			case i < len(a) && a[i] == '*':
				fits[j] = below[j] || j < len(b) && fits[j+1]
			case j < len(b) && b[j] == '*':
				fits[j] = fits[j+1] || i < len(a) && below[j]
			default:
				fits[j] = i < len(a) && j < len(b) && a[i] == b[j] && below[j+1]
			}
		}
		fits, below = below, fits
	}
	return below[0]
}
