//go:build unix

package app

import (
	"os"
	"os/exec"
	"syscall"
)

// passSecret makes the pipe the process's file 3 (client.FindWithSecret).
func passSecret(cmd *exec.Cmd, read *os.File) { cmd.ExtraFiles = []*os.File{read} }

func endPolitely(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
