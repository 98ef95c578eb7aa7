// Package hosts owns the list of AI applications that were given a token. It
// keeps only the tokens' hashes and tells, for every request, whose token came.
//
// It decides nothing about what a host may do. The app is its only caller.
package hosts

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"bridgekeeper/app/home"
	"bridgekeeper/app/wire"
)

// A token is the prefix, by which people and scanners for leaked secrets know
// it, and 32 random bytes: out of reach of guessing, so that a plain hash is enough.
const (
	tokenPrefix = "bk_"
	tokenBytes  = 32
)

var tokenLen = len(tokenPrefix) + base64.RawURLEncoding.EncodedLen(tokenBytes)

// reserved is the name that calls from the command line are recorded under.
const reserved = "cli"

// maxHosts bounds the table; a person has a dozen applications at most.
const maxHosts = 1000

// Host is an application with a token.
type Host struct {
	Name    string
	Created time.Time
}

// Store is the file of hosts and the table made from it. Readers take the
// published table without a lock; mu lets one change at a time touch the file.
type Store struct {
	path string
	mu   sync.Mutex
	now  atomic.Pointer[table] // replaced under mu
}

// table is immutable.
type table struct {
	byHash map[[sha256.Size]byte]record
	list   []Host // by name
}

type record struct {
	hash [sha256.Size]byte
	name string
}

// file is what is stored.
type file struct {
	Version int      `json:"version"`
	Hosts   []stored `json:"hosts"`
}

type stored struct {
	Name    string    `json:"name"`
	Created time.Time `json:"created"`
	SHA256  string    `json:"sha256"`
}

const fileVersion = 1

// Open reads the file at path; a missing one has no hosts. One that can't be
// understood is an error and stays as it is.
func Open(path string) (*Store, error) {
	s := &Store{path: path}
	f, err := s.read()
	if err != nil {
		return nil, err
	}
	t, err := build(f)
	if err != nil {
		return nil, s.broken(err)
	}
	s.now.Store(t)
	return s, nil
}

// Identify returns the host that token was given to. It takes no lock and
// allocates nothing: every request of every host comes through here.
func (s *Store) Identify(token string) (host string, ok bool) {
	var buf [64]byte
	if len(token) != tokenLen || len(token) > len(buf) {
		return "", false
	}
	hash := sha256.Sum256(buf[:copy(buf[:], token)])
	// The look-up depends on the hash alone, which a guesser can't steer.
	r, ok := s.now.Load().byHash[hash]
	if subtle.ConstantTimeCompare(hash[:], r.hash[:]) != 1 {
		return "", false
	}
	return r.name, ok
}

// List returns the hosts by name. The slice is shared: don't change it.
func (s *Store) List() []Host { return s.now.Load().list }

