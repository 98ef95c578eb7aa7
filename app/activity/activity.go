// Package activity owns the record of calls and decisions: JSON lines that are
// only ever added, in files that are rotated, each line with a running number
// and the digest of the line before it.
//
// A call's line is on its way to the disk before the call is sent; a caller that
// can't write it must deny. Arguments are kept as size and digest unless a person
// wants them whole, results as size alone. The app's gate writes; the local API
// lists, follows, exports and verifies.
//
// The chain has no secret. It shows a record that was damaged, or edited by hand
// or by a program that doesn't know the chain: lines that were changed, cut,
// added or moved, a file that is gone, an end that was cut off (by the anchor, a
// file elsewhere). It can't show that somebody who may write both this user's
// files, record and anchor, computed all digests anew: against that helps only a
// number and digest of a line that were noted where this user can't write.
package activity

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// FileName is the file being written; older ones have .1, .2, ... behind it.
const FileName = "activity.jsonl"

const (
	defaultMaxBytes = 16 << 20 // some 35,000 calls a file
	defaultKeep     = 5        // files, the current one included
)

// ErrClosed is what Begin returns after Close.
var ErrClosed = errors.New("the record of calls is closed")

// Options change the defaults; the zero value is fine.
type Options struct {
	MaxBytes int64 // of one file
	Keep     int   // files
	// Anchor is a file outside the record's folder that holds number and digest of
	// the newest line. Without it a cut end can't be noticed.
	Anchor string
	// Arguments records them whole; SetArguments changes it.
	Arguments bool
	// Redact takes secrets out of a text before it is recorded. It is called by
	// many goroutines at once and must not keep or change what it is given.
	Redact func([]byte) []byte
	Log    *slog.Logger
}

// Log is the open record. mu guards everything below it; the flusher goroutine
// belongs to Close.
type Log struct {
	path      string
	redact    func([]byte) []byte
	log       *slog.Logger
	create    func(path string) (appender, error) // tests put a full disk here
	arguments atomic.Bool                         // whole arguments are recorded
	wake      chan struct{}                       // one element: see dirty
	stop      chan struct{}
	done      chan struct{} // the flusher has returned
	anchor    anchorFile    // has its own mutex, taken below mu
	first     uint64        // number of the first line of this run; constant

	mu        sync.Mutex
	maxBytes  int64
	keep      int
	file      appender // nil when it could not be opened again
	size      int64    // of the file, as far as it was written on purpose
	age       uint64   // grows when another file becomes the current one
	looked    time.Time
	head      head    // the newest line
	torn      *digest // of the piece of a line before the next one
	unended   bool    // the file's last byte is no newline
	pending   []byte  // bodies of ends, not yet written
	line      []byte  // scratch
	clock     clock   // of the lines
	open      *group  // of calls that begin now; nil when there are none
	spare     []byte  // a group's buffer, for the next one
	next      ID      // the last one given out
	dirty     bool    // the flusher was woken and has not looked yet
	followers []chan struct{}
	closed    bool
}

// Open opens the record in dir for adding to it.
func Open(dir string, opts Options) (*Log, error) {
	l := newLog(dir, opts)
	found, err := l.begin()
	if err != nil {
		return nil, fmt.Errorf("open record of calls: %w", err)
	}
	go l.flusher()
	for _, text := range found {
		l.log.Warn("record of calls", "err", text)
		if err := l.Note(Entry{Kind: KindRecord, By: "bridgekeeper", Text: text}); err != nil {
			l.log.Error("note in record of calls", "err", err)
		}
	}
	return l, nil
}

func newLog(dir string, opts Options) *Log {
	l := &Log{
		path:   filepath.Join(dir, FileName),
		redact: opts.Redact,
		log:    opts.Log,
		create: create,
		wake:   make(chan struct{}, 1),
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
		anchor: anchorFile{path: opts.Anchor},
		next:   ID(time.Now().UnixNano()),
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	l.arguments.Store(opts.Arguments)
	l.setKeep(opts.MaxBytes, opts.Keep)
	return l
}

// begin opens the file and finds out where the chain goes on. What is strange is
// returned in sentences, for the record.
func (l *Log) begin() (found []string, err error) {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return nil, err
	}
	files, err := l.files()
	if err != nil {
		return nil, err
	}
	defer closeAll(files)
	last := newest(files)
	if found, err = l.anchor.compare(files, &last); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.head, l.first = last, last.n+1
	if err := l.openLocked(); err != nil {
		return nil, err
	}
	if l.anchor.path != "" && last.n >= l.anchor.now.Number {
		if err := l.file.Sync(); err != nil {
			l.log.Debug("record of calls to disk", "err", err) // a device can't be
		}
	}
	if err := l.anchor.advance(last, 0); err != nil {
		l.log.Error("anchor of the record", "err", err)
	}
	return found, nil
}

// SetArguments says whether calls' arguments are recorded whole from now on.
func (l *Log) SetArguments(whole bool) { l.arguments.Store(whole) }

// Begin records a call before it is sent. On an error the call must not be sent.
func (l *Log) Begin(e Entry) (ID, error) {
	p := l.prepare(e)
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return 0, ErrClosed
	}
	l.next++
	id := l.next
	g := l.open
	if g == nil {
		g = &group{bodies: l.spare[:0]}
		l.open, l.spare = g, nil
	}
	g.bodies = appendBegin(l.appendTimeLocked(g.bodies), id, &p)
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

// Note records something that is no call: a change of rules, trust or switches,
// or the end of a question. It is on its way to the disk when Note returns.
func (l *Log) Note(e Entry) error {
	if e.Kind == "" {
		e.Kind = KindChange
	}
	_, err := l.Begin(e)
	return err
}

// End records how a call came out: a word such as ok, tool_error, rpc_error,
// cancelled, server_down or unknown. bytes is the size of the result.
func (l *Log) End(id ID, outcome string, bytes int, dur time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.pending = appendEnd(l.appendTimeLocked(l.pending), id, outcome, bytes, dur)
	if len(l.pending) >= maxPending {
		if err := l.flushLocked(); err != nil {
			l.pending = l.pending[:0] // the calls are over: there is no caller left to tell
		}
		return
	}
	l.wakeLocked()
}

// Close writes what waits and ends the record.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	if l.open != nil {
		l.commitLocked()
	}
	_ = l.flushLocked() // logged there
	l.closed = true
	l.mu.Unlock()
	close(l.stop)
	<-l.done
	l.dropAnchor()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}
