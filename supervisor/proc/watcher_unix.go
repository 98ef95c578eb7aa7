//go:build unix

package proc

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const (
	// watcherWrite is how long the core waits for the watcher's pipe; it reads at once.
	watcherWrite = time.Second
	// A watcher that dies is started again, in growing steps when that goes on.
	watcherRetryFirst = 50 * time.Millisecond
	watcherRetryMost  = time.Minute
	// watcherQuit is what it gets to leave in peace.
	watcherQuit = 2 * time.Second
)

var errNoEntry = errors.New("this program doesn't call proc.RunWatcherIfAsked")

// Watcher is the core's side of the one process that outlives it by a moment
// and ends all children when the core is gone. Add and Remove may be called
// from any goroutine.
type Watcher struct {
	run  string
	log  *slog.Logger
	quit chan struct{}
	done chan struct{}

	mu      sync.Mutex
	entries map[Entry]bool // guarded by mu, like the two below
	pipe    *os.File       // write end; only the core has one
	cmd     *exec.Cmd      // nil while there is none
}

// StartWatcher starts it. run is the first part of all marks of this core.
func StartWatcher(run string, log *slog.Logger) (*Watcher, error) {
	if !entered {
		return nil, errNoEntry
	}
	w := &Watcher{
		run:     run,
		log:     log,
		quit:    make(chan struct{}),
		done:    make(chan struct{}),
		entries: make(map[Entry]bool),
	}
	cmd, err := w.launch()
	if err != nil {
		return nil, err
	}
	go w.keep(cmd)
	return w, nil
}

// Add registers a running child.
func (w *Watcher) Add(e Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries[e] = true
	w.sayLocked("+ " + e.String())
}

// Remove takes a child off whose tree was ended.
func (w *Watcher) Remove(e Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.entries, e)
	w.sayLocked("- " + e.String())
}

// PID is the watcher's process id, 0 while it is being started again.
func (w *Watcher) PID() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cmd == nil {
		return 0
	}
	return w.cmd.Process.Pid
}

// Close lets the watcher go in peace. All children must have been ended.
func (w *Watcher) Close() {
	close(w.quit)
	<-w.done
}

// keep waits for the watcher and starts it again when it dies.
func (w *Watcher) keep(cmd *exec.Cmd) {
	defer close(w.done)
	retry := watcherRetryFirst
	for {
		began := time.Now()
		dead := make(chan struct{})
		if cmd != nil {
			go func() {
				cmd.Wait()
				close(dead)
			}()
			select {
			case <-dead:
				w.log.Warn("the watcher of child processes died; starting it again", "pid", cmd.Process.Pid)
			case <-w.quit:
				w.leave(cmd, dead)
				return
			}
			w.forget()
		}
		if time.Since(began) > watcherRetryMost {
			retry = watcherRetryFirst
		}
		pause := time.NewTimer(retry)
		select {
		case <-pause.C:
		case <-w.quit:
			pause.Stop()
			return
		}
		retry = min(2*retry, watcherRetryMost)
		var err error
		if cmd, err = w.launch(); err != nil {
			w.log.Error("start the watcher of child processes", "err", err)
			cmd = nil
		}
	}
}

// leave says goodbye and waits for the end.
func (w *Watcher) leave(cmd *exec.Cmd, dead <-chan struct{}) {
	w.mu.Lock()
	w.sayLocked("q")
	w.mu.Unlock()
	w.forget()
	timer := time.AfterFunc(watcherQuit, func() { cmd.Process.Kill() })
	defer timer.Stop()
	<-dead
}

func (w *Watcher) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cmd = nil
	if w.pipe != nil {
		w.pipe.Close()
		w.pipe = nil
	}
}

// launch starts the process and tells it everything.
func (w *Watcher) launch() (*exec.Cmd, error) {
	exe, err := ownExecutable()
	if err != nil {
		return nil, err
	}
	read, write, err := os.Pipe() // close-on-exec: no child may hold the write end
	if err != nil {
		return nil, err
	}
	defer read.Close()
	cmd := &exec.Cmd{
		Path: exe,
		Args: []string{"bridgekeeper", watchArgument},
		Env:  []string{"GOMAXPROCS=1", "GOTRACEBACK=none"},
		Dir:  "/",
		// Its own session: neither a terminal's Ctrl-C nor its end reaches it.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
		Stdin:       read,
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	// What the pipe holds is said before there is anybody to hear it: if the core
	// is killed while the watcher starts, the watcher still knows what to end.
	w.pipe = write
	w.sayLocked("r " + w.run)
	var later []string
	said := 0
	for e := range w.entries {
		line := "+ " + e.String()
		if said += len(line); said > watcherAhead {
			later = append(later, line)
			continue
		}
		w.sayLocked(line)
	}
	if err := cmd.Start(); err != nil {
		write.Close()
		w.pipe = nil
		return nil, fmt.Errorf("start the watcher: %w", err)
	}
	w.cmd = cmd
	for _, line := range later {
		w.sayLocked(line)
	}
	return cmd, nil
}

// watcherAhead is what every system's pipe holds with nobody reading.
const watcherAhead = 4 << 10

// sayLocked writes one line. A watcher that doesn't take it is as good as dead:
// without its pipe it ends, and keep starts another that is told everything.
func (w *Watcher) sayLocked(line string) {
	if w.pipe == nil {
		return
	}
	w.pipe.SetWriteDeadline(time.Now().Add(watcherWrite))
	if _, err := w.pipe.WriteString(line + "\n"); err != nil {
		if w.cmd != nil {
			w.cmd.Process.Kill()
		}
		w.pipe.Close()
		w.pipe = nil
	}
}

// ownExecutable is a path that starts this very program, also after its file
// was replaced by an update.
func ownExecutable() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}
