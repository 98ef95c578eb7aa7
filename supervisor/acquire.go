package supervisor

import (
	"context"
	"fmt"
	"time"
)

// Acquire returns the session of a Ready instance. An on-demand one is started
// first, and a starting one waited for, until ctx ends. Otherwise it fails at
// once with a *DownError; in Backoff it also brings the next attempt forward.
func (s *Supervisor) Acquire(ctx context.Context, key Key) (Session, error) {
	if i := (*s.table.Load())[key]; i != nil {
		if v := i.view.Load(); v.session != nil {
			return v.session, nil
		}
	}
	return s.await(ctx, key)
}

func (s *Supervisor) await(ctx context.Context, key Key) (Session, error) {
	for first := true; ; first = false {
		i, err := s.instance(key)
		if err != nil {
			return nil, err
		}
		v := i.view.Load()
		switch st := v.status.State; {
		case v.session != nil:
			return v.session, nil
		case st == Backoff:
			if first {
				i.kick()
			}
			return nil, i.down(v, nil)
		case st == Starting, v.want && (st == Stopped || st == Stopping):
			// It will move by itself.
		case v.demand && (st == Stopped || st == Stopping):
			i.send(order{kind: orderDemand})
		default:
			return nil, i.down(v, nil)
		}
		select {
		case <-v.changed:
		case <-i.gone:
		case <-ctx.Done():
			return nil, i.down(i.view.Load(), context.Cause(ctx))
		}
	}
}

// instance finds the instance of key; one for a scope is made when missing.
func (s *Supervisor) instance(key Key) (*instance, error) {
	if i := (*s.table.Load())[key]; i != nil && !i.isGone() {
		return i, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := (*s.table.Load())[key]; i != nil && !i.isGone() {
		return i, nil
	}
	srv := s.servers[key.Server]
	down := &DownError{Server: key.Server, State: Stopped}
	switch {
	case s.closing:
		down.Reason, down.cause = errShutdown.Error(), errShutdown
	case srv == nil || srv.removed || key.Scope == "":
		down.Reason = fmt.Sprintf("no server is named %s", key.Server)
	case srv.spec.off():
		down.State, _ = srv.spec.barred()
		down.Reason = barredReasons[down.State]
	case srv.stopped:
		down.Reason = "it is stopped"
	default:
		return s.addLocked(key, srv), nil
	}
	return nil, down
}

// Release ends a scoped instance: its host or session is gone. The shared one
// is never released.
func (s *Supervisor) Release(key Key) {
	if key.Scope == "" {
		return
	}
	if i := (*s.table.Load())[key]; i != nil {
		i.send(order{kind: orderForget, cause: errReleased})
	}
}

// kick asks for the next attempt now, at most once per Timings.Kick, however
// many callers come.
func (i *instance) kick() {
	now := time.Now().UnixNano()
	last := i.lastKick.Load()
	if last != 0 && now-last < int64(i.sup.opts.Timings.Kick) {
		return
	}
	if i.lastKick.CompareAndSwap(last, now) {
		select {
		case i.kicks <- struct{}{}:
		default:
		}
	}
}
