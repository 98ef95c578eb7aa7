package ask

import (
	"slices"

	"bridgekeeper/app/wire"
)

// briefBytes is the size over which arguments are left out of lists: they are
// sent to every client at every change.
const briefBytes = 16 << 10

// brief is s for lists.
func brief(s wire.Settled) wire.Settled {
	s.Question = shortened(s.Question)
	return s
}

// shortened leaves out arguments that are too long for a list.
func shortened(one wire.Question) wire.Question {
	if c := one.Call; c != nil && len(c.Arguments) > briefBytes {
		short := *c
		short.Arguments, short.Cut = nil, true
		one.Call = &short
	}
	return one
}

// Open returns the open questions, oldest first. What their pointers lead to is
// shared and never changes.
func (q *Queue) Open() []wire.Question {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := make([]wire.Question, 0, len(q.open))
	for _, e := range q.open {
		out = append(out, shortened(e.Question))
	}
	return out
}

// Find returns an open question whole.
func (q *Queue) Find(id string) (wire.Question, *wire.Error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, e := range q.open {
		if e.ID == id {
			return e.Question, nil
		}
	}
	return wire.Question{}, q.goneLocked(id)
}

// Past returns what was settled, newest last.
func (q *Queue) Past() []wire.Settled {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.past)
}

// Changed returns a channel that is closed when what is open changes. Take it
// before looking, or a change in between is missed.
func (q *Queue) Changed() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.changed
}
