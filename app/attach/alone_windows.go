package attach

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// alone has a program not end with the host's console, and not show one.
func alone() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}
