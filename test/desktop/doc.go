// Package desktop tells stories of a person at a desktop, through the built
// programs: a display (Xvfb), a window manager, a D-Bus session and a tray of the
// test's own, real clicks and keys, and a host by the official SDK. A picture of
// every step is kept in dist/desktop.
package desktop
