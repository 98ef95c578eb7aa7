package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	line := "42 (a) b (c)) S 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 1 2 3"
	p, ok := parseStat(42, []byte(line))
	if !ok || p != (info{pid: 42, ppid: 7, pgid: 8, start: 123456}) {
		t.Errorf("%+v %v", p, ok)
	}
	if _, ok := parseStat(42, []byte(strings.Replace(line, " S ", " Z ", 1))); ok {
		t.Error("a zombie counts as alive")
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("42 (x) S 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 1"))
	f.Fuzz(func(t *testing.T, b []byte) { parseStat(1, b) })
}

// sleeper starts a process in a group of its own.
func sleeper(t *testing.T, mark string) *Process {
	t.Helper()
	path, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	p, err := Start(Command{Path: path, Argv: []string{"sleep", "1000"}, Env: os.Environ(), Mark: mark, Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(nil, Ending{}) })
	return p
}

func (p *Process) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// The number of an orphan had been given to somebody else's process, and that
// was ended.
func TestSweepSparesStrangers(t *testing.T) {
	mine, reused, other := sleeper(t, "r.mine.1"), sleeper(t, "r.x.1"), sleeper(t, "r.y.1")
	path := filepath.Join(t.TempDir(), "children")
	r := NewRegistry(path)
	wrongStart := reused.Entry
	wrongStart.Start--
	wrongStart.Mark = "r.other.1"
	wrongMark := other.Entry
	wrongMark.Mark = "r.other.1"
	for _, e := range []Entry{mine.Entry, wrongStart, wrongMark} {
		if err := r.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	n, err := Sweep(path)
	if n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	<-mine.Done()
	if mine.Exit().Signal != "SIGTERM" {
		t.Errorf("exit %+v", mine.Exit())
	}
	if !reused.alive() || !other.alive() {
		t.Error("a stranger was ended")
	}
}

// A tree that was killed member by member forked faster than it died.
func TestEndForkingTree(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	p, err := Start(Command{
		Path: sh, Env: os.Environ(), Mark: "r.forks.1", Dir: "/",
		Argv: []string{"sh", "-c", `trap "" TERM; while :; do (setsid sleep 50 &) ; (sleep 50 &); sleep 0.01; done`},
	})
	if err != nil {
		t.Fatal(err)
	}
	for len(p.tree.members()) < 10 {
	}
	if err := p.End(nil, Ending{Term: 100 * time.Millisecond}); err != nil {
		t.Error(err)
	}
	if left := shared.fresh().marked("r.forks.", 0); len(left) != 0 {
		t.Errorf("left: %+v", left)
		for _, p := range left {
			syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
}

func TestExit(t *testing.T) {
	p := sleeper(t, "r.a.1")
	syscall.Kill(p.PID, syscall.SIGSEGV)
	<-p.Done()
	if x := p.Exit(); x.Code != -1 || x.Signal != "SIGSEGV" {
		t.Errorf("%+v", x)
	}
}

func TestListen(t *testing.T) {
	a, b := Entry{42, 1, "r.a.1"}, Entry{43, 1, "r.b.1"}
	text := "r run\n+ " + a.String() + "\n+ " + b.String() + "\n- " + a.String() + "\nnonsense\n+ 1 1 x\n"
	run, entries, peace := listen(strings.NewReader(text))
	if run != "run" || len(entries) != 1 || !entries[b] || peace {
		t.Errorf("%q %v %v", run, entries, peace)
	}
	if _, _, peace = listen(strings.NewReader(text + "q\n")); !peace {
		t.Error("goodbye not understood")
	}
}

func FuzzListen(f *testing.F) {
	f.Add([]byte("r run\n+ 42 1 m\n- 42 1 m\nq\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, entries, _ := listen(strings.NewReader(string(b)))
		for e := range entries {
			if e.PID <= 1 {
				t.Errorf("%+v", e)
			}
		}
	})
}

// Many enlarged pipes used up what a person may have, and every new pipe of
// every program became tiny.
func TestEnlargeIsBounded(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	before := pipeBytes.Load()
	release := Enlarge(w)
	if got := pipeBytes.Load(); got != before && got != before+pipeSize {
		t.Errorf("%d", got)
	}
	release()
	if pipeBytes.Load() != before {
		t.Error("not given back")
	}
	pipeBytes.Store(pipeLimit())
	defer pipeBytes.Store(before)
	Enlarge(w)()
	if pipeBytes.Load() != pipeLimit() {
		t.Error("over the limit")
	}
}
