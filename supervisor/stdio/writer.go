package stdio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const (
	// maxRounds is how often a caller that wrote its own line also writes what
	// others gathered meanwhile, before a goroutine of ours takes over: no call
	// may be kept busy for the others for ever.
	maxRounds = 4
	// copyBelow: shorter lines are copied behind one another for a single write;
	// for longer ones a second write of the line end is cheaper than the copy.
	copyBelow = 32 << 10
	// chunkSize is what lines are gathered in: one write each.
	chunkSize = 64 << 10
	// patience is how long a caller with a long line stays for a child that is
	// reading it; only then is the rest copied and left to the flush goroutine.
	patience = 20 * time.Millisecond
)

// writer puts lines on stdin. Whoever finds it idle becomes the one who writes
// (busy) and owns work, rest and the try fields until it lets go; everybody else
// appends to pending. What the pipe doesn't take at once goes to flush, on a
// goroutine of its own.
type writer struct {
	file    *os.File
	raw     syscall.RawConn // nil: no write without waiting on this system
	timeout time.Duration
	limit   int
	broken  chan struct{} // closed by failLocked

	mu       sync.Mutex
	busy     bool          // guarded by mu, as are all down to flushers
	finished bool          // no more lines; close when idle
	pending  [][]byte      // pooled chunks of whole lines, each with its LF
	queued   int           // bytes in pending
	room     chan struct{} // closed when pending was taken; nil when nobody waits
	err      error         // why writes fail

	flushers sync.WaitGroup // the goroutine that runs flush, at most one

	// Of the busy one:
	rest   []byte   // pooled; its first off bytes have been written
	off    int      // see rest
	work   [][]byte // chunks taken from pending, to be written after rest
	try    func(fd uintptr) bool
	tryBuf []byte
	tryN   int
	tryErr error
}

func newWriter(f *os.File, opts Options) *writer {
	w := &writer{
		file:    f,
		timeout: opts.WriteTimeout,
		limit:   opts.QueueBytes,
		broken:  make(chan struct{}),
	}
	w.raw = nonBlocking(f)
	w.try = func(fd uintptr) bool {
		w.tryN, w.tryErr = writeOnce(fd, w.tryBuf)
		return true
	}
	return w
}

// WriteLine puts line and an LF on the child's stdin. line must hold no LF; it
// is the caller's again when WriteLine returns. Lines of one caller stay in
// order. It waits only for room in the queue. A nil error means accepted: when
// the line can't be written after all, Broken is closed.
func (c *Conn) WriteLine(ctx context.Context, line []byte) error {
	w := c.out
	w.mu.Lock()
	if w.err == nil && !w.busy && !w.finished && w.raw != nil {
		w.busy = true
		if len(line) >= copyBelow {
			w.mu.Unlock()
			return w.direct(line)
		}
		w.addLocked(line)
		w.mu.Unlock()
		// Callers that are about to write, too, get their lines in now: one
		// system call, and one wake-up of the child, for all of them. When there
		// are none this returns at once.
		runtime.Gosched()
		return w.direct(nil)
	}
	err := w.gatherLocked(ctx, line)
	w.mu.Unlock()
	return err
}

// direct writes line, if there is one, from the caller's goroutine, then what
// gathered meanwhile.
func (w *writer) direct(line []byte) error {
	var err error
	if line != nil {
		err = w.writeFirst(line)
	}
	for range maxRounds {
		if err != nil || w.rest != nil {
			break
		}
		w.mu.Lock()
		if !w.takeLocked() {
			w.idleLocked()
			w.mu.Unlock()
			return nil
		}
		w.mu.Unlock()
		err = w.writeWork()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.failLocked(err)
	}
	if w.err != nil { // also closed meanwhile: no goroutine may be started any more
		w.idleLocked()
		return w.err
	}
	w.flushers.Go(w.flush)
	return nil
}

