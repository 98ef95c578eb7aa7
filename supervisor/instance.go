package supervisor

import (
	"log/slog"
	"sync/atomic"
	"time"
)

type orderKind int

const (
	orderApply   orderKind = iota // the configuration, perhaps changed
	orderStart                    // a person's wish
	orderAllow                    // a person's wish too: start when used
	orderStop                     // a person's wish
	orderRestart                  // a person's wish
	orderDemand                   // somebody wants to use it
	orderForget                   // stop, then end the loop
)

// order is what others want of an instance.
type order struct {
	kind  orderKind
	spec  Spec  // orderApply
	cause error // orderForget
}

// view is the published state of an instance; it is never changed.
type view struct {
	status  Status
	session Session // only in Ready
	want    bool    // it is meant to run
	demand  bool    // Acquire may start it
	strays  *atomic.Uint64
	changed chan struct{} // closed when a newer view is there
}

// instance is one copy of a server, run by one loop.
type instance struct {
	sup      *Supervisor
	key      Key
	log      *slog.Logger
	lines    *Log
	view     atomic.Pointer[view]
	orders   chan order
	news     chan news
	kicks    chan struct{}
	lastKick atomic.Int64
	gone     chan struct{} // closed when the loop takes no more orders

	// All below belongs to the loop.
	spec    Spec
	want    bool  // it is meant to run
	stopped bool  // a person stopped it
	forget  bool  // end the loop when nothing runs
	ending  error // why the running process was told to end; nil when it wasn't
	barred  bool  // Failed because the command can't be run, not by crashes
	kicked  bool  // the next attempt shall not wait
	run     *attempt
	session Session
	ready   time.Time // when this generation became Ready
	starts  int       // since the last ordered end
	now     Status
	backoff backoff
	timer   *time.Timer // runs in Backoff once the process has ended
}

func newInstance(s *Supervisor, key Key, spec Spec, lines *Log, gen uint64) *instance {
	log := s.opts.Log.With("server", key.Server)
	if key.Scope != "" {
		log = log.With("scope", key.Scope)
	}
	i := &instance{
		sup: s, key: key, log: log, lines: lines, spec: spec,
		orders: make(chan order),
		news:   make(chan news),
		kicks:  make(chan struct{}, 1),
		gone:   make(chan struct{}),
		now:    Status{Key: key, State: Stopped, Gen: gen, Since: time.Now()},
		timer:  time.NewTimer(time.Hour),
	}
	i.timer.Stop()
	i.want = spec.Start == StartAlways && !spec.off()
	switch {
	case spec.off():
		i.now.State, _ = spec.barred()
	case i.want: // never seen as Stopped: that would be somebody's doing
		i.now.State, i.now.Phase = Starting, Resolving
	}
	i.publish()
	return i
}

// send gives the loop an order; one that has ended takes none.
func (i *instance) send(o order) {
	select {
	case i.orders <- o:
	case <-i.gone:
	}
}

func (i *instance) isGone() bool {
	select {
	case <-i.gone:
		return true
	default:
		return false
	}
}

func (i *instance) status() Status {
	v := i.view.Load()
	st := v.status
	if v.strays != nil {
		st.Strays = v.strays.Load()
	}
	return st
}

// loop owns the instance until it is forgotten.
func (i *instance) loop() {
	defer i.timer.Stop()
	i.settle()
	for !i.forget || i.run != nil {
		select {
		case o := <-i.orders:
			i.obey(o)
		case n := <-i.news:
			if i.run != nil && n.gen == i.now.Gen {
				i.hear(n)
			}
		case <-i.timer.C:
			i.launch()
		case <-i.kicks:
			if i.now.State != Backoff {
				break
			}
			if i.kicked = true; i.run == nil {
				i.launch()
			}
		}
	}
	close(i.gone)
	i.sup.forget(i, i.now.Gen)
}

