//go:build unix

package supervisor

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// gone reports whether no such process runs; a zombie doesn't.
func gone(pid int) bool {
	if pid <= 0 || syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func kill(pid int) { syscall.Kill(pid, syscall.SIGKILL) }
