package httpd

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"

	"bridgekeeper/bridge/rpc"
)

// Bounds of the old transport.
const (
	// maxOld bounds its open connections.
	maxOld = 1024
	// maxOldKept is what one of its streams keeps for a slow reader: all answers
	// of a session go there, and two may be as large as messages get.
	maxOldKept = 2 * maxBody
)

// oldParam carries the connection's id in the address that its POSTs go to.
const oldParam = "sessionId"

// oldConn is one connection of the HTTP+SSE transport of 2024-11-05: a GET whose
// stream says everything, and POSTs to the address that its first event names,
// which are answered with 202. Its session begins with initialize, as any, and
// ends with the stream. It is the carrier of the session's requests. The
// handler of the GET owns it and waits for its calls.
type oldConn struct {
	id       string // in the address; the session has another, which nobody learns
	host     string
	endpoint string
	stream   *stream

	calls sync.WaitGroup // begun with mu held, and not after closed

	mu      sync.Mutex // guards the fields below
	began   bool       // initialize came
	stop    context.CancelFunc
	session *session // once initialize is answered
	closed  bool
}

func (o *oldConn) open() *stream     { return o.stream }
func (o *oldConn) answer(raw []byte) { o.stream.add(raw) }

// getOld opens a connection and serves its stream to the end.
func (s *Server) getOld(w http.ResponseWriter, r *http.Request, host, endpoint string) {
	if !accepts(r.Header.Values("Accept")).sse {
		refuse(w, http.StatusNotAcceptable, "The Accept header must allow text/event-stream.")
		return
	}
	if !legacyOnly(w, r) {
		return
	}
	o := &oldConn{id: newSessionID(), host: host, endpoint: endpoint, stream: newStream(s.keepAlive)}
	o.stream.most = maxOldKept
	if !s.openOld(o) {
		refuse(w, http.StatusServiceUnavailable, "Too many connections are open, or bridgekeeper is stopping.")
		return
	}
	defer s.closeOld(r.Context(), o)
	startSSE(w)
	me := o.stream.attach()
	if newEventWriter(w).address(r.URL.EscapedPath()+"?"+oldParam+"="+o.id) != nil {
		return // gone already
	}
	// Why it ended (gone, too slow, ended by us) concerns this connection alone.
	_ = o.stream.follow(r.Context(), w, me, 0, false)
}

// address writes the event that every such stream begins with.
func (o *eventWriter) address(uri string) error {
	o.control.SetWriteDeadline(time.Now().Add(eventWrite))
	_, err := o.w.Write([]byte("event: endpoint\ndata: " + uri + "\n\n"))
	return err
}

func (s *Server) openOld(o *oldConn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping || len(s.old) >= maxOld {
		return false
	}
	s.old[o.id] = o
	return true
}

// closeOld ends what began on the connection, and waits for it.
func (s *Server) closeOld(ctx context.Context, o *oldConn) {
	s.mu.Lock()
	delete(s.old, o.id)
	s.mu.Unlock()
	o.mu.Lock()
	o.closed = true
	session, stop := o.session, o.stop
	o.mu.Unlock()
	if stop != nil {
		stop()
	}
	if session != nil {
		s.drop(ctx, session, errDisconnected)
	}
	o.stream.close()
	o.calls.Wait()
}

// postOld takes one POST of a connection.
func (s *Server) postOld(w http.ResponseWriter, r *http.Request, host, endpoint string) {
	id := r.URL.Query().Get(oldParam)
	if id == "" { // a host that tries the newer transport first goes on with GET after this
		w.Header().Set("Allow", "GET")
		refuse(w, http.StatusMethodNotAllowed, "Here speaks the HTTP+SSE transport of 2024-11-05, which begins with GET; the newer one is at /mcp.")
		return
	}
	s.mu.Lock()
	o := s.old[id]
	s.mu.Unlock()
	if o == nil || o.host != host || o.endpoint != endpoint {
		refuse(w, http.StatusNotFound, "This connection has ended; begin again with GET.")
		return
	}
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	defer freeBody(body)
	m, array, ok := readMessage(w, body.Bytes())
	switch {
	case !ok:
	case array != nil:
		s.arrayOld(w, r, o, array)
	case isModern(r, m) && m.Kind() == rpc.Request:
		// A client that looks for that revision first goes on with initialize after this.
		o.answer(rpc.AppendError(nil, m.Bytes(m.ID), &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "Revision 2026-07-28 is spoken at /mcp only."}))
		w.WriteHeader(http.StatusAccepted)
	case m.Is(rpc.Initialize) && m.Kind() == rpc.Request:
		s.initializeOld(w, r, o, m)
	default:
		if session := o.current(w); session != nil {
			s.takeOld(r, o, session, m)
			w.WriteHeader(http.StatusAccepted)
		}
	}
}

