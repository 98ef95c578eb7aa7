//go:build !windows

package attach

import "syscall"

// alone has a program not end with the host's terminal or process group.
func alone() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
