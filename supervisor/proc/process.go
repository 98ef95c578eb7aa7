package proc

import (
	"os"
	"os/exec"
	"time"
)

// Command is what to start. Nothing of it goes through a shell.
type Command struct {
	Path string   // of the program, already looked up
	Argv []string // with the name in front
	Env  []string // whole; the mark is added
	Dir  string
	Mark string

	// The child's ends. They stay the caller's, who closes them after Start.
	Stdin, Stdout, Stderr *os.File
}

// Exit is how a process ended.
type Exit struct {
	Code   int    // -1 after a signal
	Signal string // "SIGKILL" and the like; "" otherwise
}

// Ending is the ladder by which a tree is ended.
type Ending struct {
	EOF  time.Duration // from the end of its stdin to SIGTERM
	Term time.Duration // from SIGTERM to SIGKILL
	Rest time.Duration // for the rest of the tree, once the process itself is gone
}

// DefaultEnding is the one of the MCP specification's order, with our times.
var DefaultEnding = Ending{EOF: 6 * time.Second, Term: 2 * time.Second, Rest: 300 * time.Millisecond}

// Entry identifies a running child for the watcher and the registry.
type Entry struct {
	PID   int
	Start uint64 // the system's start time of PID; guards against a reused number
	Mark  string
}

// Process is a started child. Wait on Done; call End once, from one goroutine.
type Process struct {
	Entry
	cmd  *exec.Cmd
	tree treeHandle
	done chan struct{}
	exit Exit // written before done is closed
}

// Done is closed as soon as the process itself is gone, whoever holds its pipes.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit tells how it ended; only after Done.
func (p *Process) Exit() Exit { return p.exit }

func newCmd(c Command) *exec.Cmd {
	return &exec.Cmd{
		Path: c.Path,
		Args: c.Argv,
		Env:  withMark(c.Env, c.Mark),
		Dir:  c.Dir,
		// Files, never pipes of exec's making: then Wait tells of the death and not
		// of the end of the output, which a grandchild may hold open.
		Stdin:  c.Stdin,
		Stdout: c.Stdout,
		Stderr: c.Stderr,
	}
}

// wait runs until the process is gone.
func (p *Process) wait() {
	p.cmd.Wait() // its error says nothing that ProcessState doesn't
	p.exit = exitOf(p.cmd.ProcessState)
	close(p.done)
}

// doneWithin waits for the process itself.
func (p *Process) doneWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}
