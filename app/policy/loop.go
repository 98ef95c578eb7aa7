package policy

import (
	"fmt"
	"time"
)

// When a host seems to go round in circles. A model that works makes the same
// call again after it did something else; ten times in a row it has lost its way.
const (
	loopCalls  = 10 // the same call, with no other of that host between
	loopWithin = time.Minute

	slowCalls  = 30 // the same call, whatever is between
	slowWithin = 5 * time.Minute
)

// Bounds of what is remembered of calls.
const (
	maxTrails = 64   // different calls of one host; a circle has a few
	maxHosts  = 1000 // hosts that are watched; those that were idle longest make room
)

// callKey is what makes two calls the same.
type callKey struct{ server, tool, args string }

// circle is what is remembered of one host.
type circle struct {
	last   time.Time
	run    int // calls in a row that were the same, since the host was asked about
	runKey callKey
	trails map[callKey]*trail
	slots  [maxTrails]callKey // the keys of trails
	hand   int                // the slot that is looked at next when one is needed
}

// trail is when the same call was made, the last slowCalls times.
type trail struct {
	at    []time.Time // a ring once it is full
	next  int
	since int  // calls since the host was asked about this one
	used  bool // since the hand came by
}

// Loop notes a call, whether or not it will run, and returns "", or a sentence
// that says why a person should be asked before it does: the host makes the
// same call over and over. After that it says so again when as many more came.
func (m *Meter) Loop(now time.Time, host, server, tool, argsDigest string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.loops[host]
	if c == nil {
		m.makeRoom()
		c = &circle{trails: make(map[callKey]*trail)}
		m.loops[host] = c
	}
	c.last = now
	key := callKey{server, tool, argsDigest}
	if key != c.runKey {
		c.run, c.runKey = 0, key
	}
	c.run++
	t := c.trail(key)
	t.note(now)
	switch {
	case c.run >= loopCalls && now.Sub(t.back(loopCalls)) <= loopWithin:
		c.run, t.since = 0, 0
		return fmt.Sprintf("Host %q made this same call %d times in a row within a minute: it may be going round in circles.", host, loopCalls)
	case len(t.at) == slowCalls && t.since >= loopCalls && now.Sub(t.back(slowCalls)) <= slowWithin:
		c.run, t.since = 0, 0
		return fmt.Sprintf("Host %q made this same call %d times within five minutes: it may be going round in circles.", host, slowCalls)
	}
	return ""
}

func (m *Meter) makeRoom() {
	if len(m.loops) < maxHosts {
		return
	}
	oldest := ""
	for host, c := range m.loops {
		if oldest == "" || c.last.Before(m.loops[oldest].last) {
			oldest = host
		}
	}
	delete(m.loops, oldest)
}

// trail finds or makes the trail of a call. A new one takes a slot that wasn't
// used since the hand came by last.
func (c *circle) trail(key callKey) *trail {
	if t := c.trails[key]; t != nil {
		t.used = true
		return t
	}
	for {
		old := c.trails[c.slots[c.hand]]
		if old == nil || !old.used {
			break
		}
		old.used = false
		c.hand = (c.hand + 1) % maxTrails
	}
	delete(c.trails, c.slots[c.hand])
	t := &trail{}
	c.trails[key] = t
	c.slots[c.hand] = key
	c.hand = (c.hand + 1) % maxTrails
	return t
}

func (t *trail) note(now time.Time) {
	t.since++
	if len(t.at) < slowCalls {
		t.at = append(t.at, now)
		return
	}
	t.at[t.next] = now
	t.next = (t.next + 1) % slowCalls
}

// back is when the n-th last call was, the last one being the first of them.
func (t *trail) back(n int) time.Time {
	n = min(n, len(t.at))
	return t.at[(t.next+len(t.at)-n)%len(t.at)]
}
