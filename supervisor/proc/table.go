//go:build unix

package proc

import (
	"strings"
	"sync"
	"time"
)

// info is one live process (zombies are not live).
type info struct {
	pid, ppid, pgid int
	start           uint64 // of the system's own making; tells two owners of one pid apart
}

// table is what runs on the machine at one moment. Marks are read on demand.
type table struct {
	taken time.Time
	procs map[int]info

	mu    sync.Mutex
	marks map[int]string // guarded by mu
}

// tables shares one listing among all who asked before it began: a hundred
// servers that end together need few of them.
type tables struct {
	mu   sync.Mutex
	last *table // guarded by mu
}

var shared tables

// fresh returns a listing that began after the call.
func (t *tables) fresh() *table {
	asked := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last != nil && t.last.taken.After(asked) {
		return t.last
	}
	t.last = &table{taken: time.Now(), marks: make(map[int]string)}
	t.last.procs = listProcesses()
	return t.last
}

func (t *table) mark(pid int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	m, ok := t.marks[pid]
	if !ok {
		m = readMark(pid)
		t.marks[pid] = m
	}
	return m
}

// marked returns all whose mark begins with prefix and that are not older than since.
func (t *table) marked(prefix string, since uint64) []info {
	var found []info
	for pid, p := range t.procs {
		if p.start >= since && strings.HasPrefix(t.mark(pid), prefix) {
			found = append(found, p)
		}
	}
	return found
}
