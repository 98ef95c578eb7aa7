package httpd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/line"
	"bridgekeeper/bridge/rpc"
)

// Goodbye is the line that says that the core ends a connection in order: it is
// stopping, or the host may no longer come. It is no JSON, so no message can be
// taken for it.
const Goodbye = "#bye"

// Bounds of connections whose messages are lines.
const (
	maxLineConns = 256
	// maxAhead is how many messages may wait for the reader: nothing is read
	// from it meanwhile, so that who sends much and reads little slows itself down.
	maxAhead = 256
	// maxLineEvents bounds what is kept beyond that: the answers to what was read
	// already, and what servers say by themselves.
	maxLineEvents = 4 * maxEvents
)

// lineConn is a connection on which messages are lines, as on stdio: what the
// shim brings from a host that only starts commands. Requests of either era come
// on it, side by side.
type lineConn struct {
	conn
	pipe net.Conn
	room chan struct{} // told when the reader took something

	modern map[string]context.CancelCauseFunc // requests of 2026-07-28 in flight, by raw id; guarded by mu
}

// ServeLines serves one connection until it ends, from either side; in is what
// reads it. It closes pipe, and returns when nothing of the connection is left.
func (s *Server) ServeLines(ctx context.Context, pipe net.Conn, in io.Reader, host, endpoint string) error {
	c := &lineConn{conn: newConn(s, host, endpoint), pipe: pipe, room: make(chan struct{}, 1), modern: make(map[string]context.CancelCauseFunc)}
	c.stream.many = maxLineEvents
	defer pipe.Close()
	if !s.openLines(c) {
		return errFull
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	// The core's end closes the stream, and that the connection, after a goodbye.
	defer context.AfterFunc(ctx, c.stream.close)()
	me := c.stream.attach()
	var writer sync.WaitGroup
	writer.Go(func() {
		defer pipe.Close()
		c.write(me)
	})
	c.read(ctx, line.NewReader(in, maxBody))
	s.closeLines(ctx, c)
	writer.Wait()
	return nil
}

func (s *Server) openLines(c *lineConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping || len(s.lines) >= maxLineConns {
		return false
	}
	s.lines[c] = struct{}{}
	return true
}

// closeLines ends what began on the connection, and waits for it.
func (s *Server) closeLines(ctx context.Context, c *lineConn) {
	s.mu.Lock()
	delete(s.lines, c)
	s.mu.Unlock()
	c.mu.Lock()
	calls := c.modern
	c.modern = nil
	c.mu.Unlock()
	for _, cancel := range calls {
		cancel(s.whyGone())
	}
	c.end(ctx)
}

// write writes the stream's messages until it is closed, which is worth a
// goodbye, or the other side doesn't take them any more.
func (c *lineConn) write(me uint64) {
	defer c.stream.close() // the reader may wait for room
	defer c.stream.detach(me)
	var from uint64
	var out net.Buffers
	for {
		batch, wake, closed, err := c.stream.after(from, me)
		if err != nil {
			return // too far behind
		}
		if len(batch) == 0 && closed {
			c.pipe.SetWriteDeadline(time.Now().Add(shutdownGrace))
			_, _ = io.WriteString(c.pipe, Goodbye+"\n") // gone already: nobody to tell
			return
		}
		if len(batch) == 0 {
			<-wake
			continue
		}
		out = out[:0]
		for _, e := range batch {
			out = append(out, e.data, newline)
			from = e.number
		}
		c.pipe.SetWriteDeadline(time.Now().Add(eventWrite))
		all := out // WriteTo eats what it is called on
		if _, err := all.WriteTo(c.pipe); err != nil {
			return
		}
		clear(out)
		c.stream.took(from)
		select {
		case c.room <- struct{}{}:
		default:
		}
	}
}

var newline = []byte{'\n'}

// read takes messages until the connection ends.
func (c *lineConn) read(ctx context.Context, in *line.Reader) {
	for {
		text, err := in.Next()
		switch {
		case errors.Is(err, line.ErrTooLong):
			c.answer(rpc.AppendError(nil, nil, &rpc.Error{Code: rpc.CodeInvalidRequest, Message: "The message is over the limit of 32 MiB."}))
			continue
		case err != nil:
			return
		}
		c.message(ctx, text)
		for c.stream.waiting() > maxAhead {
			select {
			case <-c.room:
			case <-c.stream.over:
				return
			}
		}
	}
}

// message takes one line.
func (c *lineConn) message(ctx context.Context, text []byte) {
	m, err := rpc.Scan(bytes.TrimPrefix(text, bom))
	id := m.Bytes(m.ID)
	refuse := func(id []byte, code int, why string) {
		c.answer(rpc.AppendError(nil, id, &rpc.Error{Code: code, Message: why}))
	}
	session := c.current()
	switch {
	case errors.Is(err, rpc.ErrNotObject) && text[0] == '[' && session != nil:
		c.array(ctx, session, text)
	case errors.Is(err, rpc.ErrNotObject):
		refuse(nil, rpc.CodeInvalidRequest, "The message is no JSON object.")
	case err != nil:
		refuse(nil, rpc.CodeParse, "Parse error: the message is "+err.Error())
	case m.Kind() == rpc.Invalid:
		refuse(nil, rpc.CodeInvalidRequest, "The message is no JSON-RPC request, notification or response.")
	case m.Repeated:
		refuse(id, repeated.Code, repeated.Message)
	case m.MetaVersion.Ok() && m.Kind() == rpc.Request:
		c.modernRequest(ctx, &m)
	case m.Is(rpc.Cancelled) && c.cancelModern(string(m.Bytes(m.RequestID))):
	case m.Is(rpc.Initialize) && m.Kind() == rpc.Request:
		c.initialize(ctx, &m)
		c.welcomed() // what comes at once after it is its session's
	case session != nil:
		c.take(ctx, session, &m)
	case m.Kind() == rpc.Request:
		refuse(id, rpc.CodeInvalidRequest, noSession)
	}
}

// array takes an array apart; each answer is a line of its own.
func (c *lineConn) array(ctx context.Context, session *session, text []byte) {
	messages, bad := splitFor(session, text)
	if bad != nil {
		c.answer(rpc.AppendError(nil, nil, bad))
		return
	}
	for _, m := range messages {
		c.take(ctx, session, m)
	}
}

// modernRequest takes one request of 2026-07-28, which has neither headers nor a
// connection of its own here (2026-07-28, stdio transport).
func (c *lineConn) modernRequest(ctx context.Context, m *rpc.Message) {
	own := *m
	own.Raw = bytes.Clone(m.Raw) // the buffer is used again
	m = &own
	id := m.Bytes(m.ID)
	version, bad := metaVersion(m)
	if bad == nil {
		bad = supported(version)
	}
	if bad == nil {
		bad = wasRemoved(m)
	}
	if bad != nil {
		c.answer(rpc.AppendError(nil, id, bad))
		return
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	if bad = c.enter(string(id), cancel); bad != nil {
		cancel(nil)
		c.answer(rpc.AppendError(nil, id, bad))
		return
	}
	began := c.begin(func() {
		defer cancel(nil)
		seat := c.server.modernSeat(c.host, c.endpoint, m)
		if m.Is(rpc.Listen) {
			c.listen(ctx, cancel, seat, m)
			return
		}
		defer c.leave(string(id))
		x := c.exchange(m)
		x.level = m.Text(m.MetaLogLevel)
		x.run(ctx, seat)
	})
	if !began {
		c.leave(string(id))
		cancel(errDisconnected)
	}
}

// enter notes a modern request in flight.
func (c *lineConn) enter(id string, cancel context.CancelCauseFunc) *rpc.Error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.modern == nil:
		return errEnded
	case c.modern[id] != nil:
		return &rpc.Error{Code: rpc.CodeInvalidRequest, Message: "This request id is already in use by a request in flight."}
	case len(c.modern) >= maxInFlight:
		return &rpc.Error{Code: rpc.CodeInternal, Message: "Too many requests in flight on this connection."}
	}
	c.modern[id] = cancel
	return nil
}

