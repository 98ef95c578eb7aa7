package tray

import (
	"slices"

	"bridgekeeper/app/plain"
	"bridgekeeper/app/wire"
	"bridgekeeper/assets"
)

// Bounds of the menu: one that is higher than the screen can't be used.
const (
	maxQuestions = 5
	maxServers   = 25
	maxLabel     = 60 // characters
)

// Verbs of an action.
const (
	doShow  = "show"  // the window at page What
	doAct   = "act"   // What (start, stop, restart) with Server
	doStop  = "stop"  // every server
	doHold  = "hold"  // everything, or let it go
	doStart = "start" // a core, where none runs
	doQuit  = "quit"
)

// action is what choosing an item does.
type action struct {
	Do     string
	What   string
	Server string
	On     bool
}

// item is one line of the menu. One without a label is a line between groups.
type item struct {
	Label   string
	Tip     string
	Grey    bool // it can't be chosen
	Box     bool // it has a box, Checked or not
	Checked bool
	Action  action
	Below   []item
}

// face is all that the tray shows. Faces that are equal look the same.
type face struct {
	State string // of the icon: one of assets.TrayStates
	Tip   string
	Menu  []item
}

// view is what a face is made of.
type view struct {
	snap *wire.Snapshot // nil: none has come yet
	down *wire.Error    // why there is no core; nil while there is one
	// own is set when the core runs in this process, or would: quitting ends it.
	own bool
}

// picture makes the face.
func picture(v view, lang language) face {
	if v.down != nil || v.snap == nil {
		return without(v, lang)
	}
	f := face{State: stateOf(v.snap), Tip: tip(v.snap, lang)}
	f.Menu = append(f.Menu, questions(v.snap, lang)...)
	f.Menu = append(f.Menu, servers(v.snap, lang)...)
	f.Menu = append(f.Menu,
		item{Label: lang.L("Hold everything"), Tip: lang.L("Deny every call until you end the hold"), Box: true, Checked: held(v.snap), Action: action{Do: doHold, On: !held(v.snap)}},
		item{Label: lang.L("Stop all servers"), Grey: running(v.snap) == 0, Action: action{Do: doStop}},
		item{},
		item{Label: lang.L("Copy the address"), Tip: v.snap.Core.URL, Action: action{Do: doShow, What: wire.ShowCopyURL}},
		item{Label: lang.L("Connect an application…"), Action: action{Do: doShow, What: "hosts"}},
		item{Label: lang.L("Add a server…"), Action: action{Do: doShow, What: "add"}},
		item{},
		item{Label: lang.L("Open Bridgekeeper"), Action: action{Do: doShow, What: wire.ShowWindow}},
		item{Label: quitLabel(v, lang), Action: action{Do: doQuit}})
	return f
}

// without is the face when no core answers.
func without(v view, lang language) face {
	f := face{State: assets.TrayPlain, Tip: lang.L("Bridgekeeper is starting")}
	first := []item{{Label: f.Tip, Grey: true}}
	if v.down != nil {
		f.State, f.Tip = assets.TrayFailed, lang.L("Bridgekeeper is not running")
		first = []item{{Label: f.Tip, Grey: true}}
		if v.down.Code != wire.CodeNotRunning {
			first = append(first, item{Label: label(v.down.Message), Tip: v.down.Hint, Grey: true})
		}
		first = append(first, item{Label: lang.L("Start it"), Action: action{Do: doStart}})
	}
	f.Menu = append(first, item{}, item{Label: quitLabel(v, lang), Action: action{Do: doQuit}})
	return f
}

// stateOf is what the icon tells: what wants a person first.
func stateOf(s *wire.Snapshot) string {
	switch {
	case len(s.Questions) > 0:
		return assets.TrayAsking
	case held(s):
		return assets.TrayPaused
	case failed(s) > 0 || s.Config.Error != nil:
		return assets.TrayFailed
	}
	return assets.TrayPlain
}

func held(s *wire.Snapshot) bool { return !s.Core.Held.IsZero() }

func count(s *wire.Snapshot, is func(*wire.Server) bool) (n int) {
	for i := range s.Servers {
		if is(&s.Servers[i]) {
			n++
		}
	}
	return n
}

func failed(s *wire.Snapshot) int {
	return count(s, func(one *wire.Server) bool { return one.State == "failed" })
}

func running(s *wire.Snapshot) int { return count(s, isRunning) }

// isRunning reports whether there is something to stop.
func isRunning(one *wire.Server) bool {
	return slices.Contains([]string{"starting", "ready", "backoff"}, one.State) || len(one.Instances) > 0
}

