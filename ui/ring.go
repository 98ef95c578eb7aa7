package ui

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

const (
	// ringLines is how many log lines the window keeps: some minutes of a loud
	// server, about 15 MiB.
	ringLines = 50_000
	// ringText bounds what is kept of one line; its server's log file has the rest.
	ringText = 4 << 10
)

// colours are what terminals take as colours and moves of the cursor.
var colours = regexp.MustCompile("\x1b(\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?)")

// ring keeps the newest log lines of all servers. Streams add to it, the page
// reads it; mu guards all fields.
type ring struct {
	mu    sync.Mutex
	lines []wire.LogLine // line n is at n % cap; grows until it is full
	cap   int
	next  uint64            // number of the line that comes next
	last  map[string]uint64 // newest Seq of each server, to know a line again
	run   time.Time         // when the core that counts those started
}

func newRing(capacity int) *ring {
	return &ring{cap: capacity, last: map[string]uint64{}}
}

// add takes one line, unless a stream that began anew brings it again.
func (r *ring) add(line wire.LogLine) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if line.Seq != 0 && line.Seq <= r.last[line.Server] {
		return
	}
	r.last[line.Server] = line.Seq
	if len(line.Text) > ringText {
		line.Text, line.Cut = strings.ToValidUTF8(line.Text[:ringText], ""), true
	}
	line.Text = look.Show(colours.ReplaceAllString(line.Text, ""))
	if len(r.lines) < r.cap {
		r.lines = append(r.lines, line)
	} else {
		r.lines[r.next%uint64(r.cap)] = line
	}
	r.next++
}

// began says since when the core runs whose lines come now: another one counts
// from the beginning.
func (r *ring) began(run time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.run.Equal(run) {
		r.run = run
		clear(r.last)
	}
}

// bounds returns the numbers of the oldest line that is kept and of the next one.
func (r *ring) bounds() (oldest, next uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.oldestLocked(), r.next
}

func (r *ring) oldestLocked() uint64 { return r.next - uint64(len(r.lines)) }

// at returns line n; ok is false when it is gone.
func (r *ring) at(n uint64) (line wire.LogLine, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < r.oldestLocked() || n >= r.next {
		return wire.LogLine{}, false
	}
	return r.lines[n%uint64(r.cap)], true
}

// logFilter picks lines; zero fields take all.
type logFilter struct {
	server string
	source string // stderr, stdout, bridgekeeper
	text   string // anywhere in the text, whatever its case
}

func (f logFilter) takes(line *wire.LogLine) bool {
	return (f.server == "" || line.Server == f.server) &&
		(f.source == "" || line.Source == f.source) &&
		(f.text == "" || containsFold(line.Text, f.text))
}

// containsFold reports whether low, in lower case, is in s.
func containsFold(s, low string) bool {
	return strings.Contains(strings.ToLower(s), low)
}

// logView is the part of a ring that a filter takes, kept up to date step by
// step. It belongs to Fyne's goroutine.
type logView struct {
	ring   *ring
	filter logFilter
	lines  []uint64 // numbers of the lines that are taken, oldest first
	next   uint64   // first number that wasn't looked at yet
}

// use begins anew with another filter.
func (v *logView) use(f logFilter) {
	f.text = strings.ToLower(f.text)
	v.filter, v.lines, v.next = f, nil, 0
	v.advance()
}

// advance looks at what is new and forgets what is gone: how many lines went at
// the top, and whether anything changed.
func (v *logView) advance() (gone int, changed bool) {
	v.ring.mu.Lock()
	defer v.ring.mu.Unlock()
	oldest, before := v.ring.oldestLocked(), len(v.lines)
	for gone < len(v.lines) && v.lines[gone] < oldest {
		gone++
	}
	v.lines = v.lines[gone:]
	for n := max(v.next, oldest); n < v.ring.next; n++ {
		if v.filter.takes(&v.ring.lines[n%uint64(v.ring.cap)]) {
			v.lines = append(v.lines, n)
		}
	}
	v.next = v.ring.next
	return gone, gone > 0 || len(v.lines) != before
}
