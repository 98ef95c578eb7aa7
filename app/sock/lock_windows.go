package sock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockedAt is far behind the pid: Windows keeps others from reading what is locked.
const lockedAt = 1 << 20

func lockFile(f *os.File) error {
	at := windows.Overlapped{Offset: lockedAt}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}
