package hostcfg

import (
	"maps"
	"os"
	"slices"

	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/app/hostcfg/read"
	"bridgekeeper/app/wire"
	"bridgekeeper/keychain"
	"bridgekeeper/keychain/detect"
)

// Found is one server in a host's file.
type Found struct {
	Host   string
	File   string
	Name   string // as the host has it
	Slug   string // the name that it would get here
	Folder string // the project that it belongs to, "" for all

	// Entry is what would run, with references in the place of secrets. It waits for
	// a person's trust.
	Entry wire.Entry
	// URL is that of a remote server; its entry can run only if it has a command.
	URL       string
	Transport known.Transport
	Headers   map[string]string // with references in the place of secrets

	Secrets []Secret
	Needs   []string // names of secrets that the host asked its user for
	Reports []read.Report
	SameAs  []string // HOST/NAME of those that are the same server

	plain wire.Entry
}

// Secret is a likely secret that was found in an entry.
type Secret struct {
	Name  string // that its reference has
	Field string // env, arg, header or url
	Key   string // of the variable, flag or header
	Sure  bool
	Value keychain.Secret
}

// Blocked reports whether the entry can't run before a person changed something.
func (f *Found) Blocked() bool {
	return f.Entry.Command == "" || slices.ContainsFunc(f.Reports, func(r read.Report) bool { return r.Level == read.Blocks })
}

// Plain is the entry with the secrets in it, for a person who wants them in the
// config. It must not be shown.
func (f *Found) Plain() wire.Entry { return f.plain }

// Broken is a file that can't be read.
type Broken struct {
	Host, File, Error string
}

// Import reads the servers of the hosts that are named, of all when none is.
// taken tells which names servers and secrets have already; nil for none.
func (m Machine) Import(hosts []string, taken func(name string) bool, secret func(name string) bool) ([]Found, []Broken) {
	var found []Found
	var broken []Broken
	im := newImporter(m, taken, secret)
	for _, h := range known.All() {
		if len(hosts) > 0 && !slices.Contains(hosts, h.Name) {
			continue
		}
		for _, s := range m.sources(h) {
			f, err := open(s)
			if err != nil {
				broken = append(broken, Broken{h.Name, s.path, reason(err)})
				continue
			}
			found = append(found, im.file(h, s.path, f)...)
		}
	}
	im.pairs(found)
	return found, broken
}

// Pasted reads servers from a text that a person pasted, as a host would.
func (m Machine) Pasted(text []byte, h *known.Host, taken, secret func(string) bool) ([]Found, error) {
	f, err := read.Parse(text, h.Format)
	if err != nil {
		return nil, err
	}
	im := newImporter(m, taken, secret)
	found := im.file(h, "", f)
	im.pairs(found)
	return found, nil
}

// importer gives names that are free, and knows which entries are the same.
type importer struct {
	m             Machine
	taken, secret func(string) bool
	slugs         map[string]string // identity -> slug
	names         map[string]bool   // slugs in use
	secrets       map[string]bool
	identities    []string // of each server found
}

func newImporter(m Machine, taken, secret func(string) bool) *importer {
	return &importer{m: m, taken: taken, secret: secret, slugs: map[string]string{}, names: map[string]bool{}, secrets: map[string]bool{}}
}

func (im *importer) file(h *known.Host, path string, f *read.File) (found []Found) {
	c := read.Context{Host: h, Windows: im.m.GOOS == "windows", Home: im.m.Home, Exists: func(p string) bool {
		info, err := os.Stat(im.m.real(p))
		return err == nil && !info.IsDir()
	}}
	for _, raw := range read.Servers(f, h) {
		if raw.Name == EntryName {
			continue // ours
		}
		s := read.Entry(raw, c)
		id := s.Identity()
		found = append(found, im.one(h, path, s, id))
		im.identities = append(im.identities, id)
	}
	return found
}

func (im *importer) one(h *known.Host, path string, s *read.Server, id string) Found {
	out := Found{Host: h.Name, File: path, Name: s.Name, Folder: s.Folder, Transport: s.Transport, Needs: s.Needs, Reports: s.Reports}
	out.Slug = im.slug(s, id)
	out.plain = wire.Entry{Command: s.Command, Args: s.Args, Env: s.Env, Cwd: s.Cwd, Disabled: s.Disabled, Off: s.Off, Trust: wire.TrustPending}
	e := detect.Entry{Server: out.Slug, Command: s.Command, Args: s.Args, Env: s.Env, Headers: s.Headers, URL: s.URL}
	if s.Command != "" {
		e.Headers, e.URL = nil, "" // they are in the arguments, too
	}
	findings := detect.Find(e, func(name string) bool { return im.secrets[name] || im.secret != nil && im.secret(name) })
	moved, stored := detect.Move(e, findings)
	for _, f := range findings {
		out.Secrets = append(out.Secrets, Secret{Name: f.Name, Field: string(f.Kind), Key: f.Key, Sure: f.Sure, Value: f.Value})
	}
	for _, one := range stored {
		im.secrets[one.Name] = true
	}
	out.Entry = out.plain
	out.Entry.Args, out.Entry.Env = moved.Args, moved.Env
	if s.Command == "" {
		out.URL, out.Headers = moved.URL, moved.Headers
		out.Reports = append(out.Reports, read.Report{Level: read.Blocks, Text: "It is a remote server; Bridgekeeper runs local ones."})
	} else {
		out.URL, out.Headers = bridged(s, h)
	}
	return out
}

// bridged is the remote server behind a command, with nothing secret in it.
func bridged(s *read.Server, h *known.Host) (string, map[string]string) {
	if s.URL == "" {
		return "", nil
	}
	e := detect.Entry{Server: h.Name, Headers: s.Headers, URL: s.URL}
	moved, _ := detect.Move(e, detect.Find(e, nil))
	for name := range moved.Headers {
		moved.Headers[name] = wire.Mask
	}
	if len(moved.Headers) == 0 {
		moved.Headers = nil
	}
	return moved.URL, moved.Headers
}

// slug is the name of a server; the same server has one name.
func (im *importer) slug(s *read.Server, id string) string {
	if slug, ok := im.slugs[id]; ok && id != "" {
		return slug
	}
	slug := read.Slug(read.Suggest(s), func(name string) bool { return im.names[name] || im.taken != nil && im.taken(name) })
	im.names[slug] = true
	if id != "" {
		im.slugs[id] = slug
	}
	return slug
}

// pairs says which of the found are the same server.
func (im *importer) pairs(found []Found) {
	same := map[string][]int{}
	for i, id := range im.identities {
		if id != "" {
			same[id] = append(same[id], i)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(same)) {
		for _, i := range same[id] {
			for _, other := range same[id] {
				if other != i {
					found[i].SameAs = append(found[i].SameAs, found[other].Host+"/"+found[other].Name)
				}
			}
		}
	}
}
