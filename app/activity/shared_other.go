//go:build !windows

package activity

import "os"

// openShared opens a file for reading; the writer may move it meanwhile.
func openShared(path string) (*os.File, error) { return os.Open(path) }
