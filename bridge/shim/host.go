package shim

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"bridgekeeper/bridge/rpc"
)

var bom = []byte("\ufeff")

// fromHost takes one line of the host. Whatever is no message goes to the core as
// it is, which answers it.
func (s *shim) fromHost(text []byte) {
	text = bytes.TrimPrefix(text, bom) // some begin their output with one
	m, err := rpc.Scan(text)
	if errors.Is(err, rpc.ErrNotObject) && text[0] == '[' { // 2025-03-26 has arrays
		s.fromHostArray(text)
		return
	}
	s.mu.Lock()
	pass, refused := true, ""
	if err == nil {
		pass, refused = s.noteLocked(&m)
	}
	s.send(text, pass)
	if refused != "" {
		s.refuse(m.Bytes(m.ID), refused)
	}
}

// fromHostArray passes an array on, without those of its messages that go no further.
func (s *shim) fromHostArray(text []byte) {
	var rest, ids [][]byte
	var whys []string
	whole := true
	s.mu.Lock()
	err := rpc.Elements(text, func(at rpc.Span) bool {
		one := bytes.TrimSpace(text[at.Start:at.End])
		if m, err := rpc.Scan(one); err == nil {
			pass, refused := s.noteLocked(&m)
			if refused != "" {
				ids, whys = append(ids, m.Bytes(m.ID)), append(whys, refused)
			}
			if !pass {
				whole = false
				return true
			}
		}
		rest = append(rest, one)
		return true
	})
	if !whole && err == nil {
		text = append(append([]byte{'['}, bytes.Join(rest, []byte{','})...), ']')
	}
	s.send(text, whole || err != nil || len(rest) > 0)
	for i, id := range ids {
		s.refuse(id, whys[i])
	}
}

// send passes a line to the core, or keeps it for the next one. It is called with
// mu held, so that a request is noted and on its way at once, and lets go of it.
func (s *shim) send(text []byte, pass bool) {
	l := s.link
	if pass && l == nil && s.queued+len(text) <= maxQueued+maxLine {
		s.queue = append(s.queue, bytes.Clone(text))
		s.queued += len(text)
	}
	s.mu.Unlock()
	if pass && l != nil && !l.write(text) {
		s.unsent(l, text)
	}
}

// unsent keeps a request of which nothing could be written for the next core: it
// would be a pity to call it failed.
func (s *shim) unsent(l *link, text []byte) {
	m, err := rpc.Scan(text)
	if err != nil || m.Kind() != rpc.Request {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.waiting[string(m.Bytes(m.ID))]
	if r == nil || l.lost || s.queued > maxQueued {
		return // it was settled with everything else that was under way
	}
	r.sent = false
	s.queue = append(s.queue, bytes.Clone(text))
	s.queued += len(text)
	s.waitLocked(r)
}

// refuse answers a request that goes no further.
func (s *shim) refuse(id []byte, why string) {
	s.look()
	s.answer(id, rpc.CodeInternal, why)
}

// noteLocked remembers what the message means for later. pass is false when it
// goes no further; a request then has a reason.
func (s *shim) noteLocked(m *rpc.Message) (pass bool, refused string) {
	switch m.Kind() {
	case rpc.Request:
		refused = s.enterLocked(m)
		return refused == "", refused
	case rpc.Response:
		id := string(m.Bytes(m.ID))
		_, open := s.asks[id]
		delete(s.asks, id)
		return open, "" // late: who asked is gone, and another might have the same id
	case rpc.Notification:
		s.said.notification(m)
		if m.Is(rpc.Cancelled) {
			return !s.withdrawLocked(string(m.Bytes(m.RequestID))), ""
		}
	}
	return true, ""
}

// enterLocked notes a request that waits for its answer, or says why not.
func (s *shim) enterLocked(m *rpc.Message) (refused string) {
	id := m.Bytes(m.ID)
	switch {
	case s.waiting[string(id)] != nil:
		return "This request id is already in use by a request in flight."
	case len(s.waiting) >= maxWaiting:
		return "Too many requests are in flight."
	case s.link == nil && s.queued >= maxQueued:
		return "Too much waits for Bridgekeeper, which isn't there."
	case s.link == nil && s.down != nil && time.Since(s.since) > s.times.patience:
		return s.gone()
	}
	s.order++
	r := &request{id: bytes.Clone(id), method: m.MethodName(), order: s.order, sent: s.link != nil}
	if again(r.method) {
		r.raw = bytes.Clone(m.Raw)
	}
	s.said.request(m)
	s.waiting[string(id)] = r
	if !r.sent {
		s.waitLocked(r)
	}
	return ""
}

// waitLocked bounds how long a request waits for a core.
func (s *shim) waitLocked(r *request) {
	r.timer = time.AfterFunc(s.times.patience, func() { s.expire(r) })
	s.look()
}

// expire answers a request for which no core came. While the first look lasts it
// waits on: a person may be asked meanwhile.
func (s *shim) expire(r *request) {
	s.mu.Lock()
	late := s.waiting[string(r.id)] == r && !r.sent
	if late && s.down == nil {
		r.timer.Reset(s.times.patience)
		late = false
	}
	why := s.gone()
	if late {
		s.withdrawLocked(string(r.id))
	}
	s.mu.Unlock()
	if late {
		s.answer(r.id, rpc.CodeInternal, why)
	}
}

// withdrawLocked forgets a request; one that is still here is not sent any more,
// which it reports.
func (s *shim) withdrawLocked(id string) (here bool) {
	r := s.waiting[id]
	if r == nil {
		return false
	}
	s.doneLocked(r)
	if r.sent {
		return false
	}
	for i, text := range s.queue {
		if m, err := rpc.Scan(text); err == nil && m.Kind() == rpc.Request && string(m.Bytes(m.ID)) == id {
			s.queued -= len(text)
			s.queue = slices.Delete(s.queue, i, i+1)
			return true
		}
	}
	return false // in an array
}

func (s *shim) doneLocked(r *request) {
	delete(s.waiting, string(r.id))
	if r.timer != nil {
		r.timer.Stop()
	}
	select {
	case s.quiet <- struct{}{}:
	default:
	}
}

// gone says why there is no core.
func (s *shim) gone() string {
	if s.down == nil {
		return "Bridgekeeper can't be reached."
	}
	return fmt.Sprintf("Bridgekeeper can't be reached: %s", s.down)
}

// again reports whether a request may be sent a second time, when it isn't known
// what became of the first: those that change nothing and ask nobody.
func again(method string) bool {
	switch method {
	case rpc.Initialize, rpc.Ping, rpc.Discover, rpc.ListTools, rpc.ListPrompts, rpc.ListResources, rpc.ListTemplates,
		rpc.Listen, rpc.Subscribe, rpc.Unsubscribe, rpc.SetLevel, rpc.ReadResource, rpc.GetPrompt, rpc.Complete:
		return true
	}
	return false
}
