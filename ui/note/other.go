//go:build !linux

package note

import "fyne.io/fyne/v2"

type desktop struct{}

func connect() *desktop { return nil }

func (*desktop) send(*fyne.Notification, func()) (func(), bool) { return nil, false }

func (*desktop) close() {}
