//go:build unix

package supervisor

import (
	"os/exec"
	"syscall"
)

func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// alive reports whether a process runs and isn't a zombie.
func signalZero(pid int) error { return syscall.Kill(pid, 0) }

func kill(pid int) { syscall.Kill(pid, syscall.SIGKILL) }
