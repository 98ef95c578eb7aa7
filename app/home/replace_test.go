package home

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f.json")
	check := func(path, want string, mode os.FileMode) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Fatalf("%s has %q, %v, want %q", path, got, err, want)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode {
			t.Fatalf("%s has mode %v, %v", path, info.Mode(), err)
		}
	}
	if err := Replace(file, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	check(file, "one", 0o600)
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Replace(file, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	check(file, "two", 0o640)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// A person who kept the config in a folder of dotfiles found a plain file in the
// place of the link after our first write, and the dotfiles stale.
func TestReplaceKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "dotfiles"), 0o700); err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(dir, "dotfiles", "real.json")
	for _, l := range [][2]string{{"dotfiles/second", "first"}, {"real.json", "dotfiles/second"}} {
		if err := os.Symlink(l[0], filepath.Join(dir, l[1])); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"created through a link to nothing", "replaced"} {
		if err := Replace(filepath.Join(dir, "first"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(real)
		if err != nil || string(got) != text {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	for _, l := range []string{"first", "dotfiles/second"} {
		if _, err := os.Readlink(filepath.Join(dir, l)); err != nil {
			t.Errorf("no link any more: %v", err)
		}
	}
}

func TestReplaceLoop(t *testing.T) {
	a := filepath.Join(t.TempDir(), "a")
	if err := os.Symlink(a, a); err != nil {
		t.Fatal(err)
	}
	if err := Replace(a, nil, 0o600); err == nil {
		t.Error("no error for a link to itself")
	}
}
