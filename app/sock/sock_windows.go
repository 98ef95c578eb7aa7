package sock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func refused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

// checkPrivate trusts the folder: it is inside the person's profile, whose
// access list keeps others out.
func checkPrivate(string) error { return nil }

// peerUID can't be told on Windows; the folder's access list is the guard.
func peerUID(uintptr) (int, error) { return os.Getuid(), nil }
