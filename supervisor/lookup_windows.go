package supervisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const homeVariable = "USERPROFILE"

func sameVariable(a, b string) bool { return strings.EqualFold(a, b) }

// runnable returns the file that path stands for: itself when it has one of the
// endings of PATHEXT, else the first that exists with one of them appended.
func runnable(path string, env []string) (string, error) {
	exts := filepath.SplitList(strings.ToLower(variable(env, "PATHEXT")))
	if len(exts) == 0 {
		exts = []string{".com", ".exe", ".bat", ".cmd"}
	}
	own := strings.ToLower(filepath.Ext(path))
	for _, ext := range exts {
		if own != "" && own == ext {
			if err := isFile(path); err != nil {
				return "", err
			}
			return path, nil
		}
	}
	for _, ext := range exts {
		if isFile(path+ext) == nil {
			return path + ext, nil
		}
	}
	if err := isFile(path); err != nil {
		return "", err
	}
	return "", fs.ErrPermission // there, but nothing this system runs
}

func isFile(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		err = errIsDir
	}
	return err
}

const (
	errorNotEnoughMemory   = syscall.Errno(8)
	errorTooManyOpenFiles  = syscall.Errno(4)
	errorSharingViolation  = syscall.Errno(32)
	errorBadExeFormat      = syscall.Errno(193)
	errorNoSystemResources = syscall.Errno(1450)
	errorCommitmentLimit   = syscall.Errno(1455)
)

// spawnProblem says in a sentence why a program that is there didn't start.
// again means that trying again may help: the machine was short of something.
func spawnProblem(command string, err error) (sentence error, again bool) {
	for _, short := range []syscall.Errno{errorNotEnoughMemory, errorNoSystemResources, errorCommitmentLimit, errorTooManyOpenFiles} {
		if errors.Is(err, short) {
			return fmt.Errorf("the system has no room for another process: %s", plain(err)), true
		}
	}
	switch {
	case errors.Is(err, errorSharingViolation):
		return fmt.Errorf("`%s` is in use by another program", command), true
	case errors.Is(err, errorBadExeFormat):
		return fmt.Errorf("`%s` can't be run: built for another system", command), false
	}
	return fmt.Errorf("`%s` can't be run: %s", command, plain(err)), false
}
