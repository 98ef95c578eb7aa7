package supervisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// program is a command found on disk.
type program struct {
	path string
	dir  string // the working directory
}

// find looks a Spec's command up as the child would see it: on the PATH of its
// own environment, relative to its own directory. The error is a sentence for
// the person.
func find(spec *Spec) (program, error) {
	dir := spec.Dir
	if dir == "" {
		dir = home(spec.Env)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return program{}, dirProblem(dir, err)
	}
	if spec.Command == "" {
		return program{}, errors.New("no command is given")
	}
	if strings.ContainsRune(spec.Command, '/') || strings.ContainsRune(spec.Command, filepath.Separator) {
		path := spec.Command
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		found, err := runnable(path, spec.Env)
		if err != nil {
			return program{}, pathProblem(spec.Command, err)
		}
		return program{found, dir}, nil
	}
	var blocked string
	for _, folder := range filepath.SplitList(variable(spec.Env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue // "." on the PATH would run what lies in the working directory
		}
		path := filepath.Join(folder, spec.Command)
		found, err := runnable(path, spec.Env)
		if err == nil {
			return program{found, dir}, nil
		}
		if errors.Is(err, fs.ErrPermission) && blocked == "" {
			blocked = path
		}
	}
	if blocked != "" {
		return program{}, fmt.Errorf("`%s` was found at %s but is not executable", spec.Command, blocked)
	}
	return program{}, fmt.Errorf("`%s` is not on the PATH", spec.Command)
}

// LookUp finds a program as a server with that environment would. The error is a
// sentence.
func LookUp(command string, env []string) (path string, err error) {
	p, err := find(&Spec{Command: command, Env: env})
	return p.path, err
}

func dirProblem(dir string, err error) error {
	switch {
	case err == nil:
		return fmt.Errorf("the working directory `%s` is not a directory", dir)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the working directory `%s` does not exist", dir)
	default:
		return fmt.Errorf("the working directory `%s` can't be used: %s", dir, plain(err))
	}
}

func pathProblem(command string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("`%s` does not exist", command)
	case errors.Is(err, errIsDir):
		return fmt.Errorf("`%s` is a directory", command)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("`%s` is not executable", command)
	default:
		return fmt.Errorf("`%s` can't be run: %s", command, plain(err))
	}
}

var errIsDir = errors.New("is a directory")

// plain is an error without the path that the sentence around it names.
func plain(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// variable returns the last value of a variable, as the child would see it.
func variable(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && sameVariable(k, name) {
			value = v
		}
	}
	return value
}

func home(env []string) string {
	if h := variable(env, homeVariable); h != "" {
		return h
	}
	h, err := os.UserHomeDir()
	if err != nil {
		return string(filepath.Separator)
	}
	return h
}
