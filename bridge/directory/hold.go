package directory

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"sync"
	"time"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/translate"
	"bridgekeeper/bridge/upstream"
)

// Bounds of held calls.
const (
	// holdTime is how long a held call waits for its host to come back: a person
	// may be thinking, and hosts don't say when they give up.
	holdTime = 10 * time.Minute
	// maxHolds bounds them all: each keeps a call at a server open.
	maxHolds = 512
	// coalesce is how long further questions of the same call are waited for, so
	// that a host gets them in one round.
	coalesce = 150 * time.Millisecond
)

var (
	errHoldExpired = errors.New("the host didn't come back with the answers in time")
	errHoldGone    = errors.New("the host closed the connection")
)

// holds keeps the calls of modern hosts at legacy servers that asked something
// in the middle: the call goes on at the server, while the host is told
// input_required and comes back with the answers (protocol.md's row 5).
type holds struct {
	seal *seal

	mu   sync.Mutex // guards open
	open map[string]*held
}

// held is one call. It is the sink and the asker of the call at the server.
type held struct {
	id       string
	seat     *Seat  // of the first request: who it belongs to
	binding  []byte // what a retry must repeat: server, method, name and arguments
	cancel   context.CancelCauseFunc
	finished chan struct{} // closed when answer is set
	answer   Answer        // once finished; the request that takes it frees it
	asked    chan struct{} // one element: there are new questions
	expiry   *time.Timer

	mu        sync.Mutex // guards the fields below
	sink      upstream.Sink
	round     int // the requestState of an earlier round is used up
	nextKey   int
	questions []*heldQuestion // in the order they were asked
	taken     bool            // a request waits with this call now
}

type heldQuestion struct {
	translate.InputRequest
	reply chan []byte // one element
}

func newHolds() *holds { return &holds{seal: newSeal(), open: make(map[string]*held)} }

// holds reports whether the call may have to be held.
func (d *Directory) holds(r *Request, session *upstream.Session) bool {
	return r.Seat.Modern() && session.Info().Era == upstream.Legacy && answersRounds(r.Message)
}

// hold makes the call so that it can outlive this request, and waits for its
// answer or its first questions. done is told how the call ended.
func (d *Directory) hold(ctx context.Context, r *Request, server string, session *upstream.Session, edits []rpc.Edit, done func(*Answer, string)) Answer {
	// The host's bytes are its request's: the call may live longer.
	line := bytes.Clone(r.Message.Raw)
	m, err := rpc.Scan(rpc.Splice(nil, line, withoutAnswers(r.Message, edits)...))
	if err != nil {
		return failure(rpc.CodeInternal, "the call can't be read back: "+err.Error())
	}
	callCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	h := &held{
		id: rand.Text(), seat: r.Seat, binding: binding(server, r.Message), cancel: cancel, sink: r.Sink,
		finished: make(chan struct{}), asked: make(chan struct{}, 1), taken: true,
	}
	h.seat = &Seat{Endpoint: r.Seat.Endpoint, Host: r.Seat.Host, Version: r.Seat.Version, Capabilities: bytes.Clone(r.Seat.Capabilities)}
	if !d.held.enter(h) {
		cancel(nil)
		return failure(rpc.CodeInternal, "Too many calls wait for answers.")
	}
	h.expiry = time.AfterFunc(holdTime, func() { cancel(errHoldExpired) })
	d.workers.Go(func() {
		defer cancel(nil)
		reply, err := session.Do(callCtx, &upstream.Request{Message: &m, Sink: h, Owner: h.seat.Host})
		answer, outcome := d.judge(callCtx, session, reply, err)
		if err != nil && done == nil { // no tool: a protocol error, not a result
			answer = failure(rpc.CodeInternal, err.Error())
		}
		if done != nil {
			done(&answer, outcome)
		}
		h.answer = answer
		close(h.finished)
		if h.Parked() {
			d.held.forget(h) // nobody waits: its host must come back
		}
	})
	return d.await(ctx, h)
}

// withoutAnswers adds the edits that take answers to questions never asked out
// of a first call: a legacy server can't be given them (they are asked for again).
func withoutAnswers(m *rpc.Message, edits []rpc.Edit) []rpc.Edit {
	edits = append([]rpc.Edit(nil), edits...)
	for _, name := range []string{"inputResponses", "requestState"} {
		if e, ok := rpc.RemoveMember(m.Raw, m.Params, name); ok {
			edits = append(edits, e)
			break // both at once could share a comma; the other one is harmless
		}
	}
	return edits
}

// await waits with a request for the call's answer or its next questions.
func (d *Directory) await(ctx context.Context, h *held) Answer {
	select {
	case <-h.finished:
	case <-h.asked:
		if err := pause(ctx, coalesce); err == nil {
			select {
			case <-h.finished:
			default:
				return d.askHost(h)
			}
		}
	case <-ctx.Done():
		h.cancel(errHoldGone) // on this wire a closed connection is a cancel
		<-h.finished
	}
	select {
	case <-h.finished:
	default: // gone during the pause
		h.cancel(errHoldGone)
		<-h.finished
	}
	d.held.forget(h)
	h.expiry.Stop()
	return h.answer
}

