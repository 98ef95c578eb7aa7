//go:build !windows

package cli

import "os"

// terminal reports whether f is a character device: a terminal, for streams
// that people look at.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
