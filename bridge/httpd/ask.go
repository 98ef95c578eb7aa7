package httpd

import (
	"bytes"
	"context"
	"strconv"

	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// Declares reports whether the host said it can answer: a member of its
// capabilities such as "elicitation", or one inside it such as "elicitation.url".
func (x *exchange) Declares(capability string) bool {
	return x.session != nil && x.accept.sse && directory.Declares(x.session.seat.Capabilities, capability)
}

// Ask passes a server's question to the host on the stream of the call that it
// belongs to, and waits for the host's answer. m is the server's request.
func (x *exchange) Ask(ctx context.Context, m *rpc.Message) ([]byte, *rpc.Error) {
	if x.session == nil {
		return nil, notNow
	}
	st := x.open()
	if st == nil {
		return nil, notNow
	}
	id, reply, ok := x.session.ask()
	if !ok {
		return nil, notNow
	}
	defer x.session.askDone(id)
	if !st.add(rpc.Splice(nil, m.Raw, rpc.Edit{Span: m.ID, With: []byte(id)})) {
		return nil, notNow
	}
	select {
	case answer, ok := <-reply:
		switch {
		case !ok:
			return nil, notNow
		case answer.Error.Ok():
			return nil, rpc.ReadError(answer.Bytes(answer.Error))
		}
		return answer.Bytes(answer.Result), nil
	case <-st.over: // the call is over, and with it the question
		return nil, notNow
	case <-x.over: // likewise, where others go on saying things there
		return nil, notNow
	case <-ctx.Done():
		params := append(append([]byte(`{"requestId":`), id...), '}')
		st.add(rpc.AppendNotification(nil, rpc.Cancelled, params))
		return nil, notNow
	}
}

var notNow = &rpc.Error{Code: rpc.CodeInternal, Message: "The host can't be asked now."}

// ask enters a question of ours; id is raw JSON.
func (s *session) ask() (id string, reply chan *rpc.Message, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asks == nil || len(s.asks) >= maxAsksAHost {
		return "", nil, false
	}
	s.nextID++
	id = `"bk-` + s.mark + strconv.FormatUint(s.nextID, 10) + `"`
	reply = make(chan *rpc.Message, 1)
	s.asks[id] = reply
	return id, reply, true
}

func (s *session) askDone(id string) {
	s.mu.Lock()
	delete(s.asks, id)
	s.mu.Unlock()
}

// answered hands the host's answer to the question it belongs to, once.
func (s *session) answered(m *rpc.Message) {
	id := string(m.Bytes(m.ID))
	s.mu.Lock()
	reply := s.asks[id]
	delete(s.asks, id)
	s.mu.Unlock()
	if reply == nil {
		return // late, or never asked
	}
	own := *m
	own.Raw = bytes.Clone(m.Raw) // the body's buffer is used again
	reply <- &own
}
