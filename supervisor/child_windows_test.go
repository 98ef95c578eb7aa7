package supervisor

import (
	"os"
	"os/exec"
)

func detach(*exec.Cmd) {}

func gone(pid int) bool {
	if pid <= 0 {
		return true
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		p.Release()
	}
	return err != nil
}

func kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
}

func core() {}
