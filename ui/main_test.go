package ui

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
	"bridgekeeper/ui/look/looktest"
)

// moment is now in all tests of pages.
var moment = time.Date(2026, 3, 14, 14, 2, 30, 0, time.UTC)

func TestMain(m *testing.M) {
	time.Local = time.UTC // goldens have times in them
	m.Run()
}

// stage is a window on the test canvas.
type stage struct {
	*Main
	win   fyne.Window
	model *Model
	asked []string
}

// newStage shows a snapshot in a window of a size. c may be nil: then every
// request fails.
func newStage(t testing.TB, c *client.Client, snap *wire.Snapshot, dark bool, size fyne.Size) *stage {
	t.Helper()
	mode := look.Light
	if dark {
		mode = look.Dark
	}
	app := looktest.App(t, mode)
	win := test.NewTempWindow(t, nil)
	if c == nil {
		c = client.New("/nonexistent/bridgekeeper.sock")
	}
	m := NewModel(c)
	m.inline, m.cross = true, func(f func()) { f() }
	s := &stage{win: win, model: m}
	s.Main = NewMain(app, win, m, Options{Self: "/opt/bridgekeeper", Now: func() time.Time { return moment }, Ask: func(id string) { s.asked = append(s.asked, id) }})
	s.foot.after = func(time.Duration, func()) {}
	win.Resize(size)
	if snap != nil {
		m.Apply(snap)
	}
	s.Seen(true)
	return s
}

func ago_(d time.Duration) time.Time { return moment.Add(-d) }

