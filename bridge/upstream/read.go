package upstream

import (
	"bytes"
	"context"
	"errors"
	"regexp"

	"bridgekeeper/bridge/rpc"
)

// TooLong is the error of ReadLine for a line over the cap; reading goes on
// behind it. Head and tail are its first and last bytes.
type TooLong interface {
	error
	Parts() (head, tail []byte, size int64)
}

// ErrTooLarge fails the one call whose reply was over the line cap.
var ErrTooLarge = errors.New("the server's answer is larger than the limit for one message")

// read is the session's reader goroutine: the only caller of ReadLine.
func (s *Session) read() {
	for {
		line, err := s.lines.ReadLine()
		if err != nil {
			if long, ok := errors.AsType[TooLong](err); ok {
				s.tooLong(long)
				continue
			}
			s.end(ErrEnded)
			return
		}
		s.line(line)
	}
}

// line takes one line apart; what isn't handed to a call is freed here.
func (s *Session) line(line []byte) {
	m, err := rpc.Scan(line)
	switch {
	case errors.Is(err, rpc.ErrNotObject) && line[0] == '[':
		s.batch(line)
	case err != nil || !s.message(&m, true):
		s.lines.Stray(line)
	case m.Kind() == rpc.Response:
		return // the call's to free
	}
	s.lines.Free(line)
}

// batch splits an array, which servers of 2025-03-26 may write.
func (s *Session) batch(line []byte) {
	_ = rpc.Elements(line, func(at rpc.Span) bool { // valid: Scan has read it
		one := bytes.Clone(line[at.Start:at.End])
		if m, err := rpc.Scan(one); err != nil || !s.message(&m, false) {
			s.lines.Stray(one)
		}
		return true
	})
}

// message dispatches one message; false when it is none that a server may
// send. pooled tells whether a response's bytes go back to the lines' pool.
func (s *Session) message(m *rpc.Message, pooled bool) bool {
	switch m.Kind() {
	case rpc.Response:
		return s.response(m, pooled)
	case rpc.Request:
		s.question(m)
	case rpc.Notification:
		s.notification(m)
	default:
		return false
	}
	return true
}

// response hands the reply to its call. An id we don't know is a late reply to
// a cancelled call or a server's mistake: neither harms anybody else.
func (s *Session) response(m *rpc.Message, pooled bool) bool {
	raw := m.Bytes(m.ID)
	if len(raw) > 2 && raw[0] == '"' { // some servers answer with the id as a string
		raw = raw[1 : len(raw)-1]
	}
	id, ok := rpc.Uint(raw)
	if !ok {
		return false
	}
	s.mu.Lock()
	c := s.calls[id]
	delete(s.calls, id)
	s.mu.Unlock()
	reply := Reply{Message: *m}
	if pooled {
		reply.lines = s.lines
	}
	if c == nil {
		reply.Free()
		return true
	}
	c.reply <- reply
	return true
}

func (s *Session) notification(m *rpc.Message) {
	switch {
	case m.Is(rpc.Progress):
		s.progress(m)
	case m.Is(rpc.Cancelled):
		s.cancelAsk(string(m.Bytes(m.RequestID)))
	default:
		own := *m
		own.Raw = bytes.Clone(m.Raw) // the line goes back to the pool
		if call := s.onlyCall(); call != nil && !broadcast(m) && call.Sink != nil {
			call.Sink.Notify(own.Raw)
			return
		}
		s.opts.Events.Notify(s, &own)
	}
}

// broadcast reports news that is everybody's who asked for it. Log messages, and
// notifications that we don't know, belong to the call that runs, if one does;
// news of a task are its host's.
func broadcast(m *rpc.Message) bool {
	return m.Is(rpc.ToolsChanged) || m.Is(rpc.PromptsChanged) || m.Is(rpc.ResourcesChanged) || m.Is(rpc.ResourceUpdated) ||
		m.Is(rpc.ElicitationCompleted) || m.Is(rpc.TaskStatus) || m.Is(rpc.TaskChanged)
}

// progress goes to the call it names, under the token its host gave.
func (s *Session) progress(m *rpc.Message) {
	id, ok := rpc.Uint(m.Bytes(m.ProgressToken))
	if !ok {
		return
	}
	s.mu.Lock()
	c := s.calls[id]
	if c != nil {
		c.progressed = true
	}
	s.mu.Unlock()
	if c == nil || c.token == nil || c.Sink == nil {
		return
	}
	c.Sink.Notify(rpc.Splice(nil, m.Raw, rpc.Edit{Span: m.ProgressToken, With: c.token}))
}

