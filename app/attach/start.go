package attach

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"bridgekeeper/app/home"
	"bridgekeeper/app/sock"
)

// maxServeLog is the size at which the log of cores that we started begins anew.
const maxServeLog = 1 << 20

// startOne has a core started and connects to it. Of several shims that do this at
// the same moment one starts it, and the others wait for it like the one.
func (a Attach) startOne(ctx context.Context) (net.Conn, error) {
	release, err := sock.Lock(filepath.Join(a.Dirs.State, "start.lock"))
	switch {
	case err == nil:
		defer release()
		// Somebody may have been quicker.
		if conn, err := sock.Dial(ctx, a.Dirs.Socket); err == nil {
			return conn, nil
		}
		start := a.start
		if start == nil {
			start = startCore
		}
		if err := start(a.Dirs); err != nil {
			return nil, fmt.Errorf("it isn't running, and can't be started: %w", err)
		}
	case !errors.Is(err, sock.ErrLocked):
		return nil, err
	}
	late := time.NewTimer(startLimit)
	defer late.Stop()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		conn, err := sock.Dial(ctx, a.Dirs.Socket)
		if err == nil || !sock.NobodyThere(err) {
			return conn, err
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late.C:
			return nil, fmt.Errorf("it was started and didn't come up in %d s; see %s", int(startLimit/time.Second), a.Dirs.ServeLog)
		}
	}
}

// startCore starts the program that lies beside this one, on its own: it outlives
// the host. Nobody waits for it; the system does when we have ended.
func startCore(d home.Dirs) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return err
	}
	program := filepath.Join(filepath.Dir(self), "bridgekeeper"+filepath.Ext(self))
	if err := d.Make(); err != nil {
		return err
	}
	log, err := OpenLog(d.ServeLog)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(program, "serve", "--answers", "window")
	cmd.Env = environ(os.Environ())
	cmd.Dir = d.State
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = alone()
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// environ is a core's environment: the host's, without what is said to one
// process alone.
func environ(ours []string) []string {
	var env []string
	for _, v := range ours {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "BRIDGEKEEPER_") && name != home.Env {
			continue
		}
		env = append(env, v)
	}
	return env
}

// OpenLog opens the log of a core that no terminal shows; one that has grown large
// begins anew.
func OpenLog(path string) (*os.File, error) {
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > maxServeLog {
		flags |= os.O_TRUNC
	}
	return os.OpenFile(path, flags, 0o600)
}
