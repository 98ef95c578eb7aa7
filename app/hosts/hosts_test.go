package hosts

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func add(t testing.TB, s *Store, name string) string {
	t.Helper()
	token, err := s.Add(name)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func code(err error) wire.Code {
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e.Code
	}
	return ""
}

func TestHosts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hosts.json")
	s := open(t, path)
	cursor, claude := add(t, s, "cursor"), add(t, s, "claude-code")
	if cursor == claude || !strings.HasPrefix(cursor, "bk_") || len(cursor) != 46 {
		t.Errorf("tokens %q and %q", cursor, claude)
	}
	for _, s := range []*Store{s, open(t, path)} {
		for token, want := range map[string]string{cursor: "cursor", claude: "claude-code"} {
			if host, ok := s.Identify(token); !ok || host != want {
				t.Errorf("Identify: %q, %v, want %q", host, ok, want)
			}
		}
		list := s.List()
		if len(list) != 2 || list[0].Name != "claude-code" || list[1].Name != "cursor" || list[0].Created.IsZero() {
			t.Errorf("list %+v", list)
		}
	}
	for _, token := range []string{"", "bk_", cursor + "x", cursor[:45], cursor[:45] + "!", strings.ToUpper(cursor), strings.Repeat("a", 46), strings.Repeat("a", 5000)} {
		if host, ok := s.Identify(token); ok || host != "" {
			t.Errorf("Identify(%q): %q, %v", token, host, ok)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(data), cursor) || strings.Contains(string(data), cursor[3:]) {
		t.Errorf("the file has a token: %s, %v", data, err)
	}
	if err := s.Remove("cursor"); err != nil {
		t.Fatal(err)
	}
	if host, ok := s.Identify(cursor); ok {
		t.Errorf("a removed host's token is still %q's", host)
	}
	if _, ok := s.Identify(claude); !ok {
		t.Error("the other host's token is gone too")
	}
}

func TestRefusals(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "hosts.json"))
	add(t, s, "a")
	for name, want := range map[string]wire.Code{
		"a": wire.CodeHostExists, "": wire.CodeBadName, "a b": wire.CodeBadName, "cli": wire.CodeBadName,
	} {
		if token, err := s.Add(name); code(err) != want || token != "" {
			t.Errorf("Add(%q): %q, %v", name, token, err)
		}
	}
	if err := s.Remove("b"); code(err) != wire.CodeNoSuchHost {
		t.Errorf("Remove: %v", err)
	}
}

// After a disk had filled up, all applications were locked out for good: the
// damaged list was taken as empty and written back.
func TestABrokenFileIsNeverWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hosts.json")
	s := open(t, path)
	token := add(t, s, "a")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"", "{", "[]", "{}", `{"version": 99}`,
		`{"version": 1, "hosts": [{"name": "x", "sha256": "ab"}]}`,
		strings.Replace(string(good), `"a"`, `"a b"`, 1),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); code(err) == "" {
			t.Errorf("%q: opened: %v", text, err)
		}
		if _, err := s.Add("b"); code(err) == "" {
			t.Errorf("%q: added", text)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
	if _, ok := s.Identify(token); !ok {
		t.Error("the running core forgot its hosts")
	}
}

func TestIdentifyAllocatesNothing(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "hosts.json"))
	token := add(t, s, "a")
	if n := testing.AllocsPerRun(100, func() { s.Identify(token) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkIdentify(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "hosts.json"))
	token := add(b, s, "a")
	b.ReportAllocs()
	for b.Loop() {
		s.Identify(token)
	}
}

func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"version":1,"hosts":[{"name":"a","created":"2026-01-01T00:00:00Z","sha256":"00"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var in file
		if json.Unmarshal(data, &in) != nil {
			return
		}
		table, err := build(in)
		if err == nil && len(table.list) != len(in.Hosts) {
			t.Errorf("%d hosts became %d", len(in.Hosts), len(table.list))
		}
	})
}
