//go:build unix

package proc

import "os/exec"

func hideWindow(*exec.Cmd) {}
