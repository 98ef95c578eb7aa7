// Package run is the window process: it brings up Fyne with a real display, shows
// the window and the pop-ups of package ui, and ends when nobody has needed them
// for a while. It alone imports fyne.io/fyne/v2/app, which needs cgo and GL, so
// that everything else under ui is tested without. main calls it.
package run
