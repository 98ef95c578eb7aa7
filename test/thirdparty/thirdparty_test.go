package thirdparty

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/built"
	"bridgekeeper/test/npm"
	"bridgekeeper/test/shipped"
)

//go:embed package.json
var packageJSON []byte

var packages = &npm.Set{For: "third-party servers and client", JSON: packageJSON}

const (
	readyLimit = 90 * time.Second // Node is slow to start, four at once on two cores more so
	goneLimit  = 12 * time.Second // of a server that was told to stop: 6 s, 2 s, and some slack
	orphanTime = 4 * time.Second  // of everything, when the core itself was killed: 2 s and some slack
)

func cli(t *testing.T, core *shipped.Core, args ...string) string {
	t.Helper()
	out, err := core.CLI(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func ready(t *testing.T, core *shipped.Core, names ...string) *wire.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), readyLimit)
	defer cancel()
	s, err := core.UntilReady(ctx, names...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tree(t *testing.T, core *shipped.Core) []shipped.Process {
	t.Helper()
	ps, err := shipped.Tree(core.PID)
	if err != nil {
		t.Fatal(err)
	}
	return ps
}

func script(dir, server string) string {
	return filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-"+server, "dist", "index.js")
}

func TestRealServersAndRealClient(t *testing.T) {
	dir := packages.Dir(t)
	core := built.Start(t, "--answers", "allow")
	files, err := filepath.EvalSymlinks(t.TempDir()) // the server compares real paths
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(files, "hello.txt"), []byte("hello from a file\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cli(t, core, "server", "add", "everything", "--", "node", script(dir, "everything"))
	cli(t, core, "server", "add", "filesystem", "--", "node", script(dir, "filesystem"), files)
	cli(t, core, "server", "add", "memory", "--env", "MEMORY_FILE_PATH="+filepath.Join(files, "memory.jsonl"), "--", "node", script(dir, "memory"))
	cli(t, core, "server", "add", "thinking", "--", "node", script(dir, "sequential-thinking"))
	status := ready(t, core, "everything", "filesystem", "memory", "thinking")
	children := tree(t, core)

	token, err := core.AddHost(t.Context(), "typescript")
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t, dir)
	h.do("connect", fields{"url": core.URL, "token": token.Token}, nil)

	t.Run("lists", func(t *testing.T) { lists(t, h.with(t)) })
	t.Run("calls", func(t *testing.T) { calls(t, h.with(t), files) })
	t.Run("resources and prompts", func(t *testing.T) { resourcesAndPrompts(t, h.with(t)) })
	t.Run("subscription", func(t *testing.T) { subscription(t, h.with(t)) })
	t.Run("progress", func(t *testing.T) { progress(t, h.with(t)) })
	t.Run("cancel", func(t *testing.T) { cancel(t, h.with(t)) })
	t.Run("through the shim", func(t *testing.T) {
		h := newHost(t, dir)
		h.do("connect", fields{"command": core.Bin, "args": []string{"stdio", "--host", "typescript"}, "env": fields{"BRIDGEKEEPER_HOME": core.Home}}, nil)
		lists(t, h)
		resourcesAndPrompts(t, h)
		subscription(t, h)
		progress(t, h)
		cancel(t, h)
		h.do("close", nil, nil)
	})
	t.Run("killed in a call", func(t *testing.T) { killed(t, core, h.with(t), shipped.Server(status, "everything").PID) })

	children = append(children, tree(t, core)...)
	h.do("close", nil, nil)
	if err := core.Stop(); err != nil {
		t.Errorf("the core's end: %v", err)
	}
	if len(children) < 5 {
		t.Errorf("only %v were seen below the core", children)
	}
	if err := shipped.UntilGone(t.Context(), goneLimit, children, core.Home); err != nil {
		t.Error(err)
	}
}

func lists(t *testing.T, h *host) {
	var tools, prompts, resources []string
	h.do("tools", nil, &tools)
	h.do("prompts", nil, &prompts)
	h.do("resources", nil, &resources)
	for _, want := range []string{"everything__echo", "filesystem__list_directory", "memory__read_graph", "thinking__sequentialthinking"} {
		if !slices.Contains(tools, want) {
			t.Errorf("%s is not in %v", want, tools)
		}
	}
	if !slices.Contains(prompts, "everything__simple-prompt") {
		t.Errorf("prompts %v", prompts)
	}
	for _, want := range []string{"demo://resource/static/document/features.md", "memory://knowledge-graph"} {
		if !slices.Contains(resources, want) {
			t.Errorf("%s is not in %v", want, resources)
		}
	}
}

func calls(t *testing.T, h *host, files string) {
	for _, c := range []struct {
		tool string
		args fields
		want string
	}{
		{"everything__echo", fields{"message": "grüße 😀"}, "Echo: grüße 😀"},
		{"everything__get-sum", fields{"a": 2, "b": 40}, "42"},
		{"filesystem__list_directory", fields{"path": files}, "[FILE] hello.txt"},
		{"filesystem__read_text_file", fields{"path": filepath.Join(files, "hello.txt")}, "hello from a file"},
		{"memory__create_entities", fields{"entities": []fields{{"name": "Cedar", "entityType": "room", "observations": []string{"quiet"}}}}, "Cedar"},
		{"memory__read_graph", fields{}, "quiet"},
		{"thinking__sequentialthinking", fields{"thought": "one", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}, `"thoughtNumber": 1`},
	} {
		got := h.call(c.tool, c.args, nil)
		if got.Failure != "" || got.Result.IsError || !strings.Contains(got.text(), c.want) {
			t.Errorf("%s: %+v, want %q", c.tool, got, c.want)
		}
	}
	if got := h.call("filesystem__read_text_file", fields{"path": "/etc/hostname"}, nil); !got.Result.IsError {
		t.Errorf("a file outside was read: %+v", got)
	}
}

func resourcesAndPrompts(t *testing.T, h *host) {
	var read struct{ Contents []struct{ URI, Text string } }
	h.do("read", fields{"uri": "demo://resource/static/document/features.md"}, &read)
	if len(read.Contents) != 1 || len(read.Contents[0].Text) < 100 {
		t.Errorf("read %+v", read)
	}
	h.do("read", fields{"uri": "demo://resource/dynamic/text/7"}, &read)
	if len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, "7") {
		t.Errorf("read from the template %+v", read)
	}
	var prompt struct {
		Messages []struct{ Content struct{ Text string } }
	}
	h.do("prompt", fields{"name": "everything__args-prompt", "arguments": fields{"city": "Oslo"}}, &prompt)
	if len(prompt.Messages) != 1 || !strings.Contains(prompt.Messages[0].Content.Text, "Oslo") {
		t.Errorf("prompt %+v", prompt)
	}
	var completed struct{ Completion struct{ Values []string } }
	h.do("complete", fields{"params": fields{
		"ref":      fields{"type": "ref/prompt", "name": "everything__completable-prompt"},
		"argument": fields{"name": "name", "value": "E"},
		"context":  fields{"arguments": fields{"department": "Sales"}},
	}}, &completed)
	if !slices.Equal(completed.Completion.Values, []string{"Eve"}) {
		t.Errorf("completed to %v, want Eve", completed.Completion.Values)
	}
}

