package supervisor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bridgekeeper/supervisor/proc"
	"bridgekeeper/supervisor/stdio"
)

// session is the test's side of the trivial protocol.
type session struct {
	conn *stdio.Conn
	done chan struct{}
	pong chan struct{}

	load    atomic.Int64 // calls in flight
	moving  atomic.Bool
	used    atomic.Int64
	closes  atomic.Int64
	closed  chan struct{}
	cause   atomic.Value
	mu      sync.Mutex
	answers chan string
}

func attach(ctx context.Context, _ Instance, conn *stdio.Conn) (Session, error) {
	s := &session{conn: conn, done: make(chan struct{}), pong: make(chan struct{}, 100), closed: make(chan struct{}), answers: make(chan string, 100)}
	if err := conn.WriteLine(ctx, []byte("hello")); err != nil {
		return nil, err
	}
	welcome := make(chan error, 1)
	go s.read(welcome)
	select {
	case err := <-welcome:
		if err != nil {
			return nil, err
		}
		return s, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *session) read(welcome chan<- error) {
	defer close(s.done)
	for {
		line, err := s.conn.ReadLine()
		if err != nil {
			if welcome != nil {
				welcome <- fmt.Errorf("handshake: %w", err)
			}
			return
		}
		switch text := string(line); {
		case welcome != nil && text == "welcome":
			welcome <- nil
			welcome = nil
		case text == "pong":
			s.pong <- struct{}{}
		case strings.HasPrefix(text, "say "):
			s.answers <- text
		default:
			s.conn.Stray(line)
		}
		s.conn.Free(line)
	}
}

func (s *session) Ping(ctx context.Context) error {
	if err := s.conn.WriteLine(ctx, []byte("ping")); err != nil {
		return err
	}
	select {
	case <-s.pong:
		return nil
	case <-s.done:
		return errors.New("ended")
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *session) Load() (int, bool, time.Time) {
	return int(s.load.Load()), s.moving.Load(), time.Unix(0, s.used.Load())
}

func (s *session) Done() <-chan struct{} { return s.done }

func (s *session) Close(cause error) {
	if s.closes.Add(1) > 1 {
		panic("session closed twice")
	}
	s.cause.Store(cause.Error())
	close(s.closed)
}

func (s *session) call(tb testing.TB, text string) string {
	tb.Helper()
	if err := s.conn.WriteLine(tb.Context(), []byte("say "+text)); err != nil {
		tb.Fatal(err)
	}
	select {
	case a := <-s.answers:
		return strings.TrimPrefix(a, "say ")
	case <-time.After(patience):
		tb.Fatal("no answer")
		return ""
	}
}

// patience is how long a test waits for what must come.
const patience = 15 * time.Second

var quick = Timings{
	Handshake:    10 * time.Second,
	BackoffFirst: 5 * time.Millisecond,
	BackoffMost:  40 * time.Millisecond,
	CrashWindow:  time.Minute,
	CrashMost:    1000,
	Grace:        200 * time.Millisecond,
	Ending:       proc.Ending{EOF: 500 * time.Millisecond, Term: 200 * time.Millisecond, Rest: 50 * time.Millisecond},
}

// harness is a running Supervisor whose changes can be waited for.
type harness struct {
	*Supervisor
	tb     testing.TB
	change chan struct{}
	stop   func()
}

func start(tb testing.TB, opts Options) *harness {
	tb.Helper()
	h := &harness{tb: tb, change: make(chan struct{}, 1)}
	if opts.Attach == nil {
		opts.Attach = attach
	}
	if opts.Timings == (Timings{}) {
		opts.Timings = quick
	}
	if testing.Verbose() {
		opts.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if opts.StateDir == "" {
		opts.StateDir = tb.TempDir()
	}
	opts.Notify = func() {
		select {
		case h.change <- struct{}{}:
		default:
		}
	}
	h.Supervisor = New(opts)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	h.stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				tb.Error(err)
			}
		case <-time.After(2 * patience):
			tb.Error("Run didn't return")
		}
	})
	tb.Cleanup(h.stop)
	return h
}

// until waits until cond holds; it is asked after every change.
func (h *harness) until(what string, cond func() bool) {
	h.tb.Helper()
	late := time.After(patience)
	for !cond() {
		select {
		case <-h.change:
		case <-late:
			h.tb.Fatalf("never: %s; %+v", what, h.Statuses())
		}
	}
}

func (h *harness) get(server string) Status {
	for _, st := range h.Statuses() {
		if st.Key == (Key{Server: server}) {
			return st
		}
	}
	return Status{}
}

func (h *harness) reach(server string, state State) Status {
	h.tb.Helper()
	h.until(server+" "+string(state), func() bool { return h.get(server).State == state })
	return h.get(server)
}

func (h *harness) session(server string) *session {
	h.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := h.Acquire(ctx, Key{Server: server})
	if err != nil {
		h.tb.Fatal(err)
	}
	return s.(*session)
}

// line waits for a line of the log that begins with prefix and returns the rest.
func (h *harness) line(server, prefix string) string {
	h.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	found := ""
	stop := errors.New("found")
	err := h.Logs(server).Follow(ctx, 0, func(l Line) error {
		if rest, ok := strings.CutPrefix(l.Text, prefix); ok {
			found = rest
			return stop
		}
		return nil
	})
	if err != stop {
		h.tb.Fatalf("no line %q: %v", prefix, err)
	}
	return found
}
