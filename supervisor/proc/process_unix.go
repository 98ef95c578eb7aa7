//go:build unix

package proc

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

type treeHandle = *tree

// Start starts c in a process group of its own.
func Start(c Command) (*Process, error) {
	cmd := newCmd(c)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, done: make(chan struct{})}
	// Not waited for yet, so the pid is still its own, dead or alive.
	start, ok := startTime(cmd.Process.Pid)
	p.Entry = Entry{PID: cmd.Process.Pid, Start: start, Mark: c.Mark}
	p.tree = newTree(p.PID, start, c.Mark)
	p.tree.recent = true
	if !ok {
		p.tree.start = startedAfterUs()
	}
	go p.wait()
	return p, nil
}

// startedAfterUs is a lower bound of the start time of a child that was gone
// before it could be looked at.
func startedAfterUs() uint64 {
	start, _ := startTime(os.Getpid())
	return start
}

// End ends the whole tree and returns when nothing of it is left, or with an
// error when something outlived SIGKILL. closeStdin asks politely; nil skips
// that step. Called after Done it ends the rest.
func (p *Process) End(closeStdin func(), e Ending) error {
	p.tree.members() // while parents are alive their children are found
	if closeStdin != nil {
		closeStdin()
		p.doneWithin(e.EOF)
	}
	select {
	case <-p.done:
		if len(p.tree.members()) > 0 {
			p.tree.gone(e.Rest)
		}
	default:
	}
	err := p.tree.end(e.Term)
	if err == nil {
		<-p.done // killed: its waiter is about to return
	}
	return err
}

func exitOf(state *os.ProcessState) Exit {
	if state == nil {
		return Exit{Code: -1}
	}
	ws, ok := state.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return Exit{Code: -1, Signal: signalName(ws.Signal())}
	}
	return Exit{Code: state.ExitCode()}
}

func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return s.String()
}