func subscription(t *testing.T, h *host) {
	const uri = "demo://resource/static/document/startup.md"
	h.do("subscribe", fields{"uri": uri}, nil)
	if got := h.call("everything__toggle-subscriber-updates", fields{}, nil); got.Failure != "" || got.Result.IsError {
		t.Fatalf("toggle: %+v", got)
	}
	var updates []string
	h.do("updates", fields{"count": 2, "limitMS": 20_000}, &updates) // one comes at once, one after five seconds
	if len(updates) < 2 {
		t.Errorf("%d updates of the resource in 20 s, want 2", len(updates))
	}
	for _, u := range updates {
		if u != uri {
			t.Errorf("an update of %s, which nobody subscribed to", u)
		}
	}
	if got := h.call("everything__toggle-subscriber-updates", fields{}, nil); got.Failure != "" || got.Result.IsError {
		t.Errorf("toggle back: %+v", got)
	}
}

func progress(t *testing.T, h *host) {
	got := h.call("everything__trigger-long-running-operation", fields{"duration": 1, "steps": 4}, nil)
	if got.Failure != "" || !strings.Contains(got.text(), "completed") {
		t.Fatalf("the operation: %+v", got)
	}
	if len(got.Progress) < 3 { // the last note may lose the race with the result
		t.Fatalf("%d progress notes, want 4: %+v", len(got.Progress), got.Progress)
	}
	for i, p := range got.Progress {
		if p.Progress != float64(i+1) || p.Total != 4 {
			t.Errorf("note %d is %+v", i, p)
		}
	}
}

