package keychain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// Private is the mode of every file of ours: names and encrypted values alike
// are the person's alone.
const Private fs.FileMode = 0o600

// On Windows a virus scanner may hold the old file for a moment, and replacing
// it is refused meanwhile.
const (
	replaceTries = 20
	replacePause = 25 * time.Millisecond
)

// Replace puts data in the place of the file at path, for its owner only:
// readers see the old or the new bytes, never a part, also after a power cut.
func Replace(path string, data []byte) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".tmp-*") // 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = move(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncDir(dir)
}

func move(from, to string) error {
	var err error
	for range replaceTries {
		err = os.Rename(from, to)
		if err == nil || runtime.GOOS != "windows" || !errors.Is(err, fs.ErrPermission) && !sharing(err) {
			return err
		}
		time.Sleep(replacePause)
	}
	return err
}

// sharing is Windows' "used by another process", which Go has no name for.
func sharing(err error) bool {
	const sharingViolation = syscall.Errno(32)
	return errors.Is(err, sharingViolation)
}

// syncDir makes the new name last. Windows needs none, and some file systems
// can't sync a folder; the bytes were synced before.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
