package supervisor

import (
	"time"

	"bridgekeeper/supervisor/proc"
)

// DefaultIdleStop is when an unused on-demand or scoped instance is ended.
const DefaultIdleStop = 10 * time.Minute

// Timings are all periods the supervisor follows; tests shorten them. A zero
// field means the default's.
type Timings struct {
	Handshake time.Duration // from the start, or from a package runner's first byte, to Ready
	Install   time.Duration // for a package runner's first byte: a cold cache takes minutes, and killing half an install helps nobody

	BackoffFirst time.Duration
	BackoffMost  time.Duration
	Stable       time.Duration // in Ready, after which the backoff begins anew

	CrashWindow time.Duration // that many unexpected ends within it
	CrashMost   int           // are a crash loop

	Ping       time.Duration // between two liveness checks
	PingLimit  time.Duration // for one answer
	PingMisses int           // in a row end the process

	Kick         time.Duration // between two attempts that callers may bring forward
	Grace        time.Duration // for what a dead process still has in its pipes
	WriteTimeout time.Duration // see stdio.Options

	Ending proc.Ending
}

// DefaultTimings are those of the product.
var DefaultTimings = Timings{
	Handshake:    60 * time.Second,
	Install:      10 * time.Minute,
	BackoffFirst: time.Second,
	BackoffMost:  60 * time.Second,
	Stable:       5 * time.Minute,
	CrashWindow:  2 * time.Minute,
	CrashMost:    5,
	Ping:         30 * time.Second,
	PingLimit:    10 * time.Second,
	PingMisses:   3,
	Kick:         5 * time.Second,
	Grace:        200 * time.Millisecond,
	WriteTimeout: 30 * time.Second,
	Ending:       proc.DefaultEnding,
}

func (t Timings) withDefaults() Timings {
	d := DefaultTimings
	for _, p := range []struct{ have, def *time.Duration }{
		{&t.Handshake, &d.Handshake}, {&t.Install, &d.Install},
		{&t.BackoffFirst, &d.BackoffFirst}, {&t.BackoffMost, &d.BackoffMost}, {&t.Stable, &d.Stable},
		{&t.CrashWindow, &d.CrashWindow},
		{&t.Ping, &d.Ping}, {&t.PingLimit, &d.PingLimit},
		{&t.Kick, &d.Kick}, {&t.Grace, &d.Grace}, {&t.WriteTimeout, &d.WriteTimeout},
		{&t.Ending.EOF, &d.Ending.EOF}, {&t.Ending.Term, &d.Ending.Term}, {&t.Ending.Rest, &d.Ending.Rest},
	} {
		if *p.have <= 0 {
			*p.have = *p.def
		}
	}
	if t.CrashMost <= 0 {
		t.CrashMost = d.CrashMost
	}
	if t.PingMisses <= 0 {
		t.PingMisses = d.PingMisses
	}
	return t
}
