package directory

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/translate"
	"bridgekeeper/bridge/upstream"
)

// holds keeps the calls of modern hosts at legacy servers: when one asks
// something in the middle it goes on at the server, while the host is told
// input_required and comes back with the answers (protocol.md's row 5).
type holds struct {
	seal    *seal
	workers sync.WaitGroup // the calls at servers; Directory.Run waits for them

	mu     sync.Mutex // guards the fields below
	open   map[string]*held
	visits map[string]*visit // web pages that hosts were told to open, by id
	parked int               // calls and visits that wait for their hosts
	ended  bool              // nothing begins any more
}

func newHolds() *holds {
	return &holds{seal: newSeal(), open: make(map[string]*held), visits: make(map[string]*visit)}
}

var (
	stale = &rpc.Error{Code: rpc.CodeInvalidParams,
		Message: "The requestState is not valid, or not any more: make the call again from the start."}
	malformed = &rpc.Error{Code: rpc.CodeInvalidParams,
		Message: "inputResponses must be an object, and each answer in it what its question asks for."}
)

// resume goes on with a held call when the request brings its state; false
// when it brings none, or that of a server which keeps its own, or when the
// state says that the call may be made now.
func (d *Directory) resume(ctx context.Context, r *Request, server string) (Answer, bool) {
	if !r.Seat.Modern() || !answersRounds(r.Message) {
		return Answer{}, false
	}
	params := r.Message.Bytes(r.Message.Params)
	at := rpc.Find(params, "requestState")
	if !at.Ok() {
		return Answer{}, false
	}
	switch era, err := d.era(ctx, r.Seat, server); {
	case err != nil:
		return Answer{}, false // told by who asks next
	case era == upstream.Modern && r.opened:
		return Answer{}, false
	case era == upstream.Modern:
		return Answer{Error: stale}, true // none that we gave to this host for this call
	}
	text, err := d.held.seal.open(rpc.Text(params[at.Start:at.End]), r.Seat.Host, binding(server, r.Message), time.Now())
	if err != nil {
		return Answer{Error: stale}, true
	}
	given, ok := inputResponses(params)
	if !ok {
		return Answer{Error: malformed}, true
	}
	t := readTicket(text)
	h := d.held.find(t.id)
	if h == nil {
		return d.visited(r, server, t, given)
	}
	if bad := h.take(d.held, t, r, given); bad != nil {
		return Answer{Error: bad}, true
	}
	return d.await(ctx, r, h), true
}

// era is the server's. One that wasn't up yet since we started is asked up to
// learn it.
func (d *Directory) era(ctx context.Context, seat *Seat, server string) (upstream.Era, error) {
	if s := d.View().Server(server); s != nil && s.Info != nil {
		return s.Info.Era, nil
	}
	session, err := d.session(ctx, seat, server)
	if err != nil {
		return "", err
	}
	return session.Info().Era, nil
}

// inputResponses returns the host's answers by key, as copies; false when they are
// no object.
func inputResponses(params []byte) (given map[string][]byte, ok bool) {
	at := rpc.Find(params, "inputResponses")
	if !at.Ok() {
		return nil, true
	}
	answers := bytes.Clone(params[at.Start:at.End])
	given = make(map[string][]byte)
	err := rpc.Members(answers, func(key []byte, at rpc.Span) bool {
		given[string(key)] = answers[at.Start:at.End]
		return true
	})
	return given, err == nil
}

// ticket names one round of a held call or of a visit.
type ticket struct {
	id    string
	round int
}

func (t ticket) String() string { return t.id + " " + strconv.Itoa(t.round) }

// readTicket reads the text that only we can have sealed.
func readTicket(text string) ticket {
	id, round, _ := strings.Cut(text, " ")
	n, _ := strconv.Atoi(round)
	return ticket{id, n}
}

// ask makes the result that asks the host, with the ticket sealed in its state.
func (hs *holds) ask(requests []translate.InputRequest, t ticket, host string, bound []byte) Answer {
	state := hs.seal.close(t.String(), host, bound, time.Now().Add(holdTime))
	return Answer{Result: translate.AppendInputRequired(nil, requests, state)}
}

// begin files a held call and runs it.
func (hs *holds) begin(h *held, run func()) error {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if hs.ended {
		return errHoldEnd
	}
	hs.open[h.id] = h
	hs.workers.Go(run)
	return nil
}

func (hs *holds) find(id string) *held {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	return hs.open[id]
}

func (hs *holds) forget(h *held) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	delete(hs.open, h.id)
}

// reserve takes one of the places of those that wait for their hosts.
func (hs *holds) reserve() bool {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if hs.parked >= maxParked {
		return false
	}
	hs.parked++
	return true
}

func (hs *holds) release() {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.parked--
}

// expire gives a call up whose host didn't come back for that round. One that has
// finished meanwhile has kept its answer for the host until now.
func (hs *holds) expire(h *held, round int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken || h.round != round {
		return // the host was faster
	}
	h.taken = true
	hs.release()
	hs.forget(h)
	h.cancel(errHoldExpired)
}

// end cancels every held call and waits for them: we are stopping.
func (hs *holds) end() {
	hs.mu.Lock()
	hs.ended = true
	for _, h := range hs.open {
		h.cancel(errHoldEnd)
	}
	for _, v := range hs.visits {
		v.expiry.Stop()
	}
	hs.mu.Unlock()
	hs.workers.Wait()
}
