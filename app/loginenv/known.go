package loginenv

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Disk is what Known asks of the file system.
type Disk interface {
	IsDir(path string) bool
	Names(dir string) []string    // of what is in a folder; nil when there is none
	FirstLine(file string) string // without its end; "" when there is none
}

// Known returns the folders of installers' programs that exist, in the order in
// which they belong on a PATH: what belongs to the person before what belongs to
// the machine. get reads a variable.
func Known(goos string, get func(string) string, disk Disk) []Folder {
	k := known{goos: goos, get: get, disk: disk}
	if goos == "windows" {
		k.windows()
	} else {
		k.unix()
	}
	return k.found
}

type known struct {
	goos  string
	get   func(string) string
	disk  Disk
	found []Folder
}

// add takes the folder if it is there. An empty base means that the variable it
// came from isn't set.
func (k *known) add(of, base string, below ...string) {
	if base == "" {
		return
	}
	path := join(k.goos, append([]string{base}, below...)...)
	if k.disk.IsDir(path) {
		k.found = append(k.found, Folder{Path: path, From: FromFolder, Of: of})
	}
}

// at is a variable's value, else a folder below the home.
func (k *known) at(variable, home string, below ...string) string {
	if dir := k.get(variable); variable != "" && dir != "" {
		return dir
	}
	if home == "" {
		return ""
	}
	return join(k.goos, append([]string{home}, below...)...)
}

func (k *known) unix() {
	home := k.get("HOME")
	data := k.at("XDG_DATA_HOME", home, ".local", "share")
	k.add("pipx, uv", k.at("XDG_BIN_HOME", home, ".local", "bin"))
	k.add("pipx", k.get("PIPX_BIN_DIR"))
	k.add("", k.at("", home, "bin"))
	k.add("volta", k.at("VOLTA_HOME", home, ".volta"), "bin")
	k.add("mise", k.at("MISE_DATA_DIR", data, "mise"), "shims")
	k.add("asdf", k.at("ASDF_DATA_DIR", home, ".asdf"), "shims")
	k.add("asdf", k.at("ASDF_DIR", home, ".asdf"), "bin")
	k.nvm(k.at("NVM_DIR", home, ".nvm"))
	for _, dir := range []string{k.get("FNM_DIR"), k.at("", data, "fnm"), k.at("", home, ".fnm"), k.at("", home, "Library", "Application Support", "fnm")} {
		k.add("fnm", dir, "aliases", "default", "bin")
	}
	k.add("cargo", k.at("CARGO_HOME", home, ".cargo"), "bin")
	k.add("bun", k.at("BUN_INSTALL", home, ".bun"), "bin")
	k.add("deno", k.at("DENO_INSTALL", home, ".deno"), "bin")
	k.add("pnpm", k.at("PNPM_HOME", data, "pnpm"))
	k.add("pnpm", k.at("", home, "Library", "pnpm"))
	k.add("npm", k.at("", home, ".npm-global", "bin"))
	k.add("go", k.at("GOPATH", home, "go"), "bin")
	k.add("nix", k.at("", home, ".nix-profile", "bin"))
	k.add("nix", "/nix/var/nix/profiles/default/bin")
	for _, prefix := range []string{k.get("HOMEBREW_PREFIX"), "/opt/homebrew", "/home/linuxbrew/.linuxbrew", k.at("", home, ".linuxbrew")} {
		k.add("Homebrew", prefix, "bin")
		k.add("Homebrew", prefix, "sbin")
	}
	k.add("MacPorts", "/opt/local/bin")
	k.add("", "/usr/local/bin")
	k.add("", "/usr/bin")
	k.add("", "/bin")
	k.add("", "/usr/sbin")
	k.add("", "/sbin")
	k.add("snap", "/snap/bin")
}

