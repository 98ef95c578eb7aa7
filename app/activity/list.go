package activity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"bridgekeeper/app/wire"
)

const (
	// maxHits bounds what one query finds; some 80 MiB. It is above what the files
	// of the usual settings hold.
	maxHits = 1 << 20
	// maxEnds bounds calls that have ended and whose begin was not met yet: so many
	// never run at once, but a foreign file may pretend it.
	maxEnds = 1 << 16
	// maxRunning bounds the calls of which a follower waits for the end.
	maxRunning = 1 << 14
	// clockSlack: a clock that was set back makes older lines look newer.
	clockSlack = time.Hour
)

// hit is an entry that fits a query: where its line is, and its end.
type hit struct {
	file int
	len  int
	off  int64
	end  ending
}

// scan is one search through the record, from its end.
type scan struct {
	ctx     context.Context
	filter  *filter
	first   uint64 // number of this run's first line
	limit   int
	words   words
	ends    map[uint64]ending
	hits    []hit // newest first
	skipped int   // lines that are not ours

	running  map[uint64]wire.Activity // when not nil: calls that fit so far and have no end
	lookBack int64                    // bytes in which calls that run are looked for
	passed   int64
}

func newScan(ctx context.Context, f *filter, first uint64) *scan {
	s := &scan{ctx: ctx, filter: f, first: first, limit: f.q.Limit, words: words{}, ends: map[uint64]ending{}}
	if s.limit == 0 || s.limit > maxHits {
		s.limit = maxHits
	}
	return s
}

// run goes through the files, newest first.
func (s *scan) run(files []source) error {
	for i, file := range files {
		more := true
		lines := 0
		err := backward(file, func(off int64, line []byte) bool {
			if lines++; lines%1024 == 0 && s.ctx.Err() != nil {
				more = false
				return false
			}
			s.passed += int64(len(line)) + 1
			more = s.line(i, off, line)
			return more
		})
		if err != nil {
			return fmt.Errorf("read record: %w", err)
		}
		if err := s.ctx.Err(); err != nil || !more {
			return err
		}
	}
	return nil
}

// line looks at one line and reports whether older ones are of interest.
func (s *scan) line(file int, off int64, line []byte) bool {
	full := len(s.hits) >= s.limit || s.limit < 0
	if full && (s.running == nil || s.passed > s.lookBack) {
		return false
	}
	r, ok := parse(line)
	if !ok {
		if len(line) > 0 || line == nil {
			s.skipped++
		}
		return true
	}
	if r.end {
		if e, ok := r.ending(s.words); !ok {
			s.skipped++
		} else if len(s.ends) < maxEnds {
			s.ends[r.id] = e
		}
		return true
	}
	end, ended := s.ends[r.id]
	if ended {
		delete(s.ends, r.id)
	}
	if s.filter.over(&r) {
		return false
	}
	if !s.filter.begins(&r) {
		return true
	}
	if !ended && r.n < s.first && (s.filter.q.Outcome != "" || s.running != nil) && r.runs() {
		end.outcome = wire.OutcomeUnknown // it has no time of its end
	}
	if s.running != nil && !ended && end.outcome == "" && len(s.running) < maxRunning && r.runs() {
		if a, ok := r.entry(s.words); ok {
			s.running[r.id] = a
		}
	}
	if !full && s.filter.ends(&r, end.outcome) {
		s.hits = append(s.hits, hit{file: file, off: off, len: len(line), end: end})
	}
	return true
}

// over reports whether the line is so old that all before it are too old.
func (f *filter) over(r *record) bool {
	return f.oldest != "" && string(r.time) < f.oldest
}

// each hands out what was found, oldest first.
func (s *scan) each(files []source, send func(*wire.Activity) error) error {
	var w window
	for i := len(s.hits) - 1; i >= 0; i-- {
		h := &s.hits[i]
		if err := s.ctx.Err(); err != nil {
			return err
		}
		line, err := w.line(files, h)
		if err != nil {
			return fmt.Errorf("read record: %w", err)
		}
		r, ok := parse(line)
		var a wire.Activity
		if ok {
			a, ok = r.entry(s.words)
		}
		if !ok {
			s.skipped++
			continue
		}
		s.finish(&a, &r, &h.end)
		if err := send(&a); err != nil {
			return err
		}
	}
	return nil
}

// finish adds the end to an entry. A call of an earlier run that has none was cut
// off by the end of that run: whether it took effect isn't known.
func (s *scan) finish(a *wire.Activity, r *record, end *ending) {
	end.put(a)
	if a.Outcome == "" && r.n < s.first && a.Kind == KindCall && a.Decision == string(Allow) {
		a.Outcome = wire.OutcomeUnknown
	}
}

// window is a part of a file in memory: lines that are near each other are read
// at once.
type window struct {
	file int
	from int64
	data []byte
	buf  []byte
}

func (w *window) line(files []source, h *hit) ([]byte, error) {
	if w.buf == nil || h.file != w.file || h.off < w.from || h.off+int64(h.len) > w.from+int64(len(w.data)) {
		if size := max(chunk, h.len); len(w.buf) < size {
			w.buf = make([]byte, size)
		}
		n, err := files[h.file].f.ReadAt(w.buf, h.off)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		w.file, w.from, w.data = h.file, h.off, w.buf[:n]
	}
	at := int(h.off - w.from)
	if at+h.len > len(w.data) {
		return nil, io.ErrUnexpectedEOF // it was cut off under our hands
	}
	return w.data[at : at+h.len], nil
}

// Each hands the entries that fit to send, newest last, each with its end when it
// has one. skipped counts lines that can't be read. A call that was sent in an
// earlier run and has no end is given the outcome unknown.
func (l *Log) Each(ctx context.Context, q wire.ActivityQuery, send func(*wire.Activity) error) (skipped int, err error) {
	return l.search(ctx, q, func(int) {}, send)
}

// search is Each; found hears first how many entries will come at most.
func (l *Log) search(ctx context.Context, q wire.ActivityQuery, found func(n int), send func(*wire.Activity) error) (skipped int, err error) {
	m, err := l.moment(nil)
	if err != nil {
		return 0, fmt.Errorf("read record: %w", err)
	}
	defer closeAll(m.files)
	s := newScan(ctx, newFilter(q), l.first)
	if err := s.run(m.files); err != nil {
		return s.skipped, err
	}
	found(len(s.hits))
	err = s.each(m.files, send)
	return s.skipped, err
}

// List returns what Each hands out.
func (l *Log) List(ctx context.Context, q wire.ActivityQuery) (all []wire.Activity, skipped int, err error) {
	found := func(n int) { all = make([]wire.Activity, 0, n) }
	skipped, err = l.search(ctx, q, found, func(a *wire.Activity) error {
		all = append(all, *a)
		return nil
	})
	return all, skipped, err
}
