// Package shim lets a host that only starts commands use the core: it passes the
// lines of stdin to the core and the core's lines to stdout, and outlives the core.
// When a core has gone, and another one is there, the new one is told what the host
// told the old one, and the host notices at most that a call failed.
//
// It reads of a message what it must know (ids, methods, a few parameters) and
// changes none. How a core is reached is its caller's business.
package shim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"bridgekeeper/bridge/line"
	"bridgekeeper/bridge/rpc"
)

// Bounds and times of a shim.
const (
	maxLine     = 64 << 20 // of either side; the core refuses more than 32 MiB by itself
	maxWaiting  = 4096     // requests that are not answered
	maxQueued   = 64 << 20 // bytes that wait for a core
	maxSubjects = 4096     // resources that a host subscribed to
	drain       = 2 * time.Second
)

// timings are what tests shorten.
type timings struct {
	patience time.Duration // how long a request waits for a core
	retry    time.Duration // between two looks for a core, at first
	slow     time.Duration // likewise, later
	grace    time.Duration // how long a core that died may take to come back by itself
}

var usual = timings{patience: 15 * time.Second, retry: 50 * time.Millisecond, slow: 2 * time.Second, grace: time.Second}

// How a core is looked for.
type How struct {
	// First is set until a core has been reached: a person may be asked whether
	// this host may come.
	First bool
	// Start is set when a core shall be started where there is none.
	Start bool
}

// Refused marks an error of Options.Dial that trying again won't mend.
type Refused struct{ Err error }

func (r *Refused) Error() string { return r.Err.Error() }
func (r *Refused) Unwrap() error { return r.Err }

// Options are what a shim is run with.
type Options struct {
	// Dial reaches a core and returns the connection on which messages are lines.
	Dial func(ctx context.Context, how How) (net.Conn, error)
	// Goodbye is the core's last line on a connection that it ends in order.
	Goodbye string
	In      io.Reader
	Out     io.Writer
	// Say is told what a person who looks for a fault wants to know.
	Say func(string)

	times timings // zero: usual
}

// shim is one run. Its Run waits for every goroutine but the one that reads In,
// which can't be interrupted.
type shim struct {
	opts  Options
	times timings
	kick  chan struct{} // a request wants a core now
	quiet chan struct{} // told when a request is answered

	outMu sync.Mutex // guards Out and buf
	buf   []byte

	mu      sync.Mutex // guards the fields below
	link    *link      // nil while there is no core that was told everything
	down    error      // why not; nil at first
	since   time.Time  // since when not
	order   uint64     // of the newest request
	waiting map[string]*request
	queue   [][]byte // lines for the next link, in order
	queued  int      // bytes of queue
	asks    map[string]struct{}
	said    memory
	ours    uint64 // of our own requests' ids
}

// request is one of the host's that is not answered.
type request struct {
	id     []byte // raw
	method string
	raw    []byte // kept when it may be sent twice
	order  uint64
	sent   bool
	heard  bool        // a subscription that was acknowledged
	timer  *time.Timer // while it waits for a core
}

// Run passes messages until In ends, ctx does, or Out can't be written.
func Run(ctx context.Context, o Options) error {
	s := &shim{opts: o, times: o.times, kick: make(chan struct{}, 1), quiet: make(chan struct{}, 1),
		waiting: make(map[string]*request), asks: make(map[string]struct{}), said: memory{subjects: make(map[string][]byte)}, since: time.Now()}
	if s.times == (timings{}) {
		s.times = usual
	}
	ctx, stop := context.WithCancelCause(ctx)
	var keeper sync.WaitGroup
	keeper.Go(func() { s.keep(ctx, stop) })
	ended := make(chan error, 1)
	go func() { ended <- s.read() }()
	var err error
	select {
	case err = <-ended:
		s.drain(ctx)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	stop(nil)
	keeper.Wait()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// drain lets what the host still waits for be answered: input that comes from a
// file ends long before its answers.
func (s *shim) drain(ctx context.Context) {
	long := drain
	if !s.linked() {
		long = s.times.patience // it hasn't begun
	}
	late := time.NewTimer(long)
	defer late.Stop()
	for s.busy() {
		select {
		case <-s.quiet:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (s *shim) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.waiting {
		if r.method != rpc.Listen { // that has no end
			return true
		}
	}
	return false
}

func (s *shim) linked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link != nil
}

// read takes the host's lines until there are no more.
func (s *shim) read() error {
	in := line.NewReader(s.opts.In, maxLine)
	for {
		text, err := in.Next()
		switch {
		case err == line.ErrTooLong:
			s.answer(nil, rpc.CodeInvalidRequest, fmt.Sprintf("The message is over the limit of %d MiB.", maxLine>>20))
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read the application's messages: %w", err)
		default:
			s.fromHost(text)
		}
	}
}

// write gives the host one message.
func (s *shim) write(text []byte) error {
	s.outMu.Lock()
	defer s.outMu.Unlock()
	s.buf = append(append(s.buf[:0], text...), '\n')
	_, err := s.opts.Out.Write(s.buf)
	if cap(s.buf) > 1<<20 {
		s.buf = nil
	}
	return err
}

// answer refuses a request of the host; the host that can't be written to is
// noticed elsewhere.
func (s *shim) answer(id []byte, code int, why string) {
	_ = s.write(rpc.AppendError(nil, id, &rpc.Error{Code: code, Message: why}))
}
