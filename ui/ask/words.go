package ask

import (
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// filled is what a sentence is filled with: numbers and words of ours. What
// others wrote goes in by runs.
type filled map[string]any

// mark encloses a name in a translated sentence whose place a run takes.
const mark = "\x01"

// runs is a translated sentence with foreign parts put in after translation, so
// that they can't be read as a part of the sentence or of its markup.
func runs(key string, parts map[string]look.Run) []look.Run {
	names := filled{}
	for name := range parts {
		names[name] = mark + name + mark
	}
	var out []look.Run
	for i, piece := range strings.Split(lang.L(key, names), mark) {
		switch {
		case i%2 == 1:
			out = append(out, parts[piece])
		case piece != "":
			out = append(out, look.Run{Text: piece})
		}
	}
	return out
}

// named is a foreign name within one of our sentences.
func named(s string) look.Run { return look.Run{Text: s, Color: "foreground"} }

// code is a tool's name.
func code(s string) look.Run { return look.Run{Text: s, Mono: true, Color: "foreground"} }

// inBold makes all runs of a title bold.
func inBold(rs []look.Run) []look.Run {
	for i := range rs {
		rs[i].Bold = true
	}
	return rs
}

// left says how much time is left.
func left(d time.Duration) string {
	d = max(0, d.Round(time.Second))
	if d >= time.Hour {
		return lang.L("{{.Span}} left", filled{"Span": look.Span(d)})
	}
	return lang.L("{{.Span}} left", filled{"Span": fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)})
}

// sizeIn is a size in a unit that people read.
func sizeIn(n int) string {
	switch {
	case n < 1000:
		return lang.L("{{.N}} bytes", filled{"N": n})
	case n < 1000*1000:
		return fmt.Sprintf("%d KB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// behind says how many other questions wait.
func behind(n int) string { return lang.N("{{.N}} more waiting", n, filled{"N": n}) }

// joined says how many identical calls wait for this answer, too.
func joined(n int) string {
	return lang.N("{{.N}} identical calls wait for this answer, too", n, filled{"N": n})
}

// yes is what the button says that accepts once.
func yes(kind string) string {
	switch kind {
	case wire.AskForm:
		return lang.L("Send")
	case wire.AskURL:
		return lang.L("Open the page")
	case wire.AskSampling:
		return lang.L("Ask the model")
	case wire.AskSamplingResult:
		return lang.L("Send this answer")
	case wire.AskFirstRun:
		return lang.L("Let it run")
	case wire.AskChangedTool:
		return lang.L("Trust the new text")
	case wire.AskNewHost:
		return lang.L("Let it in")
	case wire.AskLower:
		return lang.L("Lower it")
	}
	return lang.L("Allow once")
}

// no is what the button says that refuses.
func no(kind string) string {
	switch kind {
	case wire.AskForm, wire.AskURL:
		return lang.L("Decline")
	case wire.AskChangedTool:
		return lang.L("Keep it off")
	case wire.AskLower:
		return lang.L("Leave it as it is")
	}
	return lang.L("Deny")
}

// longer is what a menu says for a choice that lasts.
func longer(choice string) string {
	switch choice {
	case wire.ChooseOnce:
		return lang.L("Allow once")
	case wire.ChooseSession:
		return lang.L("Allow for this session")
	case wire.ChooseMinutes:
		return lang.L("Allow for 15 minutes")
	case wire.ChooseTool:
		return lang.L("Always allow this tool")
	case wire.ChooseArgs:
		return lang.L("Always allow with exactly these arguments")
	}
	return look.Show(choice) // of a newer core
}

// sentence is what went wrong and what to do about it.
func sentence(err error) string {
	e := wire.AsError(err)
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " " + e.Hint
}

// tame is a foreign name fit for a notification, which on some systems passes
// through a script or is read as markup: everything but letters, digits and a few
// signs becomes an underscore.
func tame(s string) string {
	const most = 40
	runes := []rune(s)
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	for i, r := range runes {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(" _.-…", r):
		default:
			runes[i] = '_'
		}
	}
	return string(runes)
}

// notice is the desktop notification of a question. It has no buttons: a question
// is answered where it can be read.
func notice(q *wire.Question) *fyne.Notification {
	var text string
	switch {
	case q.Kind == wire.AskCall && q.Host != "":
		text = lang.L("{{.Host}} wants to run {{.Tool}} of {{.Server}}", filled{"Host": tame(q.Host), "Tool": tame(q.Tool), "Server": tame(q.Server)})
	case q.Server != "":
		text = lang.L("{{.Server}} has a question for you", filled{"Server": tame(q.Server)})
	default:
		text = lang.L("A question waits for you")
	}
	return fyne.NewNotification(lang.L("Bridgekeeper asks"), text)
}
