package supervisor

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A server that died stayed dead until the person restarted the host.
func TestKilledServerComesBack(t *testing.T) {
	h := start(t, Options{})
	h.Apply([]Spec{testSpec(t, "a", "say=last words,normal")})
	pid := h.reach("a", Ready).PID
	h.line("a", "last words")
	kill(pid)
	h.until("second generation", func() bool { st := h.get("a"); return st.State == Ready && st.Gen == 2 })
	st := h.get("a")
	if st.Restarts != 1 || st.LastExit == nil {
		t.Fatalf("status %+v", st)
	}
	if x := st.LastExit; x.Signal != "SIGKILL" || x.Code != -1 || x.Reason != "ended by SIGKILL (out of memory?)" ||
		len(x.Stderr) != 1 || x.Stderr[0] != "last words" {
		t.Errorf("exit %+v", *x)
	}
}

// A call to a dead server hung for minutes because a grandchild held its
// output open and no end of file ever came.
func TestCrashNoticedWhileGrandchildHoldsStdout(t *testing.T) {
	h := start(t, Options{})
	h.Apply([]Spec{testSpec(t, "a", "grandchild,normal")})
	pid := h.reach("a", Ready).PID
	s := h.session("a")
	grandchild, _ := strconv.Atoi(h.line("a", "forked "))
	began := time.Now()
	kill(pid)
	<-s.closed
	if took := time.Since(began); took > 100*time.Millisecond {
		t.Errorf("noticed after %v", took)
	}
	h.until("next generation", func() bool { return h.get("a").Gen == 2 })
	if !gone(grandchild) {
		t.Error("the grandchild outlived the restart")
	}
	if got := s.cause.Load().(string); !strings.Contains(got, "SIGKILL") {
		t.Errorf("calls were told %q", got)
	}
}

// After a crash loop the app gave up without showing what the server had said.
func TestCrashLoopShowsEvidence(t *testing.T) {
	timings := quick
	timings.CrashMost = 5
	h := start(t, Options{Timings: timings})
	h.Apply([]Spec{testSpec(t, "a", "stray=not json,say=no API key,exit=3")})
	st := h.reach("a", Failed)
	if st.Gen != 5 {
		t.Errorf("%d starts", st.Gen)
	}
	x := st.LastExit
	if x == nil || x.Code != 3 || !strings.Contains(x.Reason, "ended 5 times within 1m") ||
		!strings.Contains(x.Reason, "exited before it answered initialize (code 3)") {
		t.Fatalf("exit %+v", x)
	}
	if len(x.Stderr) != 1 || x.Stderr[0] != "no API key" || len(x.Stray) != 1 || x.Stray[0] != "not json" {
		t.Errorf("evidence %q %q", x.Stderr, x.Stray)
	}
	_, err := h.Acquire(t.Context(), Key{Server: "a"})
	down, ok := errors.AsType[*DownError](err)
	if !ok || down.State != Failed || down.Reason != x.Reason {
		t.Errorf("error %v", err)
	}
	// A person's start gives it a new chance.
	if err := h.Start("a"); err != nil {
		t.Fatal(err)
	}
	h.until("five more", func() bool { st := h.get("a"); return st.Gen == 10 && st.State == Failed })
}