// current returns the connection's session; without one it has answered.
func (o *oldConn) current(w http.ResponseWriter) *session {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.session == nil {
		refuse(w, http.StatusBadRequest, "A session begins with initialize, and with its answer.")
	}
	return o.session
}

// arrayOld takes an array apart; each answer is an event of its own.
func (s *Server) arrayOld(w http.ResponseWriter, r *http.Request, o *oldConn, raw []byte) {
	session := o.current(w)
	if session == nil {
		return
	}
	messages, bad := splitFor(session, raw)
	if bad != nil {
		fail(w, http.StatusBadRequest, nil, bad)
		return
	}
	for _, m := range messages {
		s.takeOld(r, o, session, m)
	}
	w.WriteHeader(http.StatusAccepted)
}

// takeOld takes one message of a session. A request runs on, while its POST is
// answered; of one that comes as the stream ends nobody would hear the answer.
func (s *Server) takeOld(r *http.Request, o *oldConn, session *session, m *rpc.Message) {
	switch m.Kind() {
	case rpc.Notification:
		s.notified(r.Context(), session, m)
	case rpc.Response:
		session.answered(m)
	case rpc.Request:
		own := *m
		own.Raw = bytes.Clone(m.Raw) // the body's buffer is used again
		id := own.Bytes(own.ID)
		ctx, cancel, refused := session.begin(r.Context(), string(id)) // before the next POST, which may cancel it
		if refused != nil {
			cancel(nil)
			o.answer(rpc.AppendError(nil, id, refused))
			return
		}
		x := &exchange{server: s, host: o.host, endpoint: o.endpoint, accept: acceptance{true, true}, m: &own,
			session: session, carrier: o, over: make(chan struct{})}
		began := o.begin(func() {
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

// begin runs f beside the stream; false when that has ended.
func (o *oldConn) begin(f func()) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.calls.Go(f)
	return true
}

// initializeOld begins the connection's one session; its answer goes on the stream.
func (s *Server) initializeOld(w http.ResponseWriter, r *http.Request, o *oldConn, m *rpc.Message) {
	id := bytes.Clone(m.Bytes(m.ID))
	session, client, bad := s.newcomer(o.host, o.endpoint, m)
	ctx, stop := context.WithCancel(context.WithoutCancel(r.Context()))
	o.mu.Lock()
	if bad == nil && o.began {
		bad = &rpc.Error{Code: rpc.CodeInvalidRequest, Message: "This connection has its session already."}
	}
	if bad == nil {
		o.began, o.stop = true, stop
	}
	o.mu.Unlock()
	if bad != nil {
		stop()
		o.answer(rpc.AppendError(nil, id, bad))
		w.WriteHeader(http.StatusAccepted)
		return
	}
	session.standing = o.stream
	began := o.begin(func() {
		defer stop()
		s.welcomeOld(ctx, o, session, client, id)
	})
	if !began {
		stop()
	}
	w.WriteHeader(http.StatusAccepted)
}

// welcomeOld enters the session and answers its initialize.
func (s *Server) welcomeOld(ctx context.Context, o *oldConn, session *session, client string, id []byte) {
	answer := s.opts.Directory.Welcome(ctx, session.seat)
	if why := s.enter(session); why != nil {
		o.answer(rpc.AppendError(nil, id, &rpc.Error{Code: rpc.CodeInternal, Message: why.Error()}))
		o.stream.close()
		return
	}
	o.mu.Lock()
	closed := o.closed
	o.session = session
	o.mu.Unlock()
	if closed { // it looked for a session before there was one
		s.drop(ctx, session, errDisconnected)
		return
	}
	if s.opts.Seen != nil {
		s.opts.Seen(o.host, client, session.seat.Version)
	}
	o.answer(answer.Append(nil, id))
}
