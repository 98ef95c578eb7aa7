//go:build !windows && !darwin

package tray

import (
	"bridgekeeper/ui/bus"
)

// watcher is who shows icons of D-Bus on a desktop.
const watcher = "org.kde.StatusNotifierWatcher"

// place says whether this session has a bus for an icon, and whether somebody
// shows icons now.
func place() (reachable, shown bool) {
	conn, err := bus.Connect()
	if err != nil {
		return false, false
	}
	defer conn.Close()
	return true, bus.Owned(conn, watcher)
}

// display reports whether windows can be shown.
func display(getenv func(string) string) bool {
	return getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != ""
}
