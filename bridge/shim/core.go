package shim

import (
	"errors"
	"slices"
	"time"

	"bridgekeeper/bridge/rpc"
)

// fromCore passes a line of the core to the host, unless it is for us. The error
// is the host's.
func (s *shim) fromCore(l *link, text []byte) error {
	m, err := rpc.Scan(text)
	if err != nil {
		s.opts.say("Bridgekeeper sent something that is no message")
		return nil
	}
	id := string(m.Bytes(m.ID))
	s.mu.Lock()
	pass, news := true, [][]byte(nil)
	switch m.Kind() {
	case rpc.Response:
		pass = s.answeredLocked(l, id, &m)
	case rpc.Request:
		s.asks[id] = struct{}{}
	case rpc.Notification:
		pass, news = s.notifiedLocked(l, &m)
	}
	s.mu.Unlock()
	if pass {
		if err := s.write(text); err != nil {
			return err
		}
	}
	for _, one := range news {
		if err := s.write(one); err != nil {
			return err
		}
	}
	return nil
}

// answeredLocked takes an answer; false when it isn't the host's.
func (s *shim) answeredLocked(l *link, id string, m *rpc.Message) bool {
	if answered := l.told[id]; answered != nil {
		delete(l.told, id)
		close(answered)
		return false
	}
	r := s.waiting[id]
	if r == nil {
		return !m.ID.Ok() || id == "null" // the core couldn't read a line
	}
	if r.method == rpc.Initialize && m.Result.Ok() {
		s.said.welcomed(r.raw, m.Bytes(m.Result))
	}
	s.doneLocked(r)
	return true
}

const acknowledged = "notifications/subscriptions/acknowledged"

// notifiedLocked takes a notification. The second acknowledgement of a
// subscription is not the host's; what it heard there may be old.
func (s *shim) notifiedLocked(l *link, m *rpc.Message) (pass bool, news [][]byte) {
	if m.Is(rpc.Cancelled) {
		delete(s.asks, string(m.Bytes(m.RequestID)))
	}
	if !m.Is(acknowledged) {
		return true, nil
	}
	params, meta := m.Bytes(m.Params), m.Bytes(m.Meta)
	at := rpc.Find(meta, rpc.MetaSubscriptionID)
	if !at.Ok() {
		return true, nil
	}
	id := string(meta[at.Start:at.End])
	if r := s.waiting[id]; r != nil {
		r.heard = true
	}
	if !l.again[id] {
		return true, nil
	}
	delete(l.again, id)
	if at = rpc.Find(params, "notifications"); !at.Ok() {
		return false, nil
	}
	agreed := params[at.Start:at.End]
	mark := append(append([]byte(`{"_meta":`), meta...), '}')
	for member, method := range map[string]string{"toolsListChanged": rpc.ToolsChanged, "promptsListChanged": rpc.PromptsChanged, "resourcesListChanged": rpc.ResourcesChanged} {
		if at := rpc.Find(agreed, member); at.Ok() && string(agreed[at.Start:at.End]) == "true" {
			news = append(news, rpc.AppendNotification(nil, method, mark))
		}
	}
	return false, news
}

// lost settles what was under way when a connection ended.
func (s *shim) lost(l *link) {
	s.mu.Lock()
	l.lost = true
	if s.link == l {
		s.link = nil
	}
	if s.down == nil {
		s.since, s.down = time.Now(), errors.New("it has ended")
		if !l.bye {
			s.down = errors.New("it ended unexpectedly")
		}
	}
	var failed, repeat []*request
	for _, r := range s.waiting {
		switch {
		case !r.sent:
		case r.raw != nil:
			repeat = append(repeat, r)
		default:
			failed = append(failed, r)
			s.doneLocked(r)
		}
	}
	byOrder := func(a, b *request) int { return int(a.order) - int(b.order) }
	slices.SortFunc(failed, byOrder)
	slices.SortFunc(repeat, byOrder)
	front := make([][]byte, 0, len(repeat))
	for _, r := range repeat {
		front = append(front, r.raw)
		s.queued += len(r.raw)
		r.sent = false
		s.waitLocked(r)
	}
	s.queue = append(front, s.queue...)
	asks := s.asks
	s.asks = make(map[string]struct{})
	s.mu.Unlock()
	for _, r := range failed {
		s.answer(r.id, rpc.CodeInternal, "Bridgekeeper ended while this was under way; it isn't known whether it took effect.")
	}
	for id := range asks { // nobody waits for the answer any more
		_ = s.write(rpc.AppendNotification(nil, rpc.Cancelled, []byte(`{"requestId":`+id+`,"reason":"Bridgekeeper has ended"}`)))
	}
}

// failAll answers everything that waits.
func (s *shim) failAll(why string) {
	s.mu.Lock()
	var all []*request
	for _, r := range s.waiting {
		all = append(all, r)
		s.doneLocked(r)
	}
	s.queue, s.queued = nil, 0
	s.mu.Unlock()
	slices.SortFunc(all, func(a, b *request) int { return int(a.order) - int(b.order) })
	for _, r := range all {
		s.answer(r.id, rpc.CodeInternal, why)
	}
}
