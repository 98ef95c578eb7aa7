package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"bridgekeeper/app/home"
	"bridgekeeper/app/wire"
)

// Store is the file and what was understood of it. Readers take the published
// state without a lock; mu lets one reload or change at a time touch the file.
type Store struct {
	path    string
	log     *slog.Logger
	now     atomic.Pointer[state] // replaced under mu
	changed chan struct{}         // one element: news that nobody has taken yet

	mu   sync.Mutex
	raw  []byte // what the file held when it was last looked at
	good []byte // what it held when it was last understood
}

// state is published as a whole: a config is never seen with another's problem.
type state struct {
	config  *Config
	problem *Problem
}

// Open reads the file at path. A missing one is an empty config, and is made by
// the first change. One that can't be understood is an empty config with a
// Problem. An error means that the file is there but can't be read at all.
func Open(path string, log *slog.Logger) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open config: %w", err)
	}
	s := &Store{path: path, log: log, changed: make(chan struct{}, 1)}
	s.now.Store(&state{config: &Config{}})
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open config: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeLocked(data)
	return s, nil
}

// Current returns what runs. It is never nil; don't change it.
func (s *Store) Current() *Config { return s.now.Load().config }

// Problem returns why the file is not what runs, or nil.
func (s *Store) Problem() *Problem { return s.now.Load().problem }

// Path is where the file is.
func (s *Store) Path() string { return s.path }

// Changed fires after Current or Problem changed; several changes may be one.
// It has one consumer.
func (s *Store) Changed() <-chan struct{} { return s.changed }

// reload looks at the file and takes what is new.
func (s *Store) reload() {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := readFile(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if s.raw != nil {
			s.raw = nil
			s.publishLocked(s.Current(), &Problem{Error: broken("the config file is gone; what it said goes on running",
				"Put it back, or change a server: the file is then written again.")})
		}
	case err != nil:
		// Said once: the next look that finds the same is no news.
		if p := s.Problem(); p == nil || p.Message != err.Error() {
			s.raw = nil
			s.publishLocked(s.Current(), &Problem{Error: broken(err.Error(), "Make the file readable for this user.")})
		}
	case s.raw == nil || !bytes.Equal(data, s.raw):
		s.takeLocked(data)
	}
}

// takeLocked makes data the config, or a Problem beside the config before it.
func (s *Store) takeLocked(data []byte) {
	s.raw = data
	r, problem := read(data)
	if problem != nil {
		s.log.Warn("config not taken", "err", problem.Message)
		s.publishLocked(s.Current(), problem)
		return
	}
	r.config.keepFormer(r.order, s.Current())
	s.good = data
	s.publishLocked(r.config, nil)
}

func (s *Store) publishLocked(c *Config, p *Problem) {
	s.now.Store(&state{config: c, problem: p})
	select {
	case s.changed <- struct{}{}:
	default: // news is waiting already
	}
}

// readFile reads at most a byte more than is allowed, for the reader to refuse.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if data == nil {
		data = []byte{}
	}
	return data, err
}

// AddServer adds an entry behind the others. Errors are *wire.Error.
func (s *Store) AddServer(name string, entry wire.Entry) error {
	if err := wire.CheckName("server", name); err != nil {
		return err
	}
	if err := entryError(name, entry); err != nil {
		return err
	}
	return s.change(name, func(e *editor) error {
		if e.find(serversKey, name) != nil {
			return &wire.Error{Code: wire.CodeServerExists, Message: fmt.Sprintf("there is a server %q already", name),
				Hint: "Choose another name, or edit that server."}
		}
		return e.addServer(name, entry)
	})
}

// EditServer changes the keys of an entry that req names. Errors are *wire.Error.
func (s *Store) EditServer(name string, req wire.EditServer) error {
	for variable, value := range req.Env {
		if value != nil && *value == wire.Mask {
			return &wire.Error{Code: wire.CodeBadEntry,
				Message: fmt.Sprintf("the value of %q is a mask, not a value", variable)}
		}
	}
	return s.change(name, func(e *editor) error {
		if e.find(serversKey, name) == nil {
			return noSuchServer(name)
		}
		return e.editServer(name, req)
	})
}

// RemoveServer takes an entry out of the file. Errors are *wire.Error.
func (s *Store) RemoveServer(name string) error {
	return s.change(name, func(e *editor) error {
		if e.find(serversKey, name) == nil {
			return noSuchServer(name)
		}
		return e.unset(serversKey, name)
	})
}

func noSuchServer(name string) *wire.Error {
	return &wire.Error{Code: wire.CodeNoSuchServer, Message: fmt.Sprintf("there is no server %.80q", name),
		Hint: "`bridgekeeper server list` shows their names."}
}

func entryError(name string, entry wire.Entry) error {
	if _, sentence, hint := check(entry); sentence != "" {
		return &wire.Error{Code: wire.CodeBadEntry, Message: fmt.Sprintf("server %q: %s", name, sentence), Hint: hint}
	}
	return nil
}

// maxRaces bounds how often a change starts over because somebody else wrote the
// file in the meantime; a person is never that fast.
const maxRaces = 5

// change makes one change to one server: read the file as it is now, edit, verify,
// replace, publish.
func (s *Store) change(name string, edit func(*editor) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range maxRaces {
		base, err := s.baseLocked()
		if err != nil {
			return err
		}
		next, err := edited(base, name, edit)
		if err != nil {
			return wire.AsError(err)
		}
		if bytes.Equal(next, base) {
			return nil
		}
		if s.movedLocked() {
			continue
		}
		if err := home.Replace(s.path, next, 0o600); err != nil {
			return writeError(err)
		}
		return s.confirmLocked(next)
	}
	return writeError(errors.New("another program keeps writing the config file"))
}

// baseLocked is the text to change: the file as it is now, so that an edit made by
// hand a moment ago is not lost. It takes that edit too.
func (s *Store) baseLocked() ([]byte, error) {
	data, err := readFile(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.good != nil:
		s.raw = nil
		return s.good, nil // it was there: what runs must not be lost with it
	case errors.Is(err, fs.ErrNotExist):
		s.raw = nil
		return []byte("{\n  \"" + serversKey + "\": {}\n}\n"), nil
	case err != nil:
		return nil, writeError(err)
	}
	if s.raw == nil || !bytes.Equal(data, s.raw) {
		s.takeLocked(data)
	}
	if p := s.Problem(); p != nil {
		e := p.Error
		e.Hint = "Nothing was written. Correct the file first: " + s.path
		return nil, &e
	}
	return data, nil
}

// movedLocked reports whether the file changed since baseLocked read it.
func (s *Store) movedLocked() bool {
	data, err := readFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s.raw != nil
	}
	return err != nil || s.raw == nil || !bytes.Equal(data, s.raw)
}

// confirmLocked makes sure that the file holds what was written.
func (s *Store) confirmLocked(want []byte) error {
	got, err := readFile(s.path)
	if err != nil {
		return writeError(err)
	}
	s.takeLocked(got)
	if !bytes.Equal(got, want) {
		s.log.Warn("config written by somebody else right after us")
	}
	return nil
}

func writeError(err error) *wire.Error {
	return &wire.Error{Code: wire.CodeConfigWrite, Message: err.Error(),
		Hint: "Nothing was changed. Look at the folder's permissions and the free space."}
}
