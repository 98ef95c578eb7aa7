//go:build cgo && !headless

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/run"
)

// hasWindow: this build can show windows.
const hasWindow = true

// window is the window process: `window [-secret] [-show PAGE]`. With -secret the
// core has put one on a pipe, and the process may answer questions.
func window(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet(windowCommand, flag.ContinueOnError)
	flags.SetOutput(stderr)
	attend := flags.Bool("secret", false, "the core gave a secret")
	show := flags.String("show", wire.ShowWindow, "the page to show; empty shows questions alone")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	find := client.Find
	if *attend {
		find = client.FindWithSecret
	}
	c, err := find()
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		err = run.Run(ctx, run.Options{Client: c, Attend: *attend, Show: *show})
		c.Close()
	}
	if err != nil {
		e := wire.AsError(err)
		fmt.Fprintln(stderr, e.Message)
		if e.Hint != "" {
			fmt.Fprintln(stderr, e.Hint)
		}
		return 1
	}
	return 0
}
