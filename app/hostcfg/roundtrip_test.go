package hostcfg

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bridgekeeper/app/hostcfg/edit"
	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/app/hostcfg/read"
	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
)

const token = "bk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"

var endpoint = known.Endpoint{Name: EntryName, URL: "http://127.0.0.1:2734/mcp", Token: token, Command: "/opt/bk/bridgekeeper-stdio", Args: []string{"--host", "x"}}

// machine is a computer of that system below a folder of this one.
func machine(t *testing.T, goos string) Machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: paths of other systems are looked at on unix")
	}
	root := t.TempDir()
	m := Machine{System: known.System{GOOS: goos, Home: root, Getenv: func(string) string { return "" }}}
	if goos == "windows" {
		m.Home = `C:\Users\ann`
		m.Real = func(path string) string {
			return filepath.Join(root, strings.ReplaceAll(strings.TrimPrefix(path, `C:\`), `\`, "/"))
		}
	}
	return m
}

func store(t *testing.T, m Machine) *Store {
	t.Helper()
	return Open(filepath.Join(t.TempDir(), "hosts"), m)
}

// befores are files as people have them, by format.
var befores = map[known.Format]map[string]string{
	known.JSON: {
		"empty object": "{}",
		"others":       "{\n\t\"theme\": \"dark\",\n\t\"n\": 1.10\n}\n",
		"CRLF":         "{\r\n  \"theme\": \"dark\"\r\n}\r\n",
		"one line":     `{"theme":"dark","list":[1,2]}`,
	},
	known.JSONC: {
		"empty object": "{}\n",
		"comments":     "// mine\n{\n    // why\n    \"theme\": \"dark\", /* x */\n}\n// end\n",
		"CRLF":         "{\r\n  \"theme\": \"dark\",\r\n}\r\n",
	},
	known.TOML: {
		"empty":    "",
		"others":   "# mine\nmodel = \"x\"   # why\n\n[other]\na = 1.10\n",
		"CRLF":     "model = \"x\"\r\n\r\n[other]\r\na = 1\r\n",
		"no break": "model = \"x\"",
	},
	known.YAML: {
		"empty":  "",
		"others": "# mine\nmodel: x   # why\nlist:\n  - 1\n  - 2\n",
		"CRLF":   "model: x\r\nlist:\r\n  - 1\r\n",
	},
}

// each runs do for every host whose file we write, on every system.
func each(t *testing.T, do func(t *testing.T, m Machine, h *known.Host)) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, h := range known.All() {
			if h.Way != known.Edit {
				continue
			}
			m := machine(t, goos)
			if m.Target(h) == "" {
				continue
			}
			t.Run(goos+"/"+h.Name, func(t *testing.T) { do(t, m, h) })
		}
	}
}

func apply(t *testing.T, s *Store, p *Plan, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(p); err != nil {
		t.Fatal(err)
	}
}

func connect(t *testing.T, s *Store, h *known.Host) {
	t.Helper()
	p, err := s.PlanConnect(Connect{Host: h.Name, Endpoint: endpoint})
	if err == nil && strings.Contains(p.Diff(), token) {
		t.Fatalf("the difference shows the token:\n%s", p.Diff())
	}
	apply(t, s, p, err)
	st, err := s.Look(h.Name)
	if err != nil || st.State != Connected {
		t.Fatalf("%+v, %v", st, err)
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// People's comments and formatting were lost when an entry was written.
func TestConnectAndBack(t *testing.T) {
	each(t, func(t *testing.T, m Machine, h *known.Host) {
		for name, before := range befores[h.Format] {
			t.Run(name, func(t *testing.T) {
				path := m.Target(h)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(before), 0o640); err != nil {
					t.Fatal(err)
				}
				defer os.Remove(path)
				for _, undo := range []bool{false, true} {
					s := store(t, m)
					connect(t, s, h)
					after := content(t, path)
					kept(t, before, after)
					if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
						t.Errorf("mode %v, %v", info.Mode(), err)
					}
					p, err := s.PlanDisconnect(h.Name)
					if undo {
						p, err = s.PlanUndo(h.Name)
					}
					apply(t, s, p, err)
					if got := content(t, path); string(got) != before {
						t.Errorf("after it was disconnected (undo %v): %q, was %q", undo, got, before)
					}
				}
			})
		}
	})
}

// kept fails when a line of before that is more than brackets isn't in after.
func kept(t *testing.T, before string, after []byte) {
	t.Helper()
	for line := range strings.SplitSeq(before, "\n") {
		text := strings.Trim(line, "{},\r \t")
		if text != "" && !bytes.Contains(after, []byte(text)) {
			t.Errorf("the line %q is lost in\n%s", line, after)
		}
	}
	if strings.Contains(before, "\r\n") && bytes.Count(after, []byte("\n")) != bytes.Count(after, []byte("\r\n")) {
		t.Errorf("line ends are mixed: %q", after)
	}
}

// A file that wasn't there is gone again, with the folders that were made.
func TestConnectMakesTheFile(t *testing.T) {
	each(t, func(t *testing.T, m Machine, h *known.Host) {
		s := store(t, m)
		path := m.Target(h)
		connect(t, s, h)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("it holds a token, and its mode is %v, %v", info.Mode(), err)
		}
		if _, err := read.Parse(content(t, path), h.Format); err != nil {
			t.Error(err)
		}
		p, err := s.PlanDisconnect(h.Name)
		apply(t, s, p, err)
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	})
}

// When somebody wrote since, our entry alone goes.
func TestDisconnectAfterOthersWrote(t *testing.T) {
	each(t, func(t *testing.T, m Machine, h *known.Host) {
		s := store(t, m)
		path := m.Target(h)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, before := range befores[h.Format] {
			if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
			connect(t, s, h)
			mine := jsonedit.Object{jsonedit.Field{Key: "command", Value: "theirs"}}
			theirs, err := edit.Put(content(t, path), h.Format, h.Path, "theirs", mine)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, theirs, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := s.PlanUndo(h.Name); wire.AsError(err).Code != wire.CodeHostChanged {
				t.Errorf("undo: %v", err)
			}
			p, err := s.PlanDisconnect(h.Name)
			apply(t, s, p, err)
			got := content(t, path)
			f, err := read.Parse(got, h.Format)
			if err != nil {
				t.Fatalf("%v in\n%s", err, got)
			}
			if _, there := f.Root.At(append(append([]string{}, h.Path...), EntryName)...); there || bytes.Contains(got, []byte(token)) {
				t.Errorf("our entry is still in\n%s", got)
			}
			if _, there := f.Root.At(append(append([]string{}, h.Path...), "theirs")...); !there {
				t.Errorf("their entry is gone:\n%s", got)
			}
			kept(t, before, got)
		}
	})
}

// A file that can't be read is never touched.
func TestBrokenFiles(t *testing.T) {
	broken := map[known.Format]string{known.JSON: "{\"a\": ", known.JSONC: "{ // x\n\"a\": }", known.TOML: "[a\nb = ", known.YAML: "a: [1\nb: {"}
	each(t, func(t *testing.T, m Machine, h *known.Host) {
		s := store(t, m)
		path := m.Target(h)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(broken[h.Format]), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.PlanConnect(Connect{Host: h.Name, Endpoint: endpoint}); wire.AsError(err).Code != wire.CodeHostFile {
			t.Errorf("%v", err)
		}
		if got := content(t, path); string(got) != broken[h.Format] {
			t.Errorf("it became %q", got)
		}
	})
}

// Dotfiles are links into a repository; they were replaced by files.
func TestLinksStay(t *testing.T) {
	m := machine(t, "linux")
	h, _ := known.Find("cursor")
	path, real := m.Target(h), filepath.Join(t.TempDir(), "mcp.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(real, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, path); err != nil {
		t.Fatal(err)
	}
	connect(t, store(t, m), h)
	if target, err := os.Readlink(path); err != nil || target != real {
		t.Errorf("%q, %v", target, err)
	}
	if !bytes.Contains(content(t, real), []byte(token)) {
		t.Error("the entry isn't in the file behind the link")
	}
}

// The host wrote its file between our reading and our writing.
func TestChangedInBetween(t *testing.T) {
	m := machine(t, "linux")
	h, _ := known.Find("cursor")
	path := m.Target(h)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := store(t, m)
	p, err := s.PlanConnect(Connect{Host: h.Name, Endpoint: endpoint})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"new":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Apply(p); wire.AsError(err).Code != wire.CodeHostChanged {
		t.Errorf("%v", err)
	}
	if got := content(t, path); string(got) != `{"new":1}` {
		t.Errorf("it became %s", got)
	}
	if changes, err := s.Changes(""); err != nil || len(changes) != 0 {
		t.Errorf("the journal has %v, %v", changes, err)
	}
}
