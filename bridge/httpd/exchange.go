package httpd

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// keepAlive is how long a host waits in silence at most: most give up on a
// silent connection after 30 to 60 seconds.
const keepAlive = 15 * time.Second

// exchange is one POST on its way: the message, where it came from, and how the
// answer goes back. It answers with one JSON body unless something else must be
// said before the result (a notification, a question, a sign of life): then it
// turns itself into an event stream.
type exchange struct {
	server   *Server
	w        http.ResponseWriter
	r        *http.Request
	host     string
	endpoint string
	accept   acceptance
	m        *rpc.Message
	session  *session      // nil on the modern wire
	level    string        // the log level that a modern request asks for itself; "" is none
	pulse    *pulse        // nil when the host gave no progress token, or reads JSON only
	carrier  carrier       // says what this exchange says, where that isn't its own POST's answer; nil: it is
	over     chan struct{} // closed at the end of an exchange that has a carrier

	mu     sync.Mutex // guards the fields below, and pulse
	stream *stream    // nil until the answer became an event stream
	pumped sync.WaitGroup
	closed bool
}

// carrier takes what several exchanges say: the stream of an old session, or the
// answer of an array.
type carrier interface {
	// open returns the stream for what comes before the results; nil when there
	// is none, or none any more.
	open() *stream
	// answer takes one result.
	answer(raw []byte)
}

// Notify sends a notification before the result (upstream.Sink), but no log
// message that the host didn't ask for: servers log at the lowest level that
// any host wants, and in 2026-07-28 each request asks for itself. It may be called
// after the exchange has ended, and then does nothing; the message's bytes are
// not looked at.
func (x *exchange) Notify(raw []byte) {
	m, err := rpc.Scan(raw)
	if err != nil || m.Is(rpc.LogMessage) && !x.wants(m.Text(m.Level)) {
		return
	}
	st := x.open()
	if st == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return
	}
	if x.pulse != nil && m.Is(rpc.Progress) {
		raw = x.pulse.heard(&m)
	}
	st.add(raw)
}

func (x *exchange) wants(level string) bool {
	if x.session != nil {
		return x.server.opts.Directory.Wants(x.session.seat, level)
	}
	return x.level != "" && directory.Passes(level, x.level)
}

// open turns the answer into an event stream, if it isn't one; nil when it
// can't become one any more, or the host reads JSON only.
func (x *exchange) open() *stream {
	if x.carrier != nil {
		return x.carrier.open()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stream != nil || x.closed || !x.accept.sse {
		return x.stream
	}
	x.stream = newStream(x.server.keepAlive)
	if x.session != nil {
		x.session.keep(x.stream)
	}
	x.pumped.Go(func() { x.pump(x.stream) })
	return x.stream
}

// pump writes the stream to the host while the call runs.
func (x *exchange) pump(st *stream) {
	startSSE(x.w)
	priming := x.session != nil && x.session.seat.Version == rpc.V20251125
	// When the host is gone, a legacy one may come back for the rest.
	_ = st.follow(x.r.Context(), x.w, st.attach(), 0, priming)
}

// run has the directory answer the request and writes the answer. cancel is
// what ends the call early.
func (x *exchange) run(ctx context.Context, seat *directory.Seat) {
	var alive *time.Timer
	if token := x.m.Bytes(x.m.MetaProgressToken); token != nil && x.accept.sse {
		x.pulse = newPulse(token)
		x.mu.Lock()
		alive = time.AfterFunc(x.server.beat, x.beat)
		x.pulse.next = alive
		x.mu.Unlock()
	} else {
		alive = time.AfterFunc(x.server.keepAlive, func() { x.open() }) // the stream then keeps itself alive
	}
	answer := x.server.opts.Directory.Handle(ctx, &directory.Request{Seat: seat, Message: x.m, Sink: x})
	alive.Stop()
	silent := context.Cause(ctx) == errHostCancelled
	if x.carrier != nil {
		x.handOver(&answer, silent)
		return
	}
	x.finish(&answer, silent)
}

// handOver is finish for an exchange that has a carrier.
func (x *exchange) handOver(answer *directory.Answer, silent bool) {
	defer answer.Free()
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	close(x.over)
	if !silent {
		x.carrier.answer(answer.Append(nil, x.m.Bytes(x.m.ID)))
	}
}

// finish writes the answer; silent leaves it out, for a call that the host
// itself cancelled.
func (x *exchange) finish(answer *directory.Answer, silent bool) {
	defer answer.Free()
	x.mu.Lock()
	x.closed = true
	st := x.stream
	x.mu.Unlock()
	id := x.m.Bytes(x.m.ID)
	switch {
	case st != nil:
		if !silent {
			st.add(answer.Append(nil, id))
		}
		x.endStream(st)
	case silent:
		x.w.WriteHeader(http.StatusAccepted)
	default:
		status := http.StatusOK
		if x.session == nil {
			status = modernStatus(answer.Code())
		}
		writeJSON(x.w, status, answer, id)
	}
}

// endStream ends the event stream that the answer became, and waits until the
// host has it, or is gone.
func (x *exchange) endStream(st *stream) {
	st.close()
	x.pumped.Wait()
	if x.session != nil {
		x.session.forget()
	}
}

var answers = sync.Pool{New: func() any { b := make([]byte, 0, 4096); return &b }}

// directWrite is the size from which an answer is written in pieces instead of
// being copied together first.
const directWrite = 64 << 10

// slowWrite bounds the writing of one JSON answer to a host that reads slowly.
const slowWrite = 60 * time.Second

// writeJSON writes the answer as one JSON body.
func writeJSON(w http.ResponseWriter, status int, answer *directory.Answer, id []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	if len(answer.Reply.Raw) >= directWrite {
		pieces, length := answer.Pieces(id)
		h["Content-Length"] = []string{strconv.Itoa(length)}
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(slowWrite)) // net/http lifts it after the last byte
		w.WriteHeader(status)
		for _, p := range pieces {
			if _, err := w.Write(p); err != nil {
				return // the host is gone: nobody to tell
			}
		}
		return
	}
	buf := answers.Get().(*[]byte)
	body := answer.Append((*buf)[:0], id)
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	// A host that sends calls and reads no answers must not keep us for ever: small
	// ones, too, fill its window in time.
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(slowWrite))
	w.WriteHeader(status)
	w.Write(body) // as above
	if cap(body) <= directWrite*2 {
		*buf = body[:0]
		answers.Put(buf)
	}
}

var jsonType = []string{"application/json"}
