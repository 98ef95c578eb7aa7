//go:build unix

package stdio

import (
	"os"
	"syscall"
	"time"
)

// nonBlocking returns the handle for writes that don't wait, nil when f can't.
func nonBlocking(f *os.File) syscall.RawConn {
	if f.SetWriteDeadline(time.Time{}) != nil {
		return nil // not in the poller: a write could block its thread
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// writeOnce writes what the pipe has room for now.
func writeOnce(fd uintptr, b []byte) (int, error) {
	for {
		n, err := syscall.Write(int(fd), b)
		switch err {
		case nil:
			return n, nil
		case syscall.EINTR:
		case syscall.EAGAIN:
			return 0, nil
		default:
			return 0, err
		}
	}
}
