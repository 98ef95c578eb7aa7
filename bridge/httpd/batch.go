package httpd

import (
	"bytes"
	"net/http"
	"strconv"
	"sync"

	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// maxBatch bounds the messages of one array.
const maxBatch = 100

// batch takes an array of messages, which revision 2025-03-26 alone has. The
// requests run side by side; their answers come back as one array.
func (s *Server) batch(x *exchange, raw []byte) {
	session := s.find(x.w, x.r, x.host, x.endpoint)
	if session == nil {
		return
	}
	if session.seat.Version != rpc.V20250326 {
		fail(x.w, http.StatusBadRequest, nil, &rpc.Error{Code: rpc.CodeInvalidRequest,
			Message: "Arrays of messages exist in revision 2025-03-26 only; this session speaks " + session.seat.Version + "."})
		return
	}
	messages, bad := splitBatch(raw)
	if bad != nil {
		fail(x.w, http.StatusBadRequest, nil, bad)
		return
	}
	var wait sync.WaitGroup
	answers := make([][]byte, len(messages))
	for i, m := range messages {
		switch m.Kind() {
		case rpc.Notification:
			s.notified(x.r.Context(), session, m)
		case rpc.Response:
			session.answered(m)
		case rpc.Request:
			wait.Go(func() { answers[i] = s.batched(x, session, m) })
		}
	}
	wait.Wait()
	out := []byte{'['}
	for _, a := range answers {
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
	x.w.Write(out) // the host is gone when it fails
}

// batched answers one request of an array; nil when the host cancelled it.
func (s *Server) batched(x *exchange, session *session, m *rpc.Message) []byte {
	id := m.Bytes(m.ID)
	ctx, cancel, refused := session.begin(x.r.Context(), string(id))
	defer cancel(nil)
	if refused != nil {
		return rpc.AppendError(nil, id, refused)
	}
	defer session.done(string(id))
	answer := s.opts.Directory.Handle(ctx, &directory.Request{Seat: session.seat, Message: m})
	defer answer.Free()
	if ctx.Err() != nil {
		return nil
	}
	return answer.Append(nil, id)
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
