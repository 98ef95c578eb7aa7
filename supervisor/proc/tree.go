//go:build unix

package proc

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"
)

const (
	// pollFirst and pollMost pace the look at processes that are not our children
	// and can't be waited for.
	pollFirst = 2 * time.Millisecond
	pollMost  = 50 * time.Millisecond
	// killRounds bounds how often a tree that keeps forking is killed anew.
	killRounds = 20
	// killWait is how long one round waits for the killed to disappear.
	killWait = 250 * time.Millisecond
)

// tree is a started process and all that descends from it. It belongs to one
// goroutine.
type tree struct {
	pid   int // also the group
	start uint64
	mark  string // of everything in it; "" when unknown
	// recent says that the process was alive a moment ago, so that nobody else can
	// have come to use the number of its group.
	recent bool
	known  map[int]uint64 // members seen before, by start time: they stay ours when their parent dies
}

func newTree(pid int, start uint64, mark string) *tree {
	return &tree{pid: pid, start: start, mark: mark, known: map[int]uint64{pid: start}}
}

// members lists what is alive of the tree: the group, descendants by parent,
// and whatever carries the mark.
func (t *tree) members() []info {
	now := shared.fresh()
	ours := make(map[int]info)
	add := func(p info) {
		if p.pid > 1 && p.pid != os.Getpid() {
			ours[p.pid] = p
		}
	}
	leader, taken := now.procs[t.pid]
	group := t.recent && (!taken || leader.start == t.start) // is the group of this number ours?
	for pid, p := range now.procs {
		if p.start < t.start {
			continue
		}
		start, seen := t.known[pid]
		if (seen && start == p.start) || (t.mark != "" && now.mark(pid) == t.mark) {
			add(p)
			group = group || p.pgid == t.pid
		}
	}
	if group {
		for _, p := range now.procs {
			if p.pgid == t.pid && p.start >= t.start {
				add(p)
			}
		}
	}
	for grew := true; grew; {
		grew = false
		for _, p := range now.procs {
			parent, ok := ours[p.ppid]
			if _, have := ours[p.pid]; ok && !have && p.start >= parent.start {
				add(p)
				grew = true
			}
		}
	}
	list := make([]info, 0, len(ours))
	for pid, p := range ours {
		t.known[pid] = p.start
		list = append(list, p)
	}
	return list
}

// signal sends sig to all members: to the group as a whole, so that no fork
// slips through, and one by one to those outside it.
func (t *tree) signal(sig syscall.Signal, members []info) {
	if slices.ContainsFunc(members, func(p info) bool { return p.pgid == t.pid }) {
		syscall.Kill(-t.pid, sig)
	}
	for _, p := range members {
		if p.pgid != t.pid {
			signalOne(p, sig)
		}
	}
}

// end sends SIGTERM, waits up to term, and kills what is left. It returns an
// error only when something survived SIGKILL.
func (t *tree) end(term time.Duration) error {
	members := t.members()
	if len(members) == 0 {
		return nil
	}
	if term > 0 {
		t.signal(syscall.SIGTERM, members)
		t.gone(term)
	}
	for range killRounds {
		if members = t.members(); len(members) == 0 {
			return nil
		}
		t.signal(syscall.SIGKILL, members)
		t.gone(killWait)
	}
	return fmt.Errorf("end the process tree of %d: %w", t.pid, errSurvived)
}

var errSurvived = errors.New("something in it survived SIGKILL")

// gone waits until nothing that was seen so far is alive, at most limit.
func (t *tree) gone(limit time.Duration) bool {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for wait := pollFirst; ; wait = min(2*wait, pollMost) {
		alive := false
		for pid, start := range t.known {
			if now, ok := startTime(pid); ok && now == start {
				alive = true
				break
			}
			if pid != t.pid {
				delete(t.known, pid)
			}
		}
		if !alive {
			return true
		}
		next := time.NewTimer(wait)
		select {
		case <-next.C:
		case <-deadline.C:
			next.Stop()
			return false
		}
	}
}
