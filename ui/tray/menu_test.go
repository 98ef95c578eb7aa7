package tray

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/assets"
)

// text is a face as a person reads it.
func text(f face) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s] %s\n", f.State, f.Tip)
	var walk func(items []item, indent string)
	walk = func(items []item, indent string) {
		for _, i := range items {
			line := i.Label
			if line == "" {
				line = "--"
			}
			if i.Box {
				line = map[bool]string{true: "[x] ", false: "[ ] "}[i.Checked] + line
			}
			if i.Grey {
				line += " (grey)"
			}
			b.WriteString(indent + line + "\n")
			walk(i.Below, indent+"  ")
		}
	}
	walk(f.Menu, "")
	return b.String()
}

func snap(servers ...wire.Server) *wire.Snapshot {
	return &wire.Snapshot{Core: wire.Core{URL: "http://127.0.0.1:2734/mcp"}, Servers: servers}
}

const tail = `[ ] Hold everything
Stop all servers
--
Copy the address
Connect an application…
Add a server…
--
Open Bridgekeeper
`

func TestPicture(t *testing.T) {
	asking := snap(wire.Server{Name: "github", State: "ready"}, wire.Server{Name: "files", State: "failed", LastExit: &wire.Exit{Reason: "exit 1"}})
	asking.Questions = []wire.Question{
		{ID: "q1", Kind: wire.AskCall, Host: "claude", Server: "github", Tool: "delete_repo", Call: &wire.CallDetail{}},
		{ID: "q2", Kind: wire.AskForm, Server: "evil\u202efdp\nname"},
		{ID: "q3", Kind: wire.AskNewHost, Host: "zed"},
	}
	held := snap()
	held.Core.Held = time.Now()
	for _, c := range []struct {
		name string
		v    view
		want string
	}{
		{"nothing yet", view{own: true}, "[plain] Bridgekeeper is starting\nBridgekeeper is starting (grey)\n--\nQuit\n"},
		{"empty", view{snap: snap(), own: true}, "[plain] Bridgekeeper · 0 servers running\n" + strings.Replace(tail, "servers\n", "servers (grey)\n", 1) + "Quit\n"},
		{"foreign core", view{snap: snap(wire.Server{Name: "a", State: "ready"})},
			"[plain] Bridgekeeper · 1 server running\na – running\n  Stop\n  Restart\n  Its log\n--\n" + tail + "Remove this icon\n"},
		{"core gone", view{snap: snap(), down: &wire.Error{Code: wire.CodeNotRunning}, own: true},
			"[failed] Bridgekeeper is not running\nBridgekeeper is not running (grey)\nStart it\n--\nQuit\n"},
		{"core failed", view{down: &wire.Error{Code: wire.CodePort, Message: "no port"}, own: true},
			"[failed] Bridgekeeper is not running\nBridgekeeper is not running (grey)\nno port (grey)\nStart it\n--\nQuit\n"},
		{"asking", view{snap: asking, own: true}, `[asking] Bridgekeeper · 3 questions wait for you
claude wants to use delete_repo (github)
evilfdp name asks for an answer
Let zed in?
--
github – running
  Stop
  Restart
  Its log
files – failed
  Start
  Restart (grey)
  Its log
--
` + tail + "Quit (stops 1 server)\n"},
		{"held", view{snap: held, own: true}, "[paused] Bridgekeeper · Everything is on hold\n" + strings.NewReplacer("[ ]", "[x]", "servers\n", "servers (grey)\n").Replace(tail) + "Quit\n"},
	} {
		if got := text(picture(c.v, speak("en_US"))); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestIconTellsWhatWantsAPersonFirst(t *testing.T) {
	s := snap(wire.Server{Name: "a", State: "failed"})
	s.Core.Held = time.Now()
	s.Questions = []wire.Question{{ID: "q"}}
	if got := stateOf(s); got != assets.TrayAsking {
		t.Error(got)
	}
	s.Questions = nil
	if got := stateOf(s); got != assets.TrayPaused {
		t.Error(got)
	}
	s.Core.Held = time.Time{}
	if got := stateOf(s); got != assets.TrayFailed {
		t.Error(got)
	}
	s.Servers = nil
	s.Config.Error = &wire.Error{}
	if got := stateOf(s); got != assets.TrayFailed {
		t.Error(got)
	}
}

// A menu of 200 servers reached below the screen, and the one that had failed
// was among those that nobody could reach.
func TestManyServers(t *testing.T) {
	s := snap()
	for i := range 200 {
		s.Servers = append(s.Servers, wire.Server{Name: fmt.Sprintf("s%03d", i), State: "ready"})
	}
	s.Servers[150].State = "failed"
	for i := range 9 {
		s.Questions = append(s.Questions, wire.Question{ID: fmt.Sprint(i), Server: "s"})
	}
	f := picture(view{snap: s, own: true}, speak("en"))
	got := text(f)
	if !strings.Contains(got, "s150 – failed") || !strings.Contains(got, "\n175 more…") || !strings.Contains(got, "\n4 more…") {
		t.Error(got)
	}
	if len(f.Menu) > maxServers+maxQuestions+14 {
		t.Errorf("%d items", len(f.Menu))
	}
}

func TestLongNames(t *testing.T) {
	if got := label(strings.Repeat("ü", 200)); len([]rune(got)) != maxLabel || !strings.HasSuffix(got, "…") {
		t.Error(got)
	}
}

func TestLanguages(t *testing.T) {
	for name, want := range map[string]string{
		"de_AT.UTF-8": "1 Server läuft", "de": "1 Server läuft", "en-GB": "1 server running", "tlh": "1 server running", "": "1 server running",
	} {
		if got := speak(name).N("{{.Count}} servers running", 1); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	// A name with a placeholder in it is not filled in again.
	if got := speak("de").L("{{.Server}} asks for an answer", map[string]string{"Server": "{{.Host}}", "Host": "x"}); got != "{{.Host}} bittet um eine Antwort" {
		t.Error(got)
	}
}
