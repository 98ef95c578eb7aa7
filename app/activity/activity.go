// Package activity owns the record of tool calls and decisions: JSON lines that
// are only ever added, in files that are rotated.
//
// A call's line is on its way to the disk before the call is sent; a caller that
// can't write it must deny. Arguments and results are never recorded. The app's
// gate is its only caller.
package activity

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// FileName is the file being written; older ones have .1, .2, ... behind it.
const FileName = "activity.jsonl"

const (
	defaultMaxBytes = 16 << 20 // some 80,000 calls a file
	defaultKeep     = 5        // files, the current one included

	// flushAfter gathers the lines of ends; a crash loses at most this much of them.
	flushAfter = 100 * time.Millisecond
	// maxPending is when gathered lines are written at once instead.
	maxPending = 64 << 10
	// lookAfter is how often it is looked whether the file is still there: at each
	// call it would cost as much as the line itself.
	lookAfter = time.Second
)

// ErrClosed is what Begin returns after Close.
var ErrClosed = errors.New("the record of calls is closed")

// Decision is what the gate said.
type Decision string

// The decisions.
const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
)

// Entry is a call that is about to be sent, or was denied.
type Entry struct {
	Host, Server, Tool string
	Decision           Decision
	Rule               string // why: the rule that decided, in words
}

// ID names a call in the record: the End of a Begin. It grows, and is unique over
// runs of the core as long as the clock doesn't go back.
type ID uint64

// Options change the defaults; the zero value is fine.
type Options struct {
	MaxBytes int64 // of one file
	Keep     int   // files
	Log      *slog.Logger
}

// Log is the open record. mu guards everything below it; the flusher goroutine
// belongs to Close.
type Log struct {
	path string
	opts Options
	wake chan struct{} // one element: lines of ends are waiting
	stop chan struct{}
	done chan struct{} // the flusher has returned

	mu      sync.Mutex
	file    *os.File // nil when it could not be opened again
	size    int64
	looked  time.Time // when the file was last seen in its place
	pending []byte    // lines of ends, not yet written
	line    []byte    // scratch
	open    *group    // of calls that begin now; nil when there are none
	spare   []byte    // a group's buffer, for the next one
	next    ID
	closed  bool
	torn    bool // the last write ended inside a line
}

// Open opens the record in dir for adding to it.
func Open(dir string, opts Options) (*Log, error) {
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = defaultMaxBytes
	}
	if opts.Keep <= 0 {
		opts.Keep = defaultKeep
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	l := &Log{
		path: filepath.Join(dir, FileName),
		opts: opts,
		wake: make(chan struct{}, 1),
		stop: make(chan struct{}),
		done: make(chan struct{}),
		next: ID(time.Now().UnixNano()),
	}
	if err := l.openLocked(); err != nil {
		return nil, fmt.Errorf("open record of calls: %w", err)
	}
	go l.flusher()
	return l, nil
}

// Begin records a call before it is sent. On an error the call must not be sent.
func (l *Log) Begin(e Entry) (ID, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return 0, ErrClosed
	}
	l.next++
	id := l.next
	g := l.open
	if g == nil {
		g = &group{lines: l.spare[:0]}
		l.open, l.spare = g, nil
	}
	g.lines = appendBegin(g.lines, time.Now(), id, e)
	l.mu.Unlock()
	// Calls that are about to begin, too, get their lines in now; the first to
	// come back writes for all. When there are none this returns at once.
	runtime.Gosched()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == g {
		l.commitLocked()
	}
	if g.err != nil {
		return 0, g.err
	}
	return id, nil
}

// group is the lines of calls that began together.
type group struct {
	lines []byte
	err   error // once it is no longer the open one
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
	l.line = append(append(l.line[:0], l.pending...), g.lines...)
	if g.err = l.writeLocked(l.line); g.err == nil {
		l.pending = l.pending[:0]
	}
	l.spare, g.lines = g.lines, nil
}

// End records how a call came out: a word such as ok, tool_error, rpc_error,
// cancelled or server_down. bytes is the size of the result.
func (l *Log) End(id ID, outcome string, bytes int, dur time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.pending = appendEnd(l.pending, time.Now(), id, outcome, bytes, dur)
	if len(l.pending) >= maxPending {
		l.flushLocked()
		return
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Close writes what waits and ends the record.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	l.flushLocked()
	var err error
	if l.file != nil {
		err = l.file.Close()
		l.file = nil
	}
	l.mu.Unlock()
	close(l.stop)
	<-l.done
	return err
}

// flusher writes gathered lines a moment after the first of them came.
func (l *Log) flusher() {
	defer close(l.done)
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-l.wake:
		}
		timer.Reset(flushAfter)
		select {
		case <-l.stop:
			return
		case <-timer.C:
		}
		l.mu.Lock()
		if !l.closed {
			l.flushLocked()
		}
		l.mu.Unlock()
	}
}

// flushLocked writes the lines that wait. Ends are dropped when that fails: the
// calls are over, and there is no caller left to tell.
func (l *Log) flushLocked() {
	if len(l.pending) == 0 {
		return
	}
	if err := l.writeLocked(l.pending); err != nil {
		l.opts.Log.Error("write record of calls", "err", err)
	}
	l.pending = l.pending[:0]
}

// writeLocked adds whole lines to the file with one system call.
func (l *Log) writeLocked(lines []byte) error {
	if now := time.Now(); l.file != nil && now.Sub(l.looked) > lookAfter {
		l.looked = now
		if !l.inPlaceLocked() {
			l.file.Close() // nothing of it can be found any more
			l.file = nil
		}
	}
	if l.file != nil && l.size+int64(len(lines)) > l.opts.MaxBytes && l.size > 0 {
		l.rotateLocked()
	}
	if l.file == nil {
		if err := l.openLocked(); err != nil {
			return fmt.Errorf("write record of calls: %w", err)
		}
	}
	if l.torn {
		lines = append([]byte("\n"), lines...)
	}
	n, err := l.file.Write(lines)
	l.size += int64(n)
	if err != nil {
		l.torn = n > 0 && lines[n-1] != '\n' || n == 0 && l.torn
		return fmt.Errorf("write record of calls: %w", err)
	}
	l.torn = false
	return nil
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

func (l *Log) openLocked() error {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	l.file, l.size, l.torn, l.looked = f, info.Size(), false, time.Now()
	if l.size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, l.size-1); err != nil && !errors.Is(err, io.EOF) {
			l.opts.Log.Warn("read end of record", "err", err)
		}
		l.torn = last[0] != '\n' // a power cut in the middle of a line
	}
	return nil
}

// rotateLocked moves every file one place on. When that fails the current file
// grows on: a record that is too long is better than none.
func (l *Log) rotateLocked() {
	// Windows can't move an open file.
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
	for i := l.opts.Keep - 1; i > 0; i-- {
		from := l.path
		if i > 1 {
			from = fmt.Sprintf("%s.%d", l.path, i-1)
		}
		err := os.Rename(from, fmt.Sprintf("%s.%d", l.path, i))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			l.opts.Log.Error("rotate record of calls", "err", err)
			return
		}
	}
	if l.opts.Keep == 1 {
		if err := os.Remove(l.path); err != nil {
			l.opts.Log.Error("rotate record of calls", "err", err)
		}
	}
}
