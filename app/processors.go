package app

import (
	"context"
	"os"
	"runtime"
	"time"
)

// How many processors run our goroutines. One call passes through four
// goroutines that hand it on; with idle processors about, Go wakes one at every
// hand-over, which finds nothing to do. On one processor a call costs half the
// CPU and takes half the time. When that one is busy all the time, more are
// worth their price.
const (
	mostProcessors = 4
	sampleEvery    = 250 * time.Millisecond
	busyOver       = 0.85 // of one processor: more are taken
	calmUnder      = 1.0  // of one processor's time, used by several: one is enough
	firstHold      = 5 * time.Second
	longestHold    = time.Minute
)

// pace decides the number of processors from samples of CPU time used. It is
// pure but for its fields.
type pace struct {
	most  int
	procs int
	hold  time.Duration // how long more than one are kept at least
	until time.Duration // on the clock of the samples
}

// newPace leaves at least half of the machine to the hosts and servers that a
// call goes between: they work while we do.
func newPace(cpus int) *pace {
	return &pace{most: max(1, min(cpus/2, mostProcessors)), procs: 1, hold: firstHold, until: -longestHold}
}

// next takes one sample: the clock, and the CPU time used as a share of wall
// time since the last one. It returns the number of processors to use.
func (p *pace) next(now time.Duration, busy float64) int {
	switch {
	case p.procs == 1 && busy > busyOver && p.most > 1:
		if now-p.until < p.hold {
			p.hold = min(2*p.hold, longestHold) // it was wrong to go back so soon
		} else {
			p.hold = firstHold
		}
		p.procs, p.until = p.most, now+p.hold
	case p.procs > 1 && now >= p.until && busy < calmUnder:
		p.procs, p.until = 1, now
	}
	return p.procs
}

// followLoad adapts the number of processors until ctx ends. A person's own
// GOMAXPROCS is left alone.
func followLoad(ctx context.Context) error {
	if os.Getenv("GOMAXPROCS") != "" {
		return nil
	}
	p := newPace(runtime.NumCPU())
	runtime.GOMAXPROCS(p.procs)
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	began := time.Now()
	last, used := began, cpuTime()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-tick.C:
			total := cpuTime()
			busy := float64(total-used) / float64(now.Sub(last))
			last, used = now, total
			if was := p.procs; p.next(now.Sub(began), busy) != was {
				runtime.GOMAXPROCS(p.procs)
			}
		}
	}
}
