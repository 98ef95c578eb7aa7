package load

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"
)

// A server that started another program looked as if it took nothing.
func TestTreeIsMeasured(t *testing.T) {
	busy := exec.Command(os.Args[0], "-test.run=^TestParent$")
	busy.Env = append(os.Environ(), "BK_LOAD=parent")
	if err := busy.Start(); err != nil {
		t.Fatal(err)
	}
	defer busy.Wait()
	defer busy.Process.Kill()
	var m Meter
	for deadline := time.Now().Add(20 * time.Second); ; {
		all, err := m.Measure(t.Context(), map[string][]int{"busy": {busy.Process.Pid}, "gone": {1 << 30}})
		if err != nil {
			t.Fatal(err)
		}
		s := all["busy"]
		if _, there := all["gone"]; there {
			t.Fatal("a process that isn't there was measured")
		}
		if s.Processes >= 2 && s.CPU > 5 && s.Memory > 1<<20 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("measured %+v", s)
		}
		waitABit(t.Context())
	}
}

// waitABit lets processor time pass: only that is measured.
func waitABit(ctx context.Context) {
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// TestParent is the body of the processes of another test: one that waits for one
// that is busy.
func TestParent(t *testing.T) {
	switch os.Getenv("BK_LOAD") {
	case "parent":
		child := exec.Command(os.Args[0], "-test.run=^TestParent$")
		child.Env = append(os.Environ(), "BK_LOAD=child")
		in, err := child.StdinPipe() // closed when we are killed: the child then ends
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := child.Run(); err != nil {
			t.Log(err)
		}
	case "child":
		go func() { os.Stdin.Read(make([]byte, 1)); os.Exit(0) }()
		for {
		}
	default:
		t.Skip("only as a process of TestTreeIsMeasured")
	}
}
