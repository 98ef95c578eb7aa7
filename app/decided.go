package app

import (
	"sync"

	"bridgekeeper/app/policy"
)

// decided remembers what the policy said: deciding means putting a sentence
// together, and the same tools are called again and again.
type decided struct {
	mu  sync.RWMutex
	all map[decidedKey]oneDecided // guarded by mu
}

type decidedKey struct{ host, server, tool string }

// oneDecided counts as long as the rules and what is known of the tool are the
// same values.
type oneDecided struct {
	rules  *policy.Rules
	known  *shelved
	listed bool
	d      policy.Decision
}

// maxDecided bounds it: more than a person's hosts and tools make.
const maxDecided = 20_000

func (c *decided) of(key decidedKey, rules *policy.Rules, known *shelved, f *policy.Facts) policy.Decision {
	c.mu.RLock()
	one, ok := c.all[key]
	c.mu.RUnlock()
	if ok && one.rules == rules && one.known == known && one.listed == f.Listed {
		return one.d
	}
	d := policy.Decide(rules, f)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil || len(c.all) >= maxDecided {
		c.all = make(map[decidedKey]oneDecided)
	}
	c.all[key] = oneDecided{rules, known, f.Listed, d}
	return d
}
