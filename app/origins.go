package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"sync"
	"time"

	"bridgekeeper/app/home"
	"bridgekeeper/app/wire"
)

// maxOrigins bounds the file; a thousand servers are far more than anybody has.
const maxOrigins = 16 << 20

// origin is where a server came from and what it was told, so that it can be
// updated. Secrets are kept by name only.
type origin struct {
	Source  wire.DraftSource    `json:"source"`
	Install string              `json:"install"`
	Package string              `json:"package,omitempty"`
	Version string              `json:"version,omitempty"`
	Values  map[string][]string `json:"values,omitempty"`  // of its inputs; references for secrets
	Secrets []string            `json:"secrets,omitempty"` // those that were stored for it
	Added   time.Time           `json:"added"`
}

// origins is the file with where servers came from: its only reader and writer.
type origins struct {
	path string
	mu   sync.Mutex // guards all
	all  map[string]origin
}

// openOrigins reads the file. One that can't be read is begun anew: nothing runs
// by it.
func openOrigins(path string) (*origins, error) {
	o := &origins{path: path, all: map[string]origin{}}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() > maxOrigins {
		return o, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read where servers came from: %w", err)
	}
	if json.Unmarshal(data, &o.all) != nil || o.all == nil {
		o.all = map[string]origin{}
	}
	return o, nil
}

func (o *origins) of(name string) (origin, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	one, ok := o.all[name]
	return one, ok
}

func (o *origins) set(name string, one origin) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	next := maps.Clone(o.all)
	next[name] = one
	return o.writeLocked(next)
}

// remove forgets a server and returns what was known of it.
func (o *origins) remove(name string) origin {
	o.mu.Lock()
	defer o.mu.Unlock()
	one, ok := o.all[name]
	if ok {
		next := maps.Clone(o.all)
		delete(next, name)
		if o.writeLocked(next) != nil {
			o.all = next // the file may know it still; it says nothing that runs
		}
	}
	return one
}

func (o *origins) writeLocked(next map[string]origin) error {
	data, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return fmt.Errorf("keep where servers came from: %w", err)
	}
	if err := home.Replace(o.path, append(data, '\n'), 0o600); err != nil {
		return err
	}
	o.all = next
	return nil
}
