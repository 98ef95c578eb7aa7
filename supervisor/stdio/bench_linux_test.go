package stdio

import (
	"os"

	"golang.org/x/sys/unix"
)

// enlarge makes pipes what the supervisor makes of a child's.
func enlarge(files ...*os.File) {
	for _, f := range files {
		raw, err := f.SyscallConn()
		if err != nil {
			continue
		}
		raw.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}
