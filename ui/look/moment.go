package look

import (
	"time"

	"fyne.io/fyne/v2/lang"
)

// filled is what a sentence of a translation is filled with.
type filled map[string]any

// Ago says how long before now a moment was, roughly.
func Ago(t, now time.Time) string {
	switch d := now.Sub(t); {
	case t.IsZero():
		return lang.L("never")
	case d < 5*time.Second:
		return lang.L("just now")
	default:
		return lang.L("{{.Span}} ago", filled{"Span": Span(d)})
	}
}

// Span says how long a duration is, in at most two units.
func Span(d time.Duration) string {
	d = max(d, 0)
	days, hours, minutes, seconds := int(d/(24*time.Hour)), int(d/time.Hour%24), int(d/time.Minute%60), int(d/time.Second%60)
	switch {
	case days >= 10, days > 0 && hours == 0:
		return lang.L("{{.Days}} d", filled{"Days": days})
	case days > 0:
		return lang.L("{{.Days}} d {{.Hours}} h", filled{"Days": days, "Hours": hours})
	case hours > 0 && minutes == 0:
		return lang.L("{{.Hours}} h", filled{"Hours": hours})
	case hours > 0:
		return lang.L("{{.Hours}} h {{.Minutes}} min", filled{"Hours": hours, "Minutes": minutes})
	case minutes > 0:
		return lang.L("{{.Minutes}} min", filled{"Minutes": minutes})
	}
	return lang.L("{{.Seconds}} s", filled{"Seconds": seconds})
}

// Exact is a moment to the second, on the clock of this machine.
func Exact(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

// Moment is a relative time, whose exact one stands in its tip.
func Moment(t, now time.Time) *Text {
	text := Muted(Ago(t, now))
	text.tip = Exact(t)
	return text
}

// SetMoment changes the time a Moment shows.
func SetMoment(text *Text, t, now time.Time) { text.Set(Ago(t, now), Exact(t)) }
