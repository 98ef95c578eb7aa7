//go:build !windows

package sock

import (
	"errors"
	"os"
	"syscall"
)

func refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// checkPrivate refuses a folder in which somebody else could replace the socket:
// the short one below the temporary folder has a name that others can guess.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !ours(info) { // a link that somebody else made leads where they want
		return ErrNotOurs
	}
	if info.Mode()&os.ModeSymlink != 0 {
		if info, err = os.Stat(dir); err != nil {
			return err
		}
		if !ours(info) {
			return ErrNotOurs
		}
	}
	if info.Mode().Perm()&0o077 != 0 {
		// Ours, but open: a folder that was made by hand. Close it.
		return os.Chmod(dir, 0o700)
	}
	return nil
}

func ours(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}
