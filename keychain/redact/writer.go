package redact

import (
	"bytes"
	"io"
	"sync"
)

const (
	// maxHold bounds what a Writer keeps back: the longest value in its longest
	// form is shorter, and nobody shall wait for more.
	maxHold = 256 << 10
	// maxWord bounds the word at the end of a line that isn't finished, which is
	// kept until it is: the longest token.
	maxWord = maxToken
	// holdEnd is kept of an unfinished line in any case: fewer bytes find no
	// pattern.
	holdEnd = indexed - 1
	// maxLastLine is longer than -----END ENCRYPTED PRIVATE KEY-----.
	maxLastLine = 64
)

// Writer redacts a stream. It keeps back an unfinished word, and what may be the
// beginning of a value; whole lines go through at once unless they end like one
// begins. Its owner calls Flush when nothing has come for a moment, so that
// people see everything.
type Writer struct {
	r *Redactor
	w io.Writer

	mu    sync.Mutex
	held  []byte
	inKey int // a private key's beginning went out as a mask; bytes of it that may follow
}

// NewWriter returns a Writer in front of w.
func (r *Redactor) NewWriter(w io.Writer) *Writer { return &Writer{r: r, w: w} }

// Write takes all of p; the error is that of the writer behind.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = append(w.held, p...)
	return len(p), w.passLocked(false)
}

// Flush writes what was kept back. If that is the larger part of a value, it
// goes out as its mask.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.passLocked(true)
}

// Held reports whether something is kept back.
func (w *Writer) Held() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.held) > 0
}

func (w *Writer) passLocked(final bool) error {
	if w.inKey > 0 && !w.keyEndedLocked() {
		return nil
	}
	if len(w.held) == 0 {
		return nil
	}
	s := w.r.set()
	spans, open := s.find(w.held, final)
	to := len(w.held)
	if !final {
		if to = s.safe(w.held, spans, open); len(w.held)-to > maxHold {
			final, to = true, len(w.held)
		}
	}
	if final && open >= 0 {
		w.inKey = maxKey
	}
	if to == 0 {
		return nil
	}
	for i, sp := range spans {
		if sp.start >= to {
			spans = spans[:i]
			break
		}
	}
	out := replace(nil, w.held[:to], spans)
	w.held = append(w.held[:0], w.held[to:]...)
	_, err := w.w.Write(out)
	return err
}

// keyEndedLocked drops what goes on a key. Its last bytes stay until there are
// more, for they may be the beginning of its last line.
func (w *Writer) keyEndedLocked() bool {
	n, closed := keyBody(w.held)
	if !closed {
		n = max(0, n-maxLastLine)
	}
	w.inKey = max(0, w.inKey-n)
	if closed {
		w.inKey = 0
	}
	w.held = append(w.held[:0], w.held[n:]...)
	return w.inKey == 0
}

// safe is how much of text can go out: what follows could still change the rest.
func (s *set) safe(text []byte, spans []span, open int) int {
	to := len(text)
	if text[len(text)-1] != '\n' {
		to = unfinished(text)
	}
	if open >= 0 {
		to = min(to, open)
	}
	// The line that begins a key has spaces in it.
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	if i := bytes.LastIndex(line, keyBegin); i >= 0 && len(line)-i < maxLastLine {
		to = min(to, len(text)-len(line)+i)
	}
	q := squeeze(text)
	s.begins(q.text, func(pos int, _ pattern) { to = min(to, q.origin(pos)) })
	for _, sp := range spans {
		if sp.start < to && to < sp.end {
			to = sp.start
		}
	}
	return to
}

// unfinished is where the last word begins, with "Bearer" before it.
func unfinished(text []byte) int {
	to := max(0, len(text)-holdEnd)
	for to > 0 && len(text)-to < maxWord && !space(text[to-1]) {
		to--
	}
	before := bytes.TrimRight(text[max(0, to-len("bearer  ")):to], " ")
	for _, word := range []string{"bearer", "basic"} {
		if n := len(before) - len(word); n >= 0 && bytes.EqualFold(before[n:], []byte(word)) {
			return max(0, to-len("bearer  ")) + n
		}
	}
	return to
}

func space(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
