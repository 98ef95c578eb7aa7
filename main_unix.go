//go:build !windows

package main

import (
	"os"
	"syscall"
)

// become puts another program in our place; it returns when it can't.
func become(program string, args []string) {
	_ = syscall.Exec(program, append([]string{program}, args...), os.Environ())
}