func (c *lineConn) leave(id string) {
	c.mu.Lock()
	delete(c.modern, id)
	c.mu.Unlock()
}

func (c *lineConn) cancelModern(id string) bool {
	c.mu.Lock()
	cancel := c.modern[id]
	c.mu.Unlock()
	if cancel == nil {
		return false
	}
	cancel(errHostCancelled)
	return true
}

// listen serves one subscriptions/listen until the host cancels it or the
// connection ends.
func (c *lineConn) listen(ctx context.Context, cancel context.CancelCauseFunc, seat *directory.Seat, m *rpc.Message) {
	s, id := c.server, m.Bytes(m.ID)
	defer c.leave(string(id))
	w, bad := listenWishes(m)
	l := newListener(id, c.host, c.endpoint, c.stream)
	l.end = func() { cancel(errSessionEnded) } // others go on on the same stream
	seat.Listener = l
	if bad == nil && !s.openListen(l) {
		bad = &rpc.Error{Code: rpc.CodeInternal, Message: "Too many subscriptions are open, or bridgekeeper is stopping."}
	}
	if bad != nil {
		c.answer(rpc.AppendError(nil, id, bad))
		return
	}
	defer s.closeListen(l)
	defer s.leave(ctx, seat)
	s.agree(ctx, l, seat, w)
	<-ctx.Done()
}
