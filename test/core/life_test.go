//go:build unix

package core

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/misbehave"
	"bridgekeeper/test/shipped"
)

// open counts what a process holds: descriptors and threads.
func open(t *testing.T, pid int) (fds, threads int) {
	t.Helper()
	count := func(dir string) int {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/%s", pid, dir))
		if err != nil {
			t.Skipf("no /proc here, so nothing can be counted: %v", err)
		}
		return len(entries)
	}
	return count("fd"), count("task")
}

func TestManyServersAndManyRestartsLeaveNothing(t *testing.T) {
	const servers, restarted, times = 100, 20, 20
	modes := make(map[string]string, servers)
	var names []string
	for i := range servers {
		name := fmt.Sprintf("s%03d", i)
		names = append(names, name)
		modes[name] = misbehave.EchoMode
	}
	core := start(t, newHome(t), modes, "--answers", "allow")
	began := time.Now()
	ready(t, core, names...)
	t.Logf("%d servers ready after %v", servers, time.Since(began).Round(time.Millisecond))
	h := connect(t, core, "h", "/mcp")
	_, list := h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	for _, name := range names {
		if !strings.Contains(list, `"`+name+`__echo"`) {
			t.Fatalf("%s isn't listed", name)
		}
	}
	fdsBefore, threadsBefore := open(t, core.PID)
	treeBefore, err := shipped.Tree(core.PID)
	if err != nil {
		t.Fatal(err)
	}
	for round := 1; round <= times; round++ {
		cli(t, core, append([]string{"server", "restart"}, names[:restarted]...)...)
		until(t, core, fmt.Sprintf("round %d is over", round), func(s *wire.Snapshot) bool {
			for _, name := range names[:restarted] {
				if one := shipped.Server(s, name); one.State != "ready" || one.Gen < uint64(round+1) {
					return false
				}
			}
			return true
		})
	}
	result(t, h.call(names[0]+"__echo", `{"text":"x"}`))
	err = shipped.Poll(limit(t), func() (bool, error) {
		tree, err := shipped.Tree(core.PID)
		fds, _ := open(t, core.PID)
		return len(tree) == len(treeBefore) && fds <= fdsBefore+4, err
	})
	fds, threads := open(t, core.PID)
	tree, _ := shipped.Tree(core.PID)
	t.Logf("before: %d descriptors, %d threads, %d processes; after %d restarts: %d, %d, %d",
		fdsBefore, threadsBefore, len(treeBefore), restarted*times, fds, threads, len(tree))
	if err != nil {
		t.Errorf("something is left: %v", err)
	}
	if err := core.Stop(); err != nil {
		t.Error(err)
	}
	if err := shipped.UntilGone(limit(t), 15*time.Second, tree, core.Home); err != nil {
		t.Error(err)
	}
}

func TestKilledCoreLeavesNobody(t *testing.T) {
	// A gateway that was killed left 41 children holding a database's lock.
	core := start(t, newHome(t), map[string]string{"stubborn": misbehave.Stubborn, "wrapped": misbehave.Wrapped, "grand": misbehave.Grandchild})
	ready(t, core, "stubborn", "wrapped", "grand")
	tree, err := shipped.Tree(core.PID)
	if err != nil || len(tree) < 6 {
		t.Fatalf("%d processes, %v", len(tree), err)
	}
	core.Kill()
	// 2 s are promised; the rest is for a busy machine.
	if err := shipped.UntilGone(limit(t), 4*time.Second, tree, core.Home); err != nil {
		t.Error(err)
	}
	again := start(t, core.Home, nil)
	ready(t, again, "stubborn", "wrapped", "grand")
}

func TestOneCoreAndOnePort(t *testing.T) {
	home := newHome(t)
	core := start(t, home, map[string]string{})
	second := exec.Command(bin, "serve", "--json")
	second.Env = append(os.Environ(), "BRIDGEKEEPER_HOME="+home)
	out, err := second.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() == 0 || !strings.Contains(string(out), "already_running") {
		t.Errorf("a second core: %v\n%s", err, out)
	}
	if _, err := core.Status(limit(t)); err != nil {
		t.Errorf("the first one was harmed: %v", err)
	}
}

