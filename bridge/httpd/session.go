package httpd

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// Bounds of sessions.
const (
	// maxSessions bounds what hosts that never say goodbye can pile up; over it
	// the one that was idle longest is ended.
	maxSessions = 4096
	// sessionIdle is how long a session lives with no request, no stream and no
	// call: long enough for a host left open over a working day's night.
	sessionIdle  = 24 * time.Hour
	expireEvery  = time.Minute
	maxInFlight  = 1024            // calls of one session at once
	maxStreams   = 64              // finished event streams kept for a host that comes back
	maxFinished  = 8 << 20         // bytes of those; the newest is kept anyhow until a host has it
	streamKeep   = 5 * time.Minute // how long those are kept
	maxUnheard   = 256             // news kept while no stream is open
	maxAsksAHost = 64              // questions to one host at once
)

// Causes that end a call early.
var (
	errHostCancelled = errors.New("the application cancelled the call")
	errSessionEnded  = errors.New("the application's session ended")
	errFull          = errors.New("too many sessions are in use")
	errShutdown      = errors.New("bridgekeeper is stopping")
	errDisconnected  = errors.New("the host closed the connection")
)

// errEnded refuses a call of a session that just ended.
var errEnded = &rpc.Error{Code: rpc.CodeInvalidRequest, Message: "This session has ended; begin again with initialize."}

// session is one legacy session of a host: what it declared, its calls in
// flight and its event streams. It belongs to the token that opened it.
type session struct {
	id   string
	seat *directory.Seat
	mark string // in the ids of our questions, where one host has several sessions on one pipe; constant

	mu       sync.Mutex // guards the fields below
	ready    bool       // the host said initialized: news may be sent
	used     time.Time
	ended    bool
	inFlight map[string]context.CancelCauseFunc // by the host's raw request id
	standing *stream                            // what the GET stream carries
	unheard  []string                           // list changes that wait for initialized or for a stream
	streams  map[string]*stream                 // event streams of calls, for resuming
	nextID   uint64                             // of streams and of our questions
	asks     map[string]chan *rpc.Message       // our questions to the host, by raw id
}

func newSession(host, endpoint string, keepAlive time.Duration) *session {
	s := &session{
		id:       newSessionID(),
		used:     time.Now(),
		inFlight: make(map[string]context.CancelCauseFunc),
		standing: newStream(keepAlive),
		streams:  make(map[string]*stream),
		asks:     make(map[string]chan *rpc.Message),
	}
	s.standing.id = "g"
	s.seat = &directory.Seat{Endpoint: endpoint, Host: host, Session: s.id, Listener: s}
	return s
}

// newSessionID returns 144 random bits in visible ASCII (transports, "Session
// Management").
func newSessionID() string {
	var raw [18]byte
	rand.Read(raw[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(raw[:])
}

// Notify queues a notification for the GET stream (directory.Listener).
func (s *session) Notify(raw []byte) {
	s.mu.Lock()
	wanted := s.ready && !s.ended && (s.standing.followed() || s.standing.waiting() < maxUnheard)
	s.mu.Unlock()
	if wanted {
		s.standing.add(raw)
	}
}

// Changed queues a list change, once until it is heard (directory.Listener).
func (s *session) Changed(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
	case s.ready && s.standing.followed():
		s.standing.add(rpc.AppendNotification(nil, method, nil))
	case !slices.Contains(s.unheard, method):
		s.unheard = append(s.unheard, method)
	}
}

// heard sends the list changes that waited, now that there is somebody to hear.
func (s *session) heard() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ready || !s.standing.followed() {
		return
	}
	for _, method := range s.unheard {
		s.standing.add(rpc.AppendNotification(nil, method, nil))
	}
	s.unheard = nil
}

func (s *session) initialized() {
	s.mu.Lock()
	s.ready = true
	s.mu.Unlock()
	s.heard()
}

// begin enters a call; the context ends when the host cancels it or the
// session ends, not when the connection does (transports: "Disconnection SHOULD
// NOT be interpreted as the client cancelling its request").
func (s *session) begin(ctx context.Context, id string) (context.Context, context.CancelCauseFunc, *rpc.Error) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
	var refused *rpc.Error
	switch {
	case s.ended:
		refused = errEnded
	case s.inFlight[id] != nil:
		refused = &rpc.Error{Code: rpc.CodeInvalidRequest, Message: "This request id is already in use by a call in flight."}
	case len(s.inFlight) >= maxInFlight:
		refused = &rpc.Error{Code: rpc.CodeInternal, Message: "Too many calls in flight in this session."}
	default:
		s.inFlight[id] = cancel
	}
	return ctx, cancel, refused
}

func (s *session) done(id string) {
	s.mu.Lock()
	delete(s.inFlight, id)
	s.used = time.Now()
	s.mu.Unlock()
}

// cancelCall ends the call that the host no longer wants.
func (s *session) cancelCall(id string) {
	s.mu.Lock()
	cancel := s.inFlight[id]
	s.mu.Unlock()
	if cancel != nil {
		cancel(errHostCancelled)
	}
}

// end closes the session's streams and cancels its calls.
func (s *session) end(cause error) {
	s.mu.Lock()
	s.ended = true
	calls, asks := s.inFlight, s.asks
	s.inFlight, s.asks = make(map[string]context.CancelCauseFunc), nil
	streams := s.streams
	s.streams = nil
	s.mu.Unlock()
	for _, cancel := range calls {
		cancel(cause)
	}
	for _, ask := range asks {
		close(ask)
	}
	for _, st := range streams {
		st.close()
	}
	s.standing.close()
}

// forget drops event streams that were kept long enough.
func (s *session) forget() {
	s.mu.Lock()
	s.forgetLocked()
	s.mu.Unlock()
}

// idleSince returns when the session was last used; busy is true while it has
// a stream or a call.
func (s *session) idleSince() (since time.Time, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, len(s.inFlight) > 0 || s.standing.followed()
}

// keep makes a call's event stream one that can be resumed.
func (s *session) keep(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams == nil {
		return
	}
	s.nextID++
	st.id = "c" + strconv.FormatUint(s.nextID, 36)
	s.streams[st.id] = st
}

// forgetLocked drops finished streams that are old, or too many, or too large
// together: the oldest first.
func (s *session) forgetLocked() {
	var over []finishedStream
	for id, st := range s.streams {
		if f := st.finishedState(); f.closed {
			f.id = id
			over = append(over, f)
		}
	}
	slices.SortFunc(over, func(a, b finishedStream) int { return b.at.Compare(a.at) })
	size := 0
	for i, f := range over {
		size += f.size
		mayBeAlone := i == 0 && !f.taken
		if i >= maxStreams || size > maxFinished && !mayBeAlone || time.Since(f.at) > streamKeep {
			delete(s.streams, f.id)
		}
	}
}

// resumable returns the stream an event id belongs to, and where to go on.
func (s *session) resumable(eventID string) (st *stream, from uint64, ok bool) {
	at := strings.LastIndexByte(eventID, '-')
	if at < 0 {
		return nil, 0, false
	}
	number, err := strconv.ParseUint(eventID[at+1:], 10, 64)
	if err != nil {
		return nil, 0, false
	}
	if st = s.standing; eventID[:at] != st.id {
		s.mu.Lock()
		st = s.streams[eventID[:at]]
		s.mu.Unlock()
	}
	if st == nil {
		return nil, 0, false
	}
	from, ok = st.resume(number)
	return st, from, ok
}
