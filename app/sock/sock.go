// Package sock opens and finds the local API's unix socket on every system,
// keeps a second core out, and tells who is at the other end.
//
// It knows nothing of what is said on a connection. The app listens and locks;
// app/client dials.
package sock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// ErrInUse means that somebody answers on the socket already.
var ErrInUse = errors.New("another process answers on the socket")

// ErrNotOurs means that the other end, or a folder on the way, belongs to somebody else.
var ErrNotOurs = errors.New("belongs to another user")

// probeTimeout is how long a living listener may take to accept. The kernel
// accepts for it, so this is generous.
const probeTimeout = time.Second

// Listen opens the socket at path for its owner only. It takes the place of a
// socket that nobody answers on. The caller holds the Lock, so that two starters
// can't take each other's place.
func Listen(path string) (net.Listener, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	if err := checkPrivate(dir); err != nil {
		return nil, fmt.Errorf("listen on %s: folder %s: %w", path, dir, err)
	}
	if err := removeStale(path); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	// The folder is private already; this is for one that is opened up later.
	if err := os.Chmod(path, 0o600); err != nil {
		ln.Close()
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	return ln, nil
}

func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return errors.New("something that is not a socket is in the way")
	}
	conn, err := net.DialTimeout("unix", path, probeTimeout)
	if err == nil {
		conn.Close()
		return ErrInUse
	}
	if !refused(err) {
		return err
	}
	return os.Remove(path)
}

// Dial connects to the socket at path and makes sure that a process of the same
// user listens there: what is sent may hold secrets.
func Dial(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if err := SameUser(conn); err != nil {
		conn.Close()
		return nil, fmt.Errorf("dial %s: %w", path, err)
	}
	return conn, nil
}

// NobodyThere reports whether a Dial failed because no core is running.
func NobodyThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || refused(err)
}

// SameUser returns nil when the process at the other end of a unix socket is
// the same user's, as the kernel tells. Any other kind of connection passes:
// it never left this process. Windows tells nothing; there the folder's access
// list, the person's own, is the guard.
func SameUser(conn net.Conn) error {
	u, ok := conn.(*net.UnixConn)
	if !ok {
		return nil
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return err
	}
	var uid int
	var perr error
	if err := raw.Control(func(fd uintptr) { uid, perr = peerUID(fd) }); err != nil {
		return err
	}
	if perr != nil {
		return fmt.Errorf("read peer credentials: %w", perr)
	}
	if uid != os.Getuid() {
		return fmt.Errorf("the process at the other end has user id %d: %w", uid, ErrNotOurs)
	}
	return nil
}

// PeerPID returns the process that connected, as the kernel tells; 0 and true for
// a connection that never left this process.
func PeerPID(conn net.Conn) (pid int, ok bool) {
	u, unix := conn.(*net.UnixConn)
	if !unix {
		return 0, true
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return 0, false
	}
	var perr error
	if err := raw.Control(func(fd uintptr) { pid, perr = peerPID(fd) }); err != nil || perr != nil || pid <= 0 {
		return 0, false
	}
	return pid, true
}
