package httpd

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"bridgekeeper/bridge/rpc"
)

const sessionHeader = "Mcp-Session-Id"

// legacy takes one message of a revision that begins with initialize.
func (s *Server) legacy(x *exchange) {
	if x.m.Is(rpc.Initialize) && x.m.Kind() == rpc.Request {
		s.initialize(x)
		return
	}
	session := s.find(x.w, x.r, x.host, x.endpoint)
	if session == nil {
		return
	}
	x.session = session
	switch x.m.Kind() {
	case rpc.Request:
		s.legacyRequest(x)
	case rpc.Notification:
		s.notified(x.r.Context(), session, x.m)
		x.w.WriteHeader(http.StatusAccepted)
	case rpc.Response:
		session.answered(x.m)
		x.w.WriteHeader(http.StatusAccepted)
	}
}

func (s *Server) legacyRequest(x *exchange) {
	id := string(x.m.Bytes(x.m.ID))
	ctx, cancel, refused := x.session.begin(x.r.Context(), id)
	defer cancel(nil)
	if refused == errEnded {
		refuse(x.w, http.StatusNotFound, refused.Message) // it ended a moment ago
		return
	}
	if refused != nil {
		fail(x.w, http.StatusOK, x.m.Bytes(x.m.ID), refused)
		return
	}
	defer x.session.done(id)
	x.run(ctx, x.session.seat)
}

// initialize opens a session; a stale session id on the request is ignored, so
// that hosts recover by themselves.
func (s *Server) initialize(x *exchange) {
	m := x.m
	session, client, bad := s.newcomer(x.host, x.endpoint, m)
	if bad != nil {
		fail(x.w, http.StatusOK, m.Bytes(m.ID), bad)
		return
	}
	answer := s.opts.Directory.Welcome(x.r.Context(), session.seat)
	if why := s.enter(session); why != nil {
		refuse(x.w, http.StatusServiceUnavailable, why.Error())
		return
	}
	if s.opts.Seen != nil {
		s.opts.Seen(x.host, client, session.seat.Version)
	}
	x.w.Header().Set(sessionHeader, session.id)
	writeJSON(x.w, http.StatusOK, &answer, m.Bytes(m.ID))
}

// newcomer makes the session that an initialize asks for, which nobody knows yet;
// client is the host's own name and version.
func (s *Server) newcomer(host, endpoint string, m *rpc.Message) (session *session, client string, bad *rpc.Error) {
	session = newSession(host, endpoint, s.keepAlive)
	seat := session.seat
	version := ""
	params := m.Bytes(m.Params)
	_ = rpc.Members(params, func(key []byte, at rpc.Span) bool { // no object: refused below
		value := params[at.Start:at.End]
		switch string(key) {
		case "protocolVersion":
			version = rpc.Text(value)
		case "capabilities":
			seat.Capabilities = append([]byte(nil), value...)
		case "clientInfo":
			client = clientName(value)
			seat.Client = client
		}
		return true
	})
	if version == "" {
		return nil, "", &rpc.Error{Code: rpc.CodeInvalidParams, Message: "initialize needs params.protocolVersion"}
	}
	seat.Version = version
	if !rpc.IsLegacy(version) {
		seat.Version = rpc.V20251125 // the newest we speak that begins with initialize
	}
	return session, client, nil
}

// clientName is "name version" of an Implementation object.
func clientName(raw []byte) string {
	part := func(member string) string {
		at := rpc.Find(raw, member)
		if !at.Ok() {
			return ""
		}
		return rpc.Text(raw[at.Start:at.End])
	}
	return strings.TrimSpace(part("name") + " " + part("version"))
}

// find returns the request's session. On failure it has answered: 400 without
// an id, 404 for one that isn't (any more) this host's, which makes a host
// initialize again.
func (s *Server) find(w http.ResponseWriter, r *http.Request, host, endpoint string) *session {
	if v := r.Header.Get("Mcp-Protocol-Version"); v != "" && !rpc.IsLegacy(v) {
		refuse(w, http.StatusBadRequest, "The Mcp-Protocol-Version header names a revision that this endpoint doesn't speak.")
		return nil
	}
	id := r.Header.Get(sessionHeader)
	if id == "" {
		refuse(w, http.StatusBadRequest, "The Mcp-Session-Id header is missing; a session begins with initialize.")
		return nil
	}
	s.mu.Lock()
	session := s.sessions[id]
	s.mu.Unlock()
	if session == nil || session.seat.Host != host || session.seat.Endpoint != endpoint {
		refuse(w, http.StatusNotFound, "This session has ended; begin again with initialize.")
		return nil
	}
	return session
}