// A missing command was shown as "spawn ENOENT" and tried for ever.
func TestMissingCommand(t *testing.T) {
	h := start(t, Options{})
	bad := testSpec(t, "bad", "normal")
	bad.Command = "no-such-program"
	nodir := testSpec(t, "nodir", "normal")
	nodir.Dir = "/no/such/dir"
	plain := testSpec(t, "plain", "normal")
	plain.Command = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(plain.Command, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	broken := testSpec(t, "broken", "normal")
	broken.Command = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(broken.Command, []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	interp := testSpec(t, "interp", "normal")
	interp.Command = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(interp.Command, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	specs := []Spec{bad, nodir, testSpec(t, "good", "normal"), plain, broken, interp}
	h.Apply(specs)
	h.reach("good", Ready)
	for name, want := range map[string]string{
		"bad":    "`no-such-program` is not on the PATH",
		"nodir":  "the working directory `/no/such/dir` does not exist",
		"plain":  "`" + plain.Command + "` is not executable",
		"broken": "`" + broken.Command + "` can't be run: built for another system, or a script without a #! line",
		"interp": "`" + interp.Command + "` can't be run: the interpreter in its first line does not exist",
	} {
		st := h.reach(name, Failed)
		if st.LastExit.Reason != want || st.LastExit.Code != -1 {
			t.Errorf("%s: %+v", name, st.LastExit)
		}
	}
	// The command was installed meanwhile: the next Apply tries it again.
	dir := t.TempDir()
	exe, _ := os.Executable()
	if err := os.Symlink(exe, filepath.Join(dir, "no-such-program")); err != nil {
		t.Fatal(err)
	}
	bad.Env = append(bad.Env, "PATH="+dir)
	specs[0] = bad
	h.Apply(specs)
	h.reach("bad", Ready)
	if h.get("good").Gen != 1 {
		t.Error("the good one was restarted")
	}
}

// A handshake that never came kept the server "starting" for ever.
func TestHandshakeTimeout(t *testing.T) {
	timings := quick
	timings.Handshake = 100 * time.Millisecond
	timings.CrashMost = 1
	h := start(t, Options{Timings: timings})
	h.Apply([]Spec{testSpec(t, "a", "silent")})
	if x := h.reach("a", Failed).LastExit; !strings.Contains(x.Reason, "did not answer initialize within 100ms") {
		t.Errorf("exit %+v", x)
	}
}

// A cold npx cache takes a minute; the timeout of the handshake killed the half
// install again and again.
func TestInstallingIsNotTimedAsHandshake(t *testing.T) {
	timings := quick
	timings.Handshake = 100 * time.Millisecond
	timings.Install = time.Hour
	timings.CrashMost = 1
	h := start(t, Options{Timings: timings})
	dir := t.TempDir()
	// It installs until the file is there, then answers too late or never.
	script := "#!/bin/sh\nwhile ! test -e " + dir + "/installed; do sleep 0.02; done\necho installed\nexec sleep 1000\n"
	if err := os.WriteFile(filepath.Join(dir, "npx"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	spec := testSpec(t, "a", "normal")
	spec.Command = "npx"
	spec.Env = append(spec.Env, "PATH="+dir+":"+os.Getenv("PATH"))
	h.Apply([]Spec{spec})
	h.until("installing", func() bool { return h.get("a").Phase == Installing })
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // three handshakes long
	defer cancel()
	_, err := h.Acquire(ctx, Key{Server: "a"})
	if down, ok := errors.AsType[*DownError](err); !ok || down.State != Starting || !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(down.Reason, "installing packages") {
		t.Fatalf("error %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "installed"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if x := h.reach("a", Failed).LastExit; !strings.Contains(x.Reason, "did not answer initialize") || len(x.Stray) != 1 {
		t.Errorf("exit %+v", x)
	}
}

// A server that closes its output but keeps running looked healthy.
func TestClosedOutputEndsTheProcess(t *testing.T) {
	timings := quick
	timings.CrashMost = 1
	h := start(t, Options{Timings: timings})
	h.Apply([]Spec{testSpec(t, "a", "close-stdout")})
	if x := h.reach("a", Failed).LastExit; !strings.Contains(x.Reason, errSilent.Error()) {
		t.Errorf("exit %+v", x)
	}
}

// A server that stopped reading its stdin blocked every call for ever.
func TestWriterTimeoutEndsTheProcess(t *testing.T) {
	timings := quick
	timings.CrashMost = 1
	timings.WriteTimeout = 100 * time.Millisecond
	h := start(t, Options{Timings: timings})
	h.Apply([]Spec{testSpec(t, "a", "deaf")})
	s := h.session("a")
	big := make([]byte, 3<<20)
	if err := s.conn.WriteLine(t.Context(), big); err != nil {
		t.Fatal(err)
	}
	<-s.closed
	if x := h.reach("a", Failed).LastExit; !strings.Contains(x.Reason, "the server stopped reading its input") {
		t.Errorf("exit %+v", x)
	}
}

// A hung server stayed green; one busy with a long call was killed.
func TestPing(t *testing.T) {
	timings := quick
	timings.CrashMost = 1
	timings.Ping, timings.PingLimit, timings.PingMisses = 20*time.Millisecond, 20*time.Millisecond, 3
	h := start(t, Options{Timings: timings})
	h.Apply([]Spec{testSpec(t, "well", "normal"), testSpec(t, "hung", "deaf"), testSpec(t, "busy", "deaf")})
	h.session("busy").moving.Store(true)
	if x := h.reach("hung", Failed).LastExit; !strings.Contains(x.Reason, "did not answer 3 pings in a row") {
		t.Errorf("exit %+v", x)
	}
	h.reach("well", Ready)
	if st := h.get("busy"); st.State == Ready {
		h.session("busy").moving.Store(false)
		h.reach("busy", Failed)
	}
}
