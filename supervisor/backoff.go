package supervisor

import (
	"math/rand/v2"
	"time"
)

// backoff decides when to try again, and when to stop trying. It belongs to
// one instance's loop.
type backoff struct {
	failures int         // in a row, without a stable time between
	exits    []time.Time // unexpected ends within the crash window
}

// failed notes an unexpected end after the process had been ready for that
// long. loop says that a person must act; otherwise wait is the pause.
func (b *backoff) failed(t *Timings, now time.Time, ready time.Duration) (wait time.Duration, loop bool) {
	if ready >= t.Stable {
		b.failures = 0
	}
	b.failures++
	recent := b.exits[:0]
	for _, at := range b.exits {
		if now.Sub(at) < t.CrashWindow {
			recent = append(recent, at)
		}
	}
	b.exits = append(recent, now)
	return b.pause(t, rand.Float64()), len(b.exits) >= t.CrashMost
}

// pause doubles with every failure. The jitter (a quarter, both ways) keeps
// servers that died together from coming back together.
func (b *backoff) pause(t *Timings, random float64) time.Duration {
	wait := t.BackoffFirst
	for i := 1; i < b.failures && wait < t.BackoffMost; i++ {
		wait *= 2
	}
	wait = min(wait, t.BackoffMost)
	wait += time.Duration((random - 0.5) / 2 * float64(wait))
	return min(max(wait, t.BackoffFirst), t.BackoffMost)
}

// reset forgets everything: a person or a new configuration gives it a new chance.
func (b *backoff) reset() { *b = backoff{} }
