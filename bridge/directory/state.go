package directory

import (
	"bytes"
	"time"

	"bridgekeeper/bridge/rpc"
)

// A modern server may give its host a state to bring back with the answers, and
// takes it from whoever brings it. All hosts are one client to the server, so we
// seal the state for the one host and the one call that it was given to.

// stateTime is how long a host may take to come back with a server's state. The
// server has a limit of its own; this one only keeps old ones from being tried.
const stateTime = time.Hour

// sealState replaces the state that a modern server gives to a modern host.
func (d *Directory) sealState(r *Request, a *Answer) {
	result := a.Reply.Bytes(a.Reply.Result)
	if !answersRounds(r.Message) || !bytes.Contains(result, []byte("requestState")) {
		return // as nearly all
	}
	kind, state := rpc.Find(result, "resultType"), rpc.Find(result, "requestState")
	if !kind.Ok() || rpc.Text(result[kind.Start:kind.End]) != "input_required" || !state.Ok() || result[state.Start] != '"' {
		return
	}
	inner := string(result[state.Start:state.End]) // raw: it goes back as it came
	sealed := d.held.seal.close(inner, r.Seat.Host, binding(r.Seat.Endpoint, r.Message), time.Now().Add(stateTime))
	start := a.Reply.Result.Start
	a.Edits = append(a.Edits, rpc.Edit{Span: rpc.Span{Start: start + state.Start, End: start + state.End}, With: rpc.Quote(sealed)})
}

// openState puts a server's own state back into the request that brings it. A
// request whose state isn't one stays as it is: it may be that of a held call,
// which is looked at where the server is known.
func (d *Directory) openState(r *Request) *Request {
	m := r.Message
	if !r.Seat.Modern() || !answersRounds(m) || !bytes.Contains(m.Bytes(m.Params), []byte("requestState")) {
		return r
	}
	at := rpc.Find(m.Bytes(m.Params), "requestState")
	if !at.Ok() {
		return r
	}
	at = rpc.Span{Start: m.Params.Start + at.Start, End: m.Params.Start + at.End}
	inner, err := d.held.seal.open(m.Text(at), r.Seat.Host, binding(r.Seat.Endpoint, m), time.Now())
	if err != nil || inner[0] != '"' { // else it is a ticket of ours
		return r
	}
	own, err := rpc.Scan(rpc.Splice(nil, m.Raw, rpc.Edit{Span: at, With: []byte(inner)}))
	if err != nil {
		return r // can't be: one text in the place of another
	}
	return &Request{Seat: r.Seat, Message: &own, Sink: r.Sink, opened: true}
}
