package supervisor

import (
	"context"
	"time"
)

// missed is why a process is ended that doesn't answer pings.
type missed struct{ error }

// settleTime is how long the end of a conversation waits for the end of the
// process behind it, to name the real reason.
const settleTime = 50 * time.Millisecond

// serve watches over a Ready process until there is a reason to end it. The
// session is closed when it returns.
func (a *attempt) serve(session Session) (cause error) {
	pings := &pinger{session: session, t: a.t, results: make(chan error, 1)}
	pings.next = time.NewTimer(a.t.Ping)
	idle := time.NewTimer(a.spec.IdleStop)
	if a.spec.Start != StartOnDemand {
		idle.Stop()
	}
	defer func() {
		idle.Stop()
		session.Close(a.closing(cause))
		pings.stop()
	}()
	since := time.Now()
	for {
		select {
		case <-a.proc.Done():
			return errDied
		case <-a.ctx.Done():
			return context.Cause(a.ctx)
		case <-session.Done():
			if a.diedWithin(settleTime) {
				return errDied
			}
			if err := a.conn.WriteErr(); err != nil {
				return err
			}
			return errSilent
		case <-a.conn.Broken():
			if a.diedWithin(settleTime) {
				return errDied
			}
			return a.conn.WriteErr()
		case <-pings.next.C:
			pings.send()
		case err := <-pings.results:
			if pings.missed(err) {
				return missed{missesError(a.t.PingMisses)}
			}
		case <-idle.C:
			idle.Reset(a.unused(session, since))
		}
	}
}

// closing is what calls in flight are told.
func (a *attempt) closing(cause error) error {
	if cause == errDied {
		return sentenceError(sentence(a.proc.Exit(), false))
	}
	return cause
}

type sentenceError string

func (e sentenceError) Error() string { return "the server " + string(e) }

// unused tells the loop when nobody used the session for long enough, and
// returns when to look again.
func (a *attempt) unused(session Session, since time.Time) time.Duration {
	limit := a.spec.IdleStop
	inFlight, _, last := session.Load()
	if inFlight > 0 {
		return limit
	}
	if last.Before(since) {
		last = since
	}
	if left := limit - time.Since(last); left > 0 {
		return left
	}
	a.tell(news{kind: newsIdle})
	return limit
}

// pinger checks one session's liveness. It belongs to serve.
type pinger struct {
	session Session
	t       *Timings
	next    *time.Timer
	results chan error
	cancel  context.CancelFunc // of the ping under way; nil when there is none
	misses  int
}

// send begins one ping. While a call reports progress, the server is alive.
func (p *pinger) send() {
	if _, progressing, _ := p.session.Load(); progressing {
		p.misses = 0
		p.next.Reset(p.t.Ping)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.t.PingLimit)
	p.cancel = cancel
	go func() { p.results <- p.session.Ping(ctx) }()
}

// missed takes in a result; true means that it was one miss too many.
func (p *pinger) missed(err error) bool {
	p.cancel()
	p.cancel = nil
	p.next.Reset(p.t.Ping)
	_, progressing, _ := p.session.Load()
	if err == nil || progressing {
		p.misses = 0
		return false
	}
	p.misses++
	return p.misses >= p.t.PingMisses
}

// stop ends a ping under way and waits for it.
func (p *pinger) stop() {
	p.next.Stop()
	if p.cancel != nil {
		p.cancel()
		<-p.results
	}
}
