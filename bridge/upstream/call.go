package upstream

import (
	"bytes"
	"context"
	"strconv"
	"sync"
	"time"

	"bridgekeeper/bridge/rpc"
)

// Sink receives what the server says about one call while it runs. Notify is
// called on the reader's goroutine and must not block; raw is the callee's.
type Sink interface {
	Notify(raw []byte)
}

// Request is one request of a host to be sent on.
type Request struct {
	Message *rpc.Message // as the host sent it, on one line
	Edits   []rpc.Edit   // replacements of names; ids and tokens are the session's business
	Sink    Sink         // nil: progress and logs of this call are dropped
	Owner   string       // the host, for the attribution of questions
	About   About
	// Capabilities are the calling host's, declared with each request on the
	// modern wire; nil means the session's own.
	Capabilities []byte
	// LogLevel is the level a legacy host set, declared with each request on the
	// modern wire; "" asks for no log messages.
	LogLevel string
}

// About is what a person may be told of a call that a server asks about.
type About struct {
	Session  string // the host's; "" on the modern wire
	Tool     string // its own name; "" when the call is none of a tool
	Revision string // that the host speaks
}

// Call is a request in flight.
type Call struct {
	Owner string
	About About
	Sink  Sink

	id         uint64
	token      []byte // the host's own progress token, raw; nil when it gave none
	progressed bool   // guarded by Session.mu
	internal   bool   // ours (ping, lists): not counted as use
	reply      chan Reply
}

// Reply is the server's answer: a result or a JSON-RPC error. Free gives its
// bytes back; they must not be used afterwards.
type Reply struct {
	rpc.Message
	lines Lines
	err   error
}

// Free returns the reply's buffer to the reader's pool.
func (r *Reply) Free() {
	if r.lines != nil {
		r.lines.Free(r.Raw)
		r.lines, r.Raw = nil, nil
	}
}

// cancelWait bounds the goodbye of a call that nobody waits for any more.
const cancelWait = 2 * time.Second

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 4096); return &b }}

// Do sends the request and waits for its reply. When ctx ends first the server
// is told to cancel and ctx's cause is returned; when the session ends, its
// cause.
func (s *Session) Do(ctx context.Context, req *Request) (Reply, error) {
	m := req.Message
	c := &Call{Owner: req.Owner, About: req.About, Sink: req.Sink, reply: s.replyChannel()}
	if m.MetaProgressToken.Ok() {
		c.token = bytes.Clone(m.Bytes(m.MetaProgressToken)) // the host's bytes may be reused before the last progress comes
	}
	if err := s.admit(c); err != nil {
		return Reply{}, err
	}
	var number [20]byte
	id := strconv.AppendUint(number[:0], c.id, 10)
	var room [8]rpc.Edit // on the stack: there are never more
	edits := append(room[:0], req.Edits...)
	edits = append(edits, rpc.Edit{Span: m.ID, With: id})
	switch {
	case s.info.Era == Legacy && m.MetaVersion.Ok():
		edits = legacyMeta(edits, m, id)
	case c.token != nil:
		edits = append(edits, rpc.Edit{Span: m.MetaProgressToken, With: id})
	}
	if s.info.Era == Modern {
		edits = s.modernMeta(edits, m, req)
	}
	return s.send(ctx, c, func(dst []byte) []byte { return rpc.Splice(dst, m.Raw, edits...) })
}

// Request sends a request of our own; params is raw JSON or nil.
func (s *Session) Request(ctx context.Context, method string, params []byte) (Reply, error) {
	return s.request(ctx, method, params, false)
}

func (s *Session) request(ctx context.Context, method string, params []byte, internal bool) (Reply, error) {
	return s.requestAs(ctx, method, params, nil, internal)
}

