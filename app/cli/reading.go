package cli

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

func (p *program) serverResources() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "resources NAME [URI]",
		Short:             "List a server's resources, or read one",
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: p.completeServer,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			if len(args) == 2 {
				return p.readResource(ctx, core, args[0], args[1])
			}
			raw, err := core.Request(ctx, args[0], wire.ServerRequest{Method: "resources/list"})
			if err != nil {
				return err
			}
			var list struct {
				Resources []struct{ URI, Name, MIMEType, Description string }
			}
			return p.printList(raw, &list, func() *table {
				t := &table{head: []string{"URI", "NAME", "TYPE", "DESCRIPTION"}}
				for _, r := range list.Resources {
					t.add(visible(r.URI), text(r.Name), text(r.MIMEType), text(firstLine(r.Description)))
				}
				return t
			})
		}),
	}
	p.jsonFlag(cmd, "print the result as the server wrote it")
	return cmd
}

func (p *program) readResource(ctx context.Context, core *client.Client, server, uri string) error {
	params, _ := json.Marshal(map[string]string{"uri": uri}) // texts only: it can't fail
	raw, err := core.Request(ctx, server, wire.ServerRequest{Method: "resources/read", Params: params})
	if err != nil {
		return err
	}
	var read struct {
		Contents []struct {
			Text *string
			Blob string
		}
	}
	if p.asJSON || json.Unmarshal(raw, &read) != nil {
		p.out.text(string(raw) + "\n")
		return nil
	}
	for _, c := range read.Contents {
		if c.Text != nil {
			p.out.text(visibleLines(*c.Text) + "\n")
		} else {
			p.out.line("(%d bytes of data, in base64: use --json)", len(c.Blob))
		}
	}
	return nil
}

func (p *program) serverPrompts() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "prompts NAME [PROMPT] [JSON]",
		Short:             "List a server's prompts, or fill one in",
		Args:              cobra.RangeArgs(1, 3),
		ValidArgsFunction: p.completeServer,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			if len(args) > 1 {
				return p.getPrompt(ctx, core, args)
			}
			raw, err := core.Request(ctx, args[0], wire.ServerRequest{Method: "prompts/list"})
			if err != nil {
				return err
			}
			var list struct {
				Prompts []struct {
					Name, Description string
					Arguments         []struct {
						Name     string
						Required bool
					}
				}
			}
			return p.printList(raw, &list, func() *table {
				t := &table{head: []string{"PROMPT", "ARGUMENTS", "DESCRIPTION"}}
				for _, one := range list.Prompts {
					var names string
					for i, a := range one.Arguments {
						if i > 0 {
							names += " "
						}
						if names += a.Name; !a.Required {
							names += "?"
						}
					}
					t.add(visible(one.Name), text(names), text(firstLine(one.Description)))
				}
				return t
			})
		}),
	}
	p.jsonFlag(cmd, "print the result as the server wrote it")
	return cmd
}

func (p *program) getPrompt(ctx context.Context, core *client.Client, args []string) error {
	given := json.RawMessage("{}")
	if len(args) == 3 {
		if given = json.RawMessage(args[2]); !json.Valid(given) {
			return usage("the arguments are not valid JSON")
		}
	}
	params, err := json.Marshal(map[string]any{"name": args[1], "arguments": given})
	if err != nil {
		return usage("the arguments are not valid JSON")
	}
	raw, err := core.Request(ctx, args[0], wire.ServerRequest{Method: "prompts/get", Params: params})
	if err != nil {
		return err
	}
	var got struct {
		Messages []struct {
			Role    string
			Content struct{ Type, Text string }
		}
	}
	if p.asJSON || json.Unmarshal(raw, &got) != nil {
		p.out.text(string(raw) + "\n")
		return nil
	}
	for _, m := range got.Messages {
		p.out.line("%s:", p.out.paint(strong, visible(m.Role)))
		if m.Content.Type == "text" {
			p.out.text(visibleLines(m.Content.Text) + "\n")
		} else {
			p.out.line("(%s: use --json)", visible(m.Content.Type))
		}
	}
	return nil
}

// printList prints a list as a table, or as the server wrote it.
func (p *program) printList(raw []byte, into any, rows func() *table) error {
	if p.asJSON || json.Unmarshal(raw, into) != nil {
		p.out.text(string(raw) + "\n")
		return nil
	}
	t := rows()
	if len(t.rows) == 0 {
		p.out.line("None.")
		return nil
	}
	t.print(p.out)
	return nil
}

func (p *program) serverTrace() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "trace NAME",
		Short:             "Show the messages to and from a server as they pass, until Ctrl-C",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeServer,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			return core.Trace(ctx, args[0], func(l wire.TraceLine) error {
				if p.asJSON {
					return p.out.jsonLine(l)
				}
				if l.Lost > 0 {
					p.out.line("%s", p.out.paint(yellow, plural(l.Lost, "message was", "messages were")+" too quick to be shown"))
				}
				arrow := "→"
				if l.Direction == wire.TraceIn {
					arrow = "←"
				}
				more := ""
				if l.Cut {
					more = p.out.paint(faint, " … "+number(l.Bytes)+" bytes in all")
				}
				p.out.line("%s %s %s%s", l.Time.Local().Format("15:04:05.000"), arrow, visible(l.Text), more)
				return p.out.failed
			})
		}),
	}
	p.jsonFlag(cmd, "print one object a line")
	return cmd
}

// pages are the window's.
var pages = []string{"servers", "logs", "questions", "activity", "hosts", "secrets", "add", "settings"}

func (p *program) open() *cobra.Command {
	return &cobra.Command{
		Use:       "open [PAGE]",
		Short:     "Bring the window up, at a page: servers, logs, questions, activity, hosts, secrets, add, settings",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: pages,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			return core.Show(ctx, append(args, "")[0])
		}),
	}
}
