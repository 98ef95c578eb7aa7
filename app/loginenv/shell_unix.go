//go:build unix

package loginenv

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"syscall"
)

// runShell lets the shell run our program and returns the environment that this
// sees. The shell is in a session of its own, so it can't reach our terminal; when
// the answer is there, or ctx ends, everything that it left in its group is ended.
func runShell(ctx context.Context, shell, self string, env []string) ([]string, error) {
	mark := "bridgekeeper-" + rand.Text()
	cmd := exec.Command(shell, command(shell, self, mark)...)
	cmd.Env = slices.Clone(env)
	for _, name := range slices.Sorted(maps.Keys(asking)) {
		cmd.Env = append(cmd.Env, name+"="+asking[name])
	}
	if home := lookup(env)("HOME"); home != "" {
		if info, err := os.Stat(home); err == nil && info.IsDir() {
			cmd.Dir = home
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("read the shell's settings: %w", err)
	}
	defer out.Close()
	cmd.Stdout = in // a file: then Wait tells of the shell's end, whoever else holds it
	err = cmd.Start()
	in.Close()
	if err != nil {
		return nil, fmt.Errorf("%s can't be run: %w", shell, plainError(err))
	}
	type answer struct {
		env []string
		err error
	}
	read := make(chan answer, 1)
	go func() {
		env, err := readDump(out, mark)
		read <- answer{env, err}
	}()
	var got answer
	answered := false
	select {
	case got = <-read:
		answered = true
	case <-ctx.Done():
		got.err = fmt.Errorf("%s did not finish its settings in time: something in its start-up files waits", path.Base(shell))
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			got.err = ctx.Err()
		}
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // not waited for yet, so the number is still its own
	out.Close()
	if !answered {
		<-read
	}
	waitErr := cmd.Wait()
	if got.err == nil || !errors.Is(got.err, io.ErrUnexpectedEOF) {
		return got.env, got.err
	}
	return nil, fmt.Errorf("%s ended without an answer (%s): its start-up files may end or replace it", path.Base(shell), ending(waitErr))
}

func ending(err error) string {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.String()
	}
	return "exit status 0"
}

// readDump reads until the environment is whole. It doesn't wait for the end of
// the output: a program in the background may hold that open.
func readDump(r io.Reader, mark string) ([]string, error) {
	var all []byte
	chunk := make([]byte, 64<<10)
	for {
		n, err := r.Read(chunk)
		all = append(all, chunk[:n]...)
		// Only look when a mark may have ended: it is the last thing we print.
		if bytes.Contains(chunk[:n], []byte("\n")) {
			if env, done := parse(all, mark); done {
				return env, nil
			}
		}
		if err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		if len(all) > maxDump {
			return nil, fmt.Errorf("the shell %w before its settings", errTooMuch)
		}
	}
}

func plainError(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// fromRegistry is Windows' matter.
func fromRegistry() (machine, person []string, err error) { return nil, nil, nil }

func executables(command string, _ []string) []string {
	if strings.Contains(command, "/") {
		return nil
	}
	return []string{command}
}
