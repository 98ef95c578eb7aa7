//go:build !unix

package stdio

import (
	"errors"
	"os"
	"syscall"
)

// nonBlocking: anonymous pipes here can't be written without waiting, so every
// line goes through the flush goroutine.
func nonBlocking(*os.File) syscall.RawConn { return nil }

func writeOnce(uintptr, []byte) (int, error) { return 0, errors.ErrUnsupported }
