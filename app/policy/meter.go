package policy

import (
	"fmt"
	"sync"
	"time"

	"bridgekeeper/app/wire"
)

// maxCounters bounds the hosts, and the servers, that are counted. There are at
// most a thousand hosts; those that were idle for a while make room.
const maxCounters = 2000

// Meter counts calls: how many a host makes and a server gets in a minute and
// at once, and whether a host goes round in circles. mu guards all of it. Times
// are given to it, and must not run backwards (time.Now is good).
type Meter struct {
	mu      sync.Mutex
	start   time.Time // seconds are counted from here
	hosts   map[string]*counter
	servers map[string]*counter
	loops   map[string]*circle // by host
}

func NewMeter(start time.Time) *Meter {
	return &Meter{start: start, hosts: make(map[string]*counter), servers: make(map[string]*counter), loops: make(map[string]*circle)}
}

// Pass is a call that was let in: it must be given back to Leave, once.
type Pass struct{ host, server *counter }

// Enter counts a call that is about to run. What it returns besides is a sentence for
// the model when a limit is reached: then the call isn't counted and must not
// run, and there is nothing to give back.
func (m *Meter) Enter(now time.Time, host string, ofHost wire.Limits, server string, ofServer wire.Limits) (Pass, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	second := int(now.Sub(m.start) / time.Second)
	h, s := counterOf(m.hosts, host, second), counterOf(m.servers, server, second)
	if why := h.over(ofHost, second); why != "" {
		return Pass{}, limitSentence("the application", host, why)
	}
	if why := s.over(ofServer, second); why != "" {
		return Pass{}, limitSentence("the server", server, why)
	}
	h.enter(second)
	s.enter(second)
	return Pass{h, s}, ""
}

func limitSentence(noun, name, why string) string {
	return fmt.Sprintf("Bridgekeeper did not run this call: %s %q has reached its limit of %s. Wait a little before you try again, and make fewer calls.", noun, name, why)
}

// Leave counts a call that ended.
func (m *Meter) Leave(p Pass) {
	if p.host == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p.host.running--
	p.server.running--
}

// counterOf finds or makes a counter. When there are too many and none is idle,
// names that are new share one: they are counted too strictly then, not too little.
func counterOf(all map[string]*counter, name string, second int) *counter {
	if c := all[name]; c != nil {
		return c
	}
	if len(all) >= maxCounters {
		for n, c := range all {
			if c.running == 0 && second-c.last > minute {
				delete(all, n)
			}
		}
	}
	if len(all) >= maxCounters {
		name = ""
	}
	c := all[name]
	if c == nil {
		c = &counter{last: second}
		all[name] = c
	}
	return c
}

// minute is what a counter remembers, in seconds.
const minute = 60

// counter counts calls of the last minute, by the second, and those that run.
type counter struct {
	running int
	last    int // the second that was counted last
	sum     int
	by      [minute]int32
}

func (c *counter) over(l wire.Limits, second int) string {
	c.advance(second)
	switch {
	case l.PerMinute > 0 && c.sum >= l.PerMinute:
		return fmt.Sprintf("%d calls a minute", l.PerMinute)
	case l.AtOnce > 0 && c.running >= l.AtOnce:
		return fmt.Sprintf("%d calls at once", l.AtOnce)
	}
	return ""
}

func (c *counter) enter(second int) {
	c.advance(second)
	c.running++
	c.sum++
	c.by[c.last%minute]++
}

// advance forgets the seconds that are more than a minute ago.
func (c *counter) advance(second int) {
	if second-c.last >= minute {
		c.sum, c.by = 0, [minute]int32{}
		c.last = second
	}
	for c.last < second {
		c.last++
		c.sum -= int(c.by[c.last%minute])
		c.by[c.last%minute] = 0
	}
}
