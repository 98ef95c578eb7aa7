package directory

import (
	"time"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/translate"
)

// visit is a call that a legacy server refused with -32042 until a person has
// been to some web pages. Nothing runs meanwhile: the host is asked to have them
// opened, and its next request is a new call, which passes the gate anew
// (protocol.md's row 10). The fields are guarded by holds.mu.
type visit struct {
	round    int
	requests []translate.InputRequest // not answered yet
	expiry   *time.Timer
}

// visitFirst turns the refusal of a server that wants web pages visited into the
// question for that, and leaves any other answer alone.
func (d *Directory) visitFirst(r *Request, h *held, answer Answer) Answer {
	if answer.Reply.Raw == nil || !answer.Reply.Error.Ok() {
		return answer
	}
	e := rawError(&answer.Reply)
	if e.Code != rpc.CodeURLElicitation {
		return answer
	}
	pages := translate.Pages(e.Data)
	if len(pages) == 0 {
		return answer
	}
	answer.Free()
	if !h.Declares("elicitation.url") {
		return Answer{Error: &rpc.Error{Code: rpc.CodeMissingCapability, Message: "The call needs a web page to be opened first: " + e.Message,
			Data: []byte(`{"requiredCapabilities":{"elicitation":{"url":{}}}}`)}}
	}
	for i := range pages {
		pages[i].Key = questionKey(i + 1)
	}
	if !d.held.reserve() {
		return failure(rpc.CodeInternal, errHoldFull.Error())
	}
	d.held.expect(h.id, &visit{requests: pages})
	return d.held.ask(pages, ticket{h.id, 0}, h.host, binding(h.server, r.Message))
}

// expect waits for the host of a visit to come back.
func (hs *holds) expect(id string, v *visit) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	hs.visits[id] = v
	v.expiry = time.AfterFunc(holdTime, func() {
		hs.mu.Lock()
		defer hs.mu.Unlock()
		if hs.visits[id] == v {
			hs.doneLocked(id, v)
		}
	})
}

func (hs *holds) doneLocked(id string, v *visit) {
	v.expiry.Stop()
	delete(hs.visits, id)
	hs.parked--
}

// visited takes the host's word about the pages; false when the call may be made
// again now. Each ticket works once.
func (d *Directory) visited(r *Request, server string, t ticket, given map[string][]byte) (Answer, bool) {
	hs := d.held
	hs.mu.Lock()
	defer hs.mu.Unlock()
	v := hs.visits[t.id]
	if v == nil || v.round != t.round {
		return Answer{Error: stale}, true
	}
	var open []translate.InputRequest
	refused := false
	for _, q := range v.requests {
		switch raw := given[q.Key]; {
		case raw == nil:
			open = append(open, q)
		case !translate.Answers(q.Method, raw):
			return Answer{Error: malformed}, true
		default:
			refused = refused || !translate.Accepted(raw)
		}
	}
	switch {
	case refused:
		hs.doneLocked(t.id, v)
		const sentence = "This call needs a web page that the person didn't want to open. It was not made again."
		if r.Message.Is(rpc.CallTool) {
			return toolFailure(sentence), true
		}
		return failure(rpc.CodeInternal, sentence), true
	case len(open) > 0:
		v.round++
		v.requests = open
		v.expiry.Reset(holdTime)
		return hs.ask(open, ticket{t.id, v.round}, r.Seat.Host, binding(server, r.Message)), true
	}
	hs.doneLocked(t.id, v)
	return Answer{}, false
}
