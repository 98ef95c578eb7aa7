// Package home says where our files are on each system and how one of them is
// replaced without ever being half written.
//
// It reads no file and decides nothing about contents. The app and every client
// ask it once, at start.
package home

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
)

// Env is the one variable that moves everything, for tests and portable use.
const Env = "BRIDGEKEEPER_HOME"

// Dirs are the places of one installation. Every path is absolute.
type Dirs struct {
	Config string // bridgekeeper.json
	State  string // lock, socket, port, host tokens
	Logs   string // one rotated file a server, and the record of calls
	Data   string // unpacked bundles

	ConfigFile string
	Socket     string // of the local API
	Lock       string // held by the one core
	TrayLock   string // held by the one process with the tray icon
	ServeLog   string // what a core says that no terminal shows
	Hosts      string // hosts and the hashes of their tokens
	Port       string // the loopback port chosen last
	Activity   string // folder of the record of calls
}

// Find returns the places for a system, from the environment alone.
func Find(goos string, getenv func(string) string) (Dirs, error) {
	s := system{goos: goos, getenv: getenv}
	d, err := s.roots()
	if err != nil {
		return Dirs{}, err
	}
	d.ConfigFile = s.join(d.Config, "bridgekeeper.json")
	d.Lock = s.join(d.State, "core.lock")
	d.TrayLock = s.join(d.State, "tray.lock")
	d.ServeLog = s.join(d.Logs, "serve.log")
	d.Hosts = s.join(d.State, "hosts.json")
	d.Port = s.join(d.State, "port")
	d.Activity = s.join(d.Logs, "activity")
	d.Socket, err = s.socket(d.State)
	return d, err
}

// Make creates the folders, for their owner only.
func (d Dirs) Make() error {
	for _, dir := range []string{d.Config, d.State, d.Logs, d.Data} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
	}
	return nil
}

// system answers questions about one platform; it touches nothing.
type system struct {
	goos   string
	getenv func(string) string
}

func (s system) roots() (Dirs, error) {
	if root := s.getenv(Env); root != "" {
		if !s.absolute(root) {
			return Dirs{}, fmt.Errorf("%s is %q: it must be an absolute path", Env, root)
		}
		root = s.join(root)
		return Dirs{
			Config: root,
			State:  s.join(root, "state"),
			Logs:   s.join(root, "logs"),
			Data:   s.join(root, "data"),
		}, nil
	}
	switch s.goos {
	case "windows":
		return s.windows()
	case "darwin":
		return s.darwin()
	}
	return s.xdg()
}

func (s system) windows() (Dirs, error) {
	roaming, err := s.dir("APPDATA", "USERPROFILE", "AppData", "Roaming")
	if err != nil {
		return Dirs{}, err
	}
	local, err := s.dir("LOCALAPPDATA", "USERPROFILE", "AppData", "Local")
	if err != nil {
		return Dirs{}, err
	}
	local = s.join(local, "Bridgekeeper")
	return Dirs{
		Config: s.join(roaming, "Bridgekeeper"),
		State:  s.join(local, "state"),
		Logs:   s.join(local, "logs"),
		Data:   s.join(local, "data"),
	}, nil
}

func (s system) darwin() (Dirs, error) {
	library, err := s.dir("", "HOME", "Library")
	if err != nil {
		return Dirs{}, err
	}
	support := s.join(library, "Application Support", "Bridgekeeper")
	return Dirs{
		Config: support,
		State:  s.join(support, "state"),
		Logs:   s.join(library, "Logs", "Bridgekeeper"),
		Data:   s.join(support, "data"),
	}, nil
}

func (s system) xdg() (Dirs, error) {
	config, err := s.dir("XDG_CONFIG_HOME", "HOME", ".config")
	if err != nil {
		return Dirs{}, err
	}
	state, err := s.dir("XDG_STATE_HOME", "HOME", ".local", "state")
	if err != nil {
		return Dirs{}, err
	}
	data, err := s.dir("XDG_DATA_HOME", "HOME", ".local", "share")
	if err != nil {
		return Dirs{}, err
	}
	state = s.join(state, "bridgekeeper")
	return Dirs{
		Config: s.join(config, "bridgekeeper"),
		State:  state,
		Logs:   s.join(state, "logs"),
		Data:   s.join(data, "bridgekeeper"),
	}, nil
}

// dir is the folder that variable names, else one below the variable base. A
// relative value counts as unset, as the XDG specification wants it.
func (s system) dir(variable, base string, below ...string) (string, error) {
	if variable != "" {
		if dir := s.getenv(variable); s.absolute(dir) {
			return dir, nil
		}
	}
	dir := s.getenv(base)
	if !s.absolute(dir) {
		return "", fmt.Errorf("%s is not set to an absolute path, so there is no place for our files", base)
	}
	return s.join(append([]string{dir}, below...)...), nil
}

// The kernel copies a socket's path into a fixed array with a zero byte at its end.
const (
	maxSocketDarwin = 104
	maxSocket       = 108
)

var errSocketPath = errors.New("no path short enough for the socket: set " + Env + " to a shorter path")

// socket is a path beside the lock, so that it is found without knowing a
// session's variables; where that is too long, one in a short folder of the
// person, told apart by the hash of the long one.
func (s system) socket(state string) (string, error) {
	limit := maxSocket
	if s.goos == "darwin" {
		limit = maxSocketDarwin
	}
	sum := sha256.Sum256([]byte(state))
	short := "bridgekeeper-" + hex.EncodeToString(sum[:6])
	paths := []string{s.join(state, "core.sock")}
	for _, dir := range s.shortDirs() {
		paths = append(paths, s.join(dir, short, "core.sock"))
	}
	for _, p := range paths {
		if len(p) < limit {
			return p, nil
		}
	}
	return "", errSocketPath
}

func (s system) shortDirs() []string {
	variables := []string{"XDG_RUNTIME_DIR", "TMPDIR"}
	if s.goos == "windows" {
		variables = []string{"TEMP", "TMP"}
	}
	var dirs []string
	for _, v := range variables {
		if dir := s.getenv(v); s.absolute(dir) {
			dirs = append(dirs, dir)
		}
	}
	if s.goos != "windows" {
		dirs = append(dirs, "/tmp")
	}
	return dirs
}

func (s system) absolute(p string) bool {
	if s.goos != "windows" {
		return strings.HasPrefix(p, "/")
	}
	p = strings.ReplaceAll(p, "/", `\`)
	drive := len(p) >= 3 && p[1] == ':' && p[2] == '\\'
	return drive || strings.HasPrefix(p, `\\`)
}

func (s system) join(parts ...string) string {
	if s.goos != "windows" {
		return path.Join(parts...)
	}
	for i := range parts {
		parts[i] = strings.TrimRight(strings.ReplaceAll(parts[i], "/", `\`), `\`)
	}
	return strings.Join(parts, `\`)
}
