package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

func (p *program) host() *cobra.Command {
	return p.groupOf("host", "Manage the AI applications that may connect", p.hostAdd(), p.hostList(), p.hostSet(), p.hostRemove(), p.hostDetect(), p.hostStatus(),
		p.hostVerb(wire.VerbConnect, "Write our entry, with a token of its own, into an application's file", "connected"),
		p.hostVerb(wire.VerbDisconnect, "Take our entry out of an application's file again, and its token away", "disconnected"),
		p.hostVerb(wire.VerbUndo, "Give an application's file back as it was before it was connected, byte for byte", "disconnected"),
		p.hostVerb(wire.VerbRepair, "Write our entry again, where the application dropped or changed it", "repaired"))
}

func (p *program) hostAdd() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "add NAME",
		Short:             "Make a token for an application and show it, once",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			h, err := core.AddHost(ctx, args[0])
			if err != nil {
				return err
			}
			if p.asJSON {
				return p.out.json(h)
			}
			p.printHowTo(h)
			return nil
		}),
	}
	p.jsonFlag(cmd, "print name, token and URL as JSON")
	return cmd
}

func (p *program) printHowTo(h *wire.NewHost) {
	p.out.line("token  %s", h.Token)
	p.out.line("url    %s", h.URL)
	p.out.text(`
The token is not shown again. To connect an application:

Claude Code
  claude mcp add --transport http bridgekeeper ` + h.URL + ` --header "Authorization: Bearer ` + h.Token + `"

Cursor, in ~/.cursor/mcp.json
  {"mcpServers": {"bridgekeeper": {"url": "` + h.URL + `", "headers": {"Authorization": "Bearer ` + h.Token + `"}}}}

VS Code, in .vscode/mcp.json
  {"servers": {"bridgekeeper": {"type": "http", "url": "` + h.URL + `", "headers": {"Authorization": "Bearer ` + h.Token + `"}}}}
`)
}

func (p *program) hostList() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the applications that have a token",
		Args:    cobra.NoArgs,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
			s, err := core.Snapshot(ctx)
			if err != nil {
				return err
			}
			if p.asJSON {
				return p.out.json(s.Hosts)
			}
			if len(s.Hosts) == 0 {
				p.out.line("No hosts. Add one: bridgekeeper host add NAME")
				return nil
			}
			now := time.Now()
			t := table{head: []string{"NAME", "ADDED", "LAST SEEN", "SESSIONS", "CALLS", "ASK", "CLIENT"}}
			for _, h := range s.Hosts {
				t.add(visible(h.Name), ago(h.Created, now), ago(h.LastSeen, now), number(h.Sessions), number(int(h.Calls)), text(h.Terms.Ask), text(h.Client))
			}
			t.print(p.out)
			return nil
		}),
	}
	p.jsonFlag(cmd, "print JSON")
	return cmd
}

func (p *program) hostSet() *cobra.Command {
	var ask, questions string
	var perMinute, atOnce int
	cmd := &cobra.Command{
		Use:               "set NAME [flags]",
		Short:             "Choose what an application may do; what is not named stays",
		Long:              "Choose what an application may do; what is not named stays. An empty value (--ask \"\") takes the key away, a limit of 0 limits nothing.",
		Example:           "  bridgekeeper host set claude-code --ask never --questions host",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeHost,
	}
	f := cmd.Flags()
	f.StringVar(&ask, "ask", "", "what is asked: everything, changes, destructive or never (default: as each server says)")
	f.StringVar(&questions, "questions", "", "who shows servers' questions: here or host (default here)")
	f.IntVar(&perMinute, "calls-per-minute", 0, "most `calls` in a minute")
	f.IntVar(&atOnce, "calls-at-once", 0, "most `calls` at the same time")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req := wire.EditHost{Ask: given(f, "ask", &ask), Questions: given(f, "questions", &questions),
			PerMinute: given(f, "calls-per-minute", &perMinute), AtOnce: given(f, "calls-at-once", &atOnce)}
		if req == (wire.EditHost{}) {
			return usage("nothing to change: name a flag")
		}
		return p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			if err := core.SetHost(ctx, args[0], req); err != nil {
				return err
			}
			p.out.line("changed %s", args[0])
			return nil
		})(cmd, args)
	}
	return cmd
}

// given is the value of a flag, or nil when it wasn't named.
func given[T any](f *pflag.FlagSet, name string, value *T) *T {
	if f.Changed(name) {
		return value
	}
	return nil
}

func (p *program) hostRemove() *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME…",
		Aliases:           []string{"rm"},
		Short:             "Take applications' tokens away",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: p.completeHosts,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, names []string) error {
			for _, name := range names {
				if err := core.RemoveHost(ctx, name); err != nil {
					return err
				}
				p.out.line("removed %s", name)
			}
			return nil
		}),
	}
}
