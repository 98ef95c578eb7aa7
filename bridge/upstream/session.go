package upstream

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"bridgekeeper/bridge/rpc"
)

// Lines is the pair of line streams of one child (supervisor/stdio.Conn).
type Lines interface {
	// ReadLine returns the next line; it belongs to the caller until Free.
	ReadLine() ([]byte, error)
	Free(line []byte)
	// WriteLine sends one line; the line is the caller's again on return.
	WriteLine(ctx context.Context, line []byte) error
	// Stray reports a line that was no MCP message.
	Stray(line []byte)
}

// Events is told what the server says outside of replies. Its methods are
// called on the reader's goroutine (Ask on one of its own) and Notify must not
// block.
type Events interface {
	// Notify hands over a notification that belongs to no call: list changes,
	// resource updates, log messages. Its bytes are the callee's to keep.
	Notify(s *Session, m *rpc.Message)
	// Ask answers a request of the server (roots, sampling, elicitation). call
	// is the one call in flight, or nil when there is none or more than one:
	// the legacy wire doesn't say which call a question belongs to.
	Ask(ctx context.Context, s *Session, call *Call, m *rpc.Message) (result []byte, err *rpc.Error)
}

// Era is the family of protocol revisions a server speaks.
type Era string

const (
	Auto   Era = "auto"   // legacy first, modern when initialize is refused
	Legacy Era = "legacy" // initialize, up to 2025-11-25
	Modern Era = "modern" // 2026-07-28
)

// Options are what a Session needs to know besides its lines.
type Options struct {
	Era          Era
	ClientName   string
	ClientVer    string
	Capabilities []byte // raw ClientCapabilities declared to the server
	OneHost      bool   // every call is of one host: a question can't reach a stranger
	Events       Events
	Log          *slog.Logger
}

// Bounds of one session.
const (
	// maxCalls bounds the calls in flight: far above what hosts send, low
	// enough that a server that never answers can't eat our memory.
	maxCalls = 4096
	// maxAsks bounds the server's own questions at once.
	maxAsks = 64
	// maxKeptBuffer is the largest line buffer kept for reuse; larger ones go
	// back to the garbage collector.
	maxKeptBuffer = 64 << 10
)

// ErrBusy is returned when maxCalls are in flight.
var ErrBusy = errors.New("too many calls in flight on this server")

// ErrEnded is the cause when the server closed its side of the lines.
var ErrEnded = errors.New("the server closed its output")

// Session is one conversation with one start of an instance.
type Session struct {
	lines Lines
	opts  Options
	info  Info // set by the handshake, before Open returns; constant afterwards

	replies  sync.Pool // of empty reply channels
	nextID   atomic.Uint64
	awaited  atomic.Int32 // calls that a person is asked about
	lastUsed atomic.Int64 // Unix nanoseconds

	mu    sync.Mutex // guards the fields below
	calls map[uint64]*Call
	asks  map[string]context.CancelFunc // by the server's raw request id
	cause error                         // why it ended; nil while it lives

	done    chan struct{}  // closed when cause is set
	workers sync.WaitGroup // the reader and the asks
}

// Open performs the handshake on the lines and returns the session, which reads
// them until they end or Close is called.
func Open(ctx context.Context, lines Lines, opts Options) (*Session, error) {
	s := &Session{
		lines: lines,
		opts:  opts,
		calls: make(map[uint64]*Call),
		asks:  make(map[string]context.CancelFunc),
		done:  make(chan struct{}),
	}
	s.touch()
	s.workers.Go(s.read)
	info, err := s.handshake(ctx)
	if err != nil {
		s.end(err)
		return nil, err
	}
	s.info = *info
	return s, nil
}

// Info is what the handshake taught.
func (s *Session) Info() *Info { return &s.info }

// Done is closed when the conversation can't go on.
func (s *Session) Done() <-chan struct{} { return s.done }

// Err returns why the session ended, nil while it lives.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cause
}

// Close fails every call in flight with cause and ends the session. The reader
// ends when the lines do, which is the supervisor's doing.
func (s *Session) Close(cause error) { s.end(cause) }

// Wait returns when the session's goroutines have ended: after Close, and after
// the lines were closed.
func (s *Session) Wait() { s.workers.Wait() }

// Load reports the calls in flight or awaited, whether one of them has reported progress,
// and when the session was last used.
func (s *Session) Load() (inFlight int, progressing bool, lastUsed time.Time) {
	s.mu.Lock()
	for _, c := range s.calls {
		if c.internal {
			continue
		}
		inFlight++
		progressing = progressing || c.progressed
	}
	s.mu.Unlock()
	return inFlight + int(s.awaited.Load()), progressing, time.Unix(0, s.lastUsed.Load())
}

// Await counts a call that will be made once a person has allowed it, so that the
// session doesn't look idle meanwhile.
func (s *Session) Await() (done func()) {
	s.awaited.Add(1)
	return func() { s.awaited.Add(-1) }
}

// Ping makes one cheap round trip: ping, or server/discover where there is no
// ping any more. Any answer, an error too, shows that the server lives.
func (s *Session) Ping(ctx context.Context) error {
	method := rpc.Ping
	if s.info.Era == Modern {
		method = rpc.Discover
	}
	reply, err := s.request(ctx, method, nil, true)
	if err != nil {
		return err
	}
	reply.Free()
	return nil
}

func (s *Session) touch() { s.lastUsed.Store(time.Now().UnixNano()) }

// end sets the cause once, fails every call and stops every ask.
func (s *Session) end(cause error) {
	s.mu.Lock()
	if s.cause != nil {
		s.mu.Unlock()
		return
	}
	s.cause = cause
	calls, asks := s.calls, s.asks
	s.calls, s.asks = nil, nil
	close(s.done)
	s.mu.Unlock()
	for _, c := range calls {
		c.reply <- Reply{err: cause}
	}
	for _, cancel := range asks {
		cancel()
	}
}
