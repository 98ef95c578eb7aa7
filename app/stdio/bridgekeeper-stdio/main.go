// Bridgekeeper-stdio connects a host that only starts commands to the core. It is
// `bridgekeeper stdio` as a program of its own: a host starts one for each entry
// and keeps it, so it links nothing that it doesn't need.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"bridgekeeper/app/stdio"
	"bridgekeeper/app/wire"
)

func main() { os.Exit(run()) }

func run() int {
	o := stdio.Options{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	flags := flag.NewFlagSet("bridgekeeper-stdio", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "Connects an application that starts this command to Bridgekeeper. For applications, not for people.\n\nFlags:")
		flags.PrintDefaults()
	}
	flags.StringVar(&o.Host, "host", "stdio", "the `name` of the application")
	flags.StringVar(&o.Server, "server", "", "show it this `server` alone")
	switch err := flags.Parse(os.Args[1:]); {
	case err == flag.ErrHelp:
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintf(os.Stderr, "bridgekeeper-stdio: %q is not a flag\n", flags.Arg(0))
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := stdio.Run(ctx, o); err != nil {
		e := wire.AsError(err)
		fmt.Fprintf(os.Stderr, "bridgekeeper-stdio: %s\n", e.Message)
		if e.Hint != "" {
			fmt.Fprintf(os.Stderr, "hint: %s\n", e.Hint)
		}
		return 1
	}
	return 0
}
