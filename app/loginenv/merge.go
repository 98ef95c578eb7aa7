package loginenv

import (
	"maps"
	"slices"
	"strings"
)

// merger joins the sources. It is pure: every system's rules can be tested on
// every system.
type merger struct {
	goos            string
	ours            []string // cleaned
	shell           []string // what the shell exports; nil when it wasn't asked
	machine, person []string // the registry's, expanded, on Windows
	known           []Folder
}

// ofTheSession are variables that say in which session we are. The shell that we
// start has them from us; an rc file that sets one of them guesses.
var ofTheSession = []string{
	"HOME", "USER", "LOGNAME", "SHELL", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS",
	"XDG_RUNTIME_DIR", "XDG_SESSION_ID", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP", "XDG_SEAT", "XDG_VTNR", "TERM",
}

// ofTheShell are variables that only mean the shell itself, or that our question
// to it set.
var ofTheShell = append([]string{"SHLVL", "PWD", "OLDPWD", "_", "PS1", "PROMPT", "BASHOPTS", "SHELLOPTS"}, slices.Sorted(maps.Keys(asking))...)

func (m merger) merge() (env []string, variables []Variable, path []Folder) {
	type value struct {
		name, text string
		from       Source
	}
	all := map[string]value{}
	set := func(kvs []string, from Source, may func(name, text string, had bool) bool) {
		for _, kv := range kvs {
			name, text, ok := strings.Cut(kv, "=")
			if !ok || name == "" || strings.ContainsRune(text, 0) {
				continue
			}
			_, had := all[m.key(name)]
			if m.key(name) != "PATH" && may(name, text, had) {
				all[m.key(name)] = value{name, text, from}
			}
		}
	}
	always := func(string, string, bool) bool { return true }
	unset := func(_, _ string, had bool) bool { return !had }
	set(m.ours, FromUs, always)
	// What Explorer gave us is what the registry said then; what we lack is newer.
	set(m.person, FromRegistry, unset)
	set(m.machine, FromRegistry, unset)
	set(m.shell, FromShell, func(name, text string, had bool) bool {
		switch {
		case slices.Contains(ofTheShell, name), strings.HasPrefix(name, "BASH_FUNC_"), strings.HasPrefix(name, ours):
			return false
		case had && (all[name].text == text || slices.Contains(ofTheSession, name)):
			return false
		}
		return true
	})
	path = m.path()
	if len(path) > 0 {
		from, text := path[0].From, make([]string, len(path))
		for i, f := range path {
			text[i] = f.Path
		}
		all["PATH"] = value{m.pathName(), strings.Join(text, m.separator()), from}
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		v := all[key]
		env = append(env, v.name+"="+v.text)
		variables = append(variables, Variable{v.name, v.from})
	}
	return env, variables, path
}

// maxPath bounds the folders of a PATH: each is looked into for every command.
const maxPath = 400

// path is the shell's order first, since a person chose it; then what we have
// besides; then the registry's; then the folders of known installers. Elements
// that aren't absolute are left out: they would mean the working directory.
func (m merger) path() []Folder {
	var path []Folder
	seen := map[string]bool{}
	add := func(f Folder) {
		f.Path = m.tidy(f.Path)
		same := f.Path
		if m.goos == "windows" {
			same = strings.ToLower(same)
		}
		if !m.absolute(f.Path) || seen[same] || len(path) == maxPath {
			return
		}
		seen[same] = true
		for _, k := range m.known {
			if f.Of == "" && m.tidy(k.Path) == f.Path {
				f.Of = k.Of
			}
		}
		path = append(path, f)
	}
	inherited := map[string]bool{}
	for _, p := range m.elements(m.ours) {
		inherited[m.tidy(p)] = true
	}
	for _, p := range m.elements(m.shell) {
		from := FromShell
		if inherited[m.tidy(p)] {
			from = FromUs // the shell only passed it on
		}
		add(Folder{Path: p, From: from})
	}
	for _, p := range m.elements(m.ours) {
		add(Folder{Path: p, From: FromUs})
	}
	for _, kvs := range [][]string{m.machine, m.person} {
		for _, p := range m.elements(kvs) {
			add(Folder{Path: p, From: FromRegistry})
		}
	}
	for _, f := range m.known {
		add(f)
	}
	return path
}

func (m merger) elements(kvs []string) []string {
	for _, kv := range slices.Backward(kvs) {
		if name, text, ok := strings.Cut(kv, "="); ok && m.key(name) == "PATH" {
			return strings.Split(text, m.separator())
		}
	}
	return nil
}

// key is a variable's name as the system compares it.
func (m merger) key(name string) string {
	if m.goos == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

// pathName keeps the spelling that the system uses: Path on Windows.
func (m merger) pathName() string {
	if m.goos == "windows" {
		return "Path"
	}
	return "PATH"
}

func (m merger) separator() string {
	if m.goos == "windows" {
		return ";"
	}
	return ":"
}

// tidy makes elements comparable. Windows takes quoted ones.
func (m merger) tidy(p string) string {
	if m.goos == "windows" {
		p = strings.Trim(strings.TrimSpace(p), `"`)
		if t := strings.TrimRight(p, `\/`); len(t) > 2 {
			return t
		}
		return p
	}
	if t := strings.TrimRight(p, "/"); t != "" {
		return t
	}
	return p
}

func (m merger) absolute(p string) bool {
	if m.goos != "windows" {
		return strings.HasPrefix(p, "/")
	}
	drive := len(p) >= 3 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
	return drive || strings.HasPrefix(p, `\\`)
}
