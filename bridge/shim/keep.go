package shim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"bridgekeeper/bridge/line"
)

// link is one connection to a core.
type link struct {
	pipe net.Conn
	bye  bool // it said goodbye; the reader's own

	mu  sync.Mutex // guards writing, and buf
	buf []byte

	told  map[string]chan struct{} // our own requests, until they are answered; guarded by shim.mu
	again map[string]bool          // subscriptions that were sent again, until they are acknowledged; likewise
	lost  bool                     // what was under way on it is settled; likewise
}

// write passes one line on, and reports false when nothing of it went. That the
// connection is broken is noticed by who reads.
func (l *link) write(text []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = append(append(l.buf[:0], text...), '\n')
	n, err := l.pipe.Write(l.buf)
	if err != nil {
		l.pipe.Close()
	}
	if cap(l.buf) > 1<<20 {
		l.buf = nil
	}
	return err == nil || n > 0
}

// look has the keeper look for a core now.
func (s *shim) look() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// keep keeps a connection to a core, until ctx ends. stop ends the whole run.
func (s *shim) keep(ctx context.Context, stop context.CancelCauseFunc) {
	how := How{First: true, Start: true}
	var lost time.Time // when the last core went
	pause := s.times.retry
	for ctx.Err() == nil {
		pipe, err := s.opts.Dial(ctx, how)
		if ctx.Err() != nil {
			if err == nil {
				pipe.Close()
			}
			return
		}
		if err != nil {
			s.unreachable(err)
			refused, _ := errors.AsType[*Refused](err)
			if how.Start || refused != nil { // once; then somebody must ask for it
				how.Start, pause = false, s.times.slow
			}
			s.rest(ctx, pause, refused != nil)
			pause = min(2*pause, s.times.slow)
			if !lost.IsZero() && time.Since(lost) > s.times.grace {
				how.Start, lost = true, time.Time{}
			}
			continue
		}
		how = How{}
		bye := s.serve(ctx, pipe, stop)
		lost, pause = time.Time{}, s.times.retry
		if !bye {
			lost = time.Now() // it crashed: one is started when none comes by itself
		}
	}
}

// unreachable notes why there is no core.
func (s *shim) unreachable(err error) {
	s.mu.Lock()
	changed := s.down == nil || s.down.Error() != err.Error()
	s.down = err
	s.mu.Unlock()
	if changed && s.opts.Say != nil {
		s.opts.Say(err.Error())
	}
	if refused, ok := errors.AsType[*Refused](err); ok {
		s.failAll(refused.Error())
	}
}

// rest waits until it is time to look again. Who was refused looks again only
// when the host wants something.
func (s *shim) rest(ctx context.Context, pause time.Duration, refused bool) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	if refused {
		select {
		case <-s.kick:
		case <-ctx.Done():
			return
		}
	}
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// serve passes the core's messages on until the connection ends, and reports
// whether that was in order.
func (s *shim) serve(ctx context.Context, pipe net.Conn, stop context.CancelCauseFunc) (bye bool) {
	defer pipe.Close()
	defer context.AfterFunc(ctx, func() { pipe.Close() })()
	l := &link{pipe: pipe, told: make(map[string]chan struct{}), again: make(map[string]bool)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		in := line.NewReader(pipe, maxLine)
		for {
			text, err := in.Next()
			if err == line.ErrTooLong {
				s.opts.say("a message of Bridgekeeper's is over the limit, and is lost")
				continue
			}
			if err != nil {
				return
			}
			if string(text) == s.opts.Goodbye {
				l.bye = true
				return // what comes after it is nothing
			}
			if err := s.fromCore(l, text); err != nil {
				stop(fmt.Errorf("write to the application: %w", err))
				return
			}
		}
	}()
	s.tell(ctx, l, done)
	<-done
	s.lost(l)
	return l.bye
}

func (o *Options) say(what string) {
	if o.Say != nil {
		o.Say(what)
	}
}
