//go:build linux

package core

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/misbehave"
	"bridgekeeper/test/shipped"
)

// stubbornFamily is a server that ignores the end of its input and SIGTERM, and
// has a child that left its group and session.
func stubbornFamily(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"mcpServers": {"family": {"command": "sh", "args": ["-c", "setsid sleep 613 </dev/null >/dev/null 2>&1 & exec %s"], "env": {%q: %q}}}}`, self, misbehave.Env, misbehave.Stubborn)
}

// family waits until server and grandchild run and returns all of the core's processes.
func family(t *testing.T, core *shipped.Core) (tree []shipped.Process, watcher int) {
	t.Helper()
	ready(t, core, "family")
	err := shipped.Poll(limit(t), func() (bool, error) {
		tree, watcher = nil, 0
		all, err := shipped.Tree(core.PID)
		apart := 0
		for _, p := range all {
			switch {
			case strings.Contains(p.Command, "bridgekeeper-watch-children"):
				watcher = p.PID
			case strings.HasPrefix(p.Command, "sleep 613"):
				apart++
			}
		}
		tree = all
		return apart == 1 && watcher != 0, err
	})
	if err != nil {
		t.Fatalf("%v: %v", err, tree)
	}
	return tree, watcher
}

func TestKilledCoreTakesAGrandchildThatLeftWithIt(t *testing.T) {
	home := newHome(t)
	writeText(t, home, stubbornFamily(t))
	core := start(t, home, nil)
	tree, _ := family(t, core)
	killed := time.Now()
	core.Kill()
	// 2 s are promised; the rest is for a busy machine.
	if err := shipped.UntilGone(limit(t), 4*time.Second, tree, home); err != nil {
		t.Error(err)
	}
	t.Logf("%d processes were gone %v after the kill", len(tree), time.Since(killed).Round(time.Millisecond))
}

func TestOrphansAreSweptAtTheNextStart(t *testing.T) {
	// When the watcher dies with the core, the servers live on and hold what they
	// held: ports, locks, databases.
	t.Parallel() // it waits most of the time
	home := newHome(t)
	writeText(t, home, stubbornFamily(t))
	core := start(t, home, nil)
	tree, watcher := family(t, core)
	if err := syscall.Kill(watcher, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	core.Kill()
	var orphans []shipped.Process
	left, err := shipped.Left(tree, home)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range left {
		if p.PID != watcher {
			orphans = append(orphans, p)
		}
	}
	if len(orphans) < 2 {
		t.Fatalf("the test wants orphans, and there are only %v", orphans)
	}
	again := start(t, home, nil)
	err = shipped.Poll(limit(t), func() (bool, error) {
		left, err := shipped.Left(orphans, "")
		return len(left) == 0, err
	})
	if err != nil {
		t.Errorf("still there after the next start: %v", orphans)
	}
	ready(t, again, "family")
}

// resident is the memory of a process in KiB; peak is the most it ever was.
func resident(t *testing.T, pid int) (now, peak int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		n, _ := strconv.Atoi(fields[1]) // other lines have no number
		switch fields[0] {
		case "VmRSS:":
			now = n
		case "VmHWM:":
			peak = n
		}
	}
	return now, peak
}

func TestStderrFloodsAreBounded(t *testing.T) {
	// A server's debug output of a night filled the disk and the memory.
	const flood, times = 128 << 20, 2
	core := start(t, newHome(t), map[string]string{"lines": misbehave.Stderr, "endless": misbehave.StderrNoLine})
	ready(t, core, "lines", "endless")
	h := connect(t, core, "h", "/mcp")
	began := time.Now()
	for range times {
		for _, name := range []string{"lines", "endless"} {
			result(t, h.call(name+"__flood", fmt.Sprintf(`{"bytes":%d}`, flood)))
		}
	}
	_, peak := resident(t, core.PID)
	files, err := filepath.Glob(filepath.Join(core.Home, "logs", "*"))
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
	}
	t.Logf("%d MiB of stderr in %v: %d MiB memory at most, %d MiB of files", 2*times*flood>>20, time.Since(began).Round(time.Millisecond), peak>>10, total>>20)
	if peak > 100<<10 {
		t.Errorf("%d MiB of memory", peak>>10)
	}
	if most := int64(2 * 3 * (10 << 20) * 11 / 10); total > most {
		t.Errorf("%d bytes of log files, at most %d", total, most)
	}
	if out := cli(t, core, "server", "logs", "endless", "-n", "2"); len(out) > 3*(64<<10) {
		t.Errorf("two lines of a line without end are %d bytes", len(out))
	}
	result(t, h.call("lines__echo", "{}"))
}

func TestEditsByHandTakeASecond(t *testing.T) {
	home := newHome(t)
	core := start(t, home, map[string]string{"a": misbehave.Good})
	pid := shipped.Server(ready(t, core, "a"), "a").PID
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	entry := func(name, mode, more string) string {
		return fmt.Sprintf(`%q: {"command": %q, "env": {%q: %q}%s}`, name, self, misbehave.Env, mode, more)
	}
	for _, edit := range []struct {
		what, text string
		seen       func(*wire.Snapshot) bool
	}{
		{"added", "{\"mcpServers\": {\n// a note\n" + entry("a", "good", "") + "," + entry("b", "good", "") + "}}", func(s *wire.Snapshot) bool {
			return shipped.Server(s, "b") != nil && shipped.Server(s, "a").PID == pid
		}},
		{"changed", `{"mcpServers": {` + entry("a", "changing", "") + "," + entry("b", "good", `, "disabled": true`) + "}}", func(s *wire.Snapshot) bool {
			return shipped.Server(s, "a").PID != pid && shipped.Server(s, "b").State == "disabled"
		}},
		{"broken", "{\"mcpServers\": {\n  \"a\": }}", func(s *wire.Snapshot) bool {
			return s.Config.Error != nil && s.Config.Line == 2 && s.Config.Col > 0 && len(s.Servers) == 2
		}},
		{"repaired, one removed", `{"mcpServers": {` + entry("a", "changing", "") + "}}", func(s *wire.Snapshot) bool {
			return s.Config.Error == nil && len(s.Servers) == 1
		}},
	} {
		writeText(t, home, edit.text)
		began := time.Now()
		until(t, core, edit.what, edit.seen)
		took := time.Since(began)
		t.Logf("%s: seen after %v", edit.what, took.Round(time.Millisecond))
		if took > 3*time.Second { // one is promised; the look itself starts a process
			t.Errorf("%s: only after %v", edit.what, took)
		}
	}
	writeText(t, home, "{\n  // mine\n  \"mcpServers\": {\n    "+entry("a", "good", "")+" // keep\n  }\n}\n")
	cli(t, core, "server", "add", "c", "--disabled", "--", "some-program", "--flag")
	text, err := os.ReadFile(filepath.Join(home, "bridgekeeper.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{"// mine", "// keep", `"some-program"`, `"--flag"`} {
		if !strings.Contains(string(text), kept) {
			t.Errorf("server add lost %s:\n%s", kept, text)
		}
	}
}
