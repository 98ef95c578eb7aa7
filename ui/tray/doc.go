// Package tray is the icon in the desktop's tray, with its menu, and the resident:
// the process of which it is the face, and in which the core runs as a rule. It is
// a client of the local API as every other face is, and can't answer questions: it
// opens the window that can. It needs no cgo but on macOS, and no GL.
//
// What the menu says is made of a snapshot by a pure function (menu.go), and drawn
// whole whenever that differs from what is there.
package tray
