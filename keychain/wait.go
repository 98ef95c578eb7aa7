package keychain

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// pollTime is how often a waiting server looks again where no signal comes.
	pollTime = 3 * time.Second
	// settleTime is the least time between two looks, however many signals come.
	settleTime = 200 * time.Millisecond
	// stateTime is what one look may take.
	stateTime = 3 * time.Second
)

// waiting is whoever waits in Wait, and the one listener they share.
type waiting struct {
	mu      sync.Mutex
	n       int
	changed chan struct{} // closed and replaced when the state may have changed
	cancel  context.CancelFunc
	done    chan struct{} // the listener's end

	last Status // of the last look, and when it was
	at   time.Time
}

// State looks whether secrets can be read now, without asking a person. While
// an earlier call hangs it is Locked.
func (s *Store) State(ctx context.Context) Status {
	ctx, cancel := context.WithTimeout(ctx, 2*stateTime) // with the wait for its turn
	defer cancel()
	st, err := run(ctx, s.turns, min(stateTime, s.limit), func(ctx context.Context) (Status, error) { return s.backend.State(ctx), nil })
	if err != nil {
		e := overdue()
		st = Status{State: Locked, Reason: e.Message, Hint: e.Hint}
	}
	w := &s.waiting
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last, w.at = st, time.Now()
	return st
}

// fresh is the last look if it is younger than settleTime, so that many who wait
// cost one look.
func (s *Store) fresh(ctx context.Context) Status {
	s.waiting.mu.Lock()
	st, age := s.waiting.last, time.Since(s.waiting.at)
	s.waiting.mu.Unlock()
	if st.State != "" && age < settleTime {
		return st
	}
	return s.State(ctx)
}

// Wait returns nil once secrets can be read, and ctx's cause when that ends
// first. It looks when the keychain tells of a change, and every few seconds.
func (s *Store) Wait(ctx context.Context) error {
	leave := s.join()
	defer leave()
	for {
		changed := s.changes()
		if s.fresh(ctx).State == Available {
			return nil
		}
		poll := time.NewTimer(pollTime)
		select {
		case <-poll.C:
		case <-changed:
			poll.Reset(settleTime)
			select {
			case <-poll.C:
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
		poll.Stop()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// Unlock lets a person unlock the keychain: the system's own dialog opens, or
// the passphrase opens the file. Whoever waits looks at once.
func (s *Store) Unlock(ctx context.Context, passphrase Secret) error {
	u, ok := s.backend.(Unlocker)
	if !ok {
		return s.State(ctx).Err()
	}
	_, err := run(ctx, s.turns, unlockTime, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, u.Unlock(ctx, passphrase)
	})
	s.tell()
	return s.explain(err)
}

func (s *Store) changes() <-chan struct{} {
	s.waiting.mu.Lock()
	defer s.waiting.mu.Unlock()
	return s.waiting.changed
}

// tell wakes all who wait.
func (s *Store) tell() {
	w := &s.waiting
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = Status{}
	if w.changed != nil {
		close(w.changed)
		w.changed = make(chan struct{})
	}
}

// join counts one more who waits; the first starts the listener, the last ends
// it and waits for its end.
func (s *Store) join() (leave func()) {
	w := &s.waiting
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n++; w.n == 1 {
		if w.changed == nil {
			w.changed = make(chan struct{})
		}
		ctx, cancel := context.WithCancel(context.Background())
		w.cancel, w.done = cancel, make(chan struct{})
		go s.listen(ctx, w.done)
	}
	return func() {
		w.mu.Lock()
		w.n--
		last, cancel, done := w.n == 0, w.cancel, w.done
		w.mu.Unlock()
		if last {
			cancel()
			<-done
		}
	}
}

// listen passes on what the backend hears. When it can't listen, the looks of
// those who wait are enough; it tries again, as the bus may come up later.
func (s *Store) listen(ctx context.Context, done chan<- struct{}) {
	defer close(done)
	watcher, ok := s.backend.(Watcher)
	if !ok {
		return
	}
	for ctx.Err() == nil {
		if err := watcher.Watch(ctx, s.tell); err != nil && !errors.Is(err, context.Canceled) {
			s.log.Debug("the keychain's signals can't be heard", "err", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pollTime):
		}
	}
}
