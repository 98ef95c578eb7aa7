package hostcfg

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"bridgekeeper/app/home"
	"bridgekeeper/app/wire"
)

const (
	journalVersion = 1
	// maxPerHost bounds the backups of one host's file; the newest are kept.
	maxPerHost = 10
	// maxJournal bounds a file that we didn't write as it is now.
	maxJournal = 4 << 20
)

// Acts of changes.
const (
	ActConnect    = "connect"
	ActDisconnect = "disconnect"
)

// Change is one change of a host's file.
type Change struct {
	ID   string    `json:"id"`
	Host string    `json:"host"`
	Path string    `json:"path"`
	At   time.Time `json:"at"`
	Act  string    `json:"act"`
	// Was and Became are digests of the file; Was is "" when there was none.
	Was    string `json:"was,omitempty"`
	Became string `json:"became,omitempty"`
	// Base is the file's digest without anything of ours, which undo restores; its
	// bytes are the backup. "" when there was none.
	Base string `json:"base,omitempty"`
	// Dirs are the folders that were made, the outermost first.
	Dirs []string `json:"dirs,omitempty"`
	// At is where the entry is, and Keys the digests of its members.
	Where []string          `json:"where,omitempty"`
	Keys  map[string]string `json:"keys,omitempty"`
	// Took are the host's own servers that were taken out.
	Took []Taken `json:"took,omitempty"`
}

// Taken is one server that was taken out of a host's file.
type Taken struct {
	Name string   `json:"name"`
	Path []string `json:"path"`
}

// Store is the journal of what was changed in hosts' files, with backups, in a
// folder of its own. mu lets one change at a time touch the folder and the files.
type Store struct {
	machine Machine
	dir     string
	now     func() time.Time

	mu sync.Mutex
	// held stands for another program that changes a file at the last moment; tests
	// set it.
	held func()
}

// Open returns the store in a folder, which is made when it is needed. A journal
// that can't be understood is an error of each change, and stays as it is.
func Open(dir string, m Machine) *Store {
	return &Store{machine: m, dir: dir, now: time.Now}
}

// Machine is where this store's hosts are.
func (s *Store) Machine() Machine { return s.machine }

type journalFile struct {
	Version int      `json:"version"`
	Changes []Change `json:"changes"`
}

func (s *Store) journalPath() string { return filepath.Join(s.dir, "journal.json") }

func (s *Store) backupPath(id string) string { return filepath.Join(s.dir, "backups", id) }

// changes reads the journal, the oldest change first.
func (s *Store) changes() ([]Change, error) {
	data, err := os.ReadFile(s.journalPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && len(data) > maxJournal {
		err = errors.New("it is too large")
	}
	f := journalFile{}
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err == nil && f.Version > journalVersion {
		return nil, &wire.Error{Code: wire.CodeConfigNewer, Message: fmt.Sprintf("the journal of hosts' files %s was written by a newer version", s.journalPath()), Hint: "Update Bridgekeeper."}
	}
	if err != nil {
		return nil, &wire.Error{Code: wire.CodeConfigBroken, Message: fmt.Sprintf("the journal of hosts' files %s can't be understood: %v", s.journalPath(), err),
			Hint: "It was left as it is. Mend it, or move it away; the backups are beside it."}
	}
	return slices.DeleteFunc(f.Changes, func(c Change) bool { return !validID(c.ID) }), nil
}

// validID keeps a journal that somebody wrote from leading out of its folder.
func validID(id string) bool {
	return id != "" && len(id) <= 80 && !strings.ContainsAny(id, `/\:`) && strings.Trim(id, ".") != ""
}

// saveLocked writes the journal, bounded, and removes backups that nothing needs.
func (s *Store) saveLocked(changes []Change) error {
	count := map[string]int{}
	kept := []Change{}
	var gone []Change
	for _, c := range slices.Backward(changes) {
		if count[c.Host]++; count[c.Host] > maxPerHost {
			gone = append(gone, c)
			continue
		}
		kept = append(kept, c)
	}
	slices.Reverse(kept)
	data, err := json.MarshalIndent(journalFile{journalVersion, kept}, "", "  ")
	if err == nil {
		err = os.MkdirAll(s.dir, 0o700)
	}
	if err == nil {
		err = home.Replace(s.journalPath(), append(data, '\n'), 0o600)
	}
	if err != nil {
		return err
	}
	for _, c := range gone {
		s.dropBackups(c)
	}
	return nil
}

func (s *Store) dropBackups(c Change) {
	os.Remove(s.backupPath(c.ID))
	os.Remove(s.backupPath(c.ID) + ".was")
}

// last is the newest change of a host's file, if its entry is ours: a connect.
func last(changes []Change, host string) (Change, bool) {
	for _, c := range slices.Backward(changes) {
		if c.Host == host {
			return c, c.Act == ActConnect
		}
	}
	return Change{}, false
}

// newID names a change so that names sort by time.
func (s *Store) newID(host string) string {
	return s.now().UTC().Format("20060102-150405") + "-" + host + "-" + strings.ToLower(rand.Text()[:6])
}

// Changes are the changes of a host, the oldest first; of all when host is "".
func (s *Store) Changes(host string) ([]Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.changes()
	return slices.DeleteFunc(all, func(c Change) bool { return host != "" && c.Host != host }), err
}
