package config

import (
	"bytes"
	"errors"
	"io/fs"

	"bridgekeeper/app/home"
	"bridgekeeper/app/wire"
)

// maxRaces bounds how often a change starts over because somebody else wrote the
// file in the meantime; a person is never that fast.
const maxRaces = 5

// change makes one change: read the file as it is now, edit, verify, replace,
// publish.
func (s *Store) change(in scope, edit func(*editor) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range maxRaces {
		base, err := s.baseLocked()
		if err != nil {
			return err
		}
		next, err := edited(base, in, edit)
		if err != nil {
			return wire.AsError(err)
		}
		if bytes.Equal(next, base) {
			return nil
		}
		if s.movedLocked() {
			continue
		}
		s.ours = digestOf(next)
		if err := home.Replace(s.path, next, 0o600); err != nil && !s.holdsLocked(next) {
			return writeError(err)
		}
		s.confirmLocked(next)
		return nil
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

// holdsLocked reports whether the file has this content, in spite of an error: the
// folder could not be made durable after the file had been replaced.
func (s *Store) holdsLocked(want []byte) bool {
	got, err := readFile(s.path)
	return err == nil && bytes.Equal(got, want)
}

// confirmLocked takes what was written, and then what somebody else wrote right
// after us: that is theirs, not ours.
func (s *Store) confirmLocked(want []byte) {
	s.takeLocked(want)
	got, err := readFile(s.path)
	switch {
	case err != nil: // the next look says what is wrong with it
		s.log.Warn("config can't be read after it was written", "err", err)
	case !bytes.Equal(got, want):
		s.log.Warn("config written by somebody else right after us")
		s.takeLocked(got)
	}
}

func writeError(err error) *wire.Error {
	return &wire.Error{Code: wire.CodeConfigWrite, Message: err.Error(),
		Hint: "Nothing was changed. Look at the folder's permissions and the free space."}
}
