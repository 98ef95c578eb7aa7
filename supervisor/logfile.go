package supervisor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

const (
	// logFileBytes x logFiles is what one server's log may take on disk.
	logFileBytes = 10 << 20
	logFiles     = 3
	// logQueue is how far the disk may be behind before lines are left out.
	logQueue = 1 << 20
	// logName bounds the part of a file's name that comes from the server's.
	logName  = 80
	timeForm = "2006-01-02T15:04:05.000Z07:00"
)

// logFile appends lines to a rotated file. put never waits: a goroutine that
// lives only while there is something to write does the work.
type logFile struct {
	path string
	note func(string) // adds a line to the log in memory
	max  int64

	mu      sync.Mutex
	pending []byte // guarded by mu, as are the four below
	lost    int    // lines left out since the last write
	busy    bool
	closed  bool
	failed  bool // the last write failed, and that was noted

	writer sync.WaitGroup // the goroutine that runs flush, at most one

	// Of flush, and of close after it:
	file *os.File
	size int64
}

func newLogFile(path string, note func(string)) *logFile {
	return &logFile{path: path, note: note, max: logFileBytes}
}

func (f *logFile) put(line *Line) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	if len(f.pending)+len(line.Text) > logQueue {
		f.lost++
	} else {
		f.pending = line.Time.AppendFormat(f.pending, timeForm)
		f.pending = append(f.pending, ' ')
		f.pending = append(f.pending, line.Source...)
		f.pending = append(f.pending, ' ')
		f.pending = append(f.pending, line.Text...)
		if line.Cut {
			f.pending = append(f.pending, " [cut]"...)
		}
		f.pending = append(f.pending, '\n')
	}
	if !f.busy {
		f.busy = true
		f.writer.Go(f.flush)
	}
}

// flush writes until nothing is pending.
func (f *logFile) flush() {
	var block []byte
	for {
		f.mu.Lock()
		if len(f.pending) == 0 && f.lost == 0 {
			f.busy = false
			f.pending = nil
			f.mu.Unlock()
			return
		}
		f.pending, block = block[:0], f.pending
		if f.lost > 0 {
			block = fmt.Appendf(block, "... %d lines are missing here: they came faster than the disk takes them\n", f.lost)
			f.lost = 0
		}
		f.mu.Unlock()
		f.report(f.write(block))
	}
}

// report notes the first of a series of disk errors.
func (f *logFile) report(err error) {
	f.mu.Lock()
	news := err != nil && !f.failed
	f.failed = err != nil
	f.mu.Unlock()
	if news {
		f.note("the log file can't be written: " + err.Error())
	}
}

func (f *logFile) write(block []byte) error {
	if f.file != nil && f.size > 0 && f.size+int64(len(block)) > f.max {
		if err := f.rotate(); err != nil {
			return err
		}
	}
	if f.file == nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	n, err := f.file.Write(block)
	f.size += int64(n)
	if err != nil { // a new file may be had where this one isn't any more
		f.file.Close()
		f.file = nil
	}
	return err
}

func (f *logFile) open() error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return err
	}
	f.file, f.size = file, info.Size()
	return nil
}

// rotate moves name.log to name.log.1, that to name.log.2; the last one goes.
func (f *logFile) rotate() error {
	f.file.Close()
	f.file, f.size = nil, 0
	for i := logFiles - 1; i > 0; i-- {
		from := f.path
		if i > 1 {
			from = fmt.Sprintf("%s.%d", f.path, i-1)
		}
		if err := os.Rename(from, fmt.Sprintf("%s.%d", f.path, i)); err != nil && !os.IsNotExist(err) {
			return os.Truncate(f.path, 0) // better a short log than one without end
		}
	}
	return nil
}

func (f *logFile) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.writer.Wait()
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}

// logPath is the file for a server. A name that some file system would take for
// another's, or for something else, gets a hash.
func logPath(dir, server string) string {
	if dir == "" {
		return ""
	}
	safe := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, server)
	safe = safe[:min(len(safe), logName)]
	if safe != server || reserved(safe) {
		sum := sha256.Sum256([]byte(server))
		safe += "-" + hex.EncodeToString(sum[:4])
	}
	return filepath.Join(dir, safe+".log")
}

// reserved names are devices on Windows, whatever ending they have.
func reserved(name string) bool {
	switch name {
	case "", "con", "prn", "aux", "nul":
		return true
	}
	return len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt"))
}
