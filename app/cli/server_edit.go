package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

// entryFlags are the flags that add and edit share.
type entryFlags struct {
	env      []string
	unset    []string
	cwd      string
	start    string
	idleStop string
	sharing  string
	era      string
	maxLine  int
	disabled bool
	protect  protectFlags
}

func (e *entryFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&e.env, "env", nil, "set a variable, `KEY=VALUE` (may be repeated)")
	f.StringVar(&e.cwd, "cwd", "", "`folder` to run in (default: the home folder)")
	f.StringVar(&e.start, "start", "", "when it runs: always, on-demand or manual (default always)")
	f.StringVar(&e.idleStop, "idle-stop", "", "end an on-demand server after this `time` without use, like 10m")
	f.StringVar(&e.sharing, "sharing", "", "who shares a copy: shared, per-host or per-session (default shared)")
	f.StringVar(&e.era, "era", "", "protocol to speak: auto, legacy or modern (default auto)")
	f.IntVar(&e.maxLine, "max-line", 0, "longest message it may send, in `MiB` (default 64)")
	f.BoolVar(&e.disabled, "disabled", false, "keep it in the config, but don't run it")
	e.protect.register(f)
}

// variables reads --env.
func (e *entryFlags) variables() (map[string]string, error) {
	env := map[string]string{}
	for _, pair := range e.env {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usage("--env needs KEY=VALUE, not %q", name)
		}
		env[name] = value
	}
	return env, nil
}

// split parts NAME from the command behind --. Only what is behind it belongs to
// the server: a flag before it is ours.
func split(cmd *cobra.Command, args []string) (name string, command []string, err error) {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		dash = len(args)
	}
	switch dash {
	case 0:
		return "", nil, usage("the server's NAME is missing before --")
	case 1:
		return args[0], args[dash:], nil
	}
	e := usage("too many arguments before --: %s", strings.Join(args[:dash], " "))
	e.Hint = "Put -- between the name and the server's command."
	return "", nil, e
}

func (p *program) serverAdd() *cobra.Command {
	var flags entryFlags
	var road draftFlags
	var paste bool
	cmd := &cobra.Command{
		Use:   "add SOURCE [flags] | NAME [flags] -- COMMAND [ARGS…]",
		Short: "Add a server to the config and start it",
		Long: "Add a server to the config and start it. SOURCE is a name in the catalog, a file (.mcpb, .dxt,\n" +
			"server.json, an application's JSON), the URL of a bundle or of a server on the net, an install\n" +
			"link, or a whole command line or JSON in quotes; --paste reads such a text from stdin. What would\n" +
			"run is shown first. Where it doesn't start, nothing is added.",
		Example: "  bridgekeeper server add filesystem --set folders=/srv\n" +
			"  bridgekeeper server add ./notes.mcpb\n" +
			"  bridgekeeper server add files --env ROOT=/srv -- npx -y @modelcontextprotocol/server-filesystem /srv",
		// ValidArgsFunction is left out: the name is new.
		Args: cobra.ArbitraryArgs,
	}
	flags.register(cmd.Flags())
	road.register(cmd.Flags())
	cmd.Flags().StringVar(&road.name, "name", "", "`name` of the server (default: one that its source proposes)")
	cmd.Flags().BoolVar(&paste, "paste", false, "read JSON, a link or a command line from stdin")
	p.jsonFlag(cmd, "print what was added as JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if cmd.ArgsLenAtDash() < 0 && (len(args) == 1 || paste) {
			return p.addSource(cmd, args, &flags, &road, paste)
		}
		return p.addCommand(cmd, args, &flags)
	}
	return cmd
}

// addSource adds a server from anything but a name and its command.
func (p *program) addSource(cmd *cobra.Command, args []string, flags *entryFlags, road *draftFlags, paste bool) error {
	req, err := p.sourceOf(args, paste, road.version)
	if err != nil {
		return err
	}
	env, err := flags.variables()
	if err != nil {
		return err
	}
	fill := wire.FillDraft{Env: env, Trust: flags.protect.trust, Disabled: flags.disabled}
	later, err := flags.later(cmd.Flags())
	if err != nil {
		return err
	}
	return p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
		added, err := p.addDraft(ctx, core, req, road, fill)
		if err != nil || added == nil {
			return err
		}
		if later != nil {
			if err := flags.protect.edit(cmd.Flags(), wire.Entry{}, later); err != nil {
				return err
			}
			if err := core.EditServer(ctx, added.Name, *later); err != nil {
				return err
			}
		}
		return p.printAdded(added, "added")
	})(cmd, args)
}

