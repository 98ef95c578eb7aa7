//go:build unix

package proc

import (
	"sync"
	"sync/atomic"
	"time"
)

// endEntries ends the trees of entries side by side and returns how many of
// them had something alive.
func endEntries(entries []Entry, term time.Duration) int {
	var ended atomic.Int64
	var trees sync.WaitGroup
	for _, e := range entries {
		trees.Go(func() {
			t := newTree(e.PID, e.Start, e.Mark)
			// A process whose environment can be read must carry the mark.
			if m := shared.fresh().mark(e.PID); m != "" && m != e.Mark {
				delete(t.known, e.PID)
			}
			if len(t.members()) > 0 {
				ended.Add(1)
				t.end(term)
			}
		})
	}
	trees.Wait()
	return int(ended.Load())
}
