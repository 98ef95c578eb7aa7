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
	// maxParked bounds the calls that wait for their hosts, and the web pages that
	// hosts were told to open: a host need not come back for any of them.
	maxParked = 512
	// coalesce is how long further questions of the same call are waited for, so
	// that a host gets them in one round.
	coalesce = 150 * time.Millisecond
)

var (
	errHoldExpired = errors.New("the host didn't come back with the answers in time")
	errHoldFull    = errors.New("too many calls wait for answers")
	errHoldEnd     = errors.New("bridgekeeper is stopping")
)

// held is one call of a modern host at a legacy server, which may ask something
// in the middle. It is the sink and the asker of the call at the server, and
// outlives the requests that wait for it.
type held struct {
	id       string
	server   string
	host     string
	call     rpc.Message // as its host sent it; the bytes are ours
	cancel   context.CancelCauseFunc
	finished chan struct{} // closed when answer is set
	answer   Answer        // once finished; the request that takes it frees it
	asked    chan struct{} // one element: there are new questions

	mu           sync.Mutex // guards the fields below
	sink         upstream.Sink
	token        []byte // the progress token of the request that waits now, raw; nil when it gave none
	capabilities []byte // of the newest request, raw
	round        int    // the requestState of an earlier round is used up
	nextKey      int
	questions    []*heldQuestion // in the order they were asked
	taken        bool            // a request waits with this call now, or it has expired
	expiry       *time.Timer     // runs while the call is parked
}

type heldQuestion struct {
	translate.InputRequest
	reply chan []byte // one element
}

// holds reports whether the call may have to be held.
func (d *Directory) holds(r *Request, session *upstream.Session) bool {
	return r.Seat.Modern() && session.Info().Era == upstream.Legacy && answersRounds(r.Message)
}

// hold makes the call so that it can outlive this request, and waits for its
// answer or its first questions. done is told how the call ended.
func (d *Directory) hold(ctx context.Context, r *Request, server string, session *upstream.Session, edits []rpc.Edit, done func(*Answer, string)) Answer {
	call := *r.Message
	call.Raw = bytes.Clone(call.Raw) // the host's bytes are its request's: the call may live longer
	sent, edits := withoutAnswers(call, edits)
	callCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	h := &held{id: rand.Text(), server: server, host: r.Seat.Host, call: call, cancel: cancel,
		finished: make(chan struct{}), asked: make(chan struct{}, 1), taken: true}
	h.waitedForBy(r)
	about := r.about()
	err := d.held.begin(h, func() {
		defer cancel(nil)
		reply, err := session.Do(callCtx, &upstream.Request{Message: &sent, Edits: edits, Sink: h, Owner: h.host, About: about})
		answer, outcome := d.judge(callCtx, session, reply, err)
		if err != nil && done == nil { // no tool: a protocol error, not a result
			answer = failure(rpc.CodeInternal, err.Error())
		}
		if done != nil {
			done(&answer, outcome)
		}
		h.answer = answer
		close(h.finished)
	})
	if err != nil {
		cancel(nil)
		answer := failure(rpc.CodeInternal, err.Error())
		if done != nil {
			done(&answer, "error")
		}
		return answer
	}
	return d.await(ctx, r, h)
}

// withoutAnswers takes answers to questions that this server never asked out of
// a call: it can't be given them, and asks again. So it does with the wish for a
// task of 2025-11-25, which a modern host can't know. The only edit that a call may
// have is that of its name.
func withoutAnswers(m rpc.Message, edits []rpc.Edit) (rpc.Message, []rpc.Edit) {
	for _, name := range []string{"inputResponses", "requestState", "task"} {
		if !bytes.Contains(m.Bytes(m.Params), rpc.Quote(name)) {
			continue // as nearly all
		}
		if name == "task" && !holdsObject(m.Bytes(m.Params), name) {
			continue // it is no such wish, and the server's to judge
		}
		e, ok := rpc.RemoveMember(m.Raw, m.Params, name)
		if !ok {
			continue
		}
		shorter, err := rpc.Scan(rpc.Splice(nil, m.Raw, e))
		if err != nil {
			return m, edits // can't be: one member less of an object
		}
		if len(edits) > 0 {
			edits = []rpc.Edit{{Span: shorter.Name, With: edits[0].With}}
		}
		m = shorter
	}
	return m, edits
}

