//go:build unix

package supervisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

const homeVariable = "HOME"

func sameVariable(a, b string) bool { return a == b }

// runnable returns path when it is a file that may be executed.
func runnable(path string, _ []string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", errIsDir
	case info.Mode()&0o111 == 0:
		return "", fs.ErrPermission
	}
	return path, nil
}

// spawnProblem says in a sentence why a program that is there didn't start.
// again means that trying again may help: the machine was short of something.
func spawnProblem(command string, err error) (sentence error, again bool) {
	switch {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM):
		return fmt.Errorf("the system has no room for another process: %s", plain(err)), true
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("too many files are open: %s", plain(err)), true
	case errors.Is(err, syscall.ETXTBSY):
		return fmt.Errorf("`%s` is being written", command), true
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("`%s` can't be run: built for another system, or a script without a #! line", command), false
	case errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("`%s` can't be run: the interpreter in its first line does not exist", command), false
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("`%s` is not executable", command), false
	case errors.Is(err, syscall.E2BIG):
		return fmt.Errorf("`%s` can't be run: its arguments or environment are too long", command), false
	}
	return fmt.Errorf("`%s` can't be run: %s", command, plain(err)), false
}
