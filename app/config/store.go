package config

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
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
	ours digest // of the last content that we wrote, until another one was seen
}

// digest tells contents of the file apart.
type digest [sha256.Size]byte

func digestOf(data []byte) digest { return sha256.Sum256(data) }

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
// What isn't exactly what we wrote last is somebody's edit by hand.
func (s *Store) takeLocked(data []byte) {
	s.raw = data
	byHand := s.ours != digestOf(data)
	if byHand {
		s.ours = digest{} // the same content again, later, would be somebody's undo
	}
	r, problem := read(data)
	if problem != nil {
		s.log.Warn("config not taken", "err", problem.Message)
		s.publishLocked(s.Current(), problem)
		return
	}
	r.settle(s.Current(), byHand)
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
