package supervisor

import (
	"context"
	"errors"
	"time"
)

// handshake lets Attach open the conversation, within the time a server has for
// that. It returns a session, or why there is none.
func (a *attempt) handshake() (Session, error) {
	installing := isRunner(a.spec.Command, a.spec.Args)
	limit, firstByte := a.t.Handshake, (<-chan struct{})(nil)
	if installing {
		limit, firstByte = a.t.Install, a.firstByte
		a.tell(news{kind: newsPhase, phase: Installing})
	} else {
		a.tell(news{kind: newsPhase, phase: Handshaking})
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	ctx, cancel := context.WithCancelCause(a.ctx)
	defer cancel(nil)
	result := make(chan attached, 1)
	inst := Instance{Key: a.inst.key, Gen: a.gen, PID: a.proc.PID}
	go func() {
		session, err := a.inst.sup.opts.Attach(ctx, inst, a.conn)
		result <- attached{session, err}
	}()
	for {
		select {
		case r := <-result:
			return a.attached(r)
		case <-firstByte:
			firstByte, installing, limit = nil, false, a.t.Handshake
			timer.Reset(limit)
			a.tell(news{kind: newsPhase, phase: Handshaking})
		case <-timer.C:
			return nil, a.abandon(cancel, result, timeoutError(limit, installing))
		case <-a.ctx.Done():
			return nil, a.abandon(cancel, result, context.Cause(a.ctx))
		case <-a.proc.Done():
			// What it wrote before it died may still be read, as evidence.
			grace := time.NewTimer(a.t.Grace)
			defer grace.Stop()
			select {
			case r := <-result:
				if r.session != nil {
					r.session.Close(errDied)
				}
				return nil, errDied
			case <-grace.C:
				return nil, a.abandon(cancel, result, errDied)
			}
		}
	}
}

type attached struct {
	session Session
	err     error
}

// errDied stands for the death of the process; exit makes the sentence.
var errDied = errors.New("the server's process ended")

var errNoSession = errors.New("no session came of the handshake")

// attached takes over what Attach returned. An error gives way to the death of
// the process behind it.
func (a *attempt) attached(r attached) (Session, error) {
	if r.err == nil && r.session != nil {
		return r.session, nil
	}
	if r.session != nil {
		r.session.Close(r.err)
	}
	switch {
	case a.diedWithin(a.t.Grace):
		return nil, errDied
	case r.err == nil:
		return nil, errNoSession
	default:
		return nil, r.err
	}
}

// diedWithin waits a moment for a death that is about to be known.
func (a *attempt) diedWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-a.proc.Done():
		return true
	case <-timer.C:
		return false
	case <-a.ctx.Done():
		return false
	}
}

// abandon ends Attach and waits for it; a session that came too late is closed.
func (a *attempt) abandon(cancel context.CancelCauseFunc, result <-chan attached, cause error) error {
	cancel(cause)
	grace := time.NewTimer(a.t.Grace)
	defer grace.Stop()
	var r attached
	select {
	case r = <-result:
	case <-grace.C:
		a.conn.Close() // nothing can be waited for on closed pipes
		r = <-result
	}
	if r.session != nil {
		r.session.Close(cause)
	}
	return cause
}