// later is the edit for flags that a draft doesn't know; nil when there are none.
func (e *entryFlags) later(f *pflag.FlagSet) (*wire.EditServer, error) {
	known := map[string]bool{"env": true, "disabled": true, "trust": true, "set": true, "package": true, "version": true, "yes": true, "dry-run": true, "name": true, "paste": true, "json": true}
	any := false
	f.Visit(func(flag *pflag.Flag) { any = any || !known[flag.Name] })
	if !any {
		return nil, nil
	}
	req, err := e.edit(f, nil)
	if err != nil {
		return nil, err
	}
	if err := e.protect.check(); err != nil {
		return nil, err
	}
	req.Env, req.Disabled = nil, nil
	return &req, nil
}

// addCommand adds NAME -- COMMAND as it is.
func (p *program) addCommand(cmd *cobra.Command, args []string, flags *entryFlags) error {
	name, command, err := split(cmd, args)
	if err != nil {
		return err
	}
	if len(command) == 0 {
		e := usage("the command that starts the server is missing")
		e.Hint = "Write it behind --: bridgekeeper server add NAME -- COMMAND ARGS…"
		return e
	}
	env, err := flags.variables()
	if err != nil {
		return err
	}
	req := wire.AddServer{Name: name, Entry: wire.Entry{
		Command: command[0], Args: command[1:], Env: env, Cwd: flags.cwd, Disabled: flags.disabled,
		Start: flags.start, IdleStop: flags.idleStop, Sharing: flags.sharing, Era: flags.era, MaxLine: flags.maxLine,
	}}
	if err := flags.protect.add(cmd.Flags(), &req.Entry); err != nil {
		return err
	}
	return p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
		if err := core.AddServer(ctx, req); err != nil {
			return err
		}
		p.out.line("added %s", name)
		return nil
	})(cmd, args)
}

func (p *program) serverEdit() *cobra.Command {
	var flags entryFlags
	cmd := &cobra.Command{
		Use:               "edit NAME [flags] [-- COMMAND [ARGS…]]",
		Short:             "Change a server; what is not named stays as it is",
		Long:              "Change a server; what is not named stays as it is. An empty value (--cwd \"\", --off \"\") takes the key away.",
		Example:           "  bridgekeeper server edit files --env ROOT=/data --unset-env DEBUG --disabled=false",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: p.completeServer,
	}
	flags.register(cmd.Flags())
	cmd.Flags().StringArrayVar(&flags.unset, "unset-env", nil, "take a variable away, `KEY` (may be repeated)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		name, command, err := split(cmd, args)
		if err != nil {
			return err
		}
		req, err := flags.edit(cmd.Flags(), command)
		if err != nil {
			return err
		}
		if err := flags.protect.check(); err != nil {
			return err
		}
		return p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
			s, err := core.Snapshot(ctx) // one limit alone leaves the other as it is
			if err != nil {
				return err
			}
			if err := flags.protect.edit(cmd.Flags(), entryOf(s, name), &req); err != nil {
				return err
			}
			if err := core.EditServer(ctx, name, req); err != nil {
				return err
			}
			p.out.line("changed %s", name)
			return nil
		})(cmd, args)
	}
	return cmd
}

// entryOf is the named server's entry as the core shows it; empty when there is
// no such server.
func entryOf(s *wire.Snapshot, name string) wire.Entry {
	for _, server := range s.Servers {
		if server.Name == name {
			return server.Entry
		}
	}
	return wire.Entry{}
}

// edit is the request for the flags that were given.
func (e *entryFlags) edit(f *pflag.FlagSet, command []string) (wire.EditServer, error) {
	var req wire.EditServer
	any := e.protect.changed(f)
	named := func(name string) bool {
		any = any || f.Changed(name)
		return f.Changed(name)
	}
	for name, field := range map[string]struct {
		to   **string
		from *string
	}{
		"cwd":       {&req.Cwd, &e.cwd},
		"start":     {&req.Start, &e.start},
		"idle-stop": {&req.IdleStop, &e.idleStop},
		"sharing":   {&req.Sharing, &e.sharing},
		"era":       {&req.Era, &e.era},
	} {
		if named(name) {
			*field.to = field.from
		}
	}
	if named("max-line") {
		req.MaxLine = &e.maxLine
	}
	if named("disabled") {
		req.Disabled = &e.disabled
	}
	if len(command) > 0 {
		any = true
		rest := command[1:]
		req.Command, req.Args = &command[0], &rest
	}
	env, err := e.variables()
	if err != nil {
		return req, err
	}
	if named("env") || named("unset-env") {
		req.Env = map[string]*string{}
	}
	for _, name := range e.unset {
		req.Env[name] = nil
	}
	for name, value := range env {
		if _, both := req.Env[name]; both {
			return req, usage("--env and --unset-env both name %s", name)
		}
		req.Env[name] = &value
	}
	if !any {
		return req, usage("nothing to change: name a flag, or a command behind --")
	}
	return req, nil
}
