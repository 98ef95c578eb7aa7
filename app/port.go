package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"

	"bridgekeeper/app/home"
	"bridgekeeper/app/wire"
)

// DefaultPort is BRDG on a telephone keypad.
const DefaultPort = 2734

// portTries bounds the search for a free port beside a taken one.
const portTries = 50

// listen binds the endpoint's loopback port. want < 0 means the port of the
// last run: hosts have it in their files. A port that another program has is
// passed over with a warning, and stays the one to take next time.
func listen(want int, file string) (ln net.Listener, warning string, err error) {
	explicit := want >= 0
	if !explicit {
		want = storedPort(file)
	}
	ln, err = bind(want)
	if err == nil {
		if want == 0 {
			return ln, "", nil
		}
		if err := storePort(file, want); err != nil {
			ln.Close()
			return nil, "", err
		}
		return ln, "", nil
	}
	first := err
	for port := want + 1; want != 0 && port <= want+portTries && port < 1<<16; port++ {
		if ln, err = bind(port); err == nil {
			return ln, fmt.Sprintf("Port %d is taken by another program, or not ours to use, so this run uses port %d. Hosts that have the old URL can't connect until that program stops or they get the new URL.", want, port), nil
		}
	}
	return nil, "", &wire.Error{Code: wire.CodePort, Message: fmt.Sprintf("No port on 127.0.0.1 could be opened (tried %d and the %d after it): %v", want, portTries, first),
		Hint: "Choose another one with --port."}
}

func bind(port int) (net.Listener, error) {
	return net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// storedPort reads the port of the last run; anything unreadable means the default.
func storedPort(file string) int {
	raw, err := os.ReadFile(file)
	if err != nil {
		return DefaultPort
	}
	port, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil || port < 1 || port >= 1<<16 {
		return DefaultPort
	}
	return port
}

func storePort(file string, port int) error {
	if _, err := os.Stat(file); err == nil && storedPort(file) == port {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store port: %w", err)
	}
	if err := home.Replace(file, fmt.Appendf(nil, "%d\n", port), 0o600); err != nil {
		return fmt.Errorf("store port: %w", err)
	}
	return nil
}
