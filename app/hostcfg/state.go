package hostcfg

import (
	"fmt"
	"slices"

	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/app/hostcfg/read"
)

// State is what has become of our entry in a host's file.
type State string

const (
	NotConnected State = "not connected" // we wrote none, and there is none
	Connected    State = "connected"
	Dropped      State = "dropped"   // the entry is gone, or the whole file
	Rewritten    State = "rewritten" // it says something else than we wrote
	FileBroken   State = "broken"    // the file can't be read, by us or by the host
)

// Standing is one host's state.
type Standing struct {
	Host  *known.Host
	State State
	Path  string
	Text  string // what is wrong, "" when nothing is
	Since Change // the change that connected it, if we did
}

// Look says how our entry in a host's file is doing. Errors are *wire.Error.
func (s *Store) Look(name string) (Standing, error) {
	h, err := editable(name)
	if err != nil {
		return Standing{}, err
	}
	s.mu.Lock()
	changes, err := s.changes()
	s.mu.Unlock()
	if err != nil {
		return Standing{}, err
	}
	c, ours := last(changes, name)
	return s.look(h, c, ours), nil
}

// LookAll says it of every host that we wrote to or that has an entry of our name.
func (s *Store) LookAll() ([]Standing, error) {
	s.mu.Lock()
	changes, err := s.changes()
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	var list []Standing
	for _, h := range known.All() {
		if h.Way != known.Edit {
			continue
		}
		c, ours := last(changes, h.Name)
		if st := s.look(h, c, ours); ours || st.State == Connected || st.State == Rewritten {
			list = append(list, st)
		}
	}
	return list, nil
}

func (s *Store) look(h *known.Host, c Change, ours bool) Standing {
	st := Standing{Host: h, State: NotConnected, Path: s.machine.Target(h)}
	where := h.Path
	if ours {
		st.Path, st.Since = c.Path, c
		if c.Where != nil {
			where = c.Where
		}
	}
	if st.Path == "" {
		return st
	}
	gone := func(text string) Standing {
		if ours {
			st.State, st.Text = Dropped, text
		}
		return st
	}
	data, err := readFile(st.Path)
	if missing(err) {
		return gone("The file is gone.")
	}
	var f *read.File
	if err == nil {
		f, err = read.Parse(data, h.Format)
	}
	if err != nil {
		st.State, st.Text = FileBroken, reason(err)
		return st
	}
	v, there := f.Root.At(append(slices.Clone(where), EntryName)...)
	m, ok := v.(*read.Map)
	switch {
	case !there:
		return gone("Our entry is no longer in the file.")
	case !ok:
		st.State, st.Text = Rewritten, "Our entry is no object any more."
		return st
	case !ours:
		st.State, st.Text = Rewritten, "There is an entry of our name that we didn't write."
		return st
	case !holds(m, c.Keys):
		st.State, st.Text = Rewritten, "Our entry was changed."
		return st
	case read.Entry(read.Raw{Name: EntryName, Value: m}, read.Context{Host: h}).Disabled:
		st.State, st.Text = Rewritten, "Our entry is switched off there."
		return st
	}
	if why := unreadable(h, f); len(why) > 0 {
		st.State, st.Text = FileBroken, fmt.Sprintf("%s can't read it: %s.", h.Title, why[0])
		return st
	}
	st.State = Connected
	if target := s.machine.Target(h); target != st.Path {
		st.State, st.Text = Dropped, h.Title+" reads another file now: "+target
	}
	return st
}

// Watched are the files whose changes may concern us: those of connected hosts.
func (s *Store) Watched() ([]string, error) {
	list, err := s.LookAll()
	var paths []string
	for _, st := range list {
		if st.Since.ID != "" {
			paths = append(paths, st.Path)
		}
	}
	return paths, err
}
