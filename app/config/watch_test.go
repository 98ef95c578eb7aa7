package config

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"bridgekeeper/app/wire"
)

func one(command string) string {
	return fmt.Sprintf(`{"mcpServers": {"a": {"command": %q}}}`, command)
}

func rename(t testing.TB, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func symlink(t testing.TB, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestRunFollowsEveryWayOfSaving(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "bridgekeeper.json")
	s := open(t, path)
	run(t, s)
	see := func(how, want string) {
		t.Helper()
		await(t, s, how, func() bool { return names(s) == want && s.Problem() == nil })
	}
	write(t, path, one("created"))
	see("created", "a=created ")
	write(t, path, one("truncated"))
	see("truncated and written", "a=truncated ")
	write(t, filepath.Join(dir, "new"), one("renamed"))
	rename(t, filepath.Join(dir, "new"), path)
	see("replaced by a rename", "a=renamed ")
	rename(t, path, path+"~")
	write(t, path, one("backup"))
	see("moved away and written anew", "a=backup ")
	os.Remove(path)
	await(t, s, "removed", func() bool { return s.Problem() != nil && names(s) == "a=backup " })
	write(t, path, one("back"))
	see("written after it was gone", "a=back ")

	// Our own writes go through the same file and don't stop the watch.
	if err := s.AddServer("b", wire.Entry{Command: "ours"}); err != nil {
		t.Fatal(err)
	}
	see("our own", "a=back b=ours ")
	write(t, path, one("after ours"))
	see("by hand after our own", "a=after ours ")
}

func TestRunKeepsWhatRunsWhileTheFileIsBroken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridgekeeper.json")
	write(t, path, one("fine"))
	s := open(t, path)
	run(t, s)
	write(t, path, "{\n  \"mcpServers\": {\n    oops\n")
	// For a moment it may be seen empty: between the two steps of writing it.
	await(t, s, "broken", func() bool { return s.Problem() != nil && s.Problem().Line == 3 })
	if p := s.Problem(); p.Col != 5 || names(s) != "a=fine " {
		t.Errorf("problem %+v, servers %s", p, names(s))
	}
	write(t, path, one("mended"))
	await(t, s, "mended", func() bool { return s.Problem() == nil && names(s) == "a=mended " })
}

// The config was a link into a folder of dotfiles, and edits there were not seen.
func TestRunFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	for i, sub := range []string{"home", "v1", "v2"} {
		mkdir(t, filepath.Join(dir, sub))
		if i > 0 {
			write(t, filepath.Join(dir, sub, "real.json"), one(sub))
		}
	}
	symlink(t, filepath.Join(dir, "v1"), filepath.Join(dir, "current"))
	path := filepath.Join(dir, "home", "bridgekeeper.json")
	symlink(t, "../current/real.json", path)
	s := open(t, path)
	run(t, s)
	see := func(how, want string) {
		t.Helper()
		await(t, s, how, func() bool { return names(s) == want && s.Problem() == nil })
	}
	see("at first", "a=v1 ")
	write(t, filepath.Join(dir, "v1", "real.json"), one("target written"))
	see("the target was written", "a=target written ")

	symlink(t, filepath.Join(dir, "v2"), filepath.Join(dir, "next"))
	rename(t, filepath.Join(dir, "next"), filepath.Join(dir, "current"))
	see("the folder's link was swapped", "a=v2 ")
	write(t, filepath.Join(dir, "v2", "real.json"), one("v2 written"))
	see("the new target was written", "a=v2 written ")

	symlink(t, filepath.Join(dir, "v1", "real.json"), path+".new")
	rename(t, path+".new", path)
	see("the file's link was swapped", "a=target written ")
	if err := s.EditServer("a", wire.EditServer{Cwd: new("/x")}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Readlink(path); err != nil {
		t.Errorf("our write replaced the link: %v", err)
	}
}

func TestRunFollowsAReplacedFolder(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "config")
	path := filepath.Join(sub, "bridgekeeper.json")
	s := open(t, path)
	run(t, s)
	mkdir(t, sub)
	write(t, path, one("folder made later"))
	await(t, s, "folder made later", func() bool { return names(s) == "a=folder made later " })
	mkdir(t, sub+".new")
	write(t, filepath.Join(sub+".new", "bridgekeeper.json"), one("new folder"))
	rename(t, sub, sub+".old")
	rename(t, sub+".new", sub)
	await(t, s, "folder replaced", func() bool { return names(s) == "a=new folder " })
	write(t, path, one("written in it"))
	await(t, s, "written in the new folder", func() bool { return names(s) == "a=written in it " })
}

func TestPoll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridgekeeper.json")
	s := open(t, path)
	done := make(chan struct{})
	go func() { defer close(done); s.poll(t.Context()) }()
	t.Cleanup(func() { <-done })
	write(t, path, one("polled"))
	await(t, s, "polled", func() bool { return names(s) == "a=polled " })
}
