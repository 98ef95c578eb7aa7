//go:build unix

package supervisor

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"bridgekeeper/supervisor/proc"
)

// npx is signalled, the shell and the node below it live on: thousands of them
// after a week.
func TestStopEndsTheWholeTree(t *testing.T) {
	for name, mode := range map[string]string{
		"shells":       "normal",
		"ignores term": "ignore-term,linger",
		"grandchild":   "grandchild,normal",
		"left session": "stubborn,ignore-term,linger",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := start(t, Options{})
			spec := testSpec(t, "a", mode)
			if name == "shells" { // npx -> sh -> node
				exe := spec.Command
				spec.Command = "sh"
				spec.Args = []string{"-c", `sh -c "'` + exe + `'; true"; true`}
			}
			h.Apply([]Spec{spec})
			h.reach("a", Ready)
			run := h.keeper.run
			pids := marked(t, run)
			want := map[string]int{"shells": 3, "ignores term": 1, "grandchild": 2, "left session": 2}[name]
			if len(pids) != want {
				t.Errorf("%d processes, want %d", len(pids), want)
			}
			if err := h.Stop("a"); err != nil {
				t.Fatal(err)
			}
			h.reach("a", Stopped)
			if left := marked(t, run); len(left) != 0 {
				t.Errorf("left: %v of %v", left, pids)
			}
		})
	}
}

// A wrapper died and what it had started went on for ever.
func TestDeathOfTheWrapperEndsTheRest(t *testing.T) {
	h := start(t, Options{})
	h.Apply([]Spec{testSpec(t, "a", "stubborn,grandchild,normal")})
	kill(h.reach("a", Ready).PID)
	h.until("next generation", func() bool { st := h.get("a"); return st.Gen == 2 && st.State == Ready })
	for _, pid := range marked(t, h.keeper.run) {
		if m := markOf(pid); !strings.HasSuffix(m, ".2") {
			t.Errorf("left of the first: %d %s", pid, m)
		}
	}
}

