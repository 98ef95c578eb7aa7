package config

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bridgekeeper/app/wire"
)

func quietLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

func open(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path, quietLog())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func contents(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func names(s *Store) string {
	out := ""
	for _, server := range s.Current().Servers {
		out += server.Name + "=" + server.Entry.Command + " "
	}
	return out
}

func code(err error) wire.Code {
	var e *wire.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestFirstWriteMakesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridgekeeper.json")
	s := open(t, path)
	if s.Problem() != nil || len(s.Current().Servers) != 0 {
		t.Errorf("got %+v, %+v", s.Current(), s.Problem())
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("made at once: %v", err)
	}
	if err := s.AddServer("a", wire.Entry{Command: "x"}); err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"mcpServers\": {\n    \"a\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"
	if got := contents(t, path); got != want {
		t.Errorf("got %s", got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	select {
	case <-s.Changed():
	default:
		t.Error("no news of our own change")
	}
	if got := names(open(t, path)); got != "a=x " {
		t.Errorf("read again: %s", got)
	}
}

func TestChangesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridgekeeper.json")
	write(t, path, `{"mcpServers": {"a": {"command": "x"}}}`)
	s := open(t, path)
	before := contents(t, path)
	empty, masked, never := "", wire.Mask, "never"
	for _, c := range []struct {
		err  error
		want wire.Code
	}{
		{s.AddServer("a", wire.Entry{Command: "y"}), wire.CodeServerExists},
		{s.AddServer("a__b", wire.Entry{Command: "y"}), wire.CodeBadName},
		{s.AddServer("b", wire.Entry{}), wire.CodeBadEntry},
		{s.AddServer("b", wire.Entry{Command: "y", Env: map[string]string{"K": wire.Mask}}), wire.CodeBadEntry},
		{s.EditServer("b", wire.EditServer{Command: &never}), wire.CodeNoSuchServer},
		{s.EditServer("a", wire.EditServer{Command: &empty}), wire.CodeBadEntry},
		{s.EditServer("a", wire.EditServer{Start: &never}), wire.CodeBadEntry},
		{s.EditServer("a", wire.EditServer{Env: map[string]*string{"K": &masked}}), wire.CodeBadEntry},
		{s.RemoveServer("b"), wire.CodeNoSuchServer},
	} {
		if got := code(c.err); got != c.want {
			t.Errorf("got %s (%v), want %s", got, c.err, c.want)
		}
	}
	if contents(t, path) != before || names(s) != "a=x " {
		t.Error("something was changed")
	}
}

// A stray comment in the file, and the next change in the window emptied it.
func TestABrokenFileIsNeverWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridgekeeper.json")
	for text, want := range map[string]wire.Code{
		`{"mcpServers": {"a": {"command": "x"}`: wire.CodeConfigBroken,
		``:                                      wire.CodeConfigBroken,
		`{"version": 99, "mcpServers": {}}`:     wire.CodeConfigNewer,
	} {
		write(t, path, text)
		s := open(t, path)
		if p := s.Problem(); p == nil || p.Code != want || p.Line != 1 {
			t.Errorf("%q: %+v", text, p)
		}
		for _, err := range []error{
			s.AddServer("b", wire.Entry{Command: "y"}),
			s.EditServer("a", wire.EditServer{}),
			s.RemoveServer("a"),
		} {
			if code(err) != want {
				t.Errorf("%q: %v", text, err)
			}
		}
		if got := contents(t, path); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// An edit made by hand was undone by a change in the window a moment later.
func TestOurWriteKeepsAHandEdit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridgekeeper.json")
	write(t, path, `{"mcpServers": {"a": {"command": "x"}}}`)
	s := open(t, path)
	write(t, path, `{"mcpServers": {"a": {"command": "by hand"}, "b": {"command": "y"}}} // note`)
	if err := s.RemoveServer("b"); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, path); got != `{"mcpServers": {"a": {"command": "by hand"}}} // note` {
		t.Errorf("got %s", got)
	}
	// Broken by hand just now: our change is refused and what runs goes on.
	write(t, path, `{"mcpServers": `)
	if err := s.RemoveServer("a"); code(err) != wire.CodeConfigBroken {
		t.Errorf("got %v", err)
	}
	if got := contents(t, path); got != `{"mcpServers": ` || names(s) != "a=by hand " || s.Problem() == nil {
		t.Errorf("file %q, servers %s, problem %+v", got, names(s), s.Problem())
	}
}

// Saved in the editor in the very moment of our own change, the edit was lost.
func TestAChangeStartsOverWhenTheFileMoves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridgekeeper.json")
	write(t, path, `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}`)
	s := open(t, path)
	tries := 0
	err := s.change(scope{server: "b"}, func(e *editor) error {
		if tries++; tries == 1 {
			write(t, path, `{"mcpServers": {"a": {"command": "by hand"}, "b": {"command": "y"}}}`)
		}
		return e.Unset(serversKey, "b")
	})
	if err != nil || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
	if got := contents(t, path); got != `{"mcpServers": {"a": {"command": "by hand"}}}` {
		t.Errorf("got %s", got)
	}
	// Somebody who never stops writing is an error, not a loop.
	err = s.change(scope{server: "a"}, func(e *editor) error {
		tries++
		write(t, path, fmt.Sprintf(`{"mcpServers": {"a": {"command": "%d"}}}`, tries))
		return e.Unset(serversKey, "a")
	})
	if code(err) != wire.CodeConfigWrite || tries != 2+maxRaces {
		t.Errorf("%d tries, %v", tries, err)
	}
}

func TestAnEditThatSaysNothingNewWritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridgekeeper.json")
	write(t, path, `{"mcpServers": {"a": {"command": "x", "args": ["1"], "env": {"K": "v"}}}}`)
	s := open(t, path)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	x, v, args, off := "x", "v", []string{"1"}, false
	err = s.EditServer("a", wire.EditServer{Command: &x, Args: &args, Disabled: &off, Env: map[string]*string{"K": &v, "L": nil}})
	if err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was replaced: %v", err)
	}
}

// A slip in one value stopped a server in the middle of its work.
func TestAServerKeepsItsFormerEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridgekeeper.json")
	write(t, path, `{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}`)
	s := open(t, path)
	write(t, path, `{"mcpServers": {"n": {"command": "new"}, "a": {"command": "z", "start": "allways"}, "b": {"command": "y2"}}}`)
	s.reload()
	if got := names(s); got != "n=new a=x b=y2 " {
		t.Errorf("servers %s", got)
	}
	if p := s.Current().Problems["a"]; p.Code != wire.CodeBadEntry {
		t.Errorf("problems %+v", s.Current().Problems)
	}
	// Gone on purpose is gone.
	write(t, path, `{"mcpServers": {}}`)
	s.reload()
	if got := names(s); got != "" {
		t.Errorf("servers %s", got)
	}
}

func TestAFileThatIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridgekeeper.json")
	write(t, path, "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}} // note\n")
	s := open(t, path)
	os.Remove(path)
	s.reload()
	if names(s) != "a=x " || s.Problem() == nil {
		t.Errorf("servers %s, problem %+v", names(s), s.Problem())
	}
	y := "y"
	if err := s.EditServer("a", wire.EditServer{Command: &y}); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, path); got != "{\"mcpServers\": {\"a\": {\"command\": \"y\"}}} // note\n" {
		t.Errorf("got %s", got)
	}
	if s.Problem() != nil {
		t.Errorf("problem %+v", s.Problem())
	}
}

func TestAFolderThatCannotBeWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "bridgekeeper.json")
	s := open(t, path)
	if err := s.AddServer("a", wire.Entry{Command: "x"}); code(err) != wire.CodeConfigWrite {
		t.Errorf("got %v", err)
	}
	if len(s.Current().Servers) != 0 {
		t.Error("runs what is not in the file")
	}
}

// run follows the file in the background until the test ends.
func run(t testing.TB, s *Store) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// await waits for news until ok holds. The product promises a second; a loaded machine may take longer.
func await(t testing.TB, s *Store, what string, ok func() bool) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-s.Changed():
		case <-limit:
			t.Fatalf("%s: not seen; servers %s, problem %+v", what, names(s), s.Problem())
		}
	}
}
