package activity

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	// flushAfter gathers the lines of ends; a crash loses at most this much of them.
	flushAfter = 100 * time.Millisecond
	// anchorAfter is the least time between two writes of the anchor: they wait for
	// the disk.
	anchorAfter = time.Second
	// maxPending is when gathered lines are written at once instead.
	maxPending = 64 << 10
	// lookAfter is how often it is looked whether the file is still there: at each
	// call it would cost as much as the line itself.
	lookAfter = time.Second
)

// appender is the file that lines are added to.
type appender interface {
	Write(p []byte) (int, error)
	ReadAt(p []byte, off int64) (int, error)
	Truncate(size int64) error
	Stat() (os.FileInfo, error)
	Sync() error
	Close() error
}

func create(path string) (appender, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err // not f: a nil file in an interface is not nil
	}
	return f, nil
}

// group is the lines of calls that began together.
type group struct {
	bodies []byte
	err    error // once it is no longer the open one
}

// commitLocked writes the open group: one write with the ends that wait, so
// that the order is kept.
func (l *Log) commitLocked() {
	g := l.open
	l.open = nil
	if l.closed {
		g.err = ErrClosed
		return
	}
	l.pending = append(l.pending, g.bodies...)
	g.err = l.writeLocked(l.pending)
	if g.err == nil {
		l.pending = l.pending[:0]
	} else {
		l.pending = l.pending[:len(l.pending)-len(g.bodies)] // these calls don't run
	}
	l.spare, g.bodies = g.bodies, nil
	l.wakeLocked() // for the anchor
}

// wakeLocked has the flusher look, once in a while: waking it for each line would
// cost more than the line.
func (l *Log) wakeLocked() {
	if l.dirty {
		return
	}
	l.dirty = true
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// flusher writes gathered lines a moment after the first of them came, and the
// anchor some time after new lines were written.
func (l *Log) flusher() {
	defer close(l.done)
	flush, anchor := time.NewTimer(time.Hour), time.NewTimer(time.Hour)
	defer flush.Stop()
	defer anchor.Stop()
	flush.Stop()
	anchor.Stop()
	due := false // the anchor's timer runs
	for {
		select {
		case <-l.stop:
			return
		case <-l.wake:
			flush.Reset(flushAfter)
		case <-flush.C:
			l.mu.Lock()
			failed := l.flushLocked() != nil // logged there
			l.dirty = failed
			l.mu.Unlock()
			if failed {
				flush.Reset(anchorAfter)
			}
			if !due {
				due = true
				anchor.Reset(anchorAfter)
			}
		case <-anchor.C:
			due = false
			l.dropAnchor()
		}
	}
}

// flushLocked writes the lines that wait. When that fails they wait on.
func (l *Log) flushLocked() error {
	if len(l.pending) == 0 || l.closed {
		return nil
	}
	if err := l.writeLocked(l.pending); err != nil {
		l.log.Error("record of calls", "err", err)
		return err
	}
	l.pending = l.pending[:0]
	return nil
}

// writeLocked adds bodies as lines to the file, with one system call. When that
// fails none of them counts as written.
func (l *Log) writeLocked(bodies []byte) error {
	l.line = l.line[:0]
	var after head
	l.line, after = l.head.link(l.line, bodies, l.torn)
	if now := time.Now(); l.file != nil && now.Sub(l.looked) > lookAfter {
		l.looked = now
		if !l.inPlaceLocked() {
			l.file.Close() // nothing of it can be found any more
			l.file = nil
		}
	}
	if l.file != nil && l.size+int64(len(l.line)) > l.maxBytes && l.size > 0 {
		l.rotateLocked()
	}
	if l.file == nil {
		torn := l.torn != nil
		if err := l.openLocked(); err != nil {
			return fmt.Errorf("write record of calls: %w", err)
		}
		if torn || l.torn != nil { // what is explained is in another file now, or is new
			l.line, after = l.head.link(l.line[:0], bodies, l.torn)
		}
	}
	lines := l.line
	if l.unended {
		lines = append([]byte("\n"), lines...)
	}
	n, err := l.file.Write(lines)
	if err != nil {
		l.takeBackLocked(lines[:n])
		return fmt.Errorf("write record of calls: %w", err)
	}
	l.size += int64(n)
	l.head, l.torn, l.unended = after, nil, false
	for _, f := range l.followers {
		select {
		case f <- struct{}{}:
		default: // it will look anyway
		}
	}
	return nil
}

// takeBackLocked undoes a write that failed on its way. Where that fails, too,
// the piece stays: whole lines count, and the next line explains the rest.
func (l *Log) takeBackLocked(written []byte) {
	if len(written) == 0 || l.file.Truncate(l.size) == nil {
		return
	}
	l.size += int64(len(written))
	end := bytes.LastIndexByte(written, '\n') + 1
	for line := range bytes.Lines(written[:end]) {
		if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 {
			l.head = head{l.head.n + 1, sumOf(line)}
			l.torn = nil
		}
	}
	if end > 0 {
		l.unended = false
	}
	if piece := written[end:]; len(piece) > 0 {
		sum := sumOf(piece)
		l.torn, l.unended = &sum, true
	}
}

// inPlaceLocked reports whether the file that is open is still the one at the
// path: a record that a person deleted must not swallow the calls that follow.
func (l *Log) inPlaceLocked() bool {
	open, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.path)
	return err == nil && os.SameFile(open, there)
}

// openLocked opens the file at the path, whatever it ends with.
func (l *Log) openLocked() error {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	f, err := l.create(l.path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	l.file, l.size, l.looked = f, info.Size(), time.Now()
	l.age++
	l.torn, l.unended = nil, false
	piece, whole, err := tornEnd(f, l.size)
	if err != nil {
		l.log.Warn("read end of record", "err", err)
	}
	l.unended = piece != nil
	if !whole {
		l.torn = piece
	}
	return nil
}
