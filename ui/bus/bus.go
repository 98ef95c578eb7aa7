// Package bus finds the desktop's session bus (D-Bus) without ever starting one:
// the library's own way runs dbus-launch where there is none, and leaves a daemon
// behind.
package bus

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"github.com/godbus/dbus/v5"
)

// ErrNone means that this session has no bus.
var ErrNone = errors.New("there is no D-Bus session bus")

// Address is where the session's bus listens: what the environment says, else the
// place where systemd puts it. "" when there is none.
func Address(getenv func(string) string) string {
	if a := getenv("DBUS_SESSION_BUS_ADDRESS"); a != "" {
		return a
	}
	run := getenv("XDG_RUNTIME_DIR")
	if run == "" || runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return ""
	}
	path := filepath.Join(run, "bus")
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeSocket == 0 {
		return ""
	}
	return "unix:path=" + path
}

// Connect makes a connection of the caller's own to the session's bus, or fails
// with ErrNone or what the bus said.
func Connect() (*dbus.Conn, error) {
	address := Address(os.Getenv)
	if address == "" {
		return nil, ErrNone
	}
	return dbus.Connect(address)
}

// Owned reports whether somebody on the bus has a name.
func Owned(conn *dbus.Conn, name string) bool {
	var has bool
	err := conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&has)
	return err == nil && has
}
