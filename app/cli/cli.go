// Package cli is the command line: names and flags are a contract, and every
// command but serve is a client of the running core.
//
// It holds no state and decides nothing. main hands it the programs that it can
// start, so that it never imports the core.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"bridgekeeper/app/client"
)

// Programs are what the command line starts in its own process.
type Programs struct {
	Serve   func(ctx context.Context, o ServeOptions) error
	Example func(ctx context.Context, name string) error
	Stdio   func(ctx context.Context, host, server string) error
	Tray    func(ctx context.Context, o TrayOptions) error
	Version string
}

// ServeOptions are the flags of serve and its streams.
type ServeOptions struct {
	Port     int    // negative: the stored one, else the default; 0: any free one
	Answers  string // tty, allow or deny
	JSON     bool   // the first line of stdout is {"url":…,"socket":…,"pid":…}
	Open     bool   // no token is asked for
	Examples bool   // add the example servers when the config has none
	// LegacySSE serves the transport of 2024-11-05, too.
	LegacySSE bool
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer
}

// TrayOptions are the flags of tray and its streams.
type TrayOptions struct {
	Quiet  bool   // no window at start
	Page   string // of the window at start
	Stdout io.Writer
	Stderr io.Writer
}

// program is one run of the command line.
type program struct {
	stdin  io.Reader
	out    *printer // stdout
	err    *printer // stderr
	run    Programs
	began  bool // arguments were understood: what fails now is no mistake in them
	asJSON bool // the command's --json
}

// Main runs the command line and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer, run Programs) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second Ctrl-C ends us at once, however long the clean way takes.
	defer context.AfterFunc(ctx, stop)()
	p := &program{stdin: stdin, out: newPrinter(stdout), err: newPrinter(stderr), run: run}
	root := p.root()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = p.out.failed
	}
	return p.finish(ctx, err)
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "bridgekeeper",
		Short:         "One supervised copy of every local MCP server, behind one address for all AI applications",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return p.desktop(cmd, TrayOptions{})
			}
			return p.group(cmd, args)
		},

		SuggestionsMinimumDistance: 2, // letters that may be wrong
		PersistentPreRun: func(*cobra.Command, []string) {
			p.began = true
		},
	}
	root.AddCommand(p.tray(), p.serve(), p.status(), p.server(), p.call(), p.catalog(), p.host(), p.open(), p.policy(), p.question(), p.hold(), p.activity(), p.stdio(), p.example(), p.version())
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	return root
}

// group is what a command with commands below it does by itself: it shows them,
// or says that it doesn't have the one that was asked for.
func (p *program) group(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	e := usage("there is no command %q in `%s`", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		e.Hint = "Did you mean `" + cmd.CommandPath() + " " + near[0] + "`?"
	}
	return e
}

// groupOf makes a command that only holds others.
func (p *program) groupOf(name, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Args: cobra.ArbitraryArgs, RunE: p.group, SuggestionsMinimumDistance: 2}
	cmd.AddCommand(commands...)
	return cmd
}

// jsonFlag gives a command --json.
func (p *program) jsonFlag(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&p.asJSON, "json", false, what)
}

// core is the running core.
func (p *program) core() (*client.Client, error) { return client.Find() }

// withCore makes a RunE of a function that needs the core.
func (p *program) withCore(do func(ctx context.Context, core *client.Client, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		core, err := p.core()
		if err != nil {
			return err
		}
		defer core.Close()
		return do(cmd.Context(), core, args)
	}
}

func usage(format string, args ...any) *usageError {
	return &usageError{Message: fmt.Sprintf(format, args...)}
}

// usageError is a mistake in the arguments.
type usageError struct{ Message, Hint string }

func (e *usageError) Error() string { return e.Message }

// errTool means that the tool itself reported a failure; its words are printed already.
var errTool = errors.New("the tool reported an error")
