package app

import (
	"sync"
	"time"
)

// sightings remembers what each host did since the core started.
type sightings struct {
	mu    sync.Mutex // guards hosts
	hosts map[string]*sighting
}

type sighting struct {
	client, protocol string
	last             time.Time
	calls            uint64
}

func newSightings() *sightings { return &sightings{hosts: make(map[string]*sighting)} }

// maxSightings bounds names; hosts are named by tokens, so only bugs get there.
const maxSightings = 1000

func (s *sightings) atLocked(host string) *sighting {
	one := s.hosts[host]
	if one == nil {
		one = &sighting{}
		if len(s.hosts) < maxSightings {
			s.hosts[host] = one
		}
	}
	return one
}

// saw notes a host's introduction; new is true when it says something new.
func (s *sightings) saw(host, client, protocol string, now time.Time) (news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.atLocked(host)
	news = one.client != client || one.protocol != protocol
	one.client, one.protocol, one.last = client, protocol, now
	return news
}

// called counts one tool call.
func (s *sightings) called(host string) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.atLocked(host)
	one.calls++
	one.last = now
}

func (s *sightings) of(host string) sighting {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.hosts[host]; one != nil {
		return *one
	}
	return sighting{}
}

// sighted is httpd's Seen.
func (a *App) sighted(host, client, protocol string) {
	if a.seen.saw(host, client, protocol, time.Now()) {
		a.news.poke()
	}
}
