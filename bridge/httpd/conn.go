package httpd

import (
	"bytes"
	"context"
	"sync"

	"bridgekeeper/bridge/rpc"
)

// maxConnKept is what a connection's stream keeps for a slow reader: all answers
// of a session go there, and two may be as large as messages get.
const maxConnKept = 2 * maxBody

// noSession answers what can't come before a session.
const noSession = "A session begins with initialize, and with its answer."

// conn is a connection that carries everything of one host: the old transport's
// stream, or a pair of pipes. It has at most one session, which begins with
// initialize and ends with the connection, and is the carrier of its requests.
// Who serves the stream owns it, and ends it.
type conn struct {
	server   *Server
	host     string
	endpoint string
	stream   *stream

	calls sync.WaitGroup // begun with mu held, and not after closed

	mu      sync.Mutex // guards the fields below
	began   bool       // initialize came
	stop    context.CancelFunc
	session *session // once initialize is answered
	closed  bool
	waits   chan struct{} // closed when it is, or never will be
}

func newConn(s *Server, host, endpoint string) conn {
	st := newStream(s.keepAlive)
	st.most = maxConnKept
	return conn{server: s, host: host, endpoint: endpoint, stream: st}
}

func (c *conn) open() *stream     { return c.stream }
func (c *conn) answer(raw []byte) { c.stream.add(raw) }

// current returns the connection's session; nil when there is none yet.
func (c *conn) current() *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// welcomed waits until initialize is answered.
func (c *conn) welcomed() {
	c.mu.Lock()
	waits := c.waits
	c.mu.Unlock()
	if waits != nil {
		<-waits
	}
}

// begin runs f beside the stream; false when that has ended.
func (c *conn) begin(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.calls.Go(f)
	return true
}

// end ends what began on the connection, and waits for it.
func (c *conn) end(ctx context.Context) {
	c.mu.Lock()
	c.closed = true
	session, stop := c.session, c.stop
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
	if session != nil {
		c.server.drop(ctx, session, errDisconnected)
	}
	c.stream.close()
	c.calls.Wait()
}

// take takes one message of a session. A request runs on, while whatever brought
// it is read on; of one that comes as the connection ends nobody would hear the answer.
func (c *conn) take(ctx context.Context, session *session, m *rpc.Message) {
	switch m.Kind() {
	case rpc.Notification:
		c.server.notified(ctx, session, m)
	case rpc.Response:
		session.answered(m)
	case rpc.Request:
		own := *m
		own.Raw = bytes.Clone(m.Raw) // the buffer is used again
		id := own.Bytes(own.ID)
		ctx, cancel, refused := session.begin(ctx, string(id)) // before the next message, which may cancel it
		if refused != nil {
			cancel(nil)
			c.answer(rpc.AppendError(nil, id, refused))
			return
		}
		x := c.exchange(&own)
		x.session = session
		began := c.begin(func() {
			defer cancel(nil)
			defer session.done(string(id))
			x.run(ctx, session.seat)
		})
		if !began {
			session.done(string(id))
			cancel(errDisconnected)
		}
	}
}

// exchange makes a request's own, whose answer goes on the connection's stream.
func (c *conn) exchange(m *rpc.Message) *exchange {
	return &exchange{server: c.server, host: c.host, endpoint: c.endpoint, accept: acceptance{true, true}, m: m,
		carrier: c, over: make(chan struct{})}
}

// initialize begins the connection's one session; its answer goes on the stream.
func (c *conn) initialize(ctx context.Context, m *rpc.Message) {
	id := bytes.Clone(m.Bytes(m.ID))
	session, client, bad := c.server.newcomer(c.host, c.endpoint, m)
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.mu.Lock()
	if bad == nil && c.began {
		bad = &rpc.Error{Code: rpc.CodeInvalidRequest, Message: "This connection has its session already."}
	}
	if bad == nil {
		c.began, c.stop, c.waits = true, stop, make(chan struct{})
	}
	c.mu.Unlock()
	if bad != nil {
		stop()
		c.answer(rpc.AppendError(nil, id, bad))
		return
	}
	session.standing = c.stream
	// An answer that was meant for a former connection of the same shim is no answer here.
	session.mark = session.id[:8] + "-"
	began := c.begin(func() {
		defer stop()
		defer close(c.waits) // constant from here on
		c.welcome(ctx, session, client, id)
	})
	if !began {
		stop()
		close(c.waits)
	}
}

// welcome enters the session and answers its initialize.
func (c *conn) welcome(ctx context.Context, session *session, client string, id []byte) {
	s := c.server
	answer := s.opts.Directory.Welcome(ctx, session.seat)
	if why := s.enter(session); why != nil {
		c.answer(rpc.AppendError(nil, id, &rpc.Error{Code: rpc.CodeInternal, Message: why.Error()}))
		c.stream.close()
		return
	}
	c.mu.Lock()
	closed := c.closed
	c.session = session
	c.mu.Unlock()
	if closed { // it looked for a session before there was one
		s.drop(ctx, session, errDisconnected)
		return
	}
	if s.opts.Seen != nil {
		s.opts.Seen(c.host, client, session.seat.Version)
	}
	c.answer(answer.Append(nil, id))
}
