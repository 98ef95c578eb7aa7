package stdio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

const (
	// baseBuffer is what a reader keeps between lines; a Linux pipe's default size.
	baseBuffer = 64 << 10
	// headTail is how much of both ends of a line over the cap is kept: enough to
	// find the id of the answer it was.
	headTail = 4 << 10
	// maxEmptyReads ends a reader whose file answers nothing again and again.
	maxEmptyReads = 100
)

// TooLongError stands for one line over the cap. The line was skipped; Head
// and Tail are its two ends.
type TooLongError struct {
	Head, Tail []byte
	Size       int64
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("a line of %d bytes is over the cap", e.Size)
}

// Parts returns the line's two ends and its size, for callers that can't name
// this type.
func (e *TooLongError) Parts() (head, tail []byte, size int64) { return e.Head, e.Tail, e.Size }

// reader cuts stdout into lines. All of it belongs to the one goroutine that
// calls next.
type reader struct {
	file  *os.File
	src   io.Reader // file, unless a test says otherwise
	max   int
	base  int
	first func()

	buf    []byte // len is its full size
	r, w   int    // unread bytes are buf[r:w]
	hint   int    // size the last long line needed: saves the doublings
	err    error  // of src; returned after the lines before it
	began  bool   // the first byte has arrived
	inLine bool   // past the place where a BOM is tolerated
}

func newReader(f *os.File, maxLine, base int) *reader {
	return &reader{file: f, src: f, max: maxLine, base: base}
}

func (r *reader) next() ([]byte, error) {
	for {
		raw, whole, err := r.cut()
		if err != nil {
			return nil, err
		}
		if !r.inLine {
			r.inLine = true
			raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
		}
		line := trim(raw)
		if len(line) == 0 {
			if whole {
				r.drop()
			}
			continue
		}
		if whole {
			return r.handOver(line), nil
		}
		return append(getBuffer(len(line)), line...), nil
	}
}

// cut finds the next line in the buffer, without its LF, and moves past it. The
// bytes stay in the buffer. whole says that the buffer grew for this line and
// should leave with it.
func (r *reader) cut() (raw []byte, whole bool, err error) {
	scanned := 0
	for {
		if i := bytes.IndexByte(r.buf[r.r+scanned:r.w], '\n'); i >= 0 {
			n := scanned + i
			raw = r.buf[r.r : r.r+n]
			r.r += n + 1
			if n > r.max {
				return nil, false, r.tooLong(raw, true)
			}
			return raw, len(r.buf) > r.base, nil
		}
		scanned = r.w - r.r
		if scanned > r.max {
			raw = r.buf[r.r:r.w]
			r.r = r.w
			return nil, false, r.tooLong(raw, false)
		}
		if r.err != nil {
			if scanned == 0 {
				return nil, false, r.err
			}
			raw = r.buf[r.r:r.w]
			r.r = r.w
			return raw, len(r.buf) > r.base, nil
		}
		r.fill()
	}
}

// fill reads once, making room first. An error is kept for later.
func (r *reader) fill() {
	switch {
	case r.buf == nil:
		r.buf = getBuffer(r.base)[:r.base]
	case r.r == r.w:
		r.r, r.w = 0, 0
	case r.w == len(r.buf):
		r.makeRoom()
	}
	for range maxEmptyReads {
		n, err := r.src.Read(r.buf[r.w:])
		r.w += n
		if n > 0 && !r.began {
			r.began = true
			if r.first != nil {
				r.first()
			}
		}
		if err != nil {
			r.err = ending(err)
		}
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// makeRoom moves the unfinished line to the front, into a larger buffer when
// it fills more than half of this one.
func (r *reader) makeRoom() {
	have := r.w - r.r
	limit := max(r.max+1, have) + headTail // no line needs more
	if r.r > 0 && (have <= len(r.buf)/2 || limit <= len(r.buf)) {
		copy(r.buf, r.buf[r.r:r.w])
		r.r, r.w = 0, have
		return
	}
	size := max(2*len(r.buf), min(r.hint, 1<<maxClassBits))
	if limit > len(r.buf) {
		size = min(size, limit)
	}
	r.replace(getBuffer(size))
}

// replace puts what is unread into the front of next and lets the old one go.
func (r *reader) replace(next []byte) {
	old := r.buf
	next = next[:cap(next)]
	r.w = copy(next, old[r.r:r.w])
	r.r = 0
	r.buf = next
	putBuffer(old)
}

// handOver gives the grown buffer away with the line in it, unless that would
// be mostly air; what follows the line moves to a fresh one.
func (r *reader) handOver(line []byte) []byte {
	if len(line) < len(r.buf)/4 {
		line = append(getBuffer(len(line)), line...)
		r.drop()
		return line
	}
	r.hint = len(r.buf)
	rest := r.buf[r.r:r.w]
	size := max(r.base, len(rest)+len(rest)/2)
	next := getBuffer(size)[:size]
	r.r, r.w = 0, copy(next, rest)
	r.buf = next
	return line
}

// drop goes back to a small buffer as soon as what is unread fits into one.
func (r *reader) drop() {
	if rest := r.w - r.r; len(r.buf) > r.base && rest <= r.base/2 {
		r.replace(getBuffer(r.base)[:r.base:r.base])
	}
}

// tooLong skips to the end of a line over the cap, keeping its two ends. done
// says that part is the line to its end.
func (r *reader) tooLong(part []byte, done bool) error {
	long := new(TooLongError)
	tail := make([]byte, 0, 2*headTail)
	take := func(b []byte) {
		long.Size += int64(len(b))
		if missing := headTail - len(long.Head); missing > 0 {
			long.Head = append(long.Head, b[:min(missing, len(b))]...)
		}
		b = b[max(0, len(b)-headTail):]
		if len(tail)+len(b) > cap(tail) {
			tail = append(tail[:0], tail[len(tail)-headTail:]...)
		}
		tail = append(tail, b...)
	}
	take(part)
	for !done {
		r.drop()
		if r.r == r.w {
			if r.err != nil {
				break
			}
			r.fill()
			continue
		}
		chunk := r.buf[r.r:r.w]
		if i := bytes.IndexByte(chunk, '\n'); i >= 0 {
			chunk, done = chunk[:i], true
			r.r++
		}
		r.r += len(chunk)
		take(chunk)
	}
	r.drop()
	r.inLine = true
	long.Tail = bytes.Clone(tail[max(0, len(tail)-headTail):])
	return long
}

// ending makes one io.EOF of the ways in which a pipe ends.
func ending(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE) {
		return io.EOF
	}
	return err
}

// trim removes the ASCII white space around a line: a CR, and what some
// servers print around their JSON.
func trim(b []byte) []byte {
	for len(b) > 0 && blank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	for len(b) > 0 && blank(b[0]) {
		b = b[1:]
	}
	return b
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }
