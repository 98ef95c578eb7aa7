package app

import (
	"sync"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
)

const (
	grantTime = 15 * time.Minute // of "for 15 minutes"
	// maxGrants bounds what is remembered of answers: each one was a click.
	maxGrants = 10_000
	// lostTime is how long an identical call is asked about after one whose end
	// nobody saw.
	lostTime = time.Hour
	maxLost  = 1000
)

// grants are answers that count for a while: they end with the core at the latest.
type grants struct {
	mu  sync.Mutex
	all map[grant]time.Time // guarded by mu; zero: until the session ends
}

type grant struct{ host, session, server, tool string }

// newGrants returns none.
func newGrants() *grants { return &grants{all: make(map[grant]time.Time)} }

// add keeps an answer. A modern host has no session: there it counts until the
// core ends.
func (g *grants) add(a *directory.Attempt, choice string, now time.Time) {
	key, until := grant{a.Host, a.Session, a.Server, a.Tool}, time.Time{}
	if choice == wire.ChooseMinutes {
		key.session, until = "", now.Add(grantTime)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.all) >= maxGrants {
		clear(g.all) // asking again is the safe side
	}
	g.all[key] = until
}

// of returns the answer that lets a call run, "" when there is none.
func (g *grants) of(a *directory.Attempt, now time.Time) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until, ok := g.all[grant{a.Host, a.Session, a.Server, a.Tool}]; ok && until.IsZero() {
		return "allowed for this session"
	}
	key := grant{a.Host, "", a.Server, a.Tool}
	until, ok := g.all[key]
	switch {
	case !ok || until.IsZero():
		return ""
	case now.After(until):
		delete(g.all, key)
		return ""
	}
	return "allowed for 15 minutes"
}

// drop forgets the answers that match.
func (g *grants) drop(match func(host, server string) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key := range g.all {
		if match(key.host, key.server) {
			delete(g.all, key)
		}
	}
}

// lostCalls are changing calls whose server died before it answered.
type lostCalls struct {
	mu  sync.Mutex
	all map[callKey]time.Time // guarded by mu
}

func newLostCalls() *lostCalls { return &lostCalls{all: make(map[callKey]time.Time)} }

func (l *lostCalls) add(k callKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) >= maxLost {
		for old, at := range l.all {
			if time.Since(at) > lostTime || len(l.all) >= maxLost {
				delete(l.all, old)
			}
		}
	}
	l.all[k] = time.Now()
}

func (l *lostCalls) has(k callKey) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, ok := l.all[k]
	return ok && time.Since(at) <= lostTime
}

func (l *lostCalls) forget(k callKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, k)
}