// Add gives a new host a token and returns it: the only time that it is known.
// Errors are *wire.Error.
func (s *Store) Add(name string) (token string, err error) {
	if err := wire.CheckName("host", name); err != nil {
		return "", err
	}
	if name == reserved {
		return "", &wire.Error{Code: wire.CodeBadName, Message: `"cli" is the name of the command line itself`, Hint: "Choose another name."}
	}
	token, hash := newToken()
	err = s.change(func(f *file) error {
		if slices.ContainsFunc(f.Hosts, func(h stored) bool { return h.Name == name }) {
			return &wire.Error{Code: wire.CodeHostExists, Message: fmt.Sprintf("there is a host %q already", name),
				Hint: "Choose another name, or remove that host first: its token stops working then."}
		}
		if len(f.Hosts) >= maxHosts {
			return &wire.Error{Code: wire.CodeBadRequest, Message: fmt.Sprintf("there are %d hosts already", maxHosts), Hint: "Remove hosts that are not used."}
		}
		f.Hosts = append(f.Hosts, stored{
			Name: name, Created: time.Now().UTC().Truncate(time.Second), SHA256: hash,
		})
		return nil
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// newToken returns a token and what is stored of it.
func newToken() (token, hash string) {
	var random [tokenBytes]byte
	rand.Read(random[:])
	token = tokenPrefix + base64.RawURLEncoding.EncodeToString(random[:])
	sum := sha256.Sum256([]byte(token))
	return token, hex.EncodeToString(sum[:])
}

// Renew gives a known host another token; the one before stops working at once.
// back makes that good again. Errors are *wire.Error.
func (s *Store) Renew(name string) (token string, back func() error, err error) {
	token, hash := newToken()
	before := ""
	swap := func(to string) error {
		return s.change(func(f *file) error {
			i := slices.IndexFunc(f.Hosts, func(h stored) bool { return h.Name == name })
			if i < 0 {
				return &wire.Error{Code: wire.CodeNoSuchHost, Message: fmt.Sprintf("there is no host %.80q", name),
					Hint: "`bridgekeeper host list` shows their names."}
			}
			before, f.Hosts[i].SHA256 = f.Hosts[i].SHA256, to
			return nil
		})
	}
	if err := swap(hash); err != nil {
		return "", nil, err
	}
	was := before
	return token, func() error { return swap(was) }, nil
}

// Remove forgets a host; its token stops working at once. Errors are *wire.Error.
func (s *Store) Remove(name string) error {
	return s.change(func(f *file) error {
		n := len(f.Hosts)
		f.Hosts = slices.DeleteFunc(f.Hosts, func(h stored) bool { return h.Name == name })
		if len(f.Hosts) == n {
			return &wire.Error{Code: wire.CodeNoSuchHost, Message: fmt.Sprintf("there is no host %.80q", name),
				Hint: "`bridgekeeper host list` shows their names."}
		}
		return nil
	})
}

// change edits the file as it is on disk now, and publishes what was written.
func (s *Store) change(edit func(*file) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.read()
	if err != nil {
		return err
	}
	if err := edit(&f); err != nil {
		return err
	}
	t, err := build(f)
	if err != nil {
		return s.broken(err)
	}
	data, err := json.MarshalIndent(f, "", "  ")
	if err == nil {
		err = home.Replace(s.path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return &wire.Error{Code: wire.CodeConfigWrite, Message: err.Error(),
			Hint: "Nothing was changed. Look at the folder's permissions and the free space."}
	}
	s.now.Store(t)
	return nil
}

func (s *Store) read() (file, error) {
	f := file{Version: fileVersion, Hosts: []stored{}}
	data, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil {
		f.Version = 0
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		return f, s.broken(err)
	}
	if f.Version > fileVersion {
		return f, &wire.Error{Code: wire.CodeConfigNewer,
			Message: fmt.Sprintf("the list of hosts %s was written by a newer version", s.path), Hint: "Update Bridgekeeper."}
	}
	if f.Version < 1 {
		return f, s.broken(errors.New("it has no version"))
	}
	return f, nil
}

func (s *Store) broken(err error) *wire.Error {
	return &wire.Error{Code: wire.CodeConfigBroken,
		Message: fmt.Sprintf("the list of hosts %s can't be understood: %v", s.path, err),
		Hint:    "It was left as it is. Mend it, or move it away and add the hosts again."}
}

func build(f file) (*table, error) {
	t := &table{byHash: make(map[[sha256.Size]byte]record, len(f.Hosts)), list: []Host{}}
	seen := map[string]bool{}
	for _, h := range f.Hosts {
		if err := wire.CheckName("host", h.Name); err != nil {
			return nil, err
		}
		if seen[h.Name] {
			return nil, fmt.Errorf("host %q is there twice", h.Name)
		}
		seen[h.Name] = true
		hash, err := hex.DecodeString(h.SHA256)
		if err != nil || len(hash) != sha256.Size {
			return nil, fmt.Errorf("host %q has no proper hash", h.Name)
		}
		r := record{hash: [sha256.Size]byte(hash), name: h.Name}
		t.byHash[r.hash] = r
		t.list = append(t.list, Host{Name: h.Name, Created: h.Created})
	}
	slices.SortFunc(t.list, func(a, b Host) int { return cmp.Compare(a.Name, b.Name) })
	return t, nil
}