// holdsObject reports whether the member of that name is an object.
func holdsObject(raw []byte, name string) bool {
	at := rpc.Find(raw, name)
	return at.Ok() && raw[at.Start] == '{'
}

// await waits with a request for the call's answer or its next questions.
func (d *Directory) await(ctx context.Context, r *Request, h *held) Answer {
	for {
		select {
		case <-h.finished:
			return d.finish(r, h)
		case <-ctx.Done():
			h.cancel(context.Cause(ctx)) // on this wire a closed connection is a cancel
			<-h.finished
			return d.finish(r, h)
		case <-h.asked:
		}
		more := time.NewTimer(coalesce)
		select {
		case <-more.C:
			if answer, ok := d.park(h); ok {
				return answer
			}
		case <-h.finished:
		case <-ctx.Done():
		}
		more.Stop()
	}
}

// finish ends the holding: the answer goes to the request that waits.
func (d *Directory) finish(r *Request, h *held) Answer {
	d.held.forget(h)
	h.mu.Lock()
	h.sink = nil
	h.mu.Unlock()
	return d.visitFirst(r, h, h.answer)
}

// park makes the input_required result of the questions that are open, and
// leaves the call to itself until its host comes back; false when the server
// has withdrawn them all.
func (d *Directory) park(h *held) (Answer, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.asked: // asked while the first ones waited: it goes along
	default:
	}
	if len(h.questions) == 0 {
		return Answer{}, false
	}
	if !d.held.reserve() {
		h.cancel(errHoldFull)
		return Answer{}, false
	}
	h.round++
	h.sink, h.token, h.taken = nil, nil, false
	requests := make([]translate.InputRequest, 0, len(h.questions))
	for _, q := range h.questions {
		requests = append(requests, q.InputRequest)
	}
	round := h.round
	h.expiry = time.AfterFunc(holdTime, func() { d.held.expire(h, round) })
	return d.held.ask(requests, ticket{h.id, round}, h.host, binding(h.server, &h.call)), true
}

// take gives the call to a request that brings the ticket of its last round, and
// hands the host's answers to the questions. Each ticket works once, but malformed
// answers change nothing. A question that has no answer is asked again; answers
// that nobody asked for are ignored. hs is the call's.
func (h *held) take(hs *holds, t ticket, r *Request, given map[string][]byte) *rpc.Error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken || h.round != t.round {
		return stale
	}
	for _, q := range h.questions {
		if raw := given[q.Key]; raw != nil && !translate.Answers(q.Method, raw) {
			return malformed
		}
	}
	h.expiry.Stop() // where it fires just now it finds the call taken
	h.taken = true
	hs.release()
	h.waitedForBy(r)
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

// waitedForBy notes the request that waits with the call; the caller holds mu, or
// nobody else knows the call yet.
func (h *held) waitedForBy(r *Request) {
	h.sink = r.Sink
	h.token = bytes.Clone(r.Message.Bytes(r.Message.MetaProgressToken))
	h.capabilities = bytes.Clone(r.Seat.Capabilities)
}

func (h *held) signalLocked() {
	select {
	case h.asked <- struct{}{}:
	default:
	}
}

// Notify passes progress on to the request that waits now, under the token that
// this one gave; between two there is no stream, and it is lost (upstream.Sink).
// It holds mu all the while, so that no request is told anything after its end.
func (h *held) Notify(raw []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sink == nil {
		return
	}
	if m, err := rpc.Scan(raw); err == nil && m.Is(rpc.Progress) && m.ProgressToken.Ok() {
		if h.token == nil {
			return
		}
		raw = rpc.Splice(nil, raw, rpc.Edit{Span: m.ProgressToken, With: h.token})
	}
	h.sink.Notify(raw)
}

// Parked reports that the host has the questions and the call waits for it to
// come back.
func (h *held) Parked() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.taken
}

// Declares reports what the host said with its newest request (Asker).
func (h *held) Declares(capability string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Declares(h.capabilities, capability)
}

// Ask puts a question of the server to the host and waits for the answer (Asker).
func (h *held) Ask(ctx context.Context, m *rpc.Message) ([]byte, *rpc.Error) {
	q := &heldQuestion{reply: make(chan []byte, 1)}
	q.Method, q.Params = m.MethodName(), translate.ModernQuestion(m.Bytes(m.Params))
	h.mu.Lock()
	h.nextKey++
	q.Key = questionKey(h.nextKey)
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

func questionKey(n int) string { return "question-" + strconv.Itoa(n) }

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
