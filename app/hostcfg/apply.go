package hostcfg

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"bridgekeeper/app/home"
	"bridgekeeper/app/hostcfg/edit"
	"bridgekeeper/app/hostcfg/read"
	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
)

// errMoved is what keeps a file that somebody else wrote meanwhile.
var errMoved = errors.New("it was changed by another program in this moment")

// Apply makes a planned change, if the file is still what the plan was made from:
// backup, journal, write, read back. Errors are *wire.Error; after one the file is
// as it was.
func (s *Store) Apply(p *Plan) (*Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changes, err := s.changes()
	if err != nil {
		return nil, err
	}
	c := &Change{ID: s.newID(p.Host.Name), Host: p.Host.Name, Path: p.Path, At: s.now().UTC(), Act: p.Act, Dirs: p.dirs, Took: p.Took}
	if p.before != nil {
		c.Was = digest(p.before)
	}
	if p.after != nil {
		c.Became = digest(p.after)
	}
	if p.Act == ActConnect {
		c.Where, c.Keys = p.where, keys(p.entry)
	} else {
		p.base = p.before // what a person may want back by hand
	}
	if err := s.keep(c, p); err != nil {
		s.dropBackups(*c)
		return nil, writeError(s.dir, err)
	}
	// The journal first: a change that it doesn't know could never be undone. An
	// entry of it whose change didn't happen fits no file.
	if err := s.saveLocked(append(slices.Clone(changes), *c)); err != nil {
		s.dropBackups(*c)
		return nil, writeError(s.dir, err)
	}
	if err := s.write(p); err != nil {
		s.dropBackups(*c)
		err = errors.Join(err, s.saveLocked(changes))
		if errors.Is(err, errMoved) {
			return nil, &wire.Error{Code: wire.CodeHostChanged, Message: fmt.Sprintf("%s: %v", p.Path, errMoved), Hint: "Nothing was written. Close the application, or try again."}
		}
		return nil, writeError(p.Path, err)
	}
	if i := slices.IndexFunc(changes, func(o Change) bool { return o.ID == p.squash }); i >= 0 {
		s.dropBackups(changes[i])
		changes = slices.Delete(changes, i, i+1)
		if err := s.saveLocked(append(changes, *c)); err != nil {
			return c, writeError(s.dir, err)
		}
	}
	return c, s.readBack(p)
}

// keep writes the backups.
func (s *Store) keep(c *Change, p *Plan) error {
	if p.base == nil && p.was == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "backups"), 0o700); err != nil {
		return err
	}
	if p.base != nil {
		c.Base = digest(p.base)
		if err := home.Replace(s.backupPath(c.ID), p.base, 0o600); err != nil {
			return err
		}
	}
	if p.was != nil {
		return home.Replace(s.backupPath(c.ID)+".was", p.was, 0o600)
	}
	return nil
}

// write changes the file itself.
func (s *Store) write(p *Plan) error {
	still := func() error {
		if s.held != nil {
			s.held()
		}
		data, err := readFile(p.Path)
		if missing(err) && p.before == nil {
			return nil
		}
		if err != nil || p.before == nil || !bytes.Equal(data, p.before) {
			return errMoved
		}
		return nil
	}
	if p.after == nil {
		return s.remove(p, still)
	}
	for _, dir := range p.dirs {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	if err := still(); err != nil { // before a temporary file is put beside it
		return err
	}
	err := home.ReplaceIf(p.Path, p.after, statMode(p.Path), still)
	if err != nil {
		if now, rerr := readFile(p.Path); rerr == nil && bytes.Equal(now, p.after) {
			return nil // the folder could not be made durable after the file had been replaced
		}
		if p.before == nil {
			removeDirs(p.dirs)
		}
	}
	return err
}

// remove takes a file away that was not there before us, with the folders that
// were made for it and are empty.
func (s *Store) remove(p *Plan, still func() error) error {
	if err := still(); err != nil {
		return err
	}
	target, err := home.Target(p.Path)
	if err != nil {
		return err
	}
	if err := os.Remove(target); err != nil {
		return err
	}
	removeDirs(p.dirs)
	return nil
}

func removeDirs(dirs []string) {
	for _, dir := range slices.Backward(dirs) {
		if os.Remove(dir) != nil { // not empty: somebody uses it
			return
		}
	}
}

// readBack looks whether the file says what was written.
func (s *Store) readBack(p *Plan) error {
	data, err := readFile(p.Path)
	if p.after == nil && missing(err) {
		return nil
	}
	if err != nil || !bytes.Equal(data, p.after) {
		return &wire.Error{Code: wire.CodeHostChanged, Message: fmt.Sprintf("%s was changed by another program right after it was written", p.Path),
			Hint: fmt.Sprintf("`bridgekeeper host status` shows what is in it, `bridgekeeper host repair %s` writes the entry again.", p.Host.Name)}
	}
	return nil
}

func writeError(path string, err error) *wire.Error {
	return fileError(path, err.Error(), "Nothing was changed. Look at the permissions, and whether the application holds the file.")
}

// keys are the digests of an entry's members, by which it is known again though
// its token is kept nowhere.
func keys(entry jsonedit.Object) map[string]string {
	out := map[string]string{}
	for _, f := range entry {
		out[f.Key] = keyDigest(edit.Plain(f.Value))
	}
	return out
}

func keyDigest(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "" // maps, lists and texts always marshal
	}
	return digest(data)
}

// holds reports whether an entry of a file has all that we wrote into it.
func holds(m *read.Map, keys map[string]string) bool {
	for key, want := range keys {
		v, _ := m.Get(key)
		if keyDigest(read.Plain(v)) != want {
			return false
		}
	}
	return true
}
