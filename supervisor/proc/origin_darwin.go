package proc

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// executable is the path of the file that a process runs.
func executable(pid int) (string, bool) {
	block, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(block) < 4 {
		return "", false
	}
	path, _, _ := bytes.Cut(block[4:], []byte{0})
	return string(path), len(path) > 0
}