// sample is a snapshot with something of everything.
func sample() *wire.Snapshot {
	calls := func(n ...int) []int { return n }
	return &wire.Snapshot{
		Seq:    7,
		Core:   wire.Core{Version: "0.1.0", PID: 4242, Started: ago_(76 * time.Hour), URL: "http://127.0.0.1:2734/mcp", LogDir: "/home/me/.local/state/bridgekeeper/logs", Sessions: 3},
		Config: wire.Config{Path: "/home/me/.config/bridgekeeper/bridgekeeper.json"},
		Servers: []wire.Server{
			{Name: "github", State: "ready", Entry: wire.Entry{Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-github"}, Env: map[string]string{"GITHUB_TOKEN": wire.Mask}},
				Started: ago_(76 * time.Hour), Since: ago_(76 * time.Hour), PID: 100, Gen: 1, Tools: 26, Prompts: 2, Protocol: "2025-06-18", Era: "legacy", Title: "GitHub", Version: "2025.4.8", URL: "http://127.0.0.1:2734/servers/github/mcp",
				MemoryBytes: 84 << 20, CPUPercent: 0.4, CallsPerMinute: calls(2, 3, 2, 5, 7, 4, 3, 9, 6, 4, 7, 10, 5, 3, 6, 8)},
			{Name: "filesystem", State: "ready", Entry: wire.Entry{Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "/home/me/Documents", "/home/me/Projects/shop"}},
				Started: ago_(76 * time.Hour), PID: 101, Gen: 1, Tools: 14, MemoryBytes: 61 << 20, CPUPercent: 0.1, CallsPerMinute: calls(1, 1, 2, 1, 4, 2, 1, 1, 6, 3, 1, 1, 2, 1, 1, 2)},
			{Name: "playwright", State: "starting", Phase: "installing packages", Entry: wire.Entry{Command: "npx", Args: []string{"@playwright/mcp", "--headless"}}, Since: ago_(12 * time.Second), Tools: 25},
			{Name: "postgres", State: "failed", Entry: wire.Entry{Command: "docker", Args: []string{"run", "-i", "--rm", "mcp/postgres"}, Env: map[string]string{"PG_PASSWORD": wire.Mask}}, Since: ago_(19 * time.Second), Restarts: 4,
				CallsPerMinute: calls(4, 6, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
				LastExit: &wire.Exit{At: ago_(19 * time.Second), Code: 1, Reason: "it exited with code 1 before it answered initialize",
					Stderr: []string{"connecting to postgres://app:••••(PG_PASSWORD)@localhost:5432/shop", `FATAL: password authentication failed for user "app"`}}},
			{Name: "tickets", State: "held", Entry: wire.Entry{Command: "bridgekeeper", Args: []string{"example", "tickets"}}, Since: ago_(time.Minute), Tools: 6},
			{Name: "notes", State: "disabled", Entry: wire.Entry{Command: "/home/me/bin/notes-server", Disabled: true}, Tools: 9},
		},
		Hosts: []wire.Host{
			{Name: "claude-code", Created: ago_(900 * time.Hour), LastSeen: ago_(10 * time.Second), Client: "claude-code 2.1.0", Protocol: "2025-06-18", Sessions: 2, Calls: 1204},
			{Name: "cursor", Created: ago_(300 * time.Hour), LastSeen: ago_(3 * time.Hour), Client: "Cursor 2.4", Protocol: "2025-11-25", Calls: 88, Terms: wire.HostTerms{Ask: wire.PresetNever, Questions: "host"}},
			{Name: "codex", Created: ago_(2 * time.Hour)},
		},
		Questions: []wire.Question{
			{ID: "q1", Kind: wire.AskCall, Host: "claude-code", Server: "rooms", Tool: "reboot_room", Asked: ago_(8 * time.Second), Deadline: moment.Add(292 * time.Second),
				Why: "No rule allows it, and the tool says it may destroy something.", Choices: []string{wire.ChooseDeny, wire.ChooseOnce}, Call: &wire.CallDetail{Arguments: json.RawMessage(`{}`)}},
			{ID: "q2", Kind: wire.AskChangedTool, Server: "tickets", Tool: "search", Asked: ago_(time.Minute), Why: "Its description is not what you trusted.", Choices: []string{wire.ChooseDeny, wire.ChooseOnce}},
		},
	}
}

func past() []wire.Settled {
	return []wire.Settled{
		{Question: wire.Question{ID: "p1", Kind: wire.AskForm, Server: "rooms", Why: "collect_logs asks where to put them."}, At: ago_(3 * time.Hour), Choice: wire.ChooseOnce, By: "window", End: "answered"},
		{Question: wire.Question{ID: "p2", Kind: wire.AskCall, Host: "cursor", Server: "github", Tool: "create_issue", Why: "It changes something."}, At: ago_(40 * time.Minute), Choice: wire.ChooseMinutes, By: "window", End: "answered"},
		{Question: wire.Question{ID: "p3", Kind: wire.AskCall, Host: "codex", Server: "filesystem", Tool: "write_file", Why: "It changes something."}, At: ago_(9 * time.Minute), End: "expired"},
		{Question: wire.Question{ID: "p4", Kind: wire.AskCall, Host: "claude-code", Server: "rooms", Tool: "reboot_room", Why: "It may destroy something."}, At: ago_(2 * time.Minute), Choice: wire.ChooseDeny, By: "window", End: "answered"},
	}
}

// chatter fills the log ring.
func chatter(r *ring, n int) {
	said := []struct{ server, source, text string }{
		{"github", "stderr", "GitHub MCP server running on stdio"},
		{"filesystem", "stderr", "Secure MCP Filesystem Server running on stdio"},
		{"filesystem", "stderr", "Client does not support MCP roots, using allowed directories from args"},
		{"postgres", "stderr", "connecting to postgres://app:••••(PG_PASSWORD)@localhost:5432/shop"},
		{"postgres", "stderr", `FATAL: password authentication failed for user "app"`},
		{"postgres", "bridgekeeper", "exited with code 1 · restart 5 of 5 · stopped: crash loop"},
		{"playwright", "stderr", "npm: downloading @playwright/mcp 0.0.83 (6.1 MB)"},
		{"tickets", "stdout", "Server starting on port 3000"},
		{"github", "stderr", "GET /repos/acme/shop/issues 200 (212 ms)"},
	}
	for i := range n {
		s := said[i%len(said)]
		r.add(wire.LogLine{Seq: uint64(i + 1), Time: moment.Add(time.Duration(i) * time.Second), Server: s.server, Source: s.source, Text: s.text})
	}
}

// tools are n definitions of a server.
func tools(n int) []wire.Tool {
	list := []wire.Tool{
		{Name: "search_issues", Seen: "github__search_issues", ReadOnly: true, Definition: json.RawMessage(`{"name":"search_issues","title":"Search issues","description":"Finds issues and pull requests by words.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"q":{"type":"string","description":"Words to look for"}},"required":["q"]}}`)},
		{Name: "book", Seen: "github__book", Definition: json.RawMessage(zoo)},
		{Name: "delete_repository", Seen: "", Hidden: "you turned it off", Definition: json.RawMessage(`{"name":"delete_repository","description":"Deletes a repository for good."}`)},
	}
	for i := len(list); i < n; i++ {
		name := fmt.Sprintf("tool_%d_with_quite_a_long_name_that_goes_on", i)
		list = append(list, wire.Tool{Name: name, Seen: "x__" + name, Definition: json.RawMessage(fmt.Sprintf(`{"name":%q,"annotations":{"destructiveHint":%v}}`, name, i%2 == 0))})
	}
	return list[:n]
}

// busy fills a record with a day of calls.
func busy(c *calls) {
	at := func(i int) time.Time { return moment.Add(-time.Duration(i*i) * 3 * time.Second) }
	kinds := []wire.Activity{
		{Host: "claude-code", Server: "rooms", Tool: "reboot_room", Decision: "deny", By: "window", Rule: "denied by a person"},
		{Host: "claude-code", Server: "rooms", Tool: "get_room_status", Decision: "allow", By: "policy", Rule: "read-only tool", Outcome: "ok", MS: 4.2, Bytes: 1200},
		{Host: "cursor", Server: "github", Tool: "create_issue", Decision: "allow", By: "window", Rule: "allowed once", Outcome: "ok", MS: 412, ArgBytes: 310, ArgSum: "a1b2c3d4e5f60718"},
		{Host: "cursor", Server: "github", Tool: "search_issues", Decision: "allow", By: "policy", Rule: "rule: github read tools", Outcome: "ok", MS: 198},
		{Host: "codex", Server: "filesystem", Tool: "write_file", Decision: "allow", By: "window", Outcome: "ok", MS: 9},
		{Host: "claude-code", Server: "postgres", Tool: "query", Decision: "allow", By: "policy", Outcome: "server_down"},
		{Host: "claude-code", Server: "playwright", Tool: "navigate", Decision: "allow", By: "policy", Rule: "read-only tool", Outcome: "ok", MS: 3120},
	}
	for i := 160; i >= 0; i-- {
		a := kinds[i%len(kinds)]
		a.ID, a.Time, a.Kind = fmt.Sprintf("%04x", 1000-i), at(i), wire.ActivityCall
		c.add(a)
	}
}
