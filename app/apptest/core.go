// Package apptest runs a real core inside the test's process: the real config,
// supervisor, endpoint and local API over a temporary home, with servers that
// are the test binary started again. It also counts what a core holds, so that
// tests can show that nothing is left.
//
// Only tests call it. A test package that uses it calls Main in its TestMain.
package apptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"bridgekeeper/app"
	"bridgekeeper/app/client"
	"bridgekeeper/app/example"
	"bridgekeeper/app/home"
	"bridgekeeper/app/wire"
	"bridgekeeper/supervisor"
	"bridgekeeper/supervisor/proc"
	"bridgekeeper/test/misbehave"
)

// Patience bounds every wait of a test: two busy processors are slow.
const Patience = 60 * time.Second

// Main is TestMain: the test binary is also the servers and the watcher.
func Main(m *testing.M) {
	misbehave.Maybe()
	if proc.RunWatcherIfAsked() {
		return
	}
	if name := os.Getenv(exampleEnv); name != "" {
		if err := example.Run(context.Background(), name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// exampleEnv turns the test binary into one of the example servers: misbehave
// has no tool that needs an answer.
const exampleEnv = "BRIDGEKEEPER_APPTEST_EXAMPLE"

// Example makes an entry one of the example servers.
func Example(name string) func(*wire.Entry) {
	return func(e *wire.Entry) { delete(e.Env, misbehave.Env); e.Env[exampleEnv] = name }
}

// Quick are timings for tests that wait for restarts.
var Quick = supervisor.Timings{BackoffFirst: 20 * time.Millisecond, BackoffMost: 200 * time.Millisecond,
	Ending: proc.Ending{EOF: 500 * time.Millisecond, Term: 200 * time.Millisecond}}

// Options say how a core is run. The zero value is a core on any port that
// denies what needs an answer.
type Options struct {
	Home      string // "" makes one
	Port      int    // as app.Options
	Answers   string // "" is deny
	Open      bool
	LegacySSE bool
	Config    string // written before the start; "" leaves the file as it is
	Stdin     io.Reader
	Terminal  io.Writer
	Timings   supervisor.Timings
}

// Core is a core that runs in this process.
type Core struct {
	*client.Client
	tb   testing.TB
	Home string
	URL  string

	stop  context.CancelFunc
	ended chan struct{} // closed when Serve has returned; err is set before
	err   error
	log   *syncBuffer
}

// Start runs a core; it ends with the test. Only one runs at a time in a
// process: its home is in the environment.
func Start(tb testing.TB, o Options) *Core {
	tb.Helper()
	if o.Home == "" {
		o.Home = Home(tb)
	}
	tb.Setenv(home.Env, o.Home)
	tb.Setenv("GOMAXPROCS", strconv.Itoa(runtime.NumCPU())) // the core then leaves the test's processors alone
	tb.Setenv("GORACE", "atexit_sleep_ms=0")                // of the watcher, where the test runs with the race detector
	if o.Answers == "" {
		o.Answers = app.AnswerDeny
	}
	if o.Config != "" {
		if err := os.WriteFile(filepath.Join(o.Home, "bridgekeeper.json"), []byte(o.Config), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	c := &Core{tb: tb, Home: o.Home, stop: stop, ended: make(chan struct{}), log: &syncBuffer{}}
	up := make(chan wire.Core, 1)
	go func() {
		defer close(c.ended)
		c.err = app.Serve(ctx, app.Options{Version: "test", Port: o.Port, Answers: o.Answers, Open: o.Open, LegacySSE: o.LegacySSE,
			Stdin: o.Stdin, Terminal: o.Terminal, Timings: o.Timings,
			Log: slog.New(slog.NewTextHandler(c.log, nil)), Up: func(core wire.Core, _ string) { up <- core }})
	}()
	select {
	case core := <-up:
		c.URL = core.URL
		c.Client = client.New(core.Socket)
	case <-c.ended:
		stop()
		tb.Fatalf("the core ended at once: %v", c.err)
	case <-time.After(Patience):
		stop()
		tb.Fatal("the core doesn't start")
	}
	tb.Cleanup(func() {
		c.end()
		if tb.Failed() {
			tb.Logf("the core's log:\n%s", c.log)
		}
	})
	return c
}

// Home makes a short folder: a socket's name must fit.
func Home(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "bk-app-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (c *Core) end() {
	c.stop()
	<-c.ended
	c.Client.Close()
}

// Stop ends the core and returns how long that took.
func (c *Core) Stop() time.Duration {
	c.tb.Helper()
	began := time.Now()
	c.stop()
	select {
	case <-c.ended:
	case <-time.After(Patience):
		c.tb.Fatal("the core doesn't end")
	}
	c.Client.Close()
	if c.err != nil {
		c.tb.Errorf("the core ended with %v", c.err)
	}
	return time.Since(began)
}

// Entry is a server in one of misbehave's modes.
func Entry(tb testing.TB, mode string) wire.Entry {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return wire.Entry{Command: self, Env: map[string]string{misbehave.Env: mode, "GOMAXPROCS": "1", "GORACE": "atexit_sleep_ms=0"}}
}

// Add adds a server in one of misbehave's modes; edit may change its entry.
func (c *Core) Add(name, mode string, edit ...func(*wire.Entry)) {
	c.tb.Helper()
	entry := Entry(c.tb, mode)
	for _, change := range edit {
		change(&entry)
	}
	if err := c.AddServer(context.Background(), wire.AddServer{Name: name, Entry: entry}); err != nil {
		c.tb.Fatal(err)
	}
}

var errSeen = errors.New("seen")

// Until follows the watch stream until ok accepts a snapshot.
func (c *Core) Until(what string, ok func(*wire.Snapshot) bool) *wire.Snapshot {
	c.tb.Helper()
	ctx, stop := context.WithTimeout(context.Background(), Patience)
	defer stop()
	var last *wire.Snapshot
	err := c.Watch(ctx, func(e wire.Event) error {
		if last = e.Snapshot; last != nil && ok(last) {
			return errSeen
		}
		return nil
	}, nil)
	if !errors.Is(err, errSeen) {
		c.tb.Fatalf("never seen: %s (%v); last: %s", what, err, describe(last))
	}
	return last
}

func describe(s *wire.Snapshot) string {
	if s == nil {
		return "nothing"
	}
	var b bytes.Buffer
	for _, one := range s.Servers {
		b.WriteString(one.Name + " " + one.State)
		if one.LastExit != nil {
			b.WriteString(" (" + one.LastExit.Reason + ")")
		}
		b.WriteString("; ")
	}
	return b.String()
}

// Server returns the named server of a snapshot; an empty one when it isn't there.
func Server(s *wire.Snapshot, name string) wire.Server {
	for _, one := range s.Servers {
		if one.Name == name {
			return one
		}
	}
	return wire.Server{}
}

// UntilState waits until the named servers are in the state.
func (c *Core) UntilState(state string, names ...string) *wire.Snapshot {
	c.tb.Helper()
	return c.Until("servers are "+state, func(s *wire.Snapshot) bool {
		for _, name := range names {
			if Server(s, name).State != state {
				return false
			}
		}
		return true
	})
}

// UntilListed waits until the named servers are ready and their tools known.
func (c *Core) UntilListed(names ...string) *wire.Snapshot {
	c.tb.Helper()
	return c.Until("servers are ready, with tools", func(s *wire.Snapshot) bool {
		for _, name := range names {
			if one := Server(s, name); one.State != string(supervisor.Ready) || one.Tools == 0 {
				return false
			}
		}
		return true
	})
}

// Now returns the snapshot of this moment.
func (c *Core) Now() *wire.Snapshot {
	c.tb.Helper()
	s, err := c.Snapshot(context.Background())
	if err != nil {
		c.tb.Fatal(err)
	}
	return s
}

// syncBuffer is written by the core's goroutines and read by the test's.
type syncBuffer struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
