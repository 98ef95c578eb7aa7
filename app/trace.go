package app

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/upstream"
)

// Bounds of a trace.
const (
	maxTraced = 64 << 10 // bytes shown of one message
	maxBehind = 1000     // messages that a reader may be behind; more are counted as lost
)

// traces hand what goes to and comes from servers to those who look. Nothing is
// kept, and nobody is waited for.
type traces struct {
	on atomic.Int32 // taps, so that a message costs one load where there are none

	mu   sync.Mutex        // guards taps
	taps map[*tap]struct{} //
}

// tap is one reader of one server's messages.
type tap struct {
	server string
	lines  chan wire.TraceLine
	lost   atomic.Int64
}

func newTraces() *traces { return &traces{taps: make(map[*tap]struct{})} }

func (t *traces) open(server string) (one *tap, closeTap func()) {
	one = &tap{server: server, lines: make(chan wire.TraceLine, maxBehind)}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taps[one] = struct{}{}
	t.on.Add(1)
	return one, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.taps, one)
		t.on.Add(-1)
	}
}

// tell shows a message to the taps of its server.
func (t *traces) tell(server, scope, direction string, line []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var l wire.TraceLine
	for one := range t.taps {
		if one.server != server {
			continue
		}
		if l.Time.IsZero() {
			l = wire.TraceLine{Time: time.Now(), Scope: scope, Direction: direction, Bytes: len(line)}
			if l.Cut = len(line) > maxTraced; l.Cut {
				line = line[:maxTraced]
			}
			l.Text = strings.ToValidUTF8(string(line), "\ufffd")
		}
		select {
		case one.lines <- l:
		default:
			one.lost.Add(1)
		}
	}
}

// traced are the lines of one instance, with those who look.
type traced struct {
	upstream.Lines
	traces        *traces
	server, scope string
}

// ReadLine shows what a server says.
func (t *traced) ReadLine() ([]byte, error) {
	line, err := t.Lines.ReadLine()
	if err == nil && t.traces.on.Load() > 0 {
		t.traces.tell(t.server, t.scope, wire.TraceIn, line)
	}
	return line, err
}

// WriteLine shows what a server is told.
func (t *traced) WriteLine(ctx context.Context, line []byte) error {
	if t.traces.on.Load() > 0 {
		t.traces.tell(t.server, t.scope, wire.TraceOut, line)
	}
	return t.Lines.WriteLine(ctx, line)
}

// Trace sends the messages to and from a server from now on, until ctx ends. It
// shows arguments and results: only the person's own programs may look
// (localapi.Use).
func (a *App) Trace(ctx context.Context, server string, send func(wire.TraceLine) error) error {
	if _, err := a.entryOf(server); err != nil {
		return err
	}
	if !a.who(ctx).own {
		return &wire.Error{Code: wire.CodeNotAllowed, Message: "Only Bridgekeeper's own programs can look at what goes to and from a server.",
			Hint: "Use `bridgekeeper server trace` in a terminal of your own."}
	}
	one, closeTap := a.traces.open(server)
	defer closeTap()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case l := <-one.lines:
			l.Lost = int(one.lost.Swap(0))
			if err := send(l); err != nil {
				return err
			}
		}
	}
}
