//go:build unix

package proc

import "os"

// maxAncestors bounds the way up: parents can't be a circle, but the table is
// read while processes come and go.
const maxAncestors = 1000

// isChild looks at the process and everything above it.
func isChild(pid int) (child, ok bool) {
	t := shared.fresh()
	if _, there := t.procs[pid]; !there {
		return false, false
	}
	self := os.Getpid()
	for range maxAncestors {
		p, there := t.procs[pid]
		switch {
		case pid == self:
			return true, true
		case !there: // another user's, such as init or a login
			return false, true
		case t.mark(pid) != "":
			return true, true
		}
		pid = p.ppid
	}
	return true, true
}
