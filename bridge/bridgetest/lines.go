// Package bridgetest has what the bridge's tests share: an in-memory pair of
// line streams and a small scripted server on the far end. Tests only.
package bridgetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"bridgekeeper/bridge/rpc"
)

// Patience bounds every wait of a test.
const Patience = 10 * time.Second

// Lines is the client's end (upstream.Lines). The far end is used by the test:
// Say writes a line as the server, Next reads what the client wrote.
type Lines struct {
	toClient chan any // []byte or error
	toServer chan []byte
	closed   chan struct{}
	once     sync.Once

	mu     sync.Mutex // guards strays
	strays [][]byte
}

// NewLines returns a pair with room for a burst of lines.
func NewLines() *Lines {
	return &Lines{toClient: make(chan any, 1024), toServer: make(chan []byte, 1024), closed: make(chan struct{})}
}

// ReadLine returns what the server said next.
func (l *Lines) ReadLine() ([]byte, error) {
	select {
	case v := <-l.toClient:
		return take(v)
	default:
	}
	select {
	case v := <-l.toClient:
		return take(v)
	case <-l.closed:
		return nil, io.EOF
	}
}

func take(v any) ([]byte, error) {
	if err, ok := v.(error); ok {
		return nil, err
	}
	return v.([]byte), nil
}

// Free overwrites the line, so that a test sees bytes used after their time.
func (l *Lines) Free(line []byte) {
	for i := range line {
		line[i] = '#'
	}
}

// WriteLine passes a line to the server.
func (l *Lines) WriteLine(ctx context.Context, line []byte) error {
	if bytes.IndexByte(line, '\n') >= 0 {
		return errors.New("a line break inside a line")
	}
	select {
	case <-l.closed:
		return io.ErrClosedPipe
	default:
	}
	select {
	case l.toServer <- bytes.Clone(line):
		return nil
	case <-l.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Stray notes a line that was no message.
func (l *Lines) Stray(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.strays = append(l.strays, bytes.Clone(line))
}

// Strays returns how many lines were no messages.
func (l *Lines) Strays() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.strays)
}

// Say writes one line, or makes one read fail, as the server.
func (l *Lines) Say(line any) {
	if text, ok := line.(string); ok {
		line = []byte(text)
	}
	select {
	case l.toClient <- line:
	case <-l.closed:
	}
}

// End closes the lines, as the death of the process does.
func (l *Lines) End() { l.once.Do(func() { close(l.closed) }) }

// Next returns the next line the client wrote.
func (l *Lines) Next(t testing.TB) *rpc.Message {
	t.Helper()
	select {
	case line := <-l.toServer:
		m, err := rpc.Scan(line)
		if err != nil {
			t.Fatalf("the client wrote %q: %v", line, err)
		}
		return &m
	case <-time.After(Patience):
		t.Fatal("the client wrote nothing")
	}
	return nil
}

// Reply answers a request with a raw result.
func (l *Lines) Reply(m *rpc.Message, result string) {
	l.Say(rpc.AppendResult(nil, m.Bytes(m.ID), []byte(result)))
}
