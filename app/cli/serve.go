package cli

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/spf13/cobra"
)

func (p *program) serve() *cobra.Command {
	o := ServeOptions{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the core in this terminal",
		Long: "Run the core: it starts the servers of the config, keeps them running, and serves\n" +
			"AI applications on a loopback address until Ctrl-C.",
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.IntVar(&o.Port, "port", -1, "loopback port; 0 takes any free one, -1 the one used last (at first 2734)")
	f.StringVar(&o.Answers, "answers", "deny", "who answers for tools that don't say they are read-only: tty (asks here), window (opens one for each question), allow (dangerous) or deny")
	f.BoolVar(&o.Open, "open", false, "ask AI applications for no token (for trials only)")
	f.BoolVar(&o.Examples, "examples", false, "add the two example servers when the config has no server")
	f.BoolVar(&o.LegacySSE, "legacy-sse", false, "also serve the HTTP+SSE transport of 2024-11-05, at /sse and /servers/NAME/sse")
	p.jsonFlag(cmd, `print {"url":…,"socket":…,"pid":…} as the first line`)
	answers := []string{"tty", "window", "allow", "deny"}
	_ = cmd.RegisterFlagCompletionFunc("answers", cobra.FixedCompletions(answers, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if o.Port < -1 || o.Port > 65535 {
			return usage("--port is %d: it must be between 0 and 65535", o.Port)
		}
		if !slices.Contains(answers, o.Answers) {
			return usage("--answers is %q: it must be tty, window, allow or deny", o.Answers)
		}
		o.JSON = p.asJSON
		o.Stdin, o.Stdout, o.Stderr = p.stdin, p.out.w, p.err.w
		return untilInterrupted(cmd.Context(), p.run.Serve(cmd.Context(), o))
	}
	return cmd
}

// untilInterrupted makes the end of a command that runs until Ctrl-C a success.
func untilInterrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (p *program) example() *cobra.Command {
	names := []string{"rooms", "tickets"}
	return &cobra.Command{
		Use:   "example rooms|tickets",
		Short: "Be one of the built-in example servers, on stdin and stdout",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(names, args[0]) {
				return usage("name one example server: rooms or tickets")
			}
			return nil
		},
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			return untilInterrupted(cmd.Context(), p.run.Example(cmd.Context(), args[0]))
		},
	}
}

func (p *program) version() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if p.asJSON {
				return p.out.json(map[string]string{
					"version": p.run.Version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			p.out.line("bridgekeeper %s", p.run.Version)
			return nil
		},
	}
	p.jsonFlag(cmd, "print JSON")
	return cmd
}
