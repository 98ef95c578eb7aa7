package httpd

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"
	"time"

	"bridgekeeper/bridge/rpc"
)

// maxBatch bounds the messages of one array.
const maxBatch = 100

// batch takes an array of messages, which revision 2025-03-26 alone has. The
// requests run side by side; their answers come back as one array, or one by one
// on an event stream, when something must be said before them.
func (s *Server) batch(x *exchange, raw []byte) {
	session := s.find(x.w, x.r, x.host, x.endpoint)
	if session == nil {
		return
	}
	messages, bad := splitFor(session, raw)
	if bad != nil {
		fail(x.w, http.StatusBadRequest, nil, bad)
		return
	}
	x.session = session
	g := &gathered{parent: x, answers: make([][]byte, len(messages))}
	var wait sync.WaitGroup
	for i, m := range messages {
		switch m.Kind() {
		case rpc.Notification:
			s.notified(x.r.Context(), session, m)
		case rpc.Response:
			session.answered(m)
		case rpc.Request:
			one := &exchange{server: s, r: x.r, host: x.host, endpoint: x.endpoint, accept: x.accept, m: m,
				session: session, carrier: &place{g, i}, over: make(chan struct{})}
			wait.Go(one.batched)
		}
	}
	wait.Wait()
	g.finish()
}

// batched answers one request of an array; the host gets no answer to one that it
// cancelled.
func (x *exchange) batched() {
	id := x.m.Bytes(x.m.ID)
	ctx, cancel, refused := x.session.begin(x.r.Context(), string(id))
	defer cancel(nil)
	if refused != nil {
		x.carrier.answer(rpc.AppendError(nil, id, refused))
		return
	}
	defer x.session.done(string(id))
	x.run(ctx, x.session.seat)
}

// gathered are the answers to one array.
type gathered struct {
	parent *exchange // the POST

	mu      sync.Mutex // guards answers
	answers [][]byte   // in the order of the requests; nil: none yet, or gone out
}

// place is the carrier of one request of an array.
type place struct {
	*gathered
	at int
}

// open makes the POST's answer an event stream, on which the answers that are
// there go out at once.
func (p *place) open() *stream {
	st := p.parent.open()
	if st != nil {
		p.flush(st)
	}
	return st
}

func (p *place) answer(raw []byte) {
	p.mu.Lock()
	p.answers[p.at] = raw
	p.mu.Unlock()
	p.parent.mu.Lock()
	st := p.parent.stream
	p.parent.mu.Unlock()
	if st != nil {
		p.flush(st)
	}
}

// flush puts the answers that are there on the stream.
func (g *gathered) flush(st *stream) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, a := range g.answers {
		if a != nil {
			st.add(a)
			g.answers[i] = nil
		}
	}
}

// finish ends the POST, when all requests are answered.
func (g *gathered) finish() {
	x := g.parent
	x.mu.Lock()
	x.closed = true
	st := x.stream
	x.mu.Unlock()
	if st != nil {
		g.flush(st)
		x.endStream(st)
		return
	}
	out := []byte{'['}
	for _, a := range g.answers {
		if a == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, a...)
	}
	if len(out) == 1 {
		x.w.WriteHeader(http.StatusAccepted)
		return
	}
	out = append(out, ']')
	x.w.Header()["Content-Type"] = jsonType
	x.w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	http.NewResponseController(x.w).SetWriteDeadline(time.Now().Add(slowWrite))
	x.w.Write(out) // the host is gone when it fails
}

// splitFor is splitBatch for the sessions that may send arrays.
func splitFor(session *session, raw []byte) ([]*rpc.Message, *rpc.Error) {
	if session.seat.Version != rpc.V20250326 {
		return nil, &rpc.Error{Code: rpc.CodeInvalidRequest,
			Message: "Arrays of messages exist in revision 2025-03-26 only; this session speaks " + session.seat.Version + "."}
	}
	return splitBatch(raw)
}

// splitBatch scans the elements of an array; each must be a message, and none
// an initialize.
func splitBatch(raw []byte) (messages []*rpc.Message, bad *rpc.Error) {
	invalid := &rpc.Error{Code: rpc.CodeInvalidRequest, Message: "An element of the array is no message that may stand there."}
	ids := make(map[string]bool)
	err := rpc.Elements(raw, func(at rpc.Span) bool {
		m, err := rpc.Scan(bytes.TrimSpace(raw[at.Start:at.End]))
		id := string(m.Bytes(m.ID))
		twice := m.Kind() == rpc.Request && ids[id]
		if err != nil || m.Kind() == rpc.Invalid || m.Repeated || m.Is(rpc.Initialize) || twice || len(messages) == maxBatch {
			bad = invalid
			return false
		}
		ids[id] = true
		messages = append(messages, &m)
		return true
	})
	if err != nil || len(messages) == 0 {
		bad = invalid
	}
	return messages, bad
}
