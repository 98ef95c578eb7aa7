package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// terminal reports whether f is a console that understands colours; older
// windows of the command prompt have to be told to.
func terminal(f *os.File) bool {
	var mode uint32
	h := windows.Handle(f.Fd())
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
