package supervisor

import (
	"fmt"
	"time"
)

type newsKind int

const (
	newsStarted newsKind = iota // the process runs
	newsPhase
	newsReady
	newsIdle  // not used for long; the loop may end it
	newsDown  // it is over; the process or what is left of it is being ended
	newsEnded // nothing is left
)

// news is what an attempt tells its loop.
type news struct {
	gen     uint64
	kind    newsKind
	pid     int
	phase   Phase
	session Session
	exit    *Exit // newsDown: so far; newsEnded: with all evidence
	barred  bool  // newsEnded: the command can't be run; trying again is no use
}

// hear takes in news of the running generation.
func (i *instance) hear(n news) {
	switch n.kind {
	case newsStarted:
		i.now.PID, i.now.Started = n.pid, time.Now()
		i.now.Restarts = i.starts
		i.starts++
		i.lines.note(fmt.Sprintf("started, process %d", n.pid))
	case newsPhase:
		if i.now.State == Starting {
			i.now.Phase = n.phase
		}
	case newsReady:
		if i.ending == nil {
			i.session, i.ready = n.session, time.Now()
			i.enter(Ready)
			i.log.Info("server ready", "pid", i.now.PID, "gen", n.gen)
		}
	case newsIdle:
		i.idle()
	case newsDown:
		i.session = nil
		if i.ending == nil {
			i.now.PID, i.now.Started = 0, time.Time{}
			i.now.LastExit = n.exit
			i.enter(Backoff)
		}
	case newsEnded:
		i.ended(n)
		return
	}
	i.publish()
}

// idle ends an unused process, unless somebody came to use it meanwhile: the
// view without the session is out before the last look.
func (i *instance) idle() {
	if i.session == nil || i.ending != nil {
		return
	}
	session := i.session
	_, _, before := session.Load()
	i.session = nil
	i.enter(Stopping)
	i.publish()
	inFlight, _, last := session.Load()
	if inFlight > 0 || last.After(before) {
		i.session = session
		i.enter(Ready)
		return
	}
	i.want = false
	if i.key.Scope != "" {
		i.forget = true
	}
	i.end(errIdle)
}

// ended decides what comes after a process.
func (i *instance) ended(n news) {
	ordered, ready := i.ending, i.ready
	i.run, i.session, i.ending = nil, nil, nil
	i.now.PID, i.now.Started = 0, time.Time{}
	if ordered != nil {
		i.lines.note("ended: " + ordered.Error())
		i.log.Info("server ended", "gen", n.gen, "err", ordered)
		i.starts, i.now.Restarts = 0, 0
		i.enter(Stopped)
		i.settle()
		return
	}
	i.now.LastExit = n.exit
	i.lines.note(n.exit.Reason)
	i.log.Warn("server ended unexpectedly", "gen", n.gen, "err", n.exit.Reason)
	if n.barred {
		i.barred = true
		i.enter(Failed)
		i.publish()
		return
	}
	t := &i.sup.opts.Timings
	now := time.Now()
	var up time.Duration
	if !ready.IsZero() {
		up = now.Sub(ready)
	}
	wait, loop := i.backoff.failed(t, now, up)
	if loop {
		last := *n.exit
		last.Reason = loopSentence(len(i.backoff.exits), t.CrashWindow, last.Reason)
		i.now.LastExit = &last
		i.enter(Failed)
		i.lines.note(fmt.Sprintf("not started again: %s", last.Reason))
		i.publish()
		return
	}
	i.enter(Backoff)
	if i.kicked {
		wait = 0
	}
	i.now.NextTry = now.Add(wait)
	i.timer.Reset(wait)
	i.settle()
}
