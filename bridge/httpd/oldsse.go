package httpd

import (
	"context"
	"net/http"
	"time"

	"bridgekeeper/bridge/rpc"
)

// maxOld bounds the open connections of the old transport.
const maxOld = 1024

// oldParam carries the connection's id in the address that its POSTs go to.
const oldParam = "sessionId"

// oldConn is one connection of the HTTP+SSE transport of 2024-11-05: a GET whose
// stream says everything, and POSTs to the address that its first event names,
// which are answered with 202. Its session begins with initialize, as any, and
// ends with the stream. The handler of the GET owns it and waits for its calls.
type oldConn struct {
	conn
	id string // in the address; the session has another, which nobody learns
}

// getOld opens a connection and serves its stream to the end.
func (s *Server) getOld(w http.ResponseWriter, r *http.Request, host, endpoint string) {
	if !accepts(r.Header.Values("Accept")).sse {
		refuse(w, http.StatusNotAcceptable, "The Accept header must allow text/event-stream.")
		return
	}
	if !legacyOnly(w, r) {
		return
	}
	o := &oldConn{conn: newConn(s, host, endpoint), id: newSessionID()}
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

func (s *Server) closeOld(ctx context.Context, o *oldConn) {
	s.mu.Lock()
	delete(s.old, o.id)
	s.mu.Unlock()
	o.end(ctx)
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
		o.initialize(r.Context(), m)
		w.WriteHeader(http.StatusAccepted)
	default:
		if session := o.needed(w); session != nil {
			o.take(r.Context(), session, m)
			w.WriteHeader(http.StatusAccepted)
		}
	}
}

// needed returns the connection's session; without one it has answered.
func (o *oldConn) needed(w http.ResponseWriter) *session {
	session := o.current()
	if session == nil {
		refuse(w, http.StatusBadRequest, noSession)
	}
	return session
}

// arrayOld takes an array apart; each answer is an event of its own.
func (s *Server) arrayOld(w http.ResponseWriter, r *http.Request, o *oldConn, raw []byte) {
	session := o.needed(w)
	if session == nil {
		return
	}
	messages, bad := splitFor(session, raw)
	if bad != nil {
		fail(w, http.StatusBadRequest, nil, bad)
		return
	}
	for _, m := range messages {
		o.take(r.Context(), session, m)
	}
	w.WriteHeader(http.StatusAccepted)
}
