package ui

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"fyne.io/fyne/v2/lang"
)

// named is what a sentence is filled with.
type named map[string]any

// ago says how long before now a moment was, roughly.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return lang.L("never")
	}
	d := now.Sub(t)
	if d < 5*time.Second {
		return lang.L("just now")
	}
	return lang.L("{{.Span}} ago", named{"Span": span(d)})
}

// span says how long a duration is, in at most two units.
func span(d time.Duration) string {
	d = max(d, 0)
	day, hour, minute := d/(24*time.Hour), d/time.Hour%24, d/time.Minute%60
	switch {
	case day > 0 && hour > 0 && day < 10:
		return lang.L("{{.Days}} d {{.Hours}} h", named{"Days": int(day), "Hours": int(hour)})
	case day > 0:
		return lang.L("{{.Days}} d", named{"Days": int(day)})
	case hour > 0 && minute > 0:
		return lang.L("{{.Hours}} h {{.Minutes}} min", named{"Hours": int(hour), "Minutes": int(minute)})
	case hour > 0:
		return lang.L("{{.Hours}} h", named{"Hours": int(hour)})
	case minute > 0:
		return lang.L("{{.Minutes}} min", named{"Minutes": int(minute)})
	}
	return lang.L("{{.Seconds}} s", named{"Seconds": int(d / time.Second)})
}

// exact is a moment for who wants to know, as the hover of a relative time.
func exact(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

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

// clean makes foreign text fit for one line: control and bidi characters, which
// could hide or reorder what a person reads, become visible.
func clean(s string) string {
	if !strings.ContainsFunc(s, unfit) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteString("    ")
		case unfit(r):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cleanLines is clean for a text of several lines.
func cleanLines(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = clean(lines[i])
	}
	return strings.Join(lines, "\n")
}

func unfit(r rune) bool {
	return r < ' ' || 0x7f <= r && r < 0xa0 ||
		0x200b <= r && r <= 0x200f || 0x2028 <= r && r <= 0x202e || 0x2060 <= r && r <= 0x206f || r == 0xfeff ||
		0xe0000 <= r && r <= 0xe007f || r == utf8.RuneError
}
