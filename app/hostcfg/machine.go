package hostcfg

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/app/hostcfg/read"
)

// Machine is where files are looked for.
type Machine struct {
	known.System
	// Real turns a path of that system into one of this computer; nil leaves it as
	// it is. Tests look at other systems' paths through it.
	Real func(path string) string
}

// Here is this computer, for this person.
func Here() (Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Machine{}, err
	}
	return Machine{System: known.System{GOOS: runtime.GOOS, Getenv: os.Getenv, Home: home}}, nil
}

func (m Machine) real(path string) string {
	if m.Real == nil {
		return path
	}
	return m.Real(path)
}

// maxMatches bounds what a * finds.
const maxMatches = 200

// find lists what a path with stars stands for, in a fixed order.
func (m Machine) find(pattern string) []string {
	pattern = m.real(pattern)
	if !strings.Contains(pattern, "*") {
		if _, err := os.Stat(pattern); err != nil {
			return nil
		}
		return []string{pattern}
	}
	found, _ := filepath.Glob(pattern)
	slices.Sort(found)
	return found[:min(len(found), maxMatches)]
}

// places are the paths at which the host's own file may be. The first one is
// that to edit.
func (m Machine) places(h *known.Host) []string {
	if h.Places == nil {
		return nil
	}
	var first, there, rest []string
	for _, p := range h.Places(m.System) {
		path := m.real(p.Path)
		if p.If != "" {
			dirs := m.find(p.If)
			if len(dirs) == 0 {
				continue
			}
			// The star of a path and that of its condition stand for the same.
			path = dirs[0] + strings.TrimPrefix(m.real(p.Path), m.real(p.If))
			first = append(first, path)
		} else if _, err := os.Stat(path); err == nil {
			there = append(there, path)
		} else {
			rest = append(rest, path)
		}
	}
	return slices.Concat(first, there, rest)
}

// Target is the file that connecting edits; "" on systems that the host isn't for.
func (m Machine) Target(h *known.Host) string {
	if all := m.places(h); len(all) > 0 {
		return all[0]
	}
	return ""
}

// source is a file to import from.
type source struct {
	path   string
	format known.Format
}

// sources are the files of a host that are there, each once.
func (m Machine) sources(h *known.Host) []source {
	var list []source
	add := func(s source) {
		if !slices.ContainsFunc(list, func(o source) bool { return o.path == s.path }) {
			list = append(list, s)
		}
	}
	for _, path := range m.places(h) {
		if _, err := os.Stat(path); err == nil {
			add(source{path, h.Format})
		}
	}
	if h.Reads != nil {
		for _, r := range h.Reads(m.System) {
			for _, path := range m.find(r.Path) {
				add(source{path, r.Format})
			}
		}
	}
	return list
}

// readFile reads a host's file whole; one that is too large, or no file, is an error.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no ordinary file", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, read.MaxFile+1))
	if err == nil && len(data) > read.MaxFile {
		err = fmt.Errorf("%s is larger than %d MiB", path, read.MaxFile>>20)
	}
	return data, err
}

// missing reports whether an error says that there is no file.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
