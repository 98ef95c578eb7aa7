package keychain

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// callTime is what one operation may take: ten times the slowest that was
	// measured on a busy machine.
	callTime = 10 * time.Second
	// nameTime is added for each further name of an operation on several.
	nameTime = time.Second
	// queueTime is how long a call waits for its turn: fifty starts at once, each
	// with slow answers, still get through.
	queueTime = 30 * time.Second
	// unlockTime is for a person to find and type a password.
	unlockTime = 2 * time.Minute
)

// turns lets one operation run at a time. An operation that exceeds its time is
// left to end by itself (no keychain library can be interrupted); meanwhile
// every other call fails at once instead of queueing behind it.
type turns struct {
	free chan struct{} // holds a token while nobody runs

	mu      sync.Mutex
	overdue chan struct{} // closed while the running operation is over its time
	done    chan struct{} // closed when it ends
}

func newTurns() *turns {
	t := &turns{free: make(chan struct{}, 1), overdue: make(chan struct{})}
	t.free <- struct{}{}
	return t
}

var errOverdue = errors.New("an earlier call has not come back")

// take waits for the turn, for limit at most.
func (t *turns) take(ctx context.Context, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	t.mu.Lock()
	overdue := t.overdue
	t.mu.Unlock()
	// A free turn is taken even if the last one ended just now, over its time.
	select {
	case <-t.free:
		return nil
	default:
	}
	var err error
	select {
	case <-t.free:
		return nil
	case <-overdue:
		err = errOverdue
	case <-timer.C:
		err = errOverdue
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select { // it may have ended in the same moment
	case <-t.free:
		return nil
	default:
		return err
	}
}

// began notes an operation, and that it is overdue once limit has passed.
func (t *turns) began(limit time.Duration) (ended func()) {
	done := make(chan struct{})
	t.mu.Lock()
	t.done = done
	t.mu.Unlock()
	timer := time.AfterFunc(limit, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.done == done {
			close(t.overdue)
		}
	})
	return func() {
		timer.Stop()
		t.mu.Lock()
		t.done = nil
		select {
		case <-t.overdue:
			t.overdue = make(chan struct{})
		default:
		}
		t.mu.Unlock()
		close(done)
		t.free <- struct{}{}
	}
}

// run is one operation: op runs with a context that ends after limit, and its
// results are dropped when they come too late.
func run[T any](ctx context.Context, t *turns, limit time.Duration, op func(context.Context) (T, error)) (T, error) {
	var zero T
	if err := t.take(ctx, queueTime); err != nil {
		return zero, err
	}
	type result struct {
		value T
		err   error
	}
	results := make(chan result, 1)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errOverdue)
	defer cancel()
	ended := t.began(limit)
	go func() { // wait waits for it
		value, err := op(ctx)
		ended()
		results <- result{value, err}
	}()
	select {
	case r := <-results:
		return r.value, r.err
	case <-ctx.Done():
		return zero, context.Cause(ctx)
	}
}

// wait returns when no operation runs, or when ctx ends.
func (t *turns) wait(ctx context.Context) error {
	t.mu.Lock()
	done := t.done
	t.mu.Unlock()
	if done == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
