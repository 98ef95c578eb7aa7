package app

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func portOf(ln net.Listener) int { return ln.Addr().(*net.TCPAddr).Port }

func TestPortIsKeptAndPassedOver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "port")
	other, warning, err := listen(0, file)
	if err != nil || warning != "" {
		t.Fatal(warning, err)
	}
	defer other.Close()
	if _, err := os.Stat(file); err == nil {
		t.Error("any free port was stored as a choice")
	}
	if err := storePort(file, portOf(other)); err != nil {
		t.Fatal(err)
	}
	ln, warning, err := listen(-1, file)
	if err != nil {
		t.Fatal(err)
	}
	if portOf(ln) == portOf(other) || !strings.Contains(warning, "taken by another program") || storedPort(file) != portOf(other) {
		t.Errorf("port %d beside %d, stored %d: %s", portOf(ln), portOf(other), storedPort(file), warning)
	}
	ln.Close()
	other.Close()
	if ln, warning, err = listen(-1, file); err != nil || warning != "" || portOf(ln) != storedPort(file) {
		t.Fatalf("the old port isn't taken again: %s %v", warning, err)
	}
	ln.Close()
}

func TestPortThatCannotBeStoredIsLetGo(t *testing.T) {
	// The start failed and kept the port: the next try passed it over.
	free, _, err := listen(0, "")
	if err != nil {
		t.Fatal(err)
	}
	port := portOf(free)
	free.Close()
	if _, _, err := listen(port, filepath.Join(t.TempDir(), "missing", "port")); err == nil {
		t.Fatal("stored in a folder that isn't there")
	}
	again, err := bind(port)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

func TestNonsenseInThePortFileIsTheDefault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "port")
	for _, text := range []string{"", "x", "0", "-1", "65536", "99999999999999999999"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := storedPort(file); got != DefaultPort {
			t.Errorf("%q: %d", text, got)
		}
	}
}
