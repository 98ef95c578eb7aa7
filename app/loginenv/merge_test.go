package loginenv

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
)

// tree is a Disk of folders, each with the names in it, and of files' first lines.
type tree struct {
	dirs  map[string][]string
	files map[string]string
}

func (t tree) IsDir(p string) bool          { _, ok := t.dirs[p]; return ok }
func (t tree) Names(dir string) []string    { return t.dirs[dir] }
func (t tree) FirstLine(file string) string { return t.files[file] }

func vars(m map[string]string) func(string) string { return func(n string) string { return m[n] } }

func TestKnown(t *testing.T) {
	dirs := func(paths ...string) tree {
		d := tree{map[string][]string{}, map[string]string{}}
		for _, p := range paths {
			d.dirs[p] = nil
		}
		return d
	}
	nvm := func(alias string, versions ...string) tree {
		d := dirs()
		d.dirs["/h/.nvm/versions/node"] = versions
		for _, v := range versions {
			d.dirs["/h/.nvm/versions/node/"+v+"/bin"] = nil
		}
		d.files["/h/.nvm/alias/default"] = alias
		d.files["/h/.nvm/alias/lts/*"] = "lts/jod"
		d.files["/h/.nvm/alias/lts/jod"] = "v22.1.0"
		d.files["/h/.nvm/alias/ring"] = "ring"
		return d
	}
	home := map[string]string{"HOME": "/h"}
	win := map[string]string{"USERPROFILE": `C:\Users\A B`, "APPDATA": `C:\Users\A B\AppData\Roaming`, "LOCALAPPDATA": `C:\Users\A B\AppData\Local`, "ProgramFiles": `C:\Program Files`}
	tests := []struct {
		name string
		goos string
		env  map[string]string
		disk tree
		want string
	}{
		{"nothing there", "linux", home, dirs(), ""},
		{"no home", "linux", nil, dirs("/usr/bin", "/.volta/bin"), "/usr/bin"},
		{"person before machine", "linux", home, dirs("/usr/bin", "/h/.local/bin", "/h/.cargo/bin", "/snap/bin"), "/h/.local/bin pipx, uv|/h/.cargo/bin cargo|/usr/bin|/snap/bin snap"},
		{"moved by variables", "linux", map[string]string{"HOME": "/h", "VOLTA_HOME": "/v", "ASDF_DATA_DIR": "/a", "MISE_DATA_DIR": "/m"},
			dirs("/v/bin", "/a/shims", "/m/shims", "/h/.volta/bin"), "/v/bin volta|/m/shims mise|/a/shims asdf"},
		{"fnm and mise", "linux", home, dirs("/h/.local/share/fnm/aliases/default/bin", "/h/.local/share/mise/shims"), "/h/.local/share/mise/shims mise|/h/.local/share/fnm/aliases/default/bin fnm"},
		{"fnm on a Mac", "darwin", home, dirs("/h/Library/Application Support/fnm/aliases/default/bin", "/opt/homebrew/bin"),
			"/h/Library/Application Support/fnm/aliases/default/bin fnm|/opt/homebrew/bin Homebrew"},
		{"nvm: the newest, by number", "linux", home, nvm("", "v9.0.0", "v22.1.0", "v22.10.0", "junk", "v1.x"), "/h/.nvm/versions/node/v22.10.0/bin nvm"},
		{"nvm: a chosen major", "linux", home, nvm("20", "v18.0.0", "v20.1.0", "v20.9.1", "v22.1.0"), "/h/.nvm/versions/node/v20.9.1/bin nvm"},
		{"nvm: v2 is not v22", "linux", home, nvm("2", "v2.1.0", "v22.1.0"), "/h/.nvm/versions/node/v2.1.0/bin nvm"},
		{"nvm: through aliases", "linux", home, nvm("lts/*", "v20.9.1", "v22.1.0", "v24.0.0"), "/h/.nvm/versions/node/v22.1.0/bin nvm"},
		{"nvm: a ring", "linux", home, nvm("ring", "v20.9.1"), "/h/.nvm/versions/node/v20.9.1/bin nvm"},
		{"nvm: out of its folder", "linux", home, nvm("../../../etc/passwd", "v20.9.1"), "/h/.nvm/versions/node/v20.9.1/bin nvm"},
		{"Windows", "windows", win, dirs(`C:\Users\A B\AppData\Roaming\npm`, `C:\Program Files\nodejs`, `C:\Users\A B\.local\bin`, `C:\Users\A B\scoop\shims`),
			`C:\Users\A B\.local\bin pipx, uv|C:\Users\A B\scoop\shims scoop|C:\Users\A B\AppData\Roaming\npm npm|C:\Program Files\nodejs Node`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range Known(tt.goos, vars(tt.env), tt.disk) {
				if f.From != FromFolder {
					t.Errorf("%s is from %s", f.Path, f.From)
				}
				got = append(got, strings.TrimSpace(f.Path+" "+f.Of))
			}
			if g := strings.Join(got, "|"); g != tt.want {
				t.Errorf("got\n%s\nwant\n%s", g, tt.want)
			}
		})
	}
}

