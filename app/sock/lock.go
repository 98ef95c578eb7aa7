package sock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// ErrLocked means that another process holds the lock.
var ErrLocked = errors.New("another process holds the lock")

// Lock takes the lock file at path, or fails at once with ErrLocked. The system
// frees the lock when this process ends, however it ends. The file stays: to
// remove it would let two processes lock two files of one name. It holds our
// pid, for people who look.
func Lock(path string) (release func() error, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := f.Truncate(0); err == nil {
		// Nothing depends on the text; a full disk must not keep the core down.
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return sync.OnceValue(f.Close), nil
}
