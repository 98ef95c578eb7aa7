package keychain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Store keeps secrets by name. It is safe for concurrent use; operations run one
// at a time. One Store at a time may use an index file: the app opens it under
// the lock of the one core.
type Store struct {
	backend Backend
	about   About
	log     *slog.Logger
	limit   time.Duration
	turns   *turns
	index   *index // whoever has the turn
	waiting waiting
}

// Options are what Open needs.
type Options struct {
	Dir     string        // the state folder, where the list of names is; must exist
	Log     *slog.Logger  // nil for none
	Timeout time.Duration // of one operation; 0 is ten seconds
}

// Open reads the list of names that belongs to the backend. It doesn't touch
// the keychain, so that a locked one holds up nothing.
func Open(b Backend, o Options) (*Store, error) {
	s := &Store{backend: b, about: b.About(), log: o.Log, limit: o.Timeout, turns: newTurns()}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.limit <= 0 {
		s.limit = callTime
	}
	path := filepath.Join(o.Dir, "secrets-"+s.about.Name+".json")
	x, aside, err := openIndex(path)
	if err != nil {
		return nil, err
	}
	if aside != "" {
		s.log.Warn("the list of secret names was not readable and is set aside; names come back as they are used", "file", aside)
	}
	s.index = x
	return s, nil
}

// About tells which backend holds the values and what it can't do.
func (s *Store) About() About { return s.about }

// Set stores a value under a name, new or not. Values that one item can't hold
// are split over several.
func (s *Store) Set(ctx context.Context, name string, value Secret) error {
	if !ValidName(name) {
		return badName(name)
	}
	if err := checkValue(name, value); err != nil {
		return err
	}
	_, err := run(ctx, s.turns, s.limit+s.extra(value), func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.put(ctx, name, value)
	})
	return s.explain(err)
}

// extra is time for the further items of a long value.
func (s *Store) extra(value Secret) time.Duration {
	if s.about.ItemLimit == 0 {
		return 0
	}
	return time.Duration(len(value.Reveal())/s.about.ItemLimit) * nameTime
}

func (s *Store) put(ctx context.Context, name string, value Secret) error {
	if other, ok := s.index.clash(name); ok {
		return taken(other, "a secret of nearly the same name exists: "+other)
	}
	if err := s.learn(ctx, name); err != nil {
		return err
	}
	old, existed := s.index.entries[name]
	// The name first: an item that no list knows could never be found again.
	e := old
	e.Name, e.Set = name, time.Now().UTC().Truncate(time.Second)
	s.index.entries[name] = e
	err := s.index.save()
	if err == nil {
		err = s.write(ctx, name, value)
	}
	// After a timeout nobody knows whether it was stored: then the name stays.
	if err == nil || ctx.Err() != nil {
		return err
	}
	if existed {
		old.Keys = s.index.entries[name].Keys
		s.index.entries[name] = old
	} else {
		delete(s.index.entries, name)
	}
	if serr := s.index.save(); serr != nil {
		s.log.Warn("the list of secret names could not be corrected", "err", serr)
	}
	return err
}

func taken(name, sentence string) *Error {
	return &Error{Code: CodeSecretExists, Message: sentence, Hint: "Choose another name, or use that one.", Names: []string{name}}
}

// Resolve returns the values of names, all or none. The error names every
// secret that has no value.
func (s *Store) Resolve(ctx context.Context, names ...string) (map[string]Secret, error) {
	for _, name := range names {
		if !ValidName(name) {
			return nil, badName(name)
		}
	}
	if len(names) == 0 {
		return map[string]Secret{}, nil // must not depend on a keychain
	}
	limit := s.limit + time.Duration(len(names)-1)*nameTime
	values, err := run(ctx, s.turns, limit, func(ctx context.Context) (map[string]Secret, error) {
		values := make(map[string]Secret, len(names))
		var missing []string
		for _, name := range names {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if _, ok := values[name]; ok || slices.Contains(missing, name) {
				continue
			}
			v, err := s.read(ctx, name)
			switch {
			case errors.Is(err, ErrNotFound):
				missing = append(missing, name)
			case err != nil:
				return nil, err
			default:
				values[name] = v
			}
		}
		if len(missing) > 0 {
			return nil, notFound(missing...)
		}
		for name := range values {
			if err := s.learn(ctx, name); err != nil {
				s.log.Warn("the list of secret names could not be completed", "err", err)
			}
		}
		return values, nil
	})
	return values, s.explain(err)
}

// Delete removes a secret. A name that only the list still has is removed, too.
func (s *Store) Delete(ctx context.Context, name string) error {
	if !ValidName(name) {
		return badName(name)
	}
	_, err := run(ctx, s.turns, s.limit, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.remove(ctx, name)
	})
	return s.explain(err)
}