// askHost makes the input_required result of the questions that are open.
func (d *Directory) askHost(h *held) Answer {
	h.mu.Lock()
	h.round++
	round := h.round
	h.sink, h.taken = nil, false
	requests := make([]translate.InputRequest, 0, len(h.questions))
	for _, q := range h.questions {
		requests = append(requests, q.InputRequest)
	}
	h.mu.Unlock()
	h.expiry.Reset(holdTime)
	state := d.held.seal.close(h.id+" "+strconv.Itoa(round), h.seat.Host, h.binding, time.Now().Add(holdTime))
	return Answer{Result: translate.AppendInputRequired(nil, requests, state)}
}

// resume goes on with a held call when the request brings its state; false
// when it brings none, or one of a server that keeps its own.
func (d *Directory) resume(ctx context.Context, r *Request, server string) (Answer, bool) {
	if !r.Seat.Modern() || !answersRounds(r.Message) {
		return Answer{}, false
	}
	params := r.Message.Bytes(r.Message.Params)
	at := rpc.Find(params, "requestState")
	if !at.Ok() || d.opts.speaksModern(d.View(), server) {
		return Answer{}, false
	}
	stale := failure(rpc.CodeInvalidParams, "The requestState is not valid, or not any more: make the call again from the start.")
	ticket, err := d.held.seal.open(rpc.Text(params[at.Start:at.End]), r.Seat.Host, binding(server, r.Message), time.Now())
	if err != nil {
		return stale, true
	}
	h := d.held.take(ticket, r.Sink)
	if h == nil {
		return stale, true
	}
	var answers []byte
	if at := rpc.Find(params, "inputResponses"); at.Ok() {
		answers = params[at.Start:at.End]
	}
	if bad := h.deliver(answers); bad != nil {
		return Answer{Error: bad}, true
	}
	return d.await(ctx, h), true
}

func (o *Options) speaksModern(v *View, server string) bool {
	s := v.Server(server)
	return s != nil && s.Info != nil && s.Info.Era == upstream.Modern
}

// enter files a held call.
func (hs *holds) enter(h *held) bool {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if len(hs.open) >= maxHolds {
		return false
	}
	hs.open[h.id] = h
	return true
}

// endAll cancels every held call: we are stopping.
func (hs *holds) endAll() {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	for _, h := range hs.open {
		h.cancel(errHoldExpired)
	}
}

func (hs *holds) forget(h *held) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	delete(hs.open, h.id)
}

// take gives the call to a request that brings the ticket of its last round;
// each ticket works once.
func (hs *holds) take(ticket string, sink upstream.Sink) *held {
	id, round, _ := bytes.Cut([]byte(ticket), []byte(" "))
	hs.mu.Lock()
	h := hs.open[string(id)]
	hs.mu.Unlock()
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken || strconv.Itoa(h.round) != string(round) {
		return nil
	}
	h.taken, h.sink = true, sink
	return h
}

// deliver hands the host's answers to the questions. One that has none is
// asked again; answers nobody asked for are ignored. Malformed answers give
// the call back, so that the host can try again.
func (h *held) deliver(answers []byte) *rpc.Error {
	given := make(map[string][]byte)
	err := error(nil)
	if answers != nil {
		err = rpc.Members(answers, func(key []byte, at rpc.Span) bool {
			given[string(key)] = bytes.Clone(answers[at.Start:at.End])
			return true
		})
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, q := range h.questions {
		if raw := given[q.Key]; raw != nil && raw[0] != '{' {
			err = errors.New("an answer is no object")
		}
	}
	if err != nil {
		h.taken, h.sink = false, nil
		return &rpc.Error{Code: rpc.CodeInvalidParams, Message: "inputResponses must be an object of objects."}
	}
	open := h.questions[:0:0]
	for _, q := range h.questions {
		if raw := given[q.Key]; raw != nil {
			q.reply <- raw
		} else {
			open = append(open, q)
		}
	}
	h.questions = open
	if len(open) > 0 {
		h.signalLocked()
	}
	return nil
}

func (h *held) signalLocked() {
	select {
	case h.asked <- struct{}{}:
	default:
	}
}

// Notify passes progress on to the request that waits now; between two there
// is no stream, and it is lost (upstream.Sink).
func (h *held) Notify(raw []byte) {
	h.mu.Lock()
	sink := h.sink
	h.mu.Unlock()
	if sink != nil {
		sink.Notify(raw)
	}
}

// Parked reports that the host has the questions and the call waits for it to
// come back.
func (h *held) Parked() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.taken
}

// Declares reports what the host said with its request (Asker).
func (h *held) Declares(capability string) bool { return declares(h.seat.Capabilities, capability) }

// Ask puts a question of the server to the host and waits for the answer (Asker).
func (h *held) Ask(ctx context.Context, m *rpc.Message) ([]byte, *rpc.Error) {
	q := &heldQuestion{reply: make(chan []byte, 1)}
	q.Method, q.Params = m.MethodName(), m.Bytes(m.Params)
	h.mu.Lock()
	h.nextKey++
	q.Key = "question-" + strconv.Itoa(h.nextKey)
	h.questions = append(h.questions, q)
	h.signalLocked()
	h.mu.Unlock()
	select {
	case raw := <-q.reply:
		return raw, nil
	case <-ctx.Done():
		h.drop(q)
		return nil, &rpc.Error{Code: -1, Message: "The question was withdrawn."}
	case <-h.finished:
		h.drop(q)
		return nil, &rpc.Error{Code: -1, Message: "The call has ended."}
	}
}

func (h *held) drop(q *heldQuestion) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, one := range h.questions {
		if one == q {
			h.questions = append(h.questions[:i:i], h.questions[i+1:]...)
			return
		}
	}
}
