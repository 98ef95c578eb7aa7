package supervisor

import (
	"bytes"
	"os"
	"sync"
)

const (
	drainBuffer = 32 << 10
	// tailLines of stderr and strayLines of stdout are kept as evidence of an end,
	// each at most evidenceLine long.
	tailLines    = 20
	strayLines   = 5
	evidenceLine = 2 << 10
)

// tail keeps the last lines of something.
type tail struct {
	max int

	mu    sync.Mutex
	lines []string // guarded by mu
}

func (t *tail) add(line []byte) {
	text := string(bytes.ToValidUTF8(line[:min(len(line), evidenceLine)], []byte("\uFFFD")))
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == t.max {
		copy(t.lines, t.lines[1:])
		t.lines = t.lines[:t.max-1]
	}
	t.lines = append(t.lines, text)
}

func (t *tail) get() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.lines...)
}

// drain reads one process's stderr to its end, whatever comes, and hands each
// line on. All but done belongs to the goroutine that calls run.
type drain struct {
	src  *os.File
	line func(text []byte, cut bool)
	done chan struct{}

	part []byte // the beginning of a line whose end hasn't come
	cut  bool   // part is full; the rest of the line is dropped
}

func newDrain(src *os.File, line func([]byte, bool)) *drain {
	return &drain{src: src, line: line, done: make(chan struct{})}
}

func (d *drain) run() {
	defer close(d.done)
	buf := make([]byte, drainBuffer)
	for {
		n, err := d.src.Read(buf)
		d.feed(buf[:n])
		if err != nil {
			if len(d.part) > 0 {
				d.emit()
			}
			return
		}
	}
}

// feed cuts what was read into lines.
func (d *drain) feed(b []byte) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			d.keep(b)
			return
		}
		if len(d.part) == 0 && i <= maxLogLine {
			d.line(trimCR(b[:i]), false)
		} else {
			d.keep(b[:i])
			d.emit()
		}
		b = b[i+1:]
	}
}

func (d *drain) keep(b []byte) {
	if room := maxLogLine - len(d.part); len(b) > room {
		b, d.cut = b[:room], true
	}
	d.part = append(d.part, b...)
}

func (d *drain) emit() {
	d.line(trimCR(d.part), d.cut)
	d.cut = false
	if cap(d.part) > drainBuffer {
		d.part = nil
	} else {
		d.part = d.part[:0]
	}
}

func trimCR(b []byte) []byte { return bytes.TrimSuffix(b, []byte{'\r'}) }
