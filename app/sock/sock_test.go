package sock

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// shortDir is a temporary folder whose path leaves room for a socket's name.
func shortDir(t testing.TB) string {
	dir, err := os.MkdirTemp("", "bk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestListenAndDial(t *testing.T) {
	path := filepath.Join(shortDir(t), "state", "core.sock")
	if _, err := Dial(t.Context(), path); !NobodyThere(err) {
		t.Errorf("nothing there yet: %v", err)
	}
	ln, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	for file, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	go func() {
		if conn, err := ln.Accept(); err == nil {
			io.WriteString(conn, "hello")
			conn.Close()
		}
	}()
	conn, err := Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if got, err := io.ReadAll(conn); err != nil || string(got) != "hello" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := Listen(path); !errors.Is(err, ErrInUse) {
		t.Errorf("second listener: %v", err)
	}
}

// After a power cut the core didn't start again: the old socket was in the way.
func TestListenReplacesAStaleSocket(t *testing.T) {
	path := filepath.Join(shortDir(t), "core.sock")
	ln, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	ln.(*net.UnixListener).SetUnlinkOnClose(false)
	ln.Close()
	if _, err := Dial(t.Context(), path); !NobodyThere(err) {
		t.Errorf("dial a stale socket: %v", err)
	}
	ln, err = Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
}

func TestListenKeepsOtherFiles(t *testing.T) {
	path := filepath.Join(shortDir(t), "core.sock")
	if err := os.WriteFile(path, []byte("a letter"), 0o600); err != nil {
		t.Fatal(err)
	}
	if ln, err := Listen(path); err == nil {
		ln.Close()
		t.Fatal("listened over a plain file")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "a letter" {
		t.Errorf("the file has %q, %v", got, err)
	}
}

func TestMemory(t *testing.T) {
	ln, dial := Memory()
	go func() {
		conn, err := ln.Accept()
		if err == nil {
			io.WriteString(conn, "hello")
			conn.Close()
		}
	}()
	conn, err := dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := SameUser(conn); err != nil {
		t.Errorf("same process: %v", err)
	}
	if got, err := io.ReadAll(conn); err != nil || string(got) != "hello" {
		t.Errorf("got %q, %v", got, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dial(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("dial with an ended context: %v", err)
	}
	ln.Close()
	ln.Close()
	if _, err := dial(t.Context()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("dial a closed listener: %v", err)
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accept on a closed listener: %v", err)
	}
}

// lockVariable makes this test binary the process that holds a lock.
const lockVariable = "BRIDGEKEEPER_TEST_LOCK"

func TestMain(m *testing.M) {
	if path := os.Getenv(lockVariable); path != "" {
		if _, err := Lock(path); err != nil {
			io.WriteString(os.Stdout, err.Error()+"\n")
			os.Exit(1)
		}
		io.WriteString(os.Stdout, "locked\n")
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestLockDiesWithItsProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "core.lock")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), lockVariable+"="+path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || line != "locked\n" {
		t.Fatalf("the other process said %q, %v", line, err)
	}
	if _, err := Lock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("lock held by another process: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	release, err := Lock(path)
	if err != nil {
		t.Fatalf("its holder was killed, and still: %v", err)
	}
	if _, err := Lock(path); !errors.Is(err, ErrLocked) {
		t.Errorf("lock held by this process: %v", err)
	}
	for range 2 {
		if err := release(); err != nil {
			t.Errorf("release: %v", err)
		}
	}
	release, err = Lock(path)
	if err != nil {
		t.Fatalf("released, and still: %v", err)
	}
	release()
}