func TestPortStaysAndIsPassedOverWhenTaken(t *testing.T) {
	home := newHome(t)
	free, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := fmt.Sprint(free.Addr().(*net.TCPAddr).Port)
	free.Close()
	core := start(t, home, map[string]string{}, "--port", port)
	if !strings.Contains(core.URL, ":"+port+"/") {
		t.Fatalf("--port %s: %s", port, core.URL)
	}
	if err := core.Stop(); err != nil {
		t.Fatal(err)
	}
	core = start(t, home, nil, "--port", "-1")
	if !strings.Contains(core.URL, ":"+port+"/") {
		t.Fatalf("the port isn't kept: %s", core.URL)
	}
	if err := core.Stop(); err != nil {
		t.Fatal(err)
	}
	other, err := net.Listen("tcp4", "127.0.0.1:"+port)
	if err != nil {
		t.Skipf("port %s was taken by somebody else meanwhile: %v", port, err)
	}
	core = start(t, home, nil, "--port", "-1")
	snap, err := core.Status(limit(t))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(core.URL, ":"+port+"/") || !strings.Contains(strings.Join(snap.Core.Warnings, "\n"), "taken by another program") {
		t.Errorf("port taken: %s, warnings %q", core.URL, snap.Core.Warnings)
	}
	if err := core.Stop(); err != nil {
		t.Fatal(err)
	}
	other.Close()
	core = start(t, home, nil, "--port", "-1")
	if !strings.Contains(core.URL, ":"+port+"/") {
		t.Errorf("the old port isn't taken again: %s", core.URL)
	}
}

func TestConfigEditedByHand(t *testing.T) {
	home := newHome(t)
	core := start(t, home, map[string]string{"a": misbehave.Good})
	first := ready(t, core, "a")
	file := filepath.Join(home, "bridgekeeper.json")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// An editor replaces the file with a broken one.
	broken := append([]byte("// mine\n"), good[:len(good)-3]...)
	if err := os.WriteFile(file+"~", broken, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+"~", file); err != nil {
		t.Fatal(err)
	}
	snap := until(t, core, "the mistake is seen", func(s *wire.Snapshot) bool { return s.Config.Error != nil })
	if snap.Config.Line < 2 || snap.Config.Error.Code != wire.CodeConfigBroken {
		t.Errorf("line %d, %+v", snap.Config.Line, snap.Config.Error)
	}
	if a := shipped.Server(snap, "a"); a.State != "ready" || a.PID != shipped.Server(first, "a").PID {
		t.Error("a broken edit disturbed a running server")
	}
	if _, err := core.CLI(limit(t), "server", "add", "b", "--", "x"); err == nil {
		t.Error("a broken file was written over")
	}
	if now, _ := os.ReadFile(file); string(now) != string(broken) {
		t.Error("the broken file was changed")
	}
	self, _ := os.Executable()
	repaired := fmt.Sprintf("// mine\n{\"mcpServers\": { /* two */\n \"a\": {\"command\": %q, \"env\": {%q: \"good\"}},\n \"b\": {\"command\": %q, \"env\": {%q: \"good\"}, \"x-theirs\": 1.0}\n}}\n", self, misbehave.Env, self, misbehave.Env)
	if err := os.WriteFile(file, []byte(repaired), 0o600); err != nil {
		t.Fatal(err)
	}
	ready(t, core, "a", "b")
	cli(t, core, "server", "edit", "b", "--env", "K=V")
	now, _ := os.ReadFile(file)
	for _, kept := range []string{"// mine\n", "/* two */", `"x-theirs": 1.0`, `"K"`} {
		if !strings.Contains(string(now), kept) {
			t.Errorf("our edit lost %s:\n%s", kept, now)
		}
	}
	if err := os.WriteFile(file, good, 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, core, "b is gone", func(s *wire.Snapshot) bool { return shipped.Server(s, "b") == nil && s.Config.Error == nil })
}

