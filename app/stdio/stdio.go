// Package stdio is what `bridgekeeper stdio` runs: the shim between the standard
// streams of a host and the core.
//
// It joins bridge/shim and app/attach, and keeps no state.
package stdio

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"

	"bridgekeeper/app/attach"
	"bridgekeeper/app/home"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/shim"
)

// Options say which host this is.
type Options struct {
	Host   string
	Server string // narrows the view to one server; "" is all
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer // hosts show it to people, or keep it in a log
}

// Run passes messages until stdin ends, ctx does, or stdout can't be written.
func Run(ctx context.Context, o Options) error {
	dirs, err := home.Find(runtime.GOOS, os.Getenv)
	if err != nil {
		return &wire.Error{Code: wire.CodeBadRequest, Message: err.Error()}
	}
	if err := wire.CheckName("host", o.Host); err != nil {
		return err
	}
	a := attach.Attach{Dirs: dirs, Host: o.Host, Server: o.Server}
	return shim.Run(ctx, shim.Options{Dial: a.Dial, Goodbye: wire.LinesGoodbye, In: o.Stdin, Out: o.Stdout,
		Say: func(what string) { fmt.Fprintf(o.Stderr, "bridgekeeper: %s\n", what) }})
}
