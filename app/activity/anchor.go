package activity

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"bridgekeeper/app/home"
)

// anchor is what the anchor's file says. The record may be ahead of it, by a
// crash; it is never behind, since it goes to the disk before its anchor does.
type anchor struct {
	Number uint64 `json:"number"` // of the newest line
	Digest string `json:"digest"` // of that line
	First  uint64 `json:"first"`  // the oldest line that was not rotated away
}

// maxAnchor bounds the file: ours is a hundred bytes long.
const maxAnchor = 4 << 10

// anchorFile is the file in which the newest anchor is. mu guards what follows
// it, and the file.
type anchorFile struct {
	path string // "" for none

	mu     sync.Mutex
	now    anchor
	failed bool // to write it; said once
}

// read returns what the file says now.
func (a *anchorFile) read() (anchor, error) {
	data, err := os.ReadFile(a.path)
	if err != nil {
		return anchor{}, err
	}
	var now anchor
	if len(data) > maxAnchor {
		return anchor{}, errors.New("it is too long")
	}
	if err := json.Unmarshal(data, &now); err != nil {
		return anchor{}, err
	}
	if _, ok := digestOf([]byte(now.Digest)); !ok || now.First == 0 {
		return anchor{}, errors.New("number, digest or first is missing")
	}
	return now, nil
}

// compare looks at the record beside its anchor, before the first line of a run.
// Where they disagree the chain goes on in a way that keeps the place visible.
func (a *anchorFile) compare(files []source, last *head) (found []string, err error) {
	a.now = anchor{First: 1, Digest: digest{}.String()}
	if a.path == "" {
		return nil, nil
	}
	was, err := a.read()
	switch {
	case errors.Is(err, fs.ErrNotExist) && last.n == 0:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return []string{"The record's anchor was gone at the start: lines that were cut off its end before can't be noticed."}, nil
	case err != nil:
		return []string{fmt.Sprintf("The record's anchor could not be read at the start (%v): lines that were cut off its end before can't be noticed.", err)}, nil
	}
	a.now = was
	want, _ := digestOf([]byte(was.Digest))
	switch {
	case last.n < was.Number:
		found = append(found, fmt.Sprintf("The record ended with line %d at the start, but line %d had been written: its end was cut off, or it was deleted.", last.n, was.Number))
		*last = head{was.Number, want}
	case was.Number > 0:
		got, there := lineNumbered(files, was.Number)
		if there && got != want {
			found = append(found, fmt.Sprintf("Line %d of the record was not what had been written, at the start: it was changed.", was.Number))
			if last.n == was.Number {
				last.sum = want
			} else {
				last.sum = digest{}
			}
		}
	}
	return found, nil
}

// advance writes a newer anchor; first is 0 where it stays.
func (a *anchorFile) advance(h head, first uint64) error {
	if a.path == "" {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.now
	if h.n >= next.Number {
		next.Number, next.Digest = h.n, h.sum.String()
	}
	next.First = max(next.First, first, 1)
	data, err := json.Marshal(next)
	if err != nil {
		return err
	}
	if err := home.Replace(a.path, append(data, '\n'), 0o600); err != nil {
		return err
	}
	a.now = next
	return nil
}

// dropAnchor writes the anchor for the newest line, once that is on the disk.
func (l *Log) dropAnchor() {
	if l.anchor.path == "" {
		return
	}
	l.mu.Lock()
	h, f := l.head, l.file
	l.mu.Unlock()
	l.anchor.mu.Lock()
	old := l.anchor.now.Number >= h.n
	l.anchor.mu.Unlock()
	if old || f == nil {
		return
	}
	err := f.Sync()
	if errors.Is(err, os.ErrClosed) {
		return // it was rotated just now; the next lines bring the next anchor
	}
	if err == nil {
		err = l.anchor.advance(h, 0)
	}
	l.anchor.mu.Lock()
	defer l.anchor.mu.Unlock()
	if err != nil && !l.anchor.failed {
		l.log.Error("anchor of the record", "err", err)
	}
	l.anchor.failed = err != nil
}