func TestTokensAndOpen(t *testing.T) {
	core := start(t, newHome(t), map[string]string{"a": misbehave.Good})
	ready(t, core, "a")
	h := connect(t, core, "h", "/mcp")
	cli(t, core, "host", "remove", "h")
	resp, _ := h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if resp.StatusCode != 401 || resp.Header.Get("Www-Authenticate") != "Bearer" {
		t.Errorf("a removed host: HTTP %d, %q", resp.StatusCode, resp.Header.Get("Www-Authenticate"))
	}
	u, _ := url.Parse(core.URL)
	for path, want := range map[string]int{"/.well-known/oauth-protected-resource": 404, "/register": 404, "/authorize": 404, "/token": 404, "/mcp": 401} {
		resp, err := http.Get("http://" + u.Host + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s: HTTP %d, want %d", path, resp.StatusCode, want)
		}
	}
	open := start(t, newHome(t), map[string]string{"a": misbehave.Good}, "--open")
	ready(t, open, "a")
	nobody := &host{t: t, url: open.URL, client: http.DefaultClient}
	nobody.begin()
	result(t, nobody.call("a__echo", "{}"))
}

func TestStopsAndStartModes(t *testing.T) {
	home := newHome(t)
	self, _ := os.Executable()
	entry := func(start string) string {
		return fmt.Sprintf(`{"command": %q, "env": {%q: "good"}, "start": %q, "idleStop": "2s"}`, self, misbehave.Env, start)
	}
	conf := fmt.Sprintf(`{"mcpServers": {"demand": %s, "manual": %s, "always": %s}}`, entry("on-demand"), entry("manual"), entry("always"))
	if err := os.WriteFile(filepath.Join(home, "bridgekeeper.json"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	core := start(t, home, nil, "--answers", "allow")
	ready(t, core, "always")
	snap := until(t, core, "demand was learned and stopped", func(s *wire.Snapshot) bool {
		d := shipped.Server(s, "demand")
		return d.Tools > 0 && d.State == "stopped"
	})
	if shipped.Server(snap, "manual").State != "stopped" {
		t.Errorf("manual: %s", shipped.Server(snap, "manual").State)
	}
	h := connect(t, core, "h", "/mcp")
	_, list := h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if !strings.Contains(list, "demand__echo") || strings.Contains(list, "manual__echo") {
		t.Errorf("the list: %s", list)
	}
	result(t, h.call("demand__echo", "{}")) // started for the call
	cli(t, core, "server", "start", "manual")
	ready(t, core, "manual")
	cli(t, core, "server", "stop", "always")
	until(t, core, "always is stopped", func(s *wire.Snapshot) bool { return shipped.Server(s, "always").State == "stopped" })
	if got := h.call("always__echo", "{}"); !strings.Contains(got, "Unknown tool") && !strings.Contains(got, "stopped") {
		t.Errorf("a call to a stopped server: %s", got)
	}
	if _, err := core.CLI(limit(t), "call", "always", "echo", "{}"); err == nil {
		t.Error("the command line called a stopped server")
	}
}

func TestDeniedCallsAndTheRecord(t *testing.T) {
	home := newHome(t)
	core := start(t, home, map[string]string{})
	cli(t, core, "server", "add", "rooms", "--", bin, "example", "rooms")
	ready(t, core, "rooms")
	h := connect(t, core, "h", "/mcp")
	if got := h.call("rooms__reboot_room", `{"room_id":"cedar"}`); !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "approval") {
		t.Errorf("a denied call: %s", got)
	}
	result(t, h.call("rooms__list_rooms", "{}"))
	record, err := os.ReadFile(filepath.Join(home, "logs", "activity", "activity.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"tool":"reboot_room"`, `"deny"`, `"tool":"list_rooms"`, `"allow"`, `"host":"h"`} {
		if !strings.Contains(string(record), want) {
			t.Errorf("the record lacks %s:\n%s", want, record)
		}
	}
	if strings.Contains(string(record), "cedar") {
		t.Error("the record has arguments")
	}
}

func TestTermInMidCallEndsCleanly(t *testing.T) {
	core := start(t, newHome(t), map[string]string{"a": misbehave.Good}, "--answers", "allow")
	ready(t, core, "a")
	h := connect(t, core, "h", "/mcp")
	var wait sync.WaitGroup
	for i := range 64 {
		wait.Go(func() {
			resp, err := h.request(t.Context(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a__hang","arguments":{}}}`, i))
			if err == nil {
				resp.Body.Close()
			}
		})
	}
	until(t, core, "all calls are in flight", func(s *wire.Snapshot) bool { return len(s.Hosts) > 0 && s.Hosts[0].Calls == 64 })
	tree, err := shipped.Tree(core.PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(core.PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := shipped.UntilGone(limit(t), 10*time.Second, tree, core.Home); err != nil {
		t.Error(err)
	}
	wait.Wait()
}