func (k *known) windows() {
	home, roaming, local := k.get("USERPROFILE"), k.get("APPDATA"), k.get("LOCALAPPDATA")
	k.add("pipx, uv", k.at("XDG_BIN_HOME", home, ".local", "bin"))
	k.add("volta", k.at("", local, "Volta", "bin"))
	k.add("mise", k.at("MISE_DATA_DIR", local, "mise"), "shims")
	k.add("nvm", k.get("NVM_SYMLINK"))
	k.add("fnm", k.at("FNM_DIR", roaming, "fnm"), "aliases", "default")
	k.add("scoop", k.at("SCOOP", home, "scoop"), "shims")
	k.add("cargo", k.at("CARGO_HOME", home, ".cargo"), "bin")
	k.add("bun", k.at("BUN_INSTALL", home, ".bun"), "bin")
	k.add("deno", k.at("DENO_INSTALL", home, ".deno"), "bin")
	k.add("pnpm", k.at("PNPM_HOME", local, "pnpm"))
	k.add("npm", k.at("", roaming, "npm"))
	k.add("Node", k.get("ProgramFiles"), "nodejs")
	k.add("Docker", k.get("ProgramFiles"), "Docker", "Docker", "resources", "bin")
	k.add("Chocolatey", k.get("ProgramData"), "chocolatey", "bin")
	k.add("Store", k.at("", local, "Microsoft", "WindowsApps"))
	k.add("", k.get("SystemRoot"), "System32")
}

// nvm has a folder for each version and no link to the chosen one: alias/default
// names it, as a version, the start of one, or another alias.
func (k *known) nvm(dir string) {
	if dir == "" {
		return
	}
	versions := k.disk.Names(join(k.goos, dir, "versions", "node"))
	want := "default"
	for range maxAliases {
		next := k.disk.FirstLine(join(k.goos, append([]string{dir, "alias"}, strings.Split(want, "/")...)...))
		if next == "" || strings.Contains(next, "..") {
			break
		}
		want = next
	}
	if version := newest(versions, want); version != "" {
		k.add("nvm", dir, "versions", "node", version, "bin")
	}
}

// maxAliases ends a ring of aliases: default, lts/*, lts/jod, v22.1.0.
const maxAliases = 8

// newest is the newest of the versions that begin with want, else of all.
func newest(versions []string, want string) string {
	var all, fit []string
	prefix := "v" + strings.TrimPrefix(want, "v")
	for _, v := range versions {
		if _, ok := numbers(v); !ok {
			continue
		}
		all = append(all, v)
		if v == prefix || strings.HasPrefix(v, prefix+".") {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		fit = all
	}
	if len(fit) == 0 {
		return ""
	}
	return slices.MaxFunc(fit, func(a, b string) int {
		x, _ := numbers(a)
		y, _ := numbers(b)
		return cmp.Or(slices.Compare(x, y), strings.Compare(a, b))
	})
}

// numbers reads v22.1.0.
func numbers(version string) ([]int, bool) {
	text, ok := strings.CutPrefix(version, "v")
	if !ok {
		return nil, false
	}
	var ns []int
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return nil, false
		}
		ns = append(ns, n)
	}
	return ns, true
}

// join joins as the named system does; filepath.Join knows only this one's way.
func join(goos string, parts ...string) string {
	if goos != "windows" {
		return filepath.ToSlash(filepath.Join(parts...))
	}
	for i, p := range parts {
		parts[i] = strings.TrimRight(strings.ReplaceAll(p, "/", `\`), `\`)
	}
	return strings.Join(parts, `\`)
}

// onDisk is the real file system.
type onDisk struct{}

func (onDisk) IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// maxNames bounds a folder of versions.
const maxNames = 1000

func (onDisk) Names(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxNames)
	return names
}

func (onDisk) FirstLine(file string) string {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() { // opening a pipe would wait
		return ""
	}
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, _ := io.ReadAll(io.LimitReader(f, 256))
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line)
}

// withEndings are the names under which Windows looks for a command: with each of
// the endings of PATHEXT, unless it has one of them already.
func withEndings(command, pathext string) []string {
	if pathext == "" {
		pathext = ".COM;.EXE;.BAT;.CMD"
	}
	var names []string
	for ext := range strings.SplitSeq(strings.ToLower(pathext), ";") {
		if ext == "" {
			continue
		}
		if strings.HasSuffix(strings.ToLower(command), ext) {
			return []string{command}
		}
		names = append(names, command+ext)
	}
	return names
}
