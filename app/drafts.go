package app

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/mcpb"
	"bridgekeeper/app/wire"
)

const (
	// maxDrafts bounds the drafts that are kept; the oldest are forgotten.
	maxDrafts = 50
	// draftLife is how long one waits for its person.
	draftLife = time.Hour
)

// drafts are the servers that somebody looks at and hasn't added. mu guards list.
type drafts struct {
	dir  string // for bundles while they are looked at
	mu   sync.Mutex
	list []*heldDraft // oldest first
}

// heldDraft is one of them. What it points at doesn't change.
type heldDraft struct {
	id     string
	made   time.Time
	draft  *draft.Draft
	bundle *heldBundle // nil when it is none
	update string      // the server that it would replace; "" when it is a new one
}

// heldBundle is a bundle's file, copied so that it stays what was looked at.
// Several drafts may have it; the last one that is dropped takes it away.
type heldBundle struct {
	*mcpb.Bundle
	file *os.File
	uses int // guarded by drafts.mu
}

func newDrafts(dir string) *drafts {
	os.RemoveAll(dir) // of a run that was cut off
	return &drafts{dir: dir}
}

// keep makes d known under an id.
func (s *drafts) keep(d *draft.Draft, bundle *heldBundle, update string) *heldDraft {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for len(s.list) > 0 && (len(s.list) >= maxDrafts || now.Sub(s.list[0].made) > draftLife) {
		s.dropLocked(0)
	}
	h := &heldDraft{id: rand.Text(), made: now, draft: d, bundle: bundle, update: update}
	if bundle != nil {
		bundle.uses++
	}
	s.list = append(s.list, h)
	return h
}

func (s *drafts) find(id string) (*heldDraft, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.list {
		if h.id == id && time.Since(h.made) < draftLife {
			return h, nil
		}
	}
	return nil, &wire.Error{Code: wire.CodeNoSuchDraft, Message: "This draft is no longer there.", Hint: "Begin again from where it came from."}
}

func (s *drafts) drop(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, h := range s.list {
		if h.id == id {
			s.dropLocked(i)
			return
		}
	}
}

func (s *drafts) dropLocked(i int) {
	if b := s.list[i].bundle; b != nil {
		if b.uses--; b.uses == 0 {
			b.file.Close()
			os.Remove(b.file.Name())
		}
	}
	s.list = append(s.list[:i], s.list[i+1:]...)
}

// close forgets all of them.
func (s *drafts) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.list) > 0 {
		s.dropLocked(0)
	}
	os.RemoveAll(s.dir)
}

// file makes a file for a bundle.
func (s *drafts) file() (*os.File, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, err
	}
	return os.CreateTemp(s.dir, "bundle-*")
}

// isBundle reports whether a path is called as bundles are.
func isBundle(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".mcpb" || ext == ".dxt"
}
