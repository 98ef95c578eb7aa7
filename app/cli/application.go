package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

func (p *program) hostDetect() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "detect",
		Short: "List the AI applications on this computer, their files, and what became of our entries",
		Args:  cobra.NoArgs,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
			list, err := core.Applications(ctx)
			if err != nil {
				return err
			}
			shown := []wire.Application{}
			for _, one := range list {
				if all || one.Installed || one.State != "" {
					shown = append(shown, one)
				}
			}
			return p.printApplications(shown)
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "also those that aren't installed")
	p.jsonFlag(cmd, "print JSON")
	return cmd
}

func (p *program) hostStatus() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the applications that may connect: our entries in their files, and what they did",
		Args:  cobra.NoArgs,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
			list, err := core.Applications(ctx)
			if err != nil {
				return err
			}
			shown := []wire.Application{}
			for _, one := range list {
				if one.State != "" || one.Host != nil {
					shown = append(shown, one)
				}
			}
			if p.asJSON {
				return p.out.json(shown)
			}
			p.printHostStatus(shown)
			return nil
		}),
	}
	p.jsonFlag(cmd, "print JSON")
	return cmd
}

func (p *program) printApplications(list []wire.Application) error {
	if p.asJSON {
		return p.out.json(list)
	}
	if len(list) == 0 {
		p.out.line("None. `bridgekeeper host detect --all` lists those that are known.")
		return nil
	}
	t := table{head: []string{"NAME", "APPLICATION", "STATE", "SERVERS", "FILE"}}
	for _, one := range list {
		state := one.State
		if state == "" && one.Way != "edit" {
			state = "by hand"
		}
		t.add(visible(one.Name), visible(one.Title), text(state), number(one.Servers), text(visible(one.File)))
	}
	t.print(p.out)
	p.printWrong(list)
	return nil
}

// printHostStatus shows what hosts did since the core started.
func (p *program) printHostStatus(list []wire.Application) {
	if len(list) == 0 {
		p.out.line("None. Connect one: bridgekeeper host connect NAME")
		return
	}
	now := time.Now()
	t := table{head: []string{"NAME", "ENTRY", "LAST SEEN", "REVISION", "SESSIONS", "CALLS", "CLIENT", "FILE"}}
	for _, one := range list {
		h, entry := one.Host, one.State
		if h == nil {
			h, entry = &wire.Host{}, entry+", no token"
		}
		file := one.File
		if entry == "" {
			entry, file = "by hand", ""
		}
		t.add(visible(one.Name), entry, ago(h.LastSeen, now), text(visible(h.Protocol)), number(h.Sessions), number(int(h.Calls)), text(visible(h.Client)), text(visible(file)))
	}
	t.print(p.out)
	p.printWrong(list)
}

// printWrong says what is wrong with entries, and what to do.
func (p *program) printWrong(list []wire.Application) {
	for _, one := range list {
		if one.Text != "" {
			p.out.line("%s: %s", visible(one.Name), visible(one.Text))
		}
		if one.State == "dropped" || one.State == "rewritten" {
			p.out.line("  bridgekeeper host repair %s", visible(one.Name))
		}
	}
}

// hostVerb makes the command that does verb to an application's file.
func (p *program) hostVerb(verb, short, did string) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   verb + " NAME",
		Short: short,
		Args:  cobra.ExactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, noFiles
			}
			return p.ask(cmd, func(ctx context.Context, core *client.Client) ([]string, error) {
				list, err := core.Applications(ctx)
				var names []string
				for _, one := range list {
					if one.Way != "import" && (one.Installed || one.State != "" || one.Way == "manual") {
						names = append(names, one.Name+"\t"+one.Title)
					}
				}
				return names, err
			}), noFiles
		},
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			e, err := core.EditApplication(ctx, args[0], verb, wire.EditApplication{DryRun: dry})
			if err != nil {
				return err
			}
			if p.asJSON {
				return p.out.json(e)
			}
			p.printEdited(e, did, dry)
			return nil
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show the difference and write nothing")
	p.jsonFlag(cmd, "print JSON")
	return cmd
}

func (p *program) printEdited(e *wire.EditedApplication, did string, dry bool) {
	for _, w := range e.Warnings {
		p.err.line("warning: %s", visible(w))
	}
	token := false
	for _, one := range e.Paste {
		token = token || strings.Contains(one.Text, "bk_")
		p.out.line("%s:", visible(one.What))
		p.out.text("\n" + strings.TrimSuffix(one.Text, "\n") + "\n\n")
	}
	switch {
	case len(e.Paste) > 0 && dry:
		p.out.line("No token was made.")
		return
	case len(e.Paste) > 0:
		if token {
			p.out.line("The token is not shown again.")
		}
		return
	case !e.Changed:
		p.out.line("%s is as it should be: nothing was changed in %s", visible(e.Title), visible(e.File))
		return
	case dry:
		for line := range strings.SplitSeq(strings.TrimSuffix(e.Diff, "\n"), "\n") {
			p.out.line("%s", visible(line))
		}
		p.out.line("Nothing was written.")
		return
	}
	if e.File == "" {
		p.out.line("%s %s", did, visible(e.Title))
	} else {
		p.out.line("%s %s in %s", did, visible(e.Title), visible(e.File))
	}
	if e.Reload != "" {
		p.out.line("%s", visible(e.Reload))
	}
	if e.Check != "" {
		p.out.line("See whether it works: %s", visible(e.Check))
	}
}
