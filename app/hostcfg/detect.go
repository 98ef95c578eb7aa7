package hostcfg

import (
	"os"
	"path/filepath"
	"strings"

	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/app/hostcfg/read"
)

// Detected is one host as it was found.
type Detected struct {
	Host      *known.Host
	Installed bool
	Target    string // the file that connecting edits, there or not; "" for hosts without one
	Files     []File
}

// File is one of a host's files that is there.
type File struct {
	Path    string
	Servers int    // besides our own entry
	Error   string // why it can't be read; its servers aren't counted then
}

// Detect looks for every known host. Nothing is opened but the hosts' own files.
func (m Machine) Detect() []Detected {
	var all []Detected
	for _, h := range known.All() {
		d := Detected{Host: h, Target: m.Target(h)}
		for _, s := range m.sources(h) {
			d.Files = append(d.Files, m.look(h, s))
		}
		d.Installed = len(d.Files) > 0 || m.signs(h)
		all = append(all, d)
	}
	return all
}

func (m Machine) look(h *known.Host, s source) File {
	out := File{Path: s.path}
	f, err := open(s)
	if err != nil {
		out.Error = reason(err)
		return out
	}
	for _, raw := range read.Servers(f, h) {
		if raw.Name != EntryName {
			out.Servers++
		}
	}
	return out
}

func open(s source) (*read.File, error) {
	data, err := readFile(s.path)
	if err != nil {
		return nil, err
	}
	return read.Parse(data, s.format)
}

// reason is an error without the path, which is said beside it.
func reason(err error) string {
	if e, ok := err.(*os.PathError); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// signs reports whether something else than a file of servers tells that the host
// is installed.
func (m Machine) signs(h *known.Host) bool {
	if h.Signs != nil {
		for _, path := range h.Signs(m.System) {
			if len(m.find(path)) > 0 {
				return true
			}
		}
	} else if h.Places != nil {
		for _, p := range h.Places(m.System) {
			if dir := filepath.Dir(m.real(p.Path)); dir != m.real(m.Home) && len(m.found(dir)) > 0 {
				return true
			}
		}
	}
	for _, name := range h.Programs {
		if m.onPath(name) {
			return true
		}
	}
	return false
}

// found is find for a path of this computer.
func (m Machine) found(path string) []string { return Machine{}.find(path) }

// onPath looks for a program in the folders of the PATH variable.
func (m Machine) onPath(name string) bool {
	sep, ends := ":", []string{""}
	if m.GOOS == "windows" {
		sep, ends = ";", []string{".exe", ".cmd", ".bat"}
	}
	for dir := range strings.SplitSeq(m.Getenv("PATH"), sep) {
		if dir == "" {
			continue
		}
		for _, end := range ends {
			if info, err := os.Stat(m.real(m.Join(dir, name+end))); err == nil && !info.IsDir() && (m.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return true
			}
		}
	}
	return false
}
