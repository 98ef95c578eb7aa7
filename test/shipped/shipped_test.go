package shipped

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/wire"
)

// actAs makes the test binary a stand-in: "core" behaves like serve, "mute" like
// a core that never comes up, "child" waits for the end of its stdin.
const actAs = "SHIPPED_TEST_ACT"

func TestMain(m *testing.M) {
	act := os.Getenv(actAs)
	switch {
	case act == "child":
		fmt.Println("here")
		io.Copy(io.Discard, os.Stdin)
	case act == "mute":
		fmt.Fprintln(os.Stderr, "no port is free")
		os.Exit(4)
	case act == "core" && os.Args[1] == "serve":
		fmt.Printf("{\"url\":\"http://127.0.0.1:1/mcp\",\"socket\":%q,\"pid\":%d}\nmore\n", os.Getenv("BRIDGEKEEPER_HOME"), os.Getpid())
		fmt.Fprintln(os.Stderr, "up")
		select {}
	case act == "core" && os.Args[1] == "status":
		fmt.Println(`{"servers":[{"name":"a","state":"ready","pid":5},{"name":"b","state":"backoff"}]}`)
	case act == "core":
		fmt.Fprintln(os.Stderr, "error: no such thing")
		os.Exit(4)
	default:
		os.Exit(m.Run())
	}
}

func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func TestStartReadsTheFirstLineAndRunsTheCommandLine(t *testing.T) {
	t.Setenv(actAs, "core")
	home := t.TempDir()
	var log bytes.Buffer
	c, err := Start(t.Context(), Options{Bin: self(t), Home: home, Stderr: &log})
	if err != nil {
		t.Fatal(err)
	}
	if c.URL != "http://127.0.0.1:1/mcp" || c.Socket != home || c.PID == 0 {
		t.Errorf("core %+v", c)
	}
	s, err := c.Until(t.Context(), "a is ready", func(s *wire.Snapshot) bool { return Server(s, "a").State == "ready" })
	if err != nil || Server(s, "a").PID != 5 || Server(s, "c") != nil {
		t.Errorf("status %+v, %v", s, err)
	}
	if _, err := c.CLI(t.Context(), "server", "nonsense"); err == nil || !strings.Contains(err.Error(), "no such thing") {
		t.Errorf("a failed command: %v, want what it said", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	bored := errors.New("waited long enough")
	_, err = c.Until(ctx, "b is ready", func(s *wire.Snapshot) bool {
		cancel(bored)
		return Server(s, "b").State == "ready"
	})
	if !errors.Is(err, bored) || !strings.Contains(err.Error(), "b backoff") {
		t.Errorf("waiting for b: %v, want what was last seen", err)
	}
	c.Kill()
	if !strings.Contains(c.Log(), "up") || log.String() != c.Log() {
		t.Errorf("log %q and %q", c.Log(), &log)
	}
}

func TestStartTellsWhyThereIsNoCore(t *testing.T) {
	t.Setenv(actAs, "mute")
	if _, err := Start(t.Context(), Options{Bin: self(t), Home: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no port is free") {
		t.Errorf("got %v, want the core's last words", err)
	}
}

func TestProcessesAreFoundUntilTheyAreGone(t *testing.T) {
	home := t.TempDir()
	cmd := exec.Command(self(t))
	cmd.Env = append(environ(home), actAs+"=child")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	tree, err := Tree(os.Getpid())
	if err != nil || len(tree) != 1 || tree[0].PID != cmd.Process.Pid {
		t.Fatalf("tree %v, %v; want the child %d", tree, err, cmd.Process.Pid)
	}
	if err := UntilGone(t.Context(), 2*pollEvery, tree, ""); err == nil || !strings.Contains(err.Error(), tree[0].String()) {
		t.Errorf("a running process counts as gone: %v", err)
	}
	if left, err := Left(nil, home); err != nil || (runtime.GOOS == "linux" && len(left) != 1) {
		t.Errorf("started under the home: %v, %v", left, err)
	}
	another := tree[0]
	another.Born += "0" // the same pid, used again
	if left, err := Left([]Process{another}, ""); err != nil || len(left) != 0 {
		t.Errorf("another process with the same pid is taken for it: %v, %v", left, err)
	}
	// Ended but not waited for, it is a zombie, which holds nothing.
	in.Close()
	if err := UntilGone(t.Context(), 10*time.Second, tree, home); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var log tail
	for range 3 {
		fmt.Fprint(&log, strings.Repeat("x", keepStderr/2))
	}
	fmt.Fprint(&log, "end")
	if s := log.String(); len(s) != keepStderr || !strings.HasSuffix(s, "xend") {
		t.Errorf("kept %d bytes ending in %q", len(s), s[len(s)-4:])
	}
}
