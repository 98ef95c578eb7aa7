package app

import "sync"

// news tells any number of waiters that something changed. It carries no
// content: whoever is woken looks for itself, so a slow one misses nothing.
type news struct {
	mu     sync.Mutex // guards the fields below
	seq    uint64
	signal chan struct{} // closed and replaced at each poke
}

func newNews() *news { return &news{signal: make(chan struct{})} }

// poke wakes everybody who waits. It never blocks.
func (n *news) poke() {
	n.mu.Lock()
	n.seq++
	close(n.signal)
	n.signal = make(chan struct{})
	n.mu.Unlock()
}

// next returns a channel that is closed at the next change. Take it before
// looking, or a change in between is missed.
func (n *news) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.signal
}

func (n *news) count() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.seq
}