// enter files a new session, making room when there are too many.
func (s *Server) enter(session *session) error {
	s.opts.Directory.Sit(session.seat) // before anybody can end it, which makes it leave
	s.mu.Lock()
	oldest, why := s.roomLocked()
	if why == nil {
		s.sessions[session.id] = session
		if oldest != nil {
			delete(s.sessions, oldest.id)
		}
	}
	s.mu.Unlock()
	if why != nil {
		s.opts.Directory.Leave(context.Background(), session.seat)
		return why
	}
	if oldest != nil {
		s.drop(context.Background(), oldest, errSessionEnded)
	}
	return nil
}

// roomLocked says which session must make room for a new one: the one that was
// idle longest. Sessions in use make room for nobody.
func (s *Server) roomLocked() (oldest *session, why error) {
	if s.stopping {
		return nil, errShutdown
	}
	if len(s.sessions) < maxSessions {
		return nil, nil
	}
	var at time.Time
	for _, one := range s.sessions {
		if used, busy := one.idleSince(); !busy && (oldest == nil || used.Before(at)) {
			oldest, at = one, used
		}
	}
	if oldest == nil {
		return nil, errFull
	}
	return oldest, nil
}

// drop ends a session and forgets it.
func (s *Server) drop(ctx context.Context, session *session, cause error) {
	s.mu.Lock()
	delete(s.sessions, session.id)
	s.mu.Unlock()
	session.end(cause)
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer stop()
	s.opts.Directory.Leave(ctx, session.seat)
}

// expire drops sessions that nobody uses any more, until ctx ends.
func (s *Server) expire(ctx context.Context) {
	tick := time.NewTicker(expireEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.mu.Lock()
		var idle []*session
		for _, one := range s.sessions {
			one.forget()
			if used, busy := one.idleSince(); !busy && time.Since(used) > sessionIdle {
				idle = append(idle, one)
			}
		}
		s.mu.Unlock()
		for _, one := range idle {
			s.drop(ctx, one, errSessionEnded)
		}
	}
}

func (s *Server) endAll() {
	s.mu.Lock()
	s.stopping = true
	all := s.sessions
	s.sessions = make(map[string]*session)
	listens := slices.Collect(maps.Keys(s.listens))
	old := slices.Collect(maps.Values(s.old))
	lines := slices.Collect(maps.Keys(s.lines))
	s.mu.Unlock()
	for _, l := range listens { // before their streams are closed
		l.goodbye()
	}
	for _, one := range all {
		one.end(errShutdown)
	}
	for _, o := range old {
		o.stream.close() // some have no session yet
	}
	for _, c := range lines {
		c.stream.close()
	}
}

// notified takes a notification of the host.
func (s *Server) notified(ctx context.Context, session *session, m *rpc.Message) {
	switch {
	case m.Is(rpc.Initialized):
		session.initialized()
	case m.Is(rpc.Cancelled):
		session.cancelCall(string(m.Bytes(m.RequestID)))
	default:
		s.opts.Directory.Told(ctx, session.seat, m)
	}
}

// delete ends a session at the host's wish.
func (s *Server) delete(w http.ResponseWriter, r *http.Request, host, endpoint string) {
	if !legacyOnly(w, r) {
		return
	}
	session := s.find(w, r, host, endpoint)
	if session == nil {
		return
	}
	s.drop(r.Context(), session, errSessionEnded)
	w.WriteHeader(http.StatusNoContent)
}

// legacyOnly refuses GET and DELETE to hosts of the stateless revision, which
// has neither.
func legacyOnly(w http.ResponseWriter, r *http.Request) bool {
	if r.Header.Get("Mcp-Protocol-Version") < rpc.V20260728 {
		return true
	}
	w.Header().Set("Allow", "POST")
	refuse(w, http.StatusMethodNotAllowed, "Revision 2026-07-28 uses POST only.")
	return false
}

// get opens the session's standing stream, or resumes a broken one.
func (s *Server) get(w http.ResponseWriter, r *http.Request, host, endpoint string) {
	if !accepts(r.Header.Values("Accept")).sse {
		refuse(w, http.StatusNotAcceptable, "The Accept header must allow text/event-stream.")
		return
	}
	if !legacyOnly(w, r) {
		return
	}
	session := s.find(w, r, host, endpoint)
	if session == nil {
		return
	}
	st, from := session.standing, session.standing.unsent()
	if last := r.Header.Get("Last-Event-Id"); last != "" {
		var ok bool
		if st, from, ok = session.resumable(last); !ok {
			refuse(w, http.StatusBadRequest, "The event to resume from is not kept any more.")
			return
		}
	}
	startSSE(w)
	me := st.attach()
	if st == session.standing {
		defer session.touch()
		session.heard()
	}
	// Why it ended (replaced, gone, lost) concerns this connection alone.
	_ = st.follow(r.Context(), w, me, from, session.seat.Version == rpc.V20251125)
}

func (s *session) touch() {
	s.mu.Lock()
	s.used = time.Now()
	s.mu.Unlock()
}
