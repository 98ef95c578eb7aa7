package proc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	registryHeader = "bridgekeeper-children 1"
	// maxRegistry bounds what Sweep reads: thousands of children.
	maxRegistry = 1 << 20
	// sweepTerm is what an orphan of an earlier run gets between SIGTERM and SIGKILL.
	sweepTerm = 2 * time.Second
)

// Registry is the file that lists the running children. It is replaced as a
// whole at every change: it is short, and never half written.
type Registry struct {
	path string

	mu      sync.Mutex
	entries map[int]Entry // by pid; guarded by mu
}

// NewRegistry keeps its list in the file at path. Sweep that file first.
func NewRegistry(path string) *Registry {
	return &Registry{path: path, entries: make(map[int]Entry)}
}

// Add lists a child. An error costs only the net below the watcher.
func (r *Registry) Add(e Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries[e.PID] = e
	return r.saveLocked()
}

// Remove takes a child off the list; its tree has been ended.
func (r *Registry) Remove(e Entry) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.entries[e.PID] == e {
		delete(r.entries, e.PID)
	}
	return r.saveLocked()
}

func (r *Registry) saveLocked() error {
	if len(r.entries) == 0 {
		if err := os.Remove(r.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	list := make([]Entry, 0, len(r.entries))
	for _, e := range r.entries {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Entry) int { return a.PID - b.PID })
	temp := r.path + ".new"
	if err := os.WriteFile(temp, formatRegistry(list), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, r.path)
}

func formatRegistry(list []Entry) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s\n", registryHeader, bootID())
	for _, e := range list {
		fmt.Fprintf(&b, "%s\n", e)
	}
	return b.Bytes()
}

// String is the form of an entry in the registry and on the watcher's pipe.
func (e Entry) String() string { return fmt.Sprintf("%d %d %s", e.PID, e.Start, e.Mark) }

// parseEntry reads what String wrote. Pids 0 and 1 and entries without a mark
// are refused: they could name anything.
func parseEntry(s string) (Entry, bool) {
	f := strings.Split(s, " ")
	if len(f) != 3 || f[2] == "" {
		return Entry{}, false
	}
	pid, err1 := strconv.ParseInt(f[0], 10, 32)
	start, err2 := strconv.ParseUint(f[1], 10, 64)
	if err1 != nil || err2 != nil || pid <= 1 {
		return Entry{}, false
	}
	return Entry{PID: int(pid), Start: start, Mark: f[2]}, true
}

// parseRegistry reads the entries of a file of this boot; anything else in it
// is passed over.
func parseRegistry(b []byte, boot string) []Entry {
	lines := bufio.NewScanner(bytes.NewReader(b))
	if !lines.Scan() || lines.Text() != registryHeader+" "+boot {
		return nil
	}
	var list []Entry
	for lines.Scan() {
		if e, ok := parseEntry(lines.Text()); ok {
			list = append(list, e)
		}
	}
	return list
}

// Sweep ends what an earlier run of the core left behind, as listed in the
// file at path, and removes the file. It returns how many were found alive.
// Only processes whose start time and, where it can be read, mark agree are
// touched. No core may be running on that file.
func Sweep(path string) (int, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	ended := 0
	if info.Mode().IsRegular() && info.Size() <= maxRegistry {
		b, err := os.ReadFile(filepath.Clean(path))
		if err != nil {
			return 0, err
		}
		ended = endEntries(parseRegistry(b, bootID()), sweepTerm)
	}
	return ended, os.Remove(path)
}
