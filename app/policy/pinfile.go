package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"bridgekeeper/app/home"
	"bridgekeeper/app/wire"
)

// Names of the files.
const (
	pinEnding    = ".json"
	brokenEnding = ".broken"
	tempMark     = ".json.tmp-" // of home.Replace
)

// pinVersion is the version of the format. A newer one isn't understood, and is
// treated like a broken file: held, and kept.
const pinVersion = 1

// pinFile is what a file holds.
type pinFile struct {
	Version int         `json:"version"`
	Server  string      `json:"server"`
	Trusted time.Time   `json:"trusted"`
	Broken  bool        `json:"broken,omitempty"` // a file before this one couldn't be read
	Tools   []storedPin `json:"tools"`
}

type storedPin struct {
	Name        string    `json:"name"`
	Fingerprint string    `json:"fingerprint"`
	Since       time.Time `json:"since"`
	// Definition is text, not JSON: it comes back byte for byte.
	Definition string `json:"definition,omitempty"`
}

// fileOf is a server's file. The hash tells names apart that differ by case only, and
// keeps clear of names that a system has for itself.
func fileOf(server string) string {
	sum := sha256.Sum256([]byte(server))
	return server + "-" + hex.EncodeToString(sum[:4]) + pinEnding
}

// serverOf is the other way round: the name alone has to say whose a file is
// whose inside is broken.
func serverOf(base string) (server string, ok bool) {
	i := strings.LastIndexByte(base, '-')
	if i < 0 {
		return "", false
	}
	server = base[:i]
	return server, wire.CheckName("server", server) == nil && fileOf(server) == base
}

// load reads one server's file; whatever is wrong with it, the result holds.
func (p *Pins) load(server string) *pinned {
	path := filepath.Join(p.folder, fileOf(server))
	data, err := readPins(path)
	if err != nil {
		// It may be whole: it stays where it is until a person accepts a tool.
		p.log.Warn("pinned tools not read, all tools of the server are held", "server", server, "err", err)
		return &pinned{broken: true, unread: true}
	}
	s, err := decodePins(data, server)
	if err == nil {
		return s
	}
	p.log.Warn("pinned tools not understood, kept aside, all tools of the server are held", "server", server, "err", err)
	// Another file takes its place: without one the next start would know nothing
	// of the server and trust it afresh. Until it is there the broken one stays.
	s = &pinned{broken: true}
	if err = home.Replace(path+brokenEnding, data, 0o600); err == nil {
		err = p.save(server, s)
	}
	if err != nil {
		p.log.Warn("broken pinned tools not kept aside", "server", server, "err", err)
	}
	return s
}

func readPins(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPinFile+1))
	if err == nil && len(data) > maxPinFile {
		err = fmt.Errorf("more than %d bytes", maxPinFile)
	}
	return data, err
}

func decodePins(data []byte, server string) (*pinned, error) {
	var f pinFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	switch {
	case f.Version != pinVersion:
		return nil, fmt.Errorf("version %d", f.Version)
	case f.Server != server:
		return nil, fmt.Errorf("it is of server %.80q", f.Server)
	case len(f.Tools) > maxPins:
		return nil, fmt.Errorf("%d tools", len(f.Tools))
	}
	s := &pinned{trusted: f.Trusted, broken: f.Broken, tools: make(map[string]pin, len(f.Tools))}
	for _, t := range f.Tools {
		was := pin{fingerprint: t.Fingerprint, since: t.Since}
		if t.Definition != "" {
			was.definition = []byte(t.Definition)
		}
		if _, twice := s.tools[t.Name]; twice || t.Fingerprint == "" {
			return nil, fmt.Errorf("tool %.80q stands twice or has no fingerprint", t.Name)
		}
		if strings.HasPrefix(t.Fingerprint, fingerprintKind) && was.definition != nil && Fingerprint(was.definition) != t.Fingerprint {
			return nil, fmt.Errorf("tool %.80q isn't what its fingerprint says", t.Name)
		}
		s.tools[t.Name] = was
	}
	return s, nil
}

// save writes a server's file, or with nil removes it.
func (p *Pins) save(server string, s *pinned) error {
	path := filepath.Join(p.folder, fileOf(server))
	if s == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(p.folder, 0o700); err != nil {
		return err
	}
	data, err := encodePins(server, s)
	if err != nil {
		return err
	}
	return home.Replace(path, data, 0o600)
}

// encodePins writes definitions as long as there is room.
func encodePins(server string, s *pinned) ([]byte, error) {
	f := pinFile{Version: pinVersion, Server: server, Trusted: s.trusted, Broken: s.broken, Tools: []storedPin{}}
	for name, t := range s.tools {
		f.Tools = append(f.Tools, storedPin{Name: name, Fingerprint: t.fingerprint, Since: t.since, Definition: string(t.definition)})
	}
	slices.SortFunc(f.Tools, func(a, b storedPin) int { return strings.Compare(a.Name, b.Name) })
	data, err := json.Marshal(f)
	if err != nil || len(data) <= maxPinFile {
		return data, err
	}
	// The largest go first: the others stay comparable.
	order := slices.SortedFunc(slices.Values(indices(len(f.Tools))), func(a, b int) int {
		return len(f.Tools[b].Definition) - len(f.Tools[a].Definition)
	})
	over := len(data) - maxPinFile
	for _, i := range order {
		if over <= 0 {
			break
		}
		text, _ := json.Marshal(f.Tools[i].Definition)
		over -= len(text)
		f.Tools[i].Definition = ""
	}
	if data, err = json.Marshal(f); err != nil || len(data) <= maxPinFile {
		return data, err
	}
	return nil, fmt.Errorf("more than %d bytes", maxPinFile)
}