// tip is the sentence under the pointer: what wants a person, else how many run.
func tip(s *wire.Snapshot, lang language) string {
	say := lang.N("{{.Count}} servers running", running(s))
	if n := failed(s); n > 0 {
		say += ", " + lang.N("{{.Count}} servers failed", n)
	}
	switch {
	case len(s.Questions) > 0:
		say = lang.N("{{.Count}} questions wait for you", len(s.Questions))
	case held(s):
		say = lang.L("Everything is on hold")
	case s.Config.Error != nil:
		say = lang.L("The config file has an error")
	}
	return "Bridgekeeper · " + say
}

// questions are the items for what waits, oldest first.
func questions(s *wire.Snapshot, lang language) (out []item) {
	for i := range s.Questions {
		if i == maxQuestions {
			out = append(out, item{Label: lang.N("{{.Count}} more…", len(s.Questions)-i), Action: action{Do: doShow, What: "questions"}})
			break
		}
		q := &s.Questions[i]
		out = append(out, item{Label: questionLabel(q, lang), Tip: clean(q.Why), Action: action{Do: doShow, What: wire.ShowQuestion + q.ID}})
	}
	if len(out) > 0 {
		out = append(out, item{})
	}
	return out
}

func questionLabel(q *wire.Question, lang language) string {
	fill := map[string]string{"Host": clean(q.Host), "Server": clean(q.Server), "Tool": clean(q.Tool)}
	switch {
	case q.Kind == wire.AskNewHost:
		return label(lang.L("Let {{.Host}} in?", fill))
	case q.Call != nil && q.Host != "":
		return label(lang.L("{{.Host}} wants to use {{.Tool}} ({{.Server}})", fill))
	case q.Server != "":
		return label(lang.L("{{.Server}} asks for an answer", fill))
	}
	return lang.L("A question waits for you")
}

// servers are the items for servers in the config's order; those that a person
// must look after come first where not all have room.
func servers(s *wire.Snapshot, lang language) (out []item) {
	list := s.Servers
	if len(list) > maxServers {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b wire.Server) int { return urgency(a) - urgency(b) })
		list = list[:maxServers]
	}
	for i := range list {
		out = append(out, server(&list[i], lang))
	}
	if more := len(s.Servers) - len(list); more > 0 {
		out = append(out, item{Label: lang.N("{{.Count}} more…", more), Action: action{Do: doShow, What: "servers"}})
	}
	if len(out) > 0 {
		out = append(out, item{})
	}
	return out
}

func urgency(s wire.Server) int {
	switch s.State {
	case "failed", "backoff", "held":
		return 0
	case "ready", "starting", "stopping":
		return 1
	}
	return 2
}

func server(s *wire.Server, lang language) item {
	act := func(text, verb string, grey bool) item {
		return item{Label: text, Grey: grey, Action: action{Do: doAct, What: verb, Server: s.Name}}
	}
	up := isRunning(s)
	off := s.Entry.Disabled || s.State == "held"
	below := []item{act(lang.L("Start"), "start", off), act(lang.L("Restart"), "restart", true)}
	if up {
		below = []item{act(lang.L("Stop"), "stop", false), act(lang.L("Restart"), "restart", false)}
	}
	below = append(below, item{Label: lang.L("Its log"), Action: action{Do: doShow, What: wire.ShowLogs + s.Name}})
	out := item{Label: label(s.Name + " – " + stateWord(s, lang)), Below: below}
	if s.State == "failed" && s.LastExit != nil {
		out.Tip = clean(s.LastExit.Reason)
	}
	return out
}

func stateWord(s *wire.Server, lang language) string {
	switch s.State {
	case "ready":
		return lang.L("running")
	case "starting":
		return lang.L("starting")
	case "backoff":
		return lang.L("starts again soon")
	case "failed":
		return lang.L("failed")
	case "held":
		return lang.L("waits for your look")
	case "stopping":
		return lang.L("stopping")
	case "disabled":
		return lang.L("switched off")
	}
	return lang.L("stopped")
}

func quitLabel(v view, lang language) string {
	switch {
	case !v.own:
		return lang.L("Remove this icon")
	case v.snap != nil && v.down == nil && running(v.snap) > 0:
		return lang.N("Quit (stops {{.Count}} servers)", running(v.snap))
	}
	return lang.L("Quit")
}

// clean is foreign text in one line in which nothing hides.
func clean(s string) string {
	s, _ = plain.Line(s)
	return s
}

// label is a text with room in a menu.
func label(s string) string {
	s = clean(s)
	if r := []rune(s); len(r) > maxLabel {
		return string(r[:maxLabel-1]) + "…"
	}
	return s
}
