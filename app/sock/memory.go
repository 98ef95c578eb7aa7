package sock

import (
	"context"
	"net"
	"sync"
)

// Memory returns a listener and the function that dials it, both inside this
// process, for tests.
func Memory() (net.Listener, func(ctx context.Context) (net.Conn, error)) {
	m := &memory{conns: make(chan net.Conn), done: make(chan struct{})}
	return m, m.dial
}

type memory struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (m *memory) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case m.conns <- far:
		return near, nil
	case <-m.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case conn := <-m.conns:
		return conn, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.once.Do(func() { close(m.done) })
	return nil
}

func (m *memory) Addr() net.Addr { return memoryAddr{} }

type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return "memory" }