// requestAs is request with the capabilities that the modern wire declares with it.
func (s *Session) requestAs(ctx context.Context, method string, params, capabilities []byte, internal bool) (Reply, error) {
	c := &Call{internal: internal, reply: s.replyChannel()}
	if err := s.admit(c); err != nil {
		return Reply{}, err
	}
	return s.send(ctx, c, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","id":`...)
		dst = strconv.AppendUint(dst, c.id, 10)
		dst = append(dst, `,"method":`...)
		dst = rpc.AppendQuote(dst, method)
		if s.speaksModern(method) {
			params = s.withMeta(params, capabilities)
		}
		if params != nil {
			dst = append(dst, `,"params":`...)
			dst = append(dst, params...)
		}
		return append(dst, '}')
	})
}

// Listen sends subscriptions/listen and returns when the server ends it, or ctx
// does; a refusal is an *rpc.Error. What it is told comes as notifications like any other.
// capabilities are what it declares; nil means the session's own.
func (s *Session) Listen(ctx context.Context, params, capabilities []byte) error {
	reply, err := s.requestAs(ctx, rpc.Listen, params, capabilities, true)
	if err != nil {
		return err
	}
	defer reply.Free()
	if reply.Error.Ok() {
		return rpc.ReadError(reply.Bytes(reply.Error))
	}
	return nil
}

// Notify sends a notification; params is raw JSON or nil.
func (s *Session) Notify(ctx context.Context, method string, params []byte) error {
	return s.lines.WriteLine(ctx, rpc.AppendNotification(nil, method, params))
}

// Forward sends a notification of a host as it is; raw is one line.
func (s *Session) Forward(ctx context.Context, raw []byte) error {
	return s.lines.WriteLine(ctx, raw)
}

// replyChannel returns a channel of the session's own pool: a channel may not
// move between a test's bubble of fake time and the world outside.
func (s *Session) replyChannel() chan Reply {
	if c, ok := s.replies.Get().(chan Reply); ok {
		return c
	}
	return make(chan Reply, 1)
}

// admit gives the call its id and enters it.
func (s *Session) admit(c *Call) error {
	c.id = s.nextID.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.cause != nil:
		return s.cause
	case len(s.calls) >= maxCalls:
		return ErrBusy
	}
	s.calls[c.id] = c
	return nil
}

func (s *Session) send(ctx context.Context, c *Call, build func([]byte) []byte) (Reply, error) {
	buf := buffers.Get().(*[]byte)
	line := build((*buf)[:0])
	err := s.lines.WriteLine(ctx, line)
	if cap(line) <= maxKeptBuffer {
		*buf = line[:0]
		buffers.Put(buf)
	}
	if err != nil {
		if s.withdraw(c) {
			return Reply{}, err
		}
		// The session ended or the reply came all the same: take that.
		reply := <-c.reply
		return reply, reply.err
	}
	select {
	case reply := <-c.reply:
		s.replies.Put(c.reply)
		if !c.internal {
			s.touch()
		}
		return reply, reply.err
	case <-ctx.Done():
	}
	if !s.withdraw(c) {
		reply := <-c.reply
		return reply, reply.err
	}
	s.cancel(c, context.Cause(ctx))
	return Reply{}, context.Cause(ctx)
}

// withdraw removes the call; false when its reply is already on the way.
func (s *Session) withdraw(c *Call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[c.id] != c {
		return false
	}
	delete(s.calls, c.id)
	return true
}

// cancel tells the server that nobody waits for the call any more.
func (s *Session) cancel(c *Call, why error) {
	ctx, stop := context.WithTimeout(context.Background(), cancelWait)
	defer stop()
	params := []byte(`{"requestId":`)
	params = strconv.AppendUint(params, c.id, 10)
	params = append(params, `,"reason":`...)
	params = rpc.AppendQuote(params, why.Error())
	params = append(params, '}')
	if err := s.Notify(ctx, rpc.Cancelled, params); err != nil {
		s.opts.Log.Debug("cancel not delivered", "call", c.id, "err", err)
	}
}
