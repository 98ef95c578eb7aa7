package ui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2/lang"
)

// named is what a sentence is filled with.
type named map[string]any

// took says how long a call took.
func took(ms float64) string {
	switch {
	case ms < 10:
		return lang.L("{{.N}} ms", named{"N": fmt.Sprintf("%.1f", ms)})
	case ms < 1000:
		return lang.L("{{.N}} ms", named{"N": fmt.Sprintf("%.0f", ms)})
	}
	return lang.L("{{.N}} s", named{"N": fmt.Sprintf("%.1f", ms/1000)})
}

// size says how much memory something takes.
func size(n uint64) string {
	switch {
	case n < 1<<20:
		return lang.L("{{.N}} kB", named{"N": (n + 1023) >> 10})
	case n < 10<<30:
		return lang.L("{{.N}} MB", named{"N": n >> 20})
	}
	return lang.L("{{.N}} GB", named{"N": n >> 30})
}

// sentence makes a sentence of a message of the core: a capital and a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return s
	}
	if r, n := utf8.DecodeRuneInString(s); 'a' <= r && r <= 'z' {
		s = string(r-'a'+'A') + s[n:]
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?:…") {
		s += "."
	}
	return s
}

// thousands writes a count with its thousands apart.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
