package client

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strings"

	"bridgekeeper/app/home"
	"bridgekeeper/app/wire"
)

const (
	// maxSecret is far above what the core hands out.
	maxSecret = 512
	// secretFile is the pipe on which a program that the core starts is told its
	// secret: the first file after the standard ones. Windows passes only those, so
	// there it is standard input.
	secretFile = 3
)

// FindWithSecret is Find for a program that the core started itself and gave a
// secret on a pipe: it is read from there, and known to nobody else.
func FindWithSecret() (*Client, error) {
	in := os.Stdin
	if runtime.GOOS != "windows" {
		in = os.NewFile(secretFile, "secret")
	}
	if in == nil {
		return nil, noSecret(errors.New("the pipe isn't open"))
	}
	defer in.Close()
	secret, err := readSecret(in)
	if err != nil {
		return nil, noSecret(err)
	}
	d, err := home.Find(runtime.GOOS, os.Getenv)
	if err != nil {
		return nil, &wire.Error{Code: wire.CodeBadRequest, Message: err.Error()}
	}
	return NewWithSecret(d.Socket, secret), nil
}

// readSecret reads one line, to its end or that of the pipe.
func readSecret(r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSecret+1))
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(data))
	switch {
	case secret == "":
		return "", errors.New("it is empty")
	case len(data) > maxSecret, strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return "", errors.New("it is no secret of ours")
	}
	return secret, nil
}

func noSecret(err error) error {
	return &wire.Error{Code: wire.CodeNotAllowed, Message: "the core gave this program no secret: " + err.Error(),
		Hint: "Only the core starts it in this way. To see the window, run `bridgekeeper window`."}
}
