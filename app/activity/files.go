package activity

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// chunk is how much is read at once.
const chunk = 256 << 10

// source is a file of the record that is open for reading.
type source struct {
	f    *os.File
	name string
	size int64 // what counts of it: the writer may be just adding more
}

// files opens what there is of the record, newest first. The caller closes them.
func (l *Log) files() ([]source, error) {
	older, err := l.numbers()
	if err != nil {
		return nil, err
	}
	var all []source
	for _, n := range append([]int{0}, older...) {
		path := l.numbered(n)
		// A device or a pipe in the record's place would be read for ever.
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			continue
		}
		f, err := openShared(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			closeAll(all)
			return nil, err
		}
		s := source{f: f, name: filepath.Base(path)}
		all = append(all, s)
		info, err := f.Stat()
		if err != nil {
			closeAll(all)
			return nil, err
		}
		all[len(all)-1].size = info.Size()
	}
	return all, nil
}

func closeAll(files []source) {
	for _, s := range files {
		s.f.Close()
	}
}

// moment is the record as it is at one moment.
type moment struct {
	files []source // newest first
	head  head
	torn  bool // the end is a piece of a line that the next line will explain
	age   uint64
	size  int64 // of the current file
}

// moment writes what waits and opens all files. wake, when it isn't nil, hears of
// every later line.
func (l *Log) moment(wake chan struct{}) (*moment, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.flushLocked() // logged there; what is on the disk can be read all the same
	files, err := l.files()
	if err != nil {
		return nil, err
	}
	if l.file != nil && len(files) > 0 && files[0].name == FileName {
		files[0].size = min(files[0].size, l.size)
	}
	if wake != nil {
		l.followers = append(l.followers, wake)
	}
	return &moment{files: files, head: l.head, torn: l.torn != nil, age: l.age, size: l.size}, nil
}

// backward hands out the lines of a file, the last one first, without their
// newlines; nil for one that is too long to be ours. fn returns false to end it.
// What it is given is only good until it returns.
func backward(s source, fn func(off int64, line []byte) bool) error {
	var buf []byte
	var starts []int
	end, size := s.size, int64(chunk)
	for end > 0 {
		from := max(0, end-size)
		if int64(len(buf)) < end-from {
			buf = make([]byte, end-from)
		}
		data := buf[:end-from]
		if _, err := s.f.ReadAt(data, from); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		starts = starts[:0]
		if from == 0 {
			starts = append(starts, 0)
		}
		for i := 0; ; {
			k := bytes.IndexByte(data[i:len(data)-1], '\n')
			if k < 0 {
				break
			}
			i += k + 1
			starts = append(starts, i)
		}
		if len(starts) == 0 {
			if size <= maxLine {
				size *= 2
				continue
			}
			start, err := lineStart(s.f, from)
			if err != nil || !fn(start, nil) {
				return err
			}
			end = start
			continue
		}
		stop := len(data)
		for i := len(starts) - 1; i >= 0; i-- {
			line := bytes.TrimSuffix(data[starts[i]:stop], []byte("\n"))
			stop = starts[i]
			if len(line) > maxLine {
				line = nil
			}
			if !fn(from+int64(starts[i]), line) {
				return nil
			}
		}
		end, size = from+int64(starts[0]), chunk
	}
	return nil
}

// lineStart is where the line begins that goes on at off.
func lineStart(f io.ReaderAt, off int64) (int64, error) {
	buf := make([]byte, chunk)
	for off > 0 {
		from := max(0, off-chunk)
		data := buf[:off-from]
		if _, err := f.ReadAt(data, from); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if k := bytes.LastIndexByte(data, '\n'); k >= 0 {
			return from + int64(k) + 1, nil
		}
		off = from
	}
	return 0, nil
}

// newest is where the chain goes on: at its newest line, or, behind lines without
// a chain, before its first.
func newest(files []source) (last head) {
	seen := false
	for _, s := range files {
		found := false
		_ = backward(s, func(_ int64, line []byte) bool {
			r, ok := parse(line)
			if !ok || !r.whole() {
				return true
			}
			if r.n > 0 {
				last, found = head{r.n, sumOf(line)}, true
				return false
			}
			if !seen {
				last, seen = head{sum: sumOf(line)}, true
			}
			return true
		}) // a file that can't be read now is reported by verify
		if found {
			return last
		}
	}
	return last
}

// lineNumbered returns the digest of a line of the chain.
func lineNumbered(files []source, n uint64) (sum digest, found bool) {
	over := false
	for _, s := range files {
		_ = backward(s, func(_ int64, line []byte) bool {
			r, ok := parse(line)
			if ok && r.n == n {
				sum, found = sumOf(line), true
			}
			over = found || ok && r.n > 0 && r.n < n
			return !over
		})
		if over {
			break
		}
	}
	return sum, found
}

// firstNumber is the number of a file's first line of the chain.
func firstNumber(path string) (uint64, bool) {
	f, err := openShared(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	start := make([]byte, 64)
	n, _ := f.ReadAt(start, 0)
	rest, ok := bytes.CutPrefix(start[:n], []byte(`{"n":`))
	if !ok {
		return 0, false
	}
	number, _, ok := cutNumber(rest)
	return number, ok
}

// tornEnd is the digest of the piece of a line that a file ends with; nil when it
// ends with a newline. A whole line that lacks nothing else is no piece.
func tornEnd(f io.ReaderAt, size int64) (piece *digest, whole bool, err error) {
	if size == 0 {
		return nil, false, nil
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, size-1); err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if last[0] == '\n' {
		return nil, false, nil
	}
	start, err := lineStart(f, size)
	if err != nil {
		return nil, false, err
	}
	// After a power cut it may be zeros, and many of them.
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, start, size-start)); err != nil {
		return nil, false, err
	}
	sum := digest(h.Sum(nil)[:16])
	if size-start <= maxLine {
		line := make([]byte, size-start)
		if _, err := f.ReadAt(line, start); err != nil && !errors.Is(err, io.EOF) {
			return nil, false, err
		}
		r, ok := parse(line)
		whole = ok && r.whole()
	}
	return &sum, whole, nil
}
