package keychain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// indexVersion is written into the file; a newer one is refused, not guessed at.
const indexVersion = 1

// maxIndex bounds what is read: ten thousand names are under 2 MiB.
const maxIndex = 4 << 20

// Entry is what is known of a secret without asking the keychain.
type Entry struct {
	Name string    `json:"name"`
	Set  time.Time `json:"set"`             // when its value was last stored
	Keys []string  `json:"items,omitempty"` // further items of a value that was split
}

// index is the list of names: no keychain can be asked for it on every system.
// It holds names of items and never a value. The Store's turn guards it.
type index struct {
	path    string
	entries map[string]Entry
	// stale are items that may exist but belong to no value: written before a
	// split value is stored, so that a crash leaves nothing behind for good.
	stale []string
	// list is what was saved last, for readers who don't wait for a turn.
	list atomic.Pointer[[]Entry]
}

type indexFile struct {
	Version int      `json:"version"`
	Secrets []Entry  `json:"secrets"`
	Stale   []string `json:"stale,omitempty"`
}

// openIndex reads the list. One that can't be understood is set aside under the
// name that is returned, and a new one begins: names come back as they are used.
func openIndex(path string) (x *index, aside string, err error) {
	x = &index{path: path, entries: map[string]Entry{}}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return x, "", nil
	}
	if err == nil && info.Size() > maxIndex {
		err = fmt.Errorf("%d bytes, at most %d", info.Size(), maxIndex)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, "", indexError("read", path, err)
	}
	var f indexFile
	if err := json.Unmarshal(data, &f); err != nil || f.Version < 1 {
		aside = fmt.Sprintf("%s.broken-%s", path, time.Now().UTC().Format("20060102T150405"))
		if err := os.Rename(path, aside); err != nil {
			return nil, "", indexError("set aside", path, err)
		}
		return x, aside, nil
	}
	if f.Version > indexVersion {
		return nil, "", indexError("read", path, fmt.Errorf("version %d is newer than this program", f.Version))
	}
	for _, e := range f.Secrets {
		if ValidName(e.Name) {
			x.entries[e.Name] = e
		}
	}
	x.stale = f.Stale
	x.publish()
	return x, "", nil
}

func indexError(verb, path string, err error) *Error {
	return &Error{
		Code:    CodeIndex,
		Message: fmt.Sprintf("%s the list of secret names: %s: %v", verb, filepath.Base(path), err),
		Hint:    "The file holds names only. Check its folder's permissions and free space.",
		cause:   err,
	}
}

func (x *index) save() error {
	f := indexFile{Version: indexVersion, Secrets: x.sorted(), Stale: x.stale}
	data, err := json.MarshalIndent(f, "", "  ")
	if err == nil {
		err = Replace(x.path, append(data, '\n'))
	}
	if err != nil {
		return indexError("write", x.path, err)
	}
	x.publish()
	return nil
}

func (x *index) publish() {
	list := x.sorted()
	x.list.Store(&list)
}

func (x *index) sorted() []Entry {
	list := make([]Entry, 0, len(x.entries))
	for _, e := range x.entries {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// clash is another name that differs from name only in case: Windows would keep
// both in one item.
func (x *index) clash(name string) (string, bool) {
	for other := range x.entries {
		if other != name && strings.EqualFold(other, name) {
			return other, true
		}
	}
	return "", false
}
