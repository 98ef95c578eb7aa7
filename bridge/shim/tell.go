package shim

import (
	"bytes"
	"context"
	"strconv"

	"bridgekeeper/bridge/rpc"
)

// tell has a new core know what the host told the one before, then what waited.
func (s *shim) tell(ctx context.Context, l *link, done <-chan struct{}) {
	s.mu.Lock()
	said, level := s.said, s.said.level
	uris := said.uris()
	var lines [][]byte
	for _, uri := range uris {
		lines = append(lines, said.subjects[uri])
	}
	s.mu.Unlock()
	renewed := said.initialize != nil
	if renewed {
		if !s.request(ctx, l, done, said.initialize, rpc.Initialize, nil) {
			return
		}
		if said.initialized != nil {
			l.write(said.initialized)
		}
		if level != nil {
			s.request(ctx, l, done, nil, rpc.SetLevel, level)
		}
		for _, params := range lines {
			s.request(ctx, l, done, nil, rpc.Subscribe, params)
		}
	}
	s.handOver(l)
	if !renewed || said.initialized == nil {
		return
	}
	// What the host knows may be old.
	for _, method := range said.changed() {
		_ = s.write(rpc.AppendNotification(nil, method, nil)) // a host that is gone is noticed by the reader
	}
	for _, uri := range uris {
		params := append(append([]byte(`{"uri":`), rpc.Quote(uri)...), '}')
		_ = s.write(rpc.AppendNotification(nil, rpc.ResourceUpdated, params))
	}
}

// request makes a request of our own and waits for its answer, whatever that is:
// a raw one of the host under an id of ours, or a method with params.
func (s *shim) request(ctx context.Context, l *link, done <-chan struct{}, raw []byte, method string, params []byte) bool {
	s.mu.Lock()
	s.ours++
	id := []byte(`"bk-shim-` + strconv.FormatUint(s.ours, 10) + `"`)
	answered := make(chan struct{})
	l.told[string(id)] = answered
	s.mu.Unlock()
	var text []byte
	if raw != nil {
		m, err := rpc.Scan(raw)
		if err != nil {
			return false // it was scanned when it came
		}
		text = rpc.Splice(nil, raw, rpc.Edit{Span: m.ID, With: id})
	} else {
		text = append([]byte(`{"jsonrpc":"2.0","id":`), id...)
		text = append(text, `,"method":`...)
		text = rpc.AppendQuote(text, method)
		text = append(append(append(text, `,"params":`...), params...), '}')
	}
	l.write(text)
	select {
	case <-answered:
		return true
	case <-done:
	case <-ctx.Done():
	}
	return false
}

// handOver sends what waited and makes the link the one that the host's lines go
// to, in this order.
func (s *shim) handOver(l *link) {
	for {
		s.mu.Lock()
		queue := s.queue
		s.queue, s.queued = nil, 0
		if len(queue) == 0 {
			s.link, s.down = l, nil
			s.mu.Unlock()
			return
		}
		for _, text := range queue {
			s.sentLocked(l, text)
		}
		s.mu.Unlock()
		for _, text := range queue {
			l.write(text)
		}
	}
}

// sentLocked marks the requests in a line as on their way.
func (s *shim) sentLocked(l *link, text []byte) {
	mark := func(raw []byte) {
		m, err := rpc.Scan(raw)
		if err != nil || m.Kind() != rpc.Request {
			return
		}
		if r := s.waiting[string(m.Bytes(m.ID))]; r != nil {
			r.sent = true
			if r.heard {
				l.again[string(r.id)] = true
			}
			if r.timer != nil {
				r.timer.Stop()
			}
		}
	}
	if text[0] != '[' {
		mark(text)
		return
	}
	_ = rpc.Elements(text, func(at rpc.Span) bool { // what is no array marks nothing
		mark(bytes.TrimSpace(text[at.Start:at.End]))
		return true
	})
}
