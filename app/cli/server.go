package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

func (p *program) server() *cobra.Command {
	return p.groupOf("server", "Manage MCP servers",
		p.serverList(), p.serverAdd(), p.serverEdit(), p.serverRemove(),
		p.serverAct("start", "Start servers, also failed ones", "starting"),
		p.serverAct("stop", "Stop servers until they are started again", "stopping"),
		p.serverAct("restart", "Stop and start servers", "restarting"),
		p.serverLogs(), p.serverTools(), p.serverTrace(), p.serverResources(), p.serverPrompts(), p.serverReview(), p.serverUpdate(), p.serverCheck())
}

func (p *program) serverList() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the servers and their states",
		Args:    cobra.NoArgs,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
			s, err := core.Snapshot(ctx)
			if err != nil {
				return err
			}
			if p.asJSON {
				return p.out.json(s.Servers)
			}
			if len(s.Servers) == 0 {
				p.out.line("No servers. Find one: bridgekeeper catalog search; add your own: bridgekeeper server add NAME -- COMMAND ARGS…")
				return nil
			}
			p.printServers(s.Servers, time.Now())
			return nil
		}),
	}
	p.jsonFlag(cmd, "print JSON")
	return cmd
}

func (p *program) serverRemove() *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME…",
		Aliases:           []string{"rm"},
		Short:             "Stop servers and take them out of the config",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: p.completeServers,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, names []string) error {
			for _, name := range names {
				if err := core.RemoveServer(ctx, name); err != nil {
					return err
				}
				p.out.line("removed %s", name)
			}
			return nil
		}),
	}
}

func (p *program) serverAct(verb, short, doing string) *cobra.Command {
	return &cobra.Command{
		Use:               verb + " NAME…",
		Short:             short,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: p.completeServers,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, names []string) error {
			for _, name := range names {
				if err := core.Act(ctx, name, verb); err != nil {
					return err
				}
				p.out.line("%s %s", doing, name)
			}
			return nil
		}),
	}
}

func (p *program) serverTools() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "tools NAME",
		Short:             "List a server's tools",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeServer,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			tools, err := core.Tools(ctx, args[0])
			if err != nil {
				return err
			}
			if p.asJSON {
				return p.out.json(tools)
			}
			if len(tools) == 0 {
				p.out.line("%s has no tools.", visible(args[0]))
				return nil
			}
			t := table{head: []string{"TOOL", "READ-ONLY", "SEEN BY HOSTS AS", "DESCRIPTION"}}
			for _, tool := range tools {
				readOnly := "no"
				if tool.ReadOnly {
					readOnly = "yes"
				}
				t.add(visible(tool.Name), readOnly, text(tool.Seen), about(tool))
				if tool.Off {
					t.note("hidden from all hosts: %s", visible(tool.Hidden))
				} else if tool.Hidden != "" {
					t.note("hidden where hosts see all servers: %s", visible(tool.Hidden))
				}
				for _, note := range tool.Notes {
					t.note("%s %s", p.out.paint(yellow, "look:"), visible(note))
				}
				if tool.Limited != "" {
					t.note("hidden %s", visible(tool.Limited))
				}
			}
			t.print(p.out)
			return nil
		}),
	}
	p.jsonFlag(cmd, "print JSON, with each definition as the server wrote it")
	return cmd
}

// maxAbout keeps a description on the tool's line.
const maxAbout = 80

// about is the first line of a tool's description.
func about(tool wire.Tool) string {
	var d struct{ Description string }
	if json.Unmarshal(tool.Definition, &d) != nil {
		return ""
	}
	return visible(firstLine(d.Description))
}

// firstLine is a description short enough for a table.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	short := []rune(strings.TrimSpace(line))
	if len(short) > maxAbout {
		return string(short[:maxAbout-1]) + "…"
	}
	return string(short)
}

func (p *program) serverLogs() *cobra.Command {
	var follow bool
	var lines int
	cmd := &cobra.Command{
		Use:               "logs [NAME]",
		Short:             "Show what a server, or all of them, wrote to stderr",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: p.completeServer,
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on with new lines until Ctrl-C")
	cmd.Flags().IntVarP(&lines, "lines", "n", 100, "newest lines to show; 0 shows all that are kept")
	p.jsonFlag(cmd, "print each line as JSON")
	run := p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
		name := ""
		if len(args) == 1 {
			name = args[0]
		}
		err := core.Logs(ctx, name, lines, follow, func(l wire.LogLine) error {
			p.printLog(l, name == "")
			return p.out.failed
		})
		return untilInterrupted(ctx, err)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if lines < 0 {
			return usage("-n is %d: it must be a number from 0", lines)
		}
		return run(cmd, args)
	}
	return cmd
}

func (p *program) printLog(l wire.LogLine, named bool) {
	if p.asJSON {
		if data, err := json.Marshal(l); err == nil {
			p.out.line("%s", data)
		}
		return
	}
	head := l.Time.Local().Format("2006-01-02 15:04:05.000")
	if named {
		head += " " + visible(l.Server)
	}
	if l.Source != "stderr" {
		head += fmt.Sprintf(" [%s]", visible(l.Source))
	}
	tail := ""
	if l.Cut {
		tail = p.out.paint(faint, " … (cut)")
	}
	p.out.line("%s %s%s", p.out.paint(faint, head), visible(l.Text), tail)
}