func TestMerge(t *testing.T) {
	tests := []struct {
		name      string
		m         merger
		env, path string
	}{
		{"the shell's order is a choice", merger{goos: "linux", ours: []string{"PATH=/usr/bin:/bin", "A=1"}, shell: []string{"PATH=/x:/bin:/usr/bin", "A=2", "B=3"}},
			"A=2 shell|B=3 shell|PATH=/x:/bin:/usr/bin shell", "/x shell|/bin inherited|/usr/bin inherited"},
		{"ours is kept", merger{goos: "linux", ours: []string{"PATH=/ours:/bin"}, shell: []string{"PATH=/x"}}, "PATH=/x:/ours:/bin shell", "/x shell|/ours inherited|/bin inherited"},
		{"known folders come last, once", merger{goos: "linux", ours: []string{"PATH=/bin/:/bin"}, known: []Folder{{"/bin", FromFolder, "t"}, {"/k", FromFolder, "u"}}},
			"PATH=/bin:/k inherited", "/bin inherited t|/k folder u"},
		{"functions and the shell's own", merger{goos: "linux", ours: []string{"A=1"}, shell: []string{"BASH_FUNC_x%%=() {}", "SHLVL=2", "PWD=/", "BRIDGEKEEPER_X=1", "A=1", "=odd", "odd"}}, "A=1 inherited", ""},
		{"Windows: the registry is newer than the login, names in any case", merger{goos: "windows", ours: []string{`Path=C:\Windows;"C:\Quoted Dir"`, "TEMP=x"},
			machine: []string{`PATH=c:\windows\;C:\New;%ODD%`, "NEW=1"}, person: []string{`Path=C:\Mine;rel`, "temp=y"}},
			`NEW=1 registry|Path=C:\Windows;C:\Quoted Dir;C:\New;C:\Mine inherited|TEMP=x inherited`, `C:\Windows inherited|C:\Quoted Dir inherited|C:\New registry|C:\Mine registry`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env, variables, folders := tt.m.merge()
			var gotEnv, gotPath []string
			for i, kv := range env {
				gotEnv = append(gotEnv, kv+" "+string(variables[i].From))
				if name, _, _ := strings.Cut(kv, "="); name != variables[i].Name {
					t.Errorf("%s and %s are not the same", name, variables[i].Name)
				}
			}
			for _, f := range folders {
				gotPath = append(gotPath, strings.TrimSpace(f.Path+" "+string(f.From)+" "+f.Of))
			}
			if g := strings.Join(gotEnv, "|"); g != tt.env {
				t.Errorf("env\n%s\nwant\n%s", g, tt.env)
			}
			if g := strings.Join(gotPath, "|"); g != tt.path {
				t.Errorf("path\n%s\nwant\n%s", g, tt.path)
			}
		})
	}
}

