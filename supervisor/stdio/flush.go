package stdio

import (
	"errors"
	"os"
	"time"
)

// flush writes rest, work and everything gathered, waiting for the child to
// read, until nothing is left.
func (w *writer) flush() {
	err := w.writeAll(w.rest, w.off)
	w.rest, w.off = nil, 0
	for {
		for i, b := range w.work {
			if err == nil {
				err = w.writeAll(b, 0)
			}
			w.work[i] = nil
		}
		w.work = w.work[:0]
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
	}
}

// writeAll writes a pooled chunk from off on. It waits for the child to read,
// but not longer than timeout without a byte of progress.
func (w *writer) writeAll(chunk []byte, off int) error {
	for b := chunk[off:]; len(b) > 0; {
		part := b
		if w.raw == nil {
			part = b[:min(len(b), chunkSize)] // no progress can be seen inside one write
		}
		n, err := w.writeWithin(part, w.timeout)
		b = b[n:]
		if err == nil || (n > 0 && errors.Is(err, os.ErrDeadlineExceeded)) {
			continue
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return ErrWriteTimeout
		}
		return err
	}
	putBuffer(chunk)
	return nil
}

// writeWithin is one bounded write. Where pipes have no deadlines, a timer
// breaks the Conn; the write itself ends when the child's tree has been ended.
func (w *writer) writeWithin(b []byte, limit time.Duration) (int, error) {
	if w.raw != nil {
		w.file.SetWriteDeadline(time.Now().Add(limit))
		n, err := w.file.Write(b)
		w.file.SetWriteDeadline(time.Time{}) // an old deadline would fail direct writes
		return n, err
	}
	timer := time.AfterFunc(limit, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.failLocked(ErrWriteTimeout)
	})
	defer timer.Stop()
	return w.file.Write(b)
}
