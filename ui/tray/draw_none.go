//go:build darwin && !cgo

package tray

import "log/slog"

// icon shows nothing: on macOS the tray needs cgo.
type icon struct{ chosen func(action) }

func (c *icon) run(end <-chan struct{}, ready func(), _ *slog.Logger) {
	ready()
	<-end
}

func (c *icon) show(face) {}

func (c *icon) again() {}
