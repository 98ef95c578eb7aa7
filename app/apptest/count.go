package apptest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"bridgekeeper/test/shipped"
)

// Holds is what this process holds: all must come back to where they were.
type Holds struct {
	Goroutines, Files, Processes int
}

func (h Holds) String() string {
	return fmt.Sprintf("%d goroutines, %d files, %d processes", h.Goroutines, h.Files, h.Processes)
}

// Count counts now. Where the system doesn't show files they count as none.
func Count(tb testing.TB) Holds {
	tb.Helper()
	tree, err := shipped.Tree(os.Getpid())
	if err != nil {
		tb.Fatal(err)
	}
	h := Holds{Goroutines: runtime.NumGoroutine(), Processes: len(tree)}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.Files = len(files)
	}
	return h
}

// countFor bounds the wait for goroutines and files that are on their way out.
const countFor = 10 * time.Second

// UntilAtMost waits until no more is held than before, and returns what is.
func UntilAtMost(tb testing.TB, before Holds) Holds {
	tb.Helper()
	ctx, stop := context.WithTimeout(context.Background(), countFor)
	defer stop()
	var now Holds
	err := shipped.Poll(ctx, func() (bool, error) {
		now = Count(tb)
		return now.Goroutines <= before.Goroutines && now.Files <= before.Files && now.Processes <= before.Processes, nil
	})
	if err != nil {
		stacks := make([]byte, 1<<20)
		tb.Errorf("before: %s; now: %s\n%s", before, now, stacks[:runtime.Stack(stacks, true)])
	}
	return now
}
