package sock

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

func refused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }

// checkPrivate trusts the folder: it is inside the person's profile, whose
// access list keeps others out.
func checkPrivate(string) error { return nil }

// peerUID can't be told on Windows; the folder's access list is the guard.
func peerUID(uintptr) (int, error) { return os.Getuid(), nil }

// peerPIDControl is SIO_AF_UNIX_GETPEERPID of <afunix.h>.
const peerPIDControl = 0x58000100

func peerPID(fd uintptr) (int, error) {
	var pid, n uint32
	err := windows.WSAIoctl(windows.Handle(fd), peerPIDControl, nil, 0, (*byte)(unsafe.Pointer(&pid)), uint32(unsafe.Sizeof(pid)), &n, nil, 0)
	return int(pid), err
}
