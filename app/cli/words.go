package cli

import (
	"fmt"
	"strconv"
	"time"
)

// ago is a time in the past as people say it.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return span(now.Sub(t)) + " ago"
}

// span is a length of time in its largest unit.
func span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(max(d, 0).Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// number is n, or a dash for none.
func number(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// text is s in one line, or a dash for none.
func text(s string) string {
	if s == "" {
		return "-"
	}
	return visible(s)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