func cancel(t *testing.T, h *host) {
	got := h.call("everything__trigger-long-running-operation", fields{"duration": 60, "steps": 120}, fields{"cancelAt": 1})
	if !strings.Contains(got.Failure, "changed their mind") || got.MS > 20_000 {
		t.Errorf("the cancelled call: %+v", got)
	}
	if got := h.call("everything__echo", fields{"message": "still there"}, nil); !strings.Contains(got.text(), "still there") {
		t.Errorf("a call after the cancelled one: %+v", got)
	}
}

func killed(t *testing.T, core *shipped.Core, h *host, pid int) {
	got := h.call("everything__trigger-long-running-operation", fields{"duration": 60, "steps": 120}, fields{"killAt": 1, "pid": pid})
	if (got.Failure == "" && !got.Result.IsError) || got.MS > 20_000 {
		t.Errorf("the call whose server was killed: %+v, want an error at once", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), readyLimit)
	defer cancel()
	s, err := core.Until(ctx, "everything is back", func(s *wire.Snapshot) bool {
		srv := shipped.Server(s, "everything")
		return srv.State == "ready" && srv.PID != pid
	})
	if err != nil {
		t.Fatal(err)
	}
	if srv := shipped.Server(s, "everything"); srv.Restarts != 1 || srv.LastExit == nil || srv.LastExit.Signal != "SIGKILL" {
		t.Errorf("after the kill: %d restarts, last exit %+v", srv.Restarts, srv.LastExit)
	}
	if got := h.call("everything__echo", fields{"message": "back"}, nil); !strings.Contains(got.text(), "back") {
		t.Errorf("a call after the restart, in the same session: %+v", got)
	}
}

// Launchers such as npx leave their server running when only they are signalled.
func TestStopLeavesNobodyOfALauncher(t *testing.T) {
	dir := packages.Dir(t)
	core := built.Start(t)
	addNpx(t, core, dir)
	children := launched(t, core)
	cli(t, core, "server", "stop", "npx")
	// The watcher, if there is one, stays with the core.
	servers := slices.DeleteFunc(children, func(p shipped.Process) bool { return !strings.Contains(p.Command, "mcp-server-everything") })
	if err := shipped.UntilGone(t.Context(), goneLimit, servers, ""); err != nil {
		t.Error(err)
	}
	if err := core.Stop(); err != nil {
		t.Errorf("the core's end: %v", err)
	}
	if err := shipped.UntilGone(t.Context(), goneLimit, children, core.Home); err != nil {
		t.Error(err)
	}
}

// Whoever kills the core, or runs out of memory with it, must not find its
// servers running for ever.
func TestKilledCoreLeavesNobody(t *testing.T) {
	dir := packages.Dir(t)
	core := built.Start(t)
	addNpx(t, core, dir)
	children := launched(t, core)
	core.Kill()
	if err := shipped.UntilGone(t.Context(), orphanTime, children, core.Home); err != nil {
		t.Error(err)
	}
}

// addNpx adds a server as people do, but without the network.
func addNpx(t *testing.T, core *shipped.Core, dir string) {
	t.Helper()
	cli(t, core, "server", "add", "npx", "--", "npx", "--offline", "-y", "--prefix", dir, "mcp-server-everything")
	ready(t, core, "npx")
}

// launched returns the processes below the core, after a look that the launcher
// really made a chain of them.
func launched(t *testing.T, core *shipped.Core) []shipped.Process {
	t.Helper()
	children := tree(t, core)
	chain := 0
	for _, p := range children {
		if strings.Contains(p.Command, "mcp-server-everything") {
			chain++
		}
	}
	if chain < 2 {
		t.Fatalf("npx started no chain: %v", children)
	}
	return children
}
