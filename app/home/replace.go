package home

import (
	"fmt"
	"os"
	"path/filepath"
)

// Replace puts data in the place of the file at path: readers see the old or
// the new bytes and never a part, also after a power cut. A symbolic link stays
// a link and its target is replaced. An existing file keeps its mode.
func Replace(path string, data []byte, mode os.FileMode) error {
	return ReplaceIf(path, data, mode, func() error { return nil })
}

// ReplaceIf is Replace, but asks still at the last moment, when the new bytes are
// on the disk and only the name has to move: an error of it leaves the old file.
func ReplaceIf(path string, data []byte, mode os.FileMode, still func() error) error {
	target, err := Target(path)
	if err != nil {
		return err
	}
	if info, err := os.Stat(target); err == nil {
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".tmp-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", target, err)
	}
	err = fill(tmp, data, mode)
	if err == nil {
		err = still()
	}
	if err == nil {
		err = rename(tmp.Name(), target)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("write %s: %w", target, err)
	}
	return syncDir(filepath.Dir(target))
}

func fill(tmp *os.File, data []byte, mode os.FileMode) error {
	_, err := tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	return err
}

// maxLinks ends a walk along links that lead to each other.
const maxLinks = 40

// Target follows path along symbolic links to the file that holds, or would
// hold, the bytes; the last link may point to nothing yet.
func Target(path string) (string, error) {
	for range maxLinks {
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, or nothing there: this is the place
		}
		if !filepath.IsAbs(link) {
			// The folder may be a link itself, and ".." counts from where it really is.
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", fmt.Errorf("follow %s: %w", path, err)
			}
			link = filepath.Join(dir, link)
		}
		path = link
	}
	return "", fmt.Errorf("follow %s: too many links", path)
}
