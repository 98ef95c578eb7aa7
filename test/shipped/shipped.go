// Package shipped drives the built binary from outside, as a person would: it
// starts the core in a home of its own, runs the command line against it,
// waits for states and counts the processes that are left.
//
// It knows the binary's contract (flags, the first line of --json, exit codes,
// app/wire) and nothing of its inside. The demo, the benchmark and the tests of
// real servers call it.
package shipped

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"bridgekeeper/app/wire"
)

const (
	startLimit = 20 * time.Second       // from exec to the first line; a cold disk is slow
	stopLimit  = 30 * time.Second       // the core waits 8 s for a stubborn server before it kills
	pipeGrace  = 2 * time.Second        // for a process that inherited our pipes
	pollEvery  = 100 * time.Millisecond // between two looks at the state
	keepStderr = 64 << 10               // of the core's own log, for a failure's report
)

// Options say how to start a core.
type Options struct {
	Bin    string    // the binary
	Home   string    // becomes BRIDGEKEEPER_HOME
	Args   []string  // after `serve --json --port 0`
	Stderr io.Writer // also gets the core's log; may be nil
}

// Core is a running core. Its fields never change.
type Core struct {
	Bin    string
	Home   string
	URL    string `json:"url"`
	Socket string `json:"socket"`
	PID    int    `json:"pid"`

	cmd    *exec.Cmd
	log    *tail
	exited chan struct{} // closed by wait, the only goroutine; err is set before
	err    error
}

// Start runs `serve` and returns when it has told its address.
func Start(ctx context.Context, o Options) (*Core, error) {
	hello := &firstLine{got: make(chan []byte, 1)}
	log := &tail{}
	cmd := exec.Command(o.Bin, append([]string{"serve", "--json", "--port", "0"}, o.Args...)...)
	cmd.Env = environ(o.Home)
	cmd.Stdout = hello
	cmd.Stderr = log
	if o.Stderr != nil {
		cmd.Stderr = io.MultiWriter(log, o.Stderr)
	}
	cmd.WaitDelay = pipeGrace
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the core: %w", err)
	}
	c := &Core{Bin: o.Bin, Home: o.Home, cmd: cmd, log: log, exited: make(chan struct{})}
	go c.wait()

	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	var err error
	select {
	case line := <-hello.got:
		if err = json.Unmarshal(line, c); err == nil && (c.URL == "" || c.Socket == "" || c.PID == 0) {
			err = errors.New("url, socket or pid is missing")
		}
		if err == nil {
			return c, nil
		}
		err = fmt.Errorf("read the core's first line %q: %w", line, err)
	case <-c.exited:
		err = fmt.Errorf("the core ended at once: %v", c.err)
	case <-ctx.Done():
		err = fmt.Errorf("the core told no address: %w", ctx.Err())
	}
	c.Kill()
	return nil, fmt.Errorf("%w\n%s", err, log)
}

// wait owns the process's end.
func (c *Core) wait() {
	c.err = c.cmd.Wait()
	close(c.exited)
}

// Log returns the end of what the core wrote on stderr.
func (c *Core) Log() string { return c.log.String() }

// CLI runs the binary with args against this core and returns its stdout.
func (c *Core) CLI(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, c.Bin, args...)
	cmd.Env = environ(c.Home)
	cmd.WaitDelay = pipeGrace
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return stdout.String(), fmt.Errorf("bridgekeeper %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

// AddHost gives a host of that name a token.
func (c *Core) AddHost(ctx context.Context, name string) (*wire.NewHost, error) {
	out, err := c.CLI(ctx, "host", "add", name, "--json")
	if err != nil {
		return nil, err
	}
	host := &wire.NewHost{}
	if err := json.Unmarshal([]byte(out), host); err != nil {
		return nil, fmt.Errorf("read the new host: %w", err)
	}
	return host, nil
}

// Status returns the core's snapshot.
func (c *Core) Status(ctx context.Context) (*wire.Snapshot, error) {
	out, err := c.CLI(ctx, "status", "--json")
	if err != nil {
		return nil, err
	}
	s := &wire.Snapshot{}
	if err := json.Unmarshal([]byte(out), s); err != nil {
		return nil, fmt.Errorf("read the status: %w", err)
	}
	return s, nil
}

// Server returns the named server of a snapshot, or nil.
func Server(s *wire.Snapshot, name string) *wire.Server {
	for i := range s.Servers {
		if s.Servers[i].Name == name {
			return &s.Servers[i]
		}
	}
	return nil
}

// Until looks at the status again and again until ok accepts it or ctx ends.
func (c *Core) Until(ctx context.Context, what string, ok func(*wire.Snapshot) bool) (*wire.Snapshot, error) {
	var last *wire.Snapshot
	err := Poll(ctx, func() (bool, error) {
		s, err := c.Status(ctx)
		if err != nil {
			return false, err
		}
		last = s
		return ok(s), nil
	})
	if err != nil {
		return last, fmt.Errorf("wait until %s: %w (last seen: %s)", what, err, states(last))
	}
	return last, nil
}

// UntilReady waits until the named servers are all ready.
func (c *Core) UntilReady(ctx context.Context, names ...string) (*wire.Snapshot, error) {
	return c.Until(ctx, strings.Join(names, ", ")+" are ready", func(s *wire.Snapshot) bool {
		for _, name := range names {
			if srv := Server(s, name); srv == nil || srv.State != "ready" {
				return false
			}
		}
		return true
	})
}

// Poll calls ok until it returns true or an error, or ctx ends.
func Poll(ctx context.Context, ok func() (bool, error)) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		done, err := ok()
		if done || (err != nil && ctx.Err() == nil) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// Stop asks the core to end, as a service manager would, and waits for it.
func (c *Core) Stop() error {
	if err := terminate(c.cmd.Process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end the core: %w", err)
	}
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	select {
	case <-c.exited:
		return c.err
	case <-limit.C:
		c.Kill()
		return fmt.Errorf("the core did not end within %s of being asked", stopLimit)
	}
}

// Kill ends the core the hard way and waits for it.
func (c *Core) Kill() {
	c.cmd.Process.Kill()
	<-c.exited
}

func states(s *wire.Snapshot) string {
	if s == nil {
		return "nothing"
	}
	var b strings.Builder
	for _, srv := range s.Servers {
		fmt.Fprintf(&b, "%s %s", srv.Name, srv.State)
		if srv.LastExit != nil {
			fmt.Fprintf(&b, " (%s; %q)", srv.LastExit.Reason, srv.LastExit.Stderr)
		}
		b.WriteString("; ")
	}
	return b.String()
}

// environ is ours with another home.
func environ(home string) []string {
	env := []string{}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "BRIDGEKEEPER_") {
			env = append(env, kv)
		}
	}
	return append(env, "BRIDGEKEEPER_HOME="+home)
}

// firstLine hands over the first line written to it and drops the rest. Only
// the goroutine of os/exec writes.
type firstLine struct {
	buf  []byte
	done bool
	got  chan []byte
}

func (f *firstLine) Write(p []byte) (int, error) {
	if !f.done {
		f.buf = append(f.buf, p...)
		if i := bytes.IndexByte(f.buf, '\n'); i >= 0 {
			f.got <- f.buf[:i]
			f.done = true
		}
	}
	return len(p), nil
}

// tail keeps the end of what was written.
type tail struct {
	mu  sync.Mutex // guards buf
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - keepStderr; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