func (s *Store) remove(ctx context.Context, name string) error {
	if err := s.learn(ctx, name); err != nil {
		return err
	}
	err := s.backend.Delete(ctx, name)
	_, listed := s.index.entries[name]
	if !gone(err) || err != nil && !listed {
		if errors.Is(err, ErrNotFound) {
			return notFound(name)
		}
		return err
	}
	if err := s.drop(ctx, name, nil); err != nil {
		return err
	}
	if !listed {
		return nil
	}
	delete(s.index.entries, name)
	return s.index.save()
}

// Rename moves a value to another name. The new name is written before the old
// one goes; what refers to the old one is the caller's business.
func (s *Store) Rename(ctx context.Context, from, to string) error {
	for _, name := range []string{from, to} {
		if !ValidName(name) {
			return badName(name)
		}
	}
	if strings.EqualFold(from, to) {
		return taken(from, "the two names are the same, or differ in case only")
	}
	_, err := run(ctx, s.turns, 2*s.limit, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.rename(ctx, from, to)
	})
	return s.explain(err)
}

func (s *Store) rename(ctx context.Context, from, to string) error {
	if _, ok := s.index.entries[to]; ok {
		return taken(to, "there is a secret "+to+" already")
	}
	value, err := s.read(ctx, from)
	if errors.Is(err, ErrNotFound) {
		return notFound(from)
	}
	if err != nil {
		return err
	}
	// One that the list lost must not be overwritten either.
	if _, err := s.backend.Get(ctx, to); err == nil {
		return taken(to, "there is a secret "+to+" already")
	} else if !errors.Is(err, ErrNotFound) {
		return err
	}
	if err := s.put(ctx, to, value); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	return s.remove(ctx, from)
}

// List returns the names, sorted, without asking the keychain or waiting for it.
func (s *Store) List() []Entry {
	if list := s.index.list.Load(); list != nil {
		return slices.Clone(*list)
	}
	return nil
}

// Checked is what Check found out about one name.
type Checked struct {
	Name   string
	Stored bool // the keychain has a value
	Listed bool // our list has the name
}

// Check asks the keychain for each name, or for all that are listed, and tells
// which have a value.
func (s *Store) Check(ctx context.Context, names ...string) ([]Checked, error) {
	for _, name := range names {
		if !ValidName(name) {
			return nil, badName(name)
		}
	}
	if len(names) == 0 {
		for _, e := range s.List() {
			names = append(names, e.Name)
		}
	}
	found, err := run(ctx, s.turns, s.limit+time.Duration(len(names))*nameTime, func(ctx context.Context) ([]Checked, error) {
		var found []Checked
		for _, name := range names {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			_, err := s.read(ctx, name)
			if !gone(err) {
				return nil, err
			}
			_, listed := s.index.entries[name]
			found = append(found, Checked{Name: name, Stored: err == nil, Listed: listed})
		}
		return found, nil
	})
	return found, s.explain(err)
}

// CopyTo stores every listed secret in another Store, for a change of backend.
// It returns what was copied, also when it fails half-way; nothing is removed.
func (s *Store) CopyTo(ctx context.Context, to *Store) (copied []string, err error) {
	for _, e := range s.List() {
		values, err := s.Resolve(ctx, e.Name)
		if errors.Is(err, ErrNotFound) {
			continue // only its name was left
		}
		if err == nil {
			err = to.Set(ctx, e.Name, values[e.Name])
		}
		if err != nil {
			return copied, fmt.Errorf("copy %s: %w", e.Name, err)
		}
		copied = append(copied, e.Name)
	}
	return copied, nil
}

// Close waits for an operation that still runs, until ctx ends.
func (s *Store) Close(ctx context.Context) error { return s.turns.wait(ctx) }

// explain turns what isn't yet an Error into one. A caller that went away gets
// its own cause back.
func (s *Store) explain(err error) error {
	var e *Error
	switch {
	case err == nil, errors.As(err, &e):
		return err
	case errors.Is(err, errOverdue):
		return overdue().Because(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &Error{Code: CodeFailed, Message: "the keychain reported an error: " + err.Error(), Hint: "bridgekeeper secret check tells more.", cause: err}
}

// overdue: a dialog somewhere waits for a password, or the service hangs.
func overdue() *Error {
	return &Error{
		Code:    CodeLocked,
		Message: "the keychain doesn't answer",
		Hint:    "It may be waiting for its password in a window of its own. Servers that need it go on as soon as it answers.",
	}
}
