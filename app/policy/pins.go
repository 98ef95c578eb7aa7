package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"bridgekeeper/app/wire"
)

// What a tool is, compared with what was trusted.
const (
	PinNone    = "none"    // nothing of this server was ever trusted
	PinSame    = "same"    // what it was
	PinNew     = "new"     // it wasn't there
	PinChanged = "changed" // it was something else
	PinLost    = "lost"    // the file that knew is broken; it may be either
)

// Bounds of what is kept. Large definitions are known by their fingerprint
// alone: the difference can't be shown then, which the question says.
const (
	maxPins       = 5000     // of one server
	maxDefinition = 64 << 10 // kept of one tool; the largest we have seen had 40 KiB
	maxPinFile    = 16 << 20 // of one server; it is read at every start
)

// Tool is a tool as its server lists it.
type Tool struct {
	Name       string
	Definition []byte
}

// Pins are the definitions of tools as they were when a person trusted them, one
// file a server. Readers take a published table without a lock; mu lets one
// change at a time touch the files.
type Pins struct {
	folder string
	log    *slog.Logger
	now    func() time.Time

	mu    sync.Mutex
	table atomic.Pointer[map[string]*pinned] // immutable; replaced under mu
}

// pinned is what is kept of one server. It isn't changed once it is published.
type pinned struct {
	trusted time.Time
	broken  bool // the file before this one couldn't be understood
	unread  bool // the file couldn't be read, and is still there
	tools   map[string]pin
}

type pin struct {
	fingerprint string
	definition  []byte // nil when it was too large, or no UTF-8
	since       time.Time
}

// PinState is what Look says of one tool.
type PinState struct {
	State  string    // none, same, new, changed, lost
	Before []byte    // of a changed one: what was trusted; nil when it was too large to be kept
	Since  time.Time // of a same or changed one: when that was trusted
}

// OpenPins reads the pins below folder; a missing folder has none. A file that
// can't be understood is moved aside, with a warning, and all tools of its
// server are new then: they are held until a person has seen them.
func OpenPins(folder string, log *slog.Logger, now func() time.Time) (*Pins, error) {
	p := &Pins{folder: folder, log: log, now: now}
	table := make(map[string]*pinned)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read pinned tools: %w", err)
	}
	for _, e := range entries {
		base := e.Name()
		server, ok := serverOf(base)
		switch {
		case strings.Contains(base, tempMark):
			// Of a write that a crash cut off.
			os.Remove(filepath.Join(folder, base))
		case ok:
			table[server] = p.load(server)
		}
	}
	p.table.Store(&table)
	return p, nil
}

// Look compares a tool with what was trusted. It takes no lock. A definition
// that is byte for byte the same costs a comparison, another one a fingerprint.
func (p *Pins) Look(server, name string, definition []byte) PinState {
	s := (*p.table.Load())[server]
	if s == nil {
		return PinState{State: PinNone}
	}
	was, ok := s.tools[name]
	switch {
	case !ok && s.broken:
		return PinState{State: PinLost}
	case !ok:
		return PinState{State: PinNew}
	}
	if was.same(definition) {
		return PinState{State: PinSame, Since: was.since}
	}
	return PinState{State: PinChanged, Before: was.definition, Since: was.since}
}

// Change is what a question about a held tool shows.
func (s PinState) Change(after []byte) *wire.ChangeDetail {
	return &wire.ChangeDetail{New: s.State != PinChanged, Before: s.Before, After: after, Diff: Diff(s.Before, after)}
}

func (p pin) same(definition []byte) bool {
	if p.definition != nil && bytes.Equal(p.definition, definition) || p.fingerprint == Fingerprint(definition) {
		return true
	}
	// A fingerprint that was made in another way says nothing; the definition does.
	return p.definition != nil && !strings.HasPrefix(p.fingerprint, fingerprintKind) && Fingerprint(p.definition) == Fingerprint(definition)
}

// Trusted returns when the server's tools were trusted first, and whether they were.
func (p *Pins) Trusted(server string) (since time.Time, ok bool) {
	s := (*p.table.Load())[server]
	if s == nil {
		return time.Time{}, false
	}
	return s.trusted, true
}

// Servers are those with pins, by name.
func (p *Pins) Servers() []string { return slices.Sorted(maps.Keys(*p.table.Load())) }

// ErrPinned is returned by TrustAll for a server that was trusted before.
var ErrPinned = errors.New("tools of this server are pinned already")

// TrustAll pins all tools of a server for the first time.
func (p *Pins) TrustAll(server string, tools []Tool) error {
	return p.change(server, func(s *pinned) (*pinned, error) {
		if s != nil {
			return nil, ErrPinned
		}
		s = &pinned{trusted: p.now(), tools: make(map[string]pin)}
		return s, s.add(p.now(), tools)
	})
}

// Accept pins tools as they are now: a person has seen them.
func (p *Pins) Accept(server string, tools ...Tool) error {
	return p.change(server, func(s *pinned) (*pinned, error) {
		next := &pinned{trusted: p.now(), tools: make(map[string]pin)}
		if s != nil {
			next.trusted, next.broken = s.trusted, s.broken
			maps.Copy(next.tools, s.tools)
		}
		return next, next.add(p.now(), tools)
	})
}

// add pins tools; s isn't published yet.
func (s *pinned) add(now time.Time, tools []Tool) error {
	for _, t := range tools {
		if !utf8.ValidString(t.Name) {
			continue // it would come back from the file as another one: it stays held
		}
		definition := bytes.Clone(t.Definition)
		if len(definition) > maxDefinition || !utf8.Valid(definition) {
			definition = nil
		}
		s.tools[t.Name] = pin{fingerprint: Fingerprint(t.Definition), definition: definition, since: now}
	}
	if len(s.tools) > maxPins {
		return fmt.Errorf("%d tools, at most %d can be pinned", len(s.tools), maxPins)
	}
	return nil
}

// Forget removes what is kept of a server: it is as if it had never been trusted.
func (p *Pins) Forget(server string) error {
	return p.change(server, func(*pinned) (*pinned, error) { return nil, nil })
}

// change makes one change to a server's pins: to the file, then to the table, so that
// what is believed now is what the next start believes. nil removes them.
func (p *Pins) change(server string, edit func(*pinned) (*pinned, error)) error {
	if err := wire.CheckName("server", server); err != nil {
		return err // the file is named after it
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	old := *p.table.Load()
	next, err := edit(old[server])
	if err == nil && next != nil && old[server] != nil && old[server].unread {
		err = os.Rename(filepath.Join(p.folder, fileOf(server)), filepath.Join(p.folder, fileOf(server)+brokenEnding))
	}
	if err == nil && (next != nil || old[server] != nil) {
		err = p.save(server, next)
	}
	if err != nil {
		return fmt.Errorf("pin tools of %s: %w", server, err)
	}
	table := maps.Clone(old)
	if next == nil {
		delete(table, server)
	} else {
		table[server] = next
	}
	p.table.Store(&table)
	return nil
}