// gatherLocked appends line to pending, waiting for room. One line is always
// admitted, however long.
func (w *writer) gatherLocked(ctx context.Context, line []byte) error {
	for {
		if w.err != nil {
			return w.err
		}
		if w.finished {
			return ErrClosed
		}
		if w.queued == 0 || w.queued+len(line)+1 <= w.limit {
			break
		}
		if w.room == nil {
			w.room = make(chan struct{})
		}
		room := w.room
		w.mu.Unlock()
		select {
		case <-room:
		case <-w.broken:
		case <-ctx.Done():
			w.mu.Lock()
			return context.Cause(ctx)
		}
		w.mu.Lock()
	}
	w.addLocked(line)
	if !w.busy {
		w.busy = true
		w.flushers.Go(w.flush)
	}
	return nil
}

func (w *writer) addLocked(line []byte) {
	n := len(line) + 1
	w.queued += n
	last := len(w.pending) - 1
	if last < 0 || cap(w.pending[last])-len(w.pending[last]) < n {
		w.pending = append(w.pending, getBuffer(max(n, chunkSize)))
		last++
	}
	w.pending[last] = append(append(w.pending[last], line...), '\n')
}

// takeLocked moves pending to work; false means there was nothing.
func (w *writer) takeLocked() bool {
	if len(w.pending) == 0 || w.err != nil {
		return false
	}
	w.pending, w.work = w.work[:0], w.pending
	w.queued = 0
	w.signalLocked()
	return true
}

// idleLocked lets go of the pen.
func (w *writer) idleLocked() {
	w.busy = false
	w.rest, w.work = nil, w.work[:0]
	if w.finished {
		w.closeLocked()
	}
}

func (w *writer) signalLocked() {
	if w.room != nil {
		close(w.room)
		w.room = nil
	}
}

// writeFirst writes the caller's own line. What the pipe doesn't take is left
// in rest.
func (w *writer) writeFirst(line []byte) error {
	n, err := w.attempt(line)
	if err == nil && n < len(line) {
		var more int
		more, err = w.writeWithin(line[n:], min(patience, w.timeout))
		n += more
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	return w.writeChunk(append(append(getBuffer(len(line)-n+1), line[n:]...), '\n'))
}

// writeChunk writes a pooled chunk, or what the pipe takes of it.
func (w *writer) writeChunk(b []byte) error {
	n, err := w.attempt(b)
	if err != nil {
		return err
	}
	if n == len(b) {
		putBuffer(b)
	} else {
		w.rest, w.off = b, n
	}
	return nil
}

// writeWork writes the chunks of work, as far as the pipe takes them.
func (w *writer) writeWork() error {
	for i, b := range w.work {
		if err := w.writeChunk(b); err != nil {
			return err
		}
		if w.rest != nil {
			n := copy(w.work, w.work[i+1:])
			clear(w.work[n:])
			w.work = w.work[:n]
			return nil
		}
		w.work[i] = nil
	}
	w.work = w.work[:0]
	return nil
}

// attempt is one write that doesn't wait; 0 and no error when the pipe is full.
func (w *writer) attempt(b []byte) (int, error) {
	w.tryBuf = b
	err := w.raw.Write(w.try)
	w.tryBuf = nil
	if err != nil {
		return 0, err
	}
	return w.tryN, w.tryErr
}

// failLocked breaks the Conn for ever; the first reason stays.
func (w *writer) failLocked(err error) {
	if w.err != nil {
		return
	}
	switch {
	case errors.Is(err, ErrWriteTimeout), errors.Is(err, ErrClosed):
		w.err = err
	case errors.Is(err, os.ErrClosed):
		w.err = ErrClosed
	default:
		w.err = fmt.Errorf("write to the server: %w", err)
	}
	w.pending, w.queued = nil, 0
	w.signalLocked()
	close(w.broken)
}

// closeLocked closes the pipe; later calls change nothing.
func (w *writer) closeLocked() {
	w.failLocked(ErrClosed)
	w.file.Close()
}

func (w *writer) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished = true
	if !w.busy {
		w.closeLocked()
	}
}

func (w *writer) abort() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finished = true
	w.closeLocked()
}