// core is the child that plays Bridgekeeper itself.
func core() {
	s := New(Options{
		Attach: attach, StateDir: os.Getenv("STATE"), Timings: quick,
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	go s.Run(context.Background())
	exe, _ := os.Executable()
	var specs []Spec
	for _, mode := range []string{"normal", "stubborn,ignore-term,linger", "grandchild,ignore-term,linger"} {
		specs = append(specs, Spec{Server: mode, Command: exe, Env: []string{"TEST_CHILD=" + mode}, Dir: "/"})
	}
	s.Apply(specs)
	for _, spec := range specs {
		if _, err := s.Acquire(context.Background(), Key{Server: spec.Server}); err != nil {
			panic(err)
		}
	}
	fmt.Println(s.keeper.run, s.keeper.watcher.PID())
	select {}
}

// startCore runs core in a process and returns its run id and watcher.
func startCore(t *testing.T, state string) (cmd *exec.Cmd, run string, watcher int) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TEST_CHILD=core", "STATE="+state)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	run, pid, _ := strings.Cut(strings.TrimSpace(line), " ")
	watcher, _ = strconv.Atoi(pid)
	if n := len(marked(t, run)); n != 5 {
		t.Fatalf("%d processes of the core, want 5", n)
	}
	return cmd, run, watcher
}

// The app was killed, and every server it had started ran on, ignoring the end
// of its input, until the machine had no memory left.
func TestKilledCoreLeavesNothing(t *testing.T) {
	t.Parallel()
	cmd, run, watcher := startCore(t, t.TempDir())
	t.Logf("watcher: %s", rss(watcher))
	began := time.Now()
	cmd.Process.Kill()
	waitNone(t, run, began.Add(2*time.Second))
	t.Logf("all gone after %v", time.Since(began))
	if !waitGone(watcher) {
		t.Error("the watcher is still there")
	}
}

// Core and watcher died together; the next start couldn't open the database
// that the orphans still held.
func TestNextStartSweepsOrphans(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	cmd, run, watcher := startCore(t, state)
	kill(watcher)
	cmd.Process.Kill()
	cmd.Wait()
	if len(marked(t, run)) == 0 {
		t.Skip("the watcher was faster than its end")
	}
	h := start(t, Options{StateDir: state})
	spec := testSpec(t, "a", "normal")
	h.Apply([]Spec{spec})
	h.reach("a", Ready)
	if left := marked(t, run); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// The watcher was killed (a task manager, a full memory) and with it the
// promise that nothing outlives the core.
func TestWatcherIsStartedAgain(t *testing.T) {
	t.Parallel()
	cmd, run, watcher := startCore(t, t.TempDir())
	kill(watcher)
	next := 0
	for deadline := time.Now().Add(patience); next == 0 && time.Now().Before(deadline); pause() {
		for _, pid := range childrenOf(cmd.Process.Pid) {
			if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); pid != watcher && strings.Contains(string(b), "watch-children") {
				next = pid
			}
		}
	}
	if next == 0 {
		t.Fatal("no new watcher")
	}
	began := time.Now()
	cmd.Process.Kill()
	waitNone(t, run, began.Add(2*time.Second+300*time.Millisecond)) // it may just be starting
}

// Ending the docker client left the container running.
func TestContainerIsRemoved(t *testing.T) {
	h := start(t, Options{})
	dir := t.TempDir()
	exe, _ := os.Executable()
	script := `#!/bin/sh
echo "$@" >> ` + dir + `/calls
case "$1" in
run) test "$2" = --cidfile && printf 0123456789abcdef > "$3"; exec ` + exe + `;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "docker"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	spec := testSpec(t, "a", "normal")
	spec.Command, spec.Args = "docker", []string{"run", "-i", "--rm", "image"}
	spec.Env = append(spec.Env, "PATH="+dir+":"+os.Getenv("PATH"))
	h.Apply([]Spec{spec})
	h.reach("a", Ready)
	h.stop()
	b, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	calls := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(calls) != 2 || !strings.HasSuffix(calls[0], " -i --rm image") || calls[1] != "rm -f 0123456789abcdef" {
		t.Errorf("calls %q", calls)
	}
}

// marked lists the live processes with a mark of that run.
func marked(t testing.TB, run string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Skip("no /proc here")
	}
	var pids []int
	for _, f := range files {
		pid, _ := strconv.Atoi(strings.Split(f, "/")[2])
		if strings.HasPrefix(markOf(pid), run+".") && !gone(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func markOf(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	for _, kv := range strings.Split(string(b), "\x00") {
		if m, ok := strings.CutPrefix(kv, proc.MarkVariable+"="); ok {
			return m
		}
	}
	return ""
}

func waitNone(t *testing.T, run string, deadline time.Time) {
	t.Helper()
	for left := marked(t, run); len(left) > 0; left = marked(t, run) {
		if time.Now().After(deadline) {
			for _, pid := range left {
				t.Errorf("left: %d %s", pid, markOf(pid))
				syscall.Kill(pid, syscall.SIGKILL)
			}
			return
		}
		pause()
	}
}

func waitGone(pid int) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); pause() {
		if gone(pid) {
			return true
		}
	}
	return false
}

// pause lets processes go on that can't be waited for: they are not ours.
func pause() { <-time.After(5 * time.Millisecond) }

func childrenOf(pid int) []int {
	var list []int
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, f := range files {
		b, _ := os.ReadFile(f)
		for _, s := range strings.Fields(string(b)) {
			n, _ := strconv.Atoi(s)
			list = append(list, n)
		}
	}
	return list
}

func rss(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	var out []string
	for _, line := range strings.Split(string(b), "\n") {
		if strings.HasPrefix(line, "VmRSS") || strings.HasPrefix(line, "Rss") || strings.HasPrefix(line, "Threads") {
			out = append(out, strings.Join(strings.Fields(line), " "))
		}
	}
	return strings.Join(out, ", ")
}
