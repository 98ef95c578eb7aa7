package ui

import (
	"strings"
	"time"

	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// States of a server, as wire.Server.State has them.
const (
	stateDisabled = "disabled"
	stateStarting = "starting"
	stateReady    = "ready"
	stateBackoff  = "backoff"
	stateFailed   = "failed"
	stateHeld     = "held"
	stateStopping = "stopping"
	stateStopped  = "stopped"
)

// health is the one line of truth about a server.
type health struct {
	tone   look.Tone
	word   string // "Ready"
	detail string // "3 d 4 h · 26 tools"
	since  time.Time
	act    string // what its button does: start, stop, why, review; "" for none
}

// What a row's button does.
const (
	actStart  = "start"
	actStop   = "stop"
	actWhy    = "why"
	actReview = "review"
)

func healthOf(s wire.Server, now time.Time) health {
	h := health{since: s.Since}
	switch s.State {
	case stateReady:
		h.tone, h.word, h.act = look.Ready, lang.L("Ready"), actStop
		h.detail = join(since(s.Started, now), toolCount(s.Tools), restarts(s.Restarts))
		h.since = s.Started
	case stateStarting:
		h.tone, h.act = look.Busy, actStop
		h.word = lang.L("Starting…")
		if strings.HasPrefix(s.Phase, "installing") {
			h.word = lang.L("Downloading its package…")
		}
		h.detail = since(s.Since, now)
		if s.Tools > 0 {
			h.detail = join(h.detail, lang.N("{{.Count}} tools, from last time", s.Tools, named{"Count": s.Tools}))
		}
	case stateBackoff:
		h.tone, h.act = look.Asking, actStop
		h.word = lang.L("Starts again soon")
		if wait := s.NextTry.Sub(now); wait >= time.Second {
			h.word = lang.L("Starts again in {{.Span}}", named{"Span": look.Span(wait)})
		}
		h.detail = join(exitWords(s.LastExit), restarts(s.Restarts))
	case stateFailed:
		h.tone, h.act = look.Failed, actWhy
		h.word = lang.L("Can't be started")
		if s.Restarts > 0 {
			h.word = lang.N("Stopped after {{.Count}} crashes", s.Restarts+1, named{"Count": s.Restarts + 1})
		}
		h.detail = exitWords(s.LastExit)
	case stateHeld:
		h.tone, h.act = look.Asking, actReview
		h.word = lang.L("Waiting for your trust")
		h.detail = lang.L("Nothing of it runs yet")
	case stateStopping:
		h.tone, h.word, h.detail = look.Off, lang.L("Stopping…"), since(s.Since, now)
	case stateDisabled:
		h.tone, h.word, h.act, h.detail = look.Off, lang.L("Off"), actStart, toolCount(s.Tools)
	default:
		h.tone, h.word, h.act, h.detail = look.Off, lang.L("Stopped"), actStart, toolCount(s.Tools)
		if s.Entry.Start == "on-demand" {
			h.word = lang.L("Starts when it is used")
		}
	}
	return h
}

// since is how long ago a moment was; "" when it isn't known.
func since(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	return look.Span(now.Sub(t))
}

func exitWords(e *wire.Exit) string {
	switch {
	case e == nil:
		return ""
	case e.Signal != "":
		return lang.L("ended by {{.Signal}}", named{"Signal": e.Signal})
	case e.Code >= 0:
		return lang.L("exit code {{.Code}}", named{"Code": e.Code})
	}
	return look.Show(e.Reason)
}

func toolCount(n int) string {
	if n == 0 {
		return ""
	}
	return lang.N("{{.Count}} tools", n, named{"Count": n})
}

func restarts(n int) string {
	if n == 0 {
		return ""
	}
	return lang.N("{{.Count}} restarts", n, named{"Count": n})
}

// join puts what isn't empty behind each other.
func join(parts ...string) string {
	var full []string
	for _, p := range parts {
		if p != "" {
			full = append(full, p)
		}
	}
	return strings.Join(full, " · ")
}

// summary counts servers by what a person wants to know of them.
func summary(servers []wire.Server) string {
	ready, starting, asking, failed := 0, 0, 0, 0
	for _, s := range servers {
		switch s.State {
		case stateReady:
			ready++
		case stateStarting, stateBackoff:
			starting++
		case stateHeld:
			asking++
		case stateFailed:
			failed++
		}
	}
	count := func(n int, text string) string {
		if n == 0 {
			return ""
		}
		return text
	}
	return join(
		count(ready, lang.L("{{.Count}} running", named{"Count": ready})),
		count(starting, lang.L("{{.Count}} starting", named{"Count": starting})),
		count(asking, lang.N("{{.Count}} need you", asking, named{"Count": asking})),
		count(failed, lang.L("{{.Count}} failed", named{"Count": failed})),
	)
}

// cause is why a server died, in words, and the one thing that most likely helps.
type cause struct {
	says string // after the core's own reason; "" when nothing is known
	fix  string // one of the fixes below
	env  string // the variable that fixEnv would change
}

// Fixes, each the action of one button.
const (
	fixStart   = "start"   // start it again
	fixCommand = "command" // edit what is started
	fixEnv     = "env"     // change one variable
)

// Words of servers' last lines that tell what is wrong with them.
var (
	secretWords  = []string{"password", "token", "api key", "apikey", "api_key", "unauthorized", "unauthorised", "401", "forbidden", "403", "credential", "authentication"}
	commandWords = []string{"command not found", "not on the path", "no such file", "cannot find module", "modulenotfound", "could not determine executable", "e404", "404 not found", "is not in this registry", "permission denied", "unknown option", "unrecognized argument", "usage:"}
	envWords     = []string{"environment variable", "env var", "is required", "is not set", "must be set", "missing"}
	portWords    = []string{"eaddrinuse", "address already in use"}
)

// secretNames are parts of the names of variables that hold secrets.
var secretNames = []string{"password", "passwd", "token", "key", "secret", "credential"}

func causeOf(s wire.Server) cause {
	e := s.LastExit
	if e == nil {
		return cause{fix: fixStart}
	}
	text := strings.ToLower(e.Reason + "\n" + strings.Join(e.Stderr, "\n"))
	env, named := suspect(s.Entry.Env, text)
	switch {
	case has(text, portWords):
		return cause{says: lang.L("Another program holds the port that it wants."), fix: fixStart}
	case has(text, commandWords):
		return cause{says: lang.L("What should run wasn't found, or doesn't take these arguments."), fix: fixCommand}
	case has(text, secretWords) && env != "":
		return cause{says: lang.L("Its last words are about a password or key."), fix: fixEnv, env: env}
	case has(text, envWords) && named:
		return cause{says: lang.L("Its last words are about a setting."), fix: fixEnv, env: env}
	case has(text, secretWords), has(text, envWords):
		return cause{says: lang.L("Its last words ask for a password, a key or a setting."), fix: fixCommand}
	}
	return cause{fix: fixStart}
}

func has(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// suspect picks the variable that a complaint is most likely about: one that it
// names, or else one that looks like a secret's.
func suspect(env map[string]string, text string) (name string, named bool) {
	guess := ""
	for _, name := range sortedKeys(env) {
		low := strings.ToLower(name)
		if strings.Contains(text, low) {
			return name, true
		}
		if guess == "" && has(low, secretNames) {
			guess = name
		}
	}
	return guess, false
}