// onlyCall returns the call of a host in flight when there is exactly one. On an
// instance that is one host's alone, calls that are parked don't count beside
// one that runs: they have asked, and their server waits.
func (s *Session) onlyCall() *Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var running, parked []*Call
	for _, c := range s.calls {
		if c.Owner == "" {
			continue // ours: a ping, a list
		}
		if p, ok := c.Sink.(parker); ok && s.opts.OneHost && p.Parked() {
			parked = append(parked, c)
		} else {
			running = append(running, c)
		}
	}
	switch {
	case len(running) == 1:
		return running[0]
	case len(running) == 0 && len(parked) == 1:
		return parked[0]
	}
	return nil
}

// parker is a sink whose call may wait for its host's answers.
type parker interface{ Parked() bool }

// question answers a request of the server on a goroutine of its own, so that
// reading goes on while a person or a host thinks.
func (s *Session) question(m *rpc.Message) {
	id := bytes.Clone(m.Bytes(m.ID))
	if m.Is(rpc.Ping) {
		s.answer(context.Background(), rpc.AppendResult(nil, id, []byte("{}")))
		return
	}
	call := s.onlyCall()
	own := *m
	own.Raw = bytes.Clone(m.Raw)
	ctx, cancel := context.WithCancel(context.Background())
	if refused := s.admitAsk(string(id), cancel); refused != nil {
		cancel()
		s.answer(ctx, rpc.AppendError(nil, id, refused))
		return
	}
	s.workers.Go(func() {
		defer cancel()
		result, failure := s.opts.Events.Ask(ctx, s, call, &own)
		if ctx.Err() != nil {
			return // the server cancelled it, or is gone: nothing to say
		}
		s.cancelAsk(string(id))
		if failure != nil {
			s.answer(ctx, rpc.AppendError(nil, id, failure))
			return
		}
		s.answer(ctx, rpc.AppendResult(nil, id, result))
	})
}

// admitAsk enters a question of the server, or says why it can't be.
func (s *Session) admitAsk(id string, cancel context.CancelFunc) *rpc.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.cause != nil:
		return &rpc.Error{Code: rpc.CodeInternal, Message: "the session has ended"}
	case s.asks[id] != nil:
		return &rpc.Error{Code: rpc.CodeInvalidRequest, Message: "this request id is in use"}
	case len(s.asks) >= maxAsks:
		return &rpc.Error{Code: rpc.CodeInternal, Message: "too many questions at once"}
	}
	s.asks[id] = cancel
	return nil
}

func (s *Session) cancelAsk(id string) {
	s.mu.Lock()
	cancel := s.asks[id]
	delete(s.asks, id)
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

func (s *Session) answer(ctx context.Context, line []byte) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelWait)
	defer stop()
	if err := s.lines.WriteLine(ctx, line); err != nil {
		s.opts.Log.Debug("answer not delivered", "err", err)
	}
}

var tailID = regexp.MustCompile(`"id"\s*:\s*"?(\d{1,19})"?\s*}\s*$`)
var headID = regexp.MustCompile(`^\s*{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*"?(\d{1,19})"?\s*,`)

// tooLong fails the call that the over-long line answers: its id stands near
// the line's start or end. If neither shows it, every call that it may answer
// fails, hosts' calls first: one of them would wait for ever.
func (s *Session) tooLong(line TooLong) {
	head, tail, size := line.Parts()
	found := headID.FindSubmatch(head)
	if found == nil {
		found = tailID.FindSubmatch(tail)
	}
	s.opts.Log.Warn("line over the limit dropped", "bytes", size)
	s.mu.Lock()
	var failed, ours []*Call
	if found != nil {
		id, _ := rpc.Uint(found[1])
		if c := s.calls[id]; c != nil {
			failed = append(failed, c)
		}
	} else {
		for _, c := range s.calls {
			if c.Owner != "" {
				failed = append(failed, c)
			} else {
				ours = append(ours, c)
			}
		}
		if failed == nil {
			failed = ours
		}
	}
	for _, c := range failed {
		delete(s.calls, c.id)
	}
	s.mu.Unlock()
	for _, c := range failed {
		c.reply <- Reply{err: ErrTooLarge}
	}
}