// obey changes what is wanted; settle then moves towards it.
func (i *instance) obey(o order) {
	switch o.kind {
	case orderApply:
		i.apply(o.spec)
		return
	case orderStart, orderRestart:
		i.want, i.stopped, i.forget = true, false, false
		i.fresh()
		if o.kind == orderRestart && i.run != nil {
			i.end(errRestart)
		}
	case orderAllow:
		i.stopped = false
		i.fresh()
	case orderDemand:
		if i.stopped || i.spec.off() || i.forget || i.spec.Start != StartOnDemand {
			return
		}
		i.want = true
	case orderStop:
		i.want, i.stopped = false, true
		i.end(errStopped)
	case orderForget:
		i.want, i.forget = false, true
		i.end(o.cause)
	}
	i.settle()
}

// apply takes a new Spec over.
func (i *instance) apply(spec Spec) {
	old := i.spec
	i.spec = spec
	back := i.forget // it was removed, and is there again before it was gone
	i.forget = false
	changed := !sameProcess(&old, &spec)
	switch {
	case spec.off():
		i.want, i.stopped = false, false
		i.end(errDisabled)
	case back, old.off():
		i.stopped = false
		i.want = spec.Start == StartAlways
		i.fresh()
	case spec.Start == StartAlways && !i.stopped:
		i.want = true
	}
	if changed && !spec.off() {
		i.fresh()
		if i.run != nil && i.want {
			i.end(errChanged)
		}
	} else if i.barred && i.now.State == Failed {
		i.fresh()
	}
	i.settle()
}

// fresh forgets failures: what was given up or put off may be tried now.
func (i *instance) fresh() {
	i.backoff.reset()
	i.barred = false
	i.starts, i.now.Restarts = 0, 0
	if i.run == nil && (i.now.State == Failed || i.now.State == Backoff) {
		i.timer.Stop()
		i.enter(Stopped)
	}
}

// settle moves the observed state towards the wanted one, as far as that goes
// without waiting, and publishes.
func (i *instance) settle() {
	switch {
	case i.run != nil:
		if !i.want && i.ending == nil {
			i.end(errStopped)
		}
	case i.want:
		if i.now.State != Backoff && i.now.State != Failed {
			i.launch()
			return
		}
	default:
		i.timer.Stop()
		if state, off := i.spec.barred(); off {
			i.enter(state)
		} else {
			i.enter(Stopped)
		}
	}
	i.publish()
}

// end tells the running process to end; the first reason counts.
func (i *instance) end(cause error) {
	if i.run == nil || i.ending != nil {
		return
	}
	i.ending = cause
	i.session = nil
	i.enter(Stopping)
	i.publish() // before the session fails: nobody shall be given it any more
	i.run.stop(cause)
}

// launch begins a new generation.
func (i *instance) launch() {
	if i.run != nil || !i.want {
		return
	}
	i.timer.Stop()
	i.now.Gen++
	i.ending, i.barred, i.kicked, i.ready = nil, false, false, time.Time{}
	i.enter(Starting)
	i.now.Phase = Resolving
	i.run = newAttempt(i, i.now.Gen, i.spec)
	i.publish()
	i.sup.loops.Go(i.run.live)
}

// enter moves to a state.
func (i *instance) enter(s State) {
	if i.now.State != s {
		i.now.Since = time.Now()
		i.log.Debug("server state", "state", string(s), "gen", i.now.Gen)
	}
	i.now.State = s
	i.now.Phase = ""
	i.now.NextTry = time.Time{}
}

// publish makes the loop's state visible. A view that wouldn't differ is not
// published.
func (i *instance) publish() {
	i.now.ByPerson = i.now.State == Stopped && i.stopped
	next := &view{
		status:  i.now,
		session: i.session,
		want:    i.want,
		demand:  i.spec.Start == StartOnDemand && !i.stopped && !i.spec.off() && !i.forget,
		changed: make(chan struct{}),
	}
	if i.run != nil {
		next.strays = &i.run.strays
	}
	old := i.view.Load()
	if old != nil {
		if old.strays != nil && next.strays == nil {
			next.status.Strays = old.strays.Load()
			i.now.Strays = next.status.Strays
		}
		if old.status == next.status && old.session == next.session && old.want == next.want &&
			old.demand == next.demand && old.strays == next.strays {
			return
		}
	}
	i.view.Store(next)
	if old != nil {
		close(old.changed)
		i.sup.opts.Notify()
	}
}
