package httpd

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"bridgekeeper/bridge/rpc"
)

// Bounds of one event stream.
const (
	maxEvents   = 1024    // kept for a reader that is slow or away
	maxKept     = 8 << 20 // bytes of them; one larger event is kept alone
	eventWrite  = 30 * time.Second
	retryMillis = "1000" // how long a host waits before it comes back
)

// Reasons why following a stream ends early.
var (
	errReplaced = errors.New("another connection follows this stream now")
	errLost     = errors.New("the reader fell too far behind")
)

// stream is the log of one SSE stream: events are added by anybody, and written
// by the one connection that follows it. It outlives a connection, so that a
// host that comes back with Last-Event-ID gets what it missed.
type stream struct {
	id        string // prefix of its event ids; "" where there is nothing to resume
	keepAlive time.Duration
	most      int           // bytes of events kept; constant
	many      int           // events kept; constant
	over      chan struct{} // closed when no event will be added

	mu       sync.Mutex // guards the fields below
	events   []event
	size     int
	last     uint64 // number of the newest event
	sent     uint64 // number of the newest event that a connection took
	closed   bool   // no event will be added
	closedAt time.Time
	reader   uint64        // counts the connections; only the newest one writes
	attached bool          // a connection follows now
	wake     chan struct{} // closed and replaced when something changed
}

type event struct {
	number uint64
	data   []byte
}

func newStream(keepAlive time.Duration) *stream {
	return &stream{keepAlive: keepAlive, most: maxKept, many: maxEvents, over: make(chan struct{}), wake: make(chan struct{})}
}

// add appends one message; false when the stream is closed. When too much is
// kept the oldest go: a reader that still needs them is then cut off, never
// silently thinned.
func (s *stream) add(data []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.last++
	s.events = append(s.events, event{s.last, data})
	s.size += len(data)
	for len(s.events) > 1 && (len(s.events) > s.many || s.size > s.most) {
		s.size -= len(s.events[0].data)
		s.events[0].data = nil
		s.events = s.events[1:]
	}
	s.wakeLocked()
	return true
}

// close ends the stream after the events it has.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed, s.closedAt = true, time.Now()
		close(s.over)
		s.wakeLocked()
	}
}

func (s *stream) wakeLocked() {
	close(s.wake)
	s.wake = make(chan struct{})
}

// followed reports whether a connection follows the stream now.
func (s *stream) followed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attached
}

// attach makes the caller the one connection that follows the stream; an older
// one lets go. follow must come next.
func (s *stream) attach() (me uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reader++
	s.attached = true
	s.wakeLocked()
	return s.reader
}

// follow writes the events after number from to w until the stream is closed
// and drained (nil), ctx ends, or the connection fails or is replaced. me is
// attach's. priming sends an event without data first, so that the host has an
// id to resume from (2025-11-25 transports, SEP-1699).
func (s *stream) follow(ctx context.Context, w http.ResponseWriter, me, from uint64, priming bool) error {
	out := newEventWriter(w)
	defer s.detach(me)
	defer out.control.SetWriteDeadline(time.Time{}) // the connection may serve other requests
	if err := out.flush(); err != nil {             // the header, so that the host knows it is heard
		return err
	}
	if priming && s.id != "" {
		if err := out.prime(s.eventID(from)); err != nil {
			return err
		}
	}
	alive := time.NewTimer(s.keepAlive)
	defer alive.Stop()
	for {
		batch, wake, closed, err := s.after(from, me)
		if err != nil {
			return err
		}
		for _, e := range batch {
			id := ""
			if s.id != "" {
				id = s.eventID(e.number)
			}
			if err := out.event(id, e.data); err != nil {
				return err
			}
			from = e.number
		}
		if len(batch) > 0 {
			if err := out.flush(); err != nil {
				return err
			}
			s.took(from)
			alive.Reset(s.keepAlive)
			continue
		}
		if closed {
			return nil
		}
		select {
		case <-wake:
		case <-alive.C:
			if err := out.comment(); err != nil {
				return err
			}
			alive.Reset(s.keepAlive)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// after returns the events behind number from, for the connection me.
func (s *stream) after(from, me uint64) (batch []event, wake <-chan struct{}, closed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader != me {
		return nil, nil, false, errReplaced
	}
	first := s.last - uint64(len(s.events)) // number of the newest dropped one
	if from < first {
		return nil, nil, false, errLost
	}
	if skip := int(from - first); skip < len(s.events) {
		batch = append(batch, s.events[skip:]...)
	}
	return batch, s.wake, s.closed, nil
}

func (s *stream) detach(me uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader == me {
		s.attached = false
		s.wakeLocked()
	}
}

func (s *stream) eventID(number uint64) string {
	return s.id + "-" + strconv.FormatUint(number, 10)
}

// eventWriter writes server-sent events (HTML standard, section 9.2).
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newEventWriter(w http.ResponseWriter) *eventWriter {
	return &eventWriter{w, http.NewResponseController(w)}
}

// startSSE writes the header of an event stream.
func startSSE(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
}

// event writes one message. It holds no line feed, as every message is one
// line; but a carriage return may stand between its tokens, and that ends a
// line of an event stream, too.
func (o *eventWriter) event(id string, data []byte) error {
	if bytes.IndexByte(data, '\r') >= 0 {
		data = bytes.Clone(data) // it may be shared
		rpc.Flatten(data)
	}
	o.control.SetWriteDeadline(time.Now().Add(eventWrite))
	head := "event: message\n"
	if id != "" {
		head += "id: " + id + "\n"
	}
	for _, part := range [][]byte{[]byte(head + "data: "), data, []byte("\n\n")} {
		if _, err := o.w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

func (o *eventWriter) prime(id string) error {
	o.control.SetWriteDeadline(time.Now().Add(eventWrite))
	if _, err := o.w.Write([]byte("id: " + id + "\nretry: " + retryMillis + "\ndata:\n\n")); err != nil {
		return err
	}
	return o.flush()
}

func (o *eventWriter) comment() error {
	o.control.SetWriteDeadline(time.Now().Add(eventWrite))
	if _, err := o.w.Write([]byte(": still here\n\n")); err != nil {
		return err
	}
	return o.flush()
}

func (o *eventWriter) flush() error { return o.control.Flush() }

// took notes that a connection took the events up to number.
func (s *stream) took(number uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = max(s.sent, number)
}

// waiting counts the events that no connection took yet.
func (s *stream) waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int(s.last - s.sent)
}

// unsent returns where a connection begins that doesn't say what it has: after
// the newest event that another one took.
func (s *stream) unsent() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.sent, s.last-uint64(len(s.events)))
}

// resume returns where a connection goes on that has the events up to number:
// behind those that were dropped meanwhile, for the result stands last. ok is
// false for a number that no event of the stream ever had.
func (s *stream) resume(number uint64) (from uint64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(number, s.last-uint64(len(s.events))), number <= s.last
}

// finishedStream is what decides how long a stream is kept.
type finishedStream struct {
	id     string
	closed bool
	at     time.Time
	size   int
	taken  bool // a connection took all of it
}

func (s *stream) finishedState() finishedStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return finishedStream{closed: s.closed, at: s.closedAt, size: s.size, taken: s.sent == s.last}
}
