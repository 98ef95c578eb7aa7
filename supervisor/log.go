package supervisor

import (
	"strings"
	"sync"
	"time"
)

// Source says who wrote a line of a server's log.
type Source string

const (
	FromStderr Source = "stderr"
	FromStdout Source = "stdout"       // a line that was not MCP
	FromUs     Source = "bridgekeeper" // a note about the server
)

const (
	// maxLogLines and maxLogBytes bound what is kept of one server in memory.
	maxLogLines = 5000
	maxLogBytes = 4 << 20
	// maxLogLine: a longer line is cut; nobody reads on.
	maxLogLine = 64 << 10
	// lineCost is what a kept line costs besides its text.
	lineCost = 96
)

// Line is one line of a server's log.
type Line struct {
	Seq    uint64 // grows by one a line, from 1; never reused in one run of the core
	Time   time.Time
	Source Source
	Text   string // valid UTF-8 without the line end
	Cut    bool   // the line was longer
}

// Log is what one server said last, in memory and in a rotated file. Writers
// are its processes' drains, its sessions' readers and its loops; they never
// wait for a reader or the disk.
type Log struct {
	mu      sync.Mutex
	lines   []Line // guarded by mu, as are all below: a ring, oldest at first
	first   int
	count   int
	bytes   int
	seq     uint64
	closed  bool
	changed chan struct{} // closed at the next line; nil when nobody follows

	file *logFile
}

// newLog keeps a file at path, unless path is "". Numbers go on after seq.
func newLog(path string, seq uint64) *Log {
	l := &Log{seq: seq}
	if path != "" {
		l.file = newLogFile(path, func(note string) { l.add(FromUs, note, false, false) })
	}
	return l
}

// append adds a line; text may be anything.
func (l *Log) append(source Source, text []byte, cut bool) {
	if len(text) > maxLogLine {
		text, cut = text[:maxLogLine], true
	}
	l.add(source, strings.ToValidUTF8(string(text), "\uFFFD"), cut, true)
}

// note adds a line of our own.
func (l *Log) note(text string) { l.append(FromUs, []byte(text), false) }

func (l *Log) add(source Source, text string, cut, save bool) {
	l.mu.Lock()
	l.seq++
	line := Line{Seq: l.seq, Time: time.Now(), Source: source, Text: text, Cut: cut}
	l.pushLocked(line)
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
	l.mu.Unlock()
	if save && l.file != nil {
		l.file.put(&line)
	}
}

func (l *Log) pushLocked(line Line) {
	if l.count == len(l.lines) && l.count < maxLogLines {
		grown := make([]Line, min(max(64, 2*l.count), maxLogLines))
		l.copyLocked(grown, 0)
		l.lines, l.first = grown, 0
	}
	size := len(line.Text) + lineCost
	for l.count == maxLogLines || (l.count > 0 && l.bytes+size > maxLogBytes) {
		old := &l.lines[l.first]
		l.bytes -= len(old.Text) + lineCost
		*old = Line{}
		l.first = (l.first + 1) % len(l.lines)
		l.count--
	}
	l.lines[(l.first+l.count)%len(l.lines)] = line
	l.count++
	l.bytes += size
}

// copyLocked copies lines from the i-th oldest on.
func (l *Log) copyLocked(dst []Line, i int) int {
	n := 0
	for ; n < len(dst) && i < l.count; n, i = n+1, i+1 {
		dst[n] = l.lines[(l.first+i)%len(l.lines)]
	}
	return n
}

// Tail returns the newest n lines, oldest first; all that are kept when n is 0
// or less.
func (l *Log) Tail(n int) []Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n <= 0 || n > l.count {
		n = l.count
	}
	tail := make([]Line, n)
	l.copyLocked(tail, l.count-n)
	return tail
}

// close ends followers and the file. Lines may still be added to memory.
func (l *Log) close() {
	l.mu.Lock()
	l.closed = true
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
	l.mu.Unlock()
	if l.file != nil {
		l.file.close()
	}
}

func (l *Log) lastSeq() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq
}
