package activity

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// SetKeep changes the size of one file and how many are kept; 0 is the default.
// Files that are too many go with the next rotation.
func (l *Log) SetKeep(maxBytes int64, keep int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.setKeep(maxBytes, keep)
}

func (l *Log) setKeep(maxBytes int64, keep int) {
	if maxBytes <= 0 {
		maxBytes = defaultMaxBytes
	}
	if keep <= 0 {
		keep = defaultKeep
	}
	l.maxBytes, l.keep = maxBytes, keep
}

// numbered is a file of the record; 0 is the current one.
func (l *Log) numbered(i int) string {
	if i == 0 {
		return l.path
	}
	return l.path + "." + strconv.Itoa(i)
}

// numbers returns the older files that are there, newest first.
func (l *Log) numbers() ([]int, error) {
	entries, err := os.ReadDir(filepath.Dir(l.path))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []int
	for _, e := range entries {
		text, ours := strings.CutPrefix(e.Name(), FileName+".")
		if n, err := strconv.Atoi(text); ours && err == nil && n > 0 && strconv.Itoa(n) == text {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all, nil
}

// rotateLocked moves every file one place on and lets the oldest go. When that
// fails the current file grows on: a record that is too long is better than none.
func (l *Log) rotateLocked() {
	// Windows can't move an open file. What is closed can't be brought to the disk
	// any more, and the anchor promises that it is there.
	if err := l.file.Sync(); err != nil {
		l.log.Debug("record of calls to disk", "err", err)
	}
	l.file.Close()
	l.file = nil
	if err := l.moveLocked(); err != nil {
		l.log.Error("rotate record of calls", "err", err)
	}
}

func (l *Log) moveLocked() error {
	there, err := l.numbers()
	if err != nil {
		return err
	}
	free := 1 // the first number that no file has: a rotation that failed leaves one
	for _, n := range there {
		if n == free {
			free++
		}
	}
	last := min(free, l.keep-1) // becomes the oldest of those that move
	var drop []int
	for _, n := range there {
		if n >= l.keep || n == last {
			drop = append(drop, n)
		}
	}
	if last == 0 {
		drop = append(drop, 0)
	}
	if err := l.dropLocked(drop, there); err != nil {
		return err
	}
	for i := last; i > 0; i-- {
		if err := os.Rename(l.numbered(i-1), l.numbered(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// dropLocked deletes files. The anchor hears of it first: a crash in between must
// not look like a file that somebody deleted.
func (l *Log) dropLocked(drop, there []int) error {
	if len(drop) == 0 {
		return nil
	}
	first := l.head.n + 1
	for _, i := range slices.Backward(append([]int{0}, there...)) { // the oldest that stays
		if slices.Contains(drop, i) {
			continue
		}
		if n, ok := firstNumber(l.numbered(i)); ok {
			first = n
			break
		}
	}
	if err := l.anchor.advance(head{}, first); err != nil {
		return fmt.Errorf("anchor of the record: %w", err)
	}
	slices.SortFunc(drop, func(a, b int) int { return cmp.Compare(b, a) })
	for _, n := range drop {
		if err := os.Remove(l.numbered(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
