package home

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// A virus scanner or an editor may hold the old file for a moment; Windows then
// refuses to replace it. Half a second is longer than they need.
const (
	renameTries = 20
	renamePause = 25 * time.Millisecond
)

func rename(from, to string) error {
	var err error
	for range renameTries {
		err = os.Rename(from, to)
		busy := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if !busy {
			return err
		}
		time.Sleep(renamePause)
	}
	return err
}

// syncDir does nothing: NTFS journals the rename, and a folder can't be synced.
func syncDir(string) error { return nil }
