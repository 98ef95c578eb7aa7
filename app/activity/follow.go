package activity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"bridgekeeper/app/wire"
)

// maxLookBack is how far back Follow looks for calls that still run, so that their
// ends can be told. A call that is older ends untold.
const maxLookBack = 16 << 20

// Follow hands the newest entries that fit to send, as many as the query's limit,
// and then each one as it begins and again, with the same ID, when it has ended.
// It returns when ctx ends or send fails. It reads from the files, so a slow send
// holds nobody up; one that is slower than the rotation misses what was deleted.
func (l *Log) Follow(ctx context.Context, q wire.ActivityQuery, send func(*wire.Activity) error) error {
	wake := make(chan struct{}, 1)
	m, err := l.moment(wake)
	if err != nil {
		return fmt.Errorf("read record: %w", err)
	}
	defer l.forget(wake)
	s := newScan(ctx, newFilter(q), l.first)
	s.running, s.lookBack = map[uint64]wire.Activity{}, maxLookBack
	err = s.run(m.files)
	if err == nil {
		err = s.each(m.files, send)
	}
	closeAll(m.files)
	if err != nil {
		return err
	}
	t := &tail{log: l, scan: s, age: m.age, at: m.size, last: m.head.n, send: send}
	defer t.close()
	for {
		if err := t.read(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		}
	}
}

func (l *Log) forget(wake chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.followers = slices.DeleteFunc(l.followers, func(f chan struct{}) bool { return f == wake })
}

// tail reads the lines behind a place in the record.
type tail struct {
	log  *Log
	scan *scan
	send func(*wire.Activity) error

	age  uint64 // of the file that is read: see Log.age
	at   int64  // what was read of it
	last uint64 // number of the newest line that was read
	file *os.File
	buf  []byte
}

func (t *tail) close() {
	if t.file != nil {
		t.file.Close()
		t.file = nil
	}
}

// read hands out all lines that are there, over rotated files.
func (t *tail) read() error {
	for {
		newer, size, err := t.look()
		if err != nil {
			return err
		}
		if t.file != nil {
			if err := t.lines(size); err != nil {
				return err
			}
		}
		if !newer {
			return nil
		}
		t.close()
		t.age, t.at = t.age+1, 0
	}
}

// look opens the file that is to be read and says how much of it counts, and
// whether there is a newer one.
func (t *tail) look() (newer bool, size int64, err error) {
	l := t.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if back := l.age - t.age; t.file == nil && back > uint64(l.keep) {
		t.age = l.age - uint64(l.keep) // what was between is deleted
		t.at = 0
	}
	newer = t.age < l.age
	if t.file == nil {
		t.file, err = openShared(l.numbered(int(l.age - t.age)))
		if errors.Is(err, fs.ErrNotExist) {
			return newer, 0, nil // it is gone, or was never begun
		}
		if err != nil {
			return false, 0, fmt.Errorf("read record: %w", err)
		}
	}
	if !newer && l.file != nil {
		return false, l.size, nil
	}
	info, err := t.file.Stat()
	if err != nil {
		return false, 0, fmt.Errorf("read record: %w", err)
	}
	return newer, info.Size(), nil
}

// lines reads the whole lines up to size.
func (t *tail) lines(size int64) error {
	if t.buf == nil {
		t.buf = make([]byte, chunk+maxLine)
	}
	for t.at < size {
		n, err := t.file.ReadAt(t.buf[:min(int64(len(t.buf)), size-t.at)], t.at)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read record: %w", err)
		}
		data := t.buf[:n]
		end := bytes.LastIndexByte(data, '\n') + 1
		if end == 0 {
			if n < len(t.buf) {
				return nil // a piece; its end comes with the next line
			}
			end = n // too long to be ours
		}
		t.at += int64(end)
		for line := range bytes.Lines(data[:end]) {
			if err := t.line(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
				return err
			}
		}
		if err := t.scan.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// line hands out what a line says, when it fits.
func (t *tail) line(line []byte) error {
	r, ok := parse(line)
	if !ok || r.n <= t.last {
		return nil
	}
	t.last = r.n
	s := t.scan
	if r.end {
		a, runs := s.running[r.id]
		if !runs {
			return nil
		}
		delete(s.running, r.id)
		e, ok := r.ending(s.words)
		if e.put(&a); !ok || s.filter.q.Outcome != "" && s.filter.q.Outcome != a.Outcome {
			return nil
		}
		return t.send(&a)
	}
	if !s.filter.begins(&r) {
		return nil
	}
	a, ok := r.entry(s.words)
	if !ok {
		return nil
	}
	if a.Kind == KindCall && a.Decision == string(Allow) && len(s.running) < maxRunning {
		s.running[r.id] = a
	}
	if !s.filter.ends(&r, "") {
		return nil // it may fit when it has ended
	}
	return t.send(&a)
}
