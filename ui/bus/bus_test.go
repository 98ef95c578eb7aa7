package bus

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestAddress(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the bus of a Linux desktop")
	}
	run := t.TempDir()
	env := map[string]string{}
	get := func(name string) string { return env[name] }
	if a := Address(get); a != "" {
		t.Errorf("without an environment: %q", a)
	}
	env["XDG_RUNTIME_DIR"] = run
	if a := Address(get); a != "" {
		t.Errorf("an empty folder: %q", a)
	}
	path := filepath.Join(run, "bus")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if a := Address(get); a != "" {
		t.Errorf("a plain file: %q", a)
	}
	os.Remove(path)
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a := Address(get); a != "unix:path="+path {
		t.Errorf("a socket: %q", a)
	}
	env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/other"
	if a := Address(get); a != "unix:path=/other" {
		t.Errorf("the environment has its say: %q", a)
	}
}

// No bus was once a bus of our own making, which stayed behind.
func TestNoneIsStarted(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if conn, err := Connect(); err != ErrNone {
		t.Errorf("%v, %v", conn, err)
	}
}
