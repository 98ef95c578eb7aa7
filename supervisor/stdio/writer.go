package stdio

import (
	"context"
	"errors"
	"fmt"
	"os"
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
	// keepBuffer is the most a gathering buffer may hold on to between uses.
	keepBuffer = 2 * copyBelow
	// writeChunk bounds one write where progress can't be seen inside it.
	writeChunk = 64 << 10
)

// writer puts lines on stdin. Whoever finds it idle becomes the one who writes
// (busy) and owns file, scratch and rest until it lets go; everybody else
// appends to pending. A write never waits in a caller: what the pipe doesn't
// take at once goes to flush, on a goroutine of its own.
type writer struct {
	file    *os.File
	raw     syscall.RawConn // nil: no write without waiting on this system
	timeout time.Duration
	limit   int
	broken  chan struct{} // closed by failLocked

	mu       sync.Mutex
	busy     bool          // guarded by mu, as are all down to flushers
	finished bool          // no more lines; close when idle
	pending  []byte        // whole lines, each with its LF
	room     chan struct{} // closed when pending was taken; nil when nobody waits
	err      error         // why writes fail

	flushers sync.WaitGroup // the goroutine that runs flush, at most one

	// Of the busy one:
	scratch []byte // the lines being written
	rest    []byte // what the pipe didn't take at once
	try     func(fd uintptr) bool
	tryBuf  []byte
	tryN    int
	tryErr  error
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
		w.mu.Unlock()
		return w.direct(line)
	}
	err := w.gatherLocked(ctx, line)
	w.mu.Unlock()
	return err
}

// direct writes line from the caller's goroutine, then what gathered meanwhile.
func (w *writer) direct(line []byte) error {
	done, err := w.writeNow(line, true)
	for range maxRounds {
		if err != nil || !done {
			break
		}
		w.mu.Lock()
		if !w.takeLocked() {
			w.idleLocked()
			w.mu.Unlock()
			return nil
		}
		w.mu.Unlock()
		done, err = w.writeNow(w.scratch, false)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.failLocked(err)
		w.idleLocked()
		return w.err
	}
	if w.err != nil { // closed meanwhile; nobody may start a goroutine any more
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
		if len(w.pending) == 0 || len(w.pending)+len(line)+1 <= w.limit {
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
	w.pending = append(append(w.pending, line...), '\n')
	if !w.busy {
		w.busy = true
		w.flushers.Go(w.flush)
	}
	return nil
}

// takeLocked moves pending to scratch; false means there was nothing.
func (w *writer) takeLocked() bool {
	if len(w.pending) == 0 || w.err != nil {
		return false
	}
	w.pending, w.scratch = w.scratch[:0], w.pending
	w.signalLocked()
	return true
}

// idleLocked lets go of the pen.
func (w *writer) idleLocked() {
	w.busy = false
	if cap(w.scratch) > keepBuffer {
		w.scratch = nil
	}
	if cap(w.pending) > keepBuffer && len(w.pending) == 0 {
		w.pending = nil
	}
	if cap(w.rest) > keepBuffer {
		w.rest = nil
	}
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

// writeNow writes what the pipe takes without waiting; the remainder is kept
// in rest for flush and done is false then. end adds an LF.
func (w *writer) writeNow(b []byte, end bool) (done bool, err error) {
	var n int
	if end && len(b) < copyBelow {
		w.scratch = append(append(w.scratch[:0], b...), '\n')
		b, end = w.scratch, false
	}
	for {
		if n, err = w.attempt(b); err != nil {
			return false, err
		}
		b = b[n:]
		if len(b) > 0 {
			w.rest = append(w.rest[:0], b...)
			if end {
				w.rest = append(w.rest, '\n')
			}
			return false, nil
		}
		if !end {
			return true, nil
		}
		b, end = lineEnd, false
	}
}

var lineEnd = []byte{'\n'}

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

// flush writes rest and everything gathered, waiting for the child to read,
// until nothing is left.
func (w *writer) flush() {
	err := w.writeAll(w.rest)
	w.rest = w.rest[:0]
	for {
		w.mu.Lock()
		if err != nil {
			w.failLocked(err)
		}
		if !w.takeLocked() {
			w.idleLocked()
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		err = w.writeAll(w.scratch)
	}
}

// writeAll waits for the child to read, but not longer than timeout without a
// byte of progress.
func (w *writer) writeAll(b []byte) error {
	for len(b) > 0 {
		chunk := b
		if w.raw == nil {
			chunk = b[:min(len(b), writeChunk)]
		}
		n, err := w.writeWithin(chunk)
		b = b[n:]
		if err == nil || (n > 0 && errors.Is(err, os.ErrDeadlineExceeded)) {
			continue
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return ErrWriteTimeout
		}
		return err
	}
	return nil
}

// writeWithin is one bounded write. Where pipes have no deadlines, a timer
// breaks the Conn; the write itself ends when the child's tree has been ended.
func (w *writer) writeWithin(b []byte) (int, error) {
	if w.raw != nil {
		w.file.SetWriteDeadline(time.Now().Add(w.timeout))
		n, err := w.file.Write(b)
		w.file.SetWriteDeadline(time.Time{}) // an old deadline would fail direct writes
		return n, err
	}
	timer := time.AfterFunc(w.timeout, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.failLocked(ErrWriteTimeout)
	})
	defer timer.Stop()
	return w.file.Write(b)
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
	w.pending = nil
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