// A server in an AppImage got the AppImage's libraries and crashed.
func TestClean(t *testing.T) {
	tests := []struct{ name, env, want string }{
		{"nothing around us", "PATH=/a:/b|LD_LIBRARY_PATH=/x|ARGV0=zsh|SNAPPY=1", "PATH=/a:/b|LD_LIBRARY_PATH=/x|ARGV0=zsh|SNAPPY=1"},
		{"ours", "BRIDGEKEEPER_HOME=/x|A=1|odd", "A=1"},
		{"AppImage", "APPIMAGE=/h/b.AppImage|APPDIR=/tmp/.mount_b|ARGV0=b|OWD=/h|PATH=/tmp/.mount_b/usr/bin:/usr/bin|LD_LIBRARY_PATH=/tmp/.mount_b/usr/lib:|XDG_DATA_DIRS=/tmp/.mount_b/usr/share:/usr/share::|OTHER=/tmp/.mount_bb/x|HOME=/h",
			"PATH=/usr/bin|XDG_DATA_DIRS=/usr/share|OTHER=/tmp/.mount_bb/x|HOME=/h"},
		{"an APPDIR that is everything", "APPDIR=/|PATH=/usr/bin", "PATH=/usr/bin"},
		{"snap", "SNAP=/snap/b/12|SNAP_NAME=b|SNAP_REAL_HOME=/home/p|SNAP_USER_DATA=/home/p/snap/b/12|HOME=/home/p/snap/b/12|PATH=/snap/b/12/bin:/usr/bin:/snap/bin|GTK_PATH=/snap/b/12/gtk",
			"HOME=/home/p|PATH=/usr/bin:/snap/bin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(Clean(strings.Split(tt.env, "|")), "|"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestCommand(t *testing.T) {
	self := `/opt/it's a/b\c`
	for shell, want := range map[string]string{
		"/bin/bash":        `-i|-l|-c|'/opt/it'\''s a/b\c' ` + dumpArg + ` M`,
		"/bin/tcsh":        `-ic|'/opt/it'\''s a/b\c' ` + dumpArg + ` M`,
		"/usr/bin/fish":    `-i|-l|-c|'/opt/it\'s a/b\\c' ` + dumpArg + ` M`,
		"/opt/bin/nu":      `-l|-i|-c|^"/opt/it's a/b\\c" ` + dumpArg + ` M`,
		"/usr/bin/pwsh":    `-Login|-Command|& '/opt/it''s a/b\c' ` + dumpArg + ` M`,
		"/opt/whatever/sh": `-i|-l|-c|'/opt/it'\''s a/b\c' ` + dumpArg + ` M`,
	} {
		if got := strings.Join(command(shell, self, "M"), "|"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", shell, got, want)
		}
	}
}

func TestWithEndings(t *testing.T) {
	for in, want := range map[string]string{"npx": "npx.com npx.exe npx.bat npx.cmd", "npx.CMD": "npx.CMD", "a.b": "a.b.com a.b.exe a.b.bat a.b.cmd"} {
		if got := strings.Join(withEndings(in, ""), " "); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// Whatever a shell prints, what was dumped comes back and nothing panics.
func FuzzParse(f *testing.F) {
	f.Add("banner", "A=1\x00B=two\nlines", "bye")
	f.Add("", "", "")
	f.Add("\nMARK-1\n", "X=\nMARK-1\n", "\x00MARK-1\n")
	f.Fuzz(func(t *testing.T, before, body, after string) {
		const mark = "bridgekeeper-K3"
		parse([]byte(before+body+after), mark)
		if strings.Contains(before+body+after, mark) {
			return
		}
		var env []string
		for kv := range strings.SplitSeq(body, "\x00") {
			if i := strings.Index(kv, "="); i > 0 {
				env = append(env, kv)
			}
		}
		printed := slices.Concat([]byte(before), dump(mark, env), []byte(after))
		got, done := parse(printed, mark)
		if !done || !slices.Equal(got, env) {
			t.Errorf("%q: got %q, want %q", printed, got, env)
		}
		for cut := range bytes.Index(printed, []byte("\x00"+mark)) {
			if _, done := parse(printed[:cut], mark); done {
				t.Errorf("%q is not whole", printed[:cut])
			}
		}
	})
}

func TestAskingIsKnownToTheMerge(t *testing.T) {
	for name := range maps.Keys(asking) {
		if !slices.Contains(ofTheShell, name) && !strings.HasPrefix(name, ours) {
			t.Errorf("%s would reach servers", name)
		}
	}
}
