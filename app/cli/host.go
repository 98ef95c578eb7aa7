package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

func (p *program) host() *cobra.Command {
	return p.groupOf("host", "Manage the AI applications that may connect", p.hostAdd(), p.hostList(), p.hostRemove())
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
			t := table{head: []string{"NAME", "ADDED", "LAST SEEN", "SESSIONS", "CALLS", "CLIENT"}}
			for _, h := range s.Hosts {
				t.add(visible(h.Name), ago(h.Created, now), ago(h.LastSeen, now), number(h.Sessions), number(int(h.Calls)), text(h.Client))
			}
			t.print(p.out)
			return nil
		}),
	}
	p.jsonFlag(cmd, "print JSON")
	return cmd
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
