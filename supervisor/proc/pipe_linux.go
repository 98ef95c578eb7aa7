package proc

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// pipeSize is what a child's pipes are enlarged to: a result of a megabyte
// then crosses without the two sides taking turns.
const pipeSize = 1 << 20

// pipeBytes is the sum of what Enlarge gave out. A person's pipes have a common
// soft limit; beyond it the system makes all new ones tiny, everywhere, so we
// take at most half of it.
var pipeBytes atomic.Int64

var pipeLimit = sync.OnceValue(func() int64 {
	const usual = 16384 // pages
	b, err := os.ReadFile("/proc/sys/fs/pipe-user-pages-soft")
	pages, err2 := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	if err != nil || err2 != nil || pages <= 0 {
		pages = usual // 0 means no limit; then ours is only good manners
	}
	return pages * int64(os.Getpagesize()) / 2
})

// Enlarge makes a pipe larger, if the system and our share of it allow. Call
// the result once when the pipe is no longer used.
func Enlarge(f *os.File) (release func()) {
	if pipeBytes.Add(pipeSize) > pipeLimit() || !setPipeSize(f) {
		pipeBytes.Add(-pipeSize)
		return func() {}
	}
	return func() { pipeBytes.Add(-pipeSize) }
}

func setPipeSize(f *os.File) bool {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	done := false
	raw.Control(func(fd uintptr) {
		_, err := unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize)
		done = err == nil
	})
	return done
}
