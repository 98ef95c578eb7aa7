//go:build unix

package elicit

import (
	"os/exec"
	"syscall"
)

// detach keeps the terminal's signals, which end us, away from the browser.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
