package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

func (p *program) policy() *cobra.Command {
	return p.groupOf("policy", "What is asked about, and why",
		p.policyShow(), p.policyExplain(), p.policyDefault(),
		p.groupOf("rule", "Add and remove standing rules", p.ruleAdd(), p.ruleRemove()))
}

func (p *program) policyShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show the default, the presets of servers and hosts, and the rules",
		Args:  cobra.NoArgs,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
			s, err := core.Settings(ctx)
			if err != nil {
				return err
			}
			if p.asJSON {
				return p.out.json(s)
			}
			snap, err := core.Snapshot(ctx)
			if err != nil {
				return err
			}
			p.printPolicy(s, snap)
			return nil
		}),
	}
	p.jsonFlag(cmd, "print the settings as JSON")
	return cmd
}

func (p *program) printPolicy(s *wire.Settings, snap *wire.Snapshot) {
	preset := s.Ask
	if preset == "" {
		preset = wire.PresetChanges
	}
	p.out.line("default  %s", preset)
	for _, one := range snap.Servers {
		var said []string
		for _, kv := range [][2]string{{"ask", one.Entry.Ask}, {"trust", one.Entry.Trust}, {"changes", one.Entry.Changes}, {"off", strings.Join(one.Entry.Off, " ")}} {
			if kv[1] != "" {
				said = append(said, kv[0]+" "+visible(kv[1]))
			}
		}
		if len(said) > 0 {
			p.out.line("server   %s: %s", visible(one.Name), strings.Join(said, ", "))
		}
	}
	for _, h := range snap.Hosts {
		terms := s.Hosts[h.Name]
		var said []string
		for _, kv := range [][2]string{{"ask", terms.Ask}, {"questions", terms.Questions}} {
			if kv[1] != "" {
				said = append(said, kv[0]+" "+visible(kv[1]))
			}
		}
		if len(said) > 0 {
			p.out.line("host     %s: %s", visible(h.Name), strings.Join(said, ", "))
		}
	}
	if len(s.Rules) == 0 {
		p.out.line("No rules.")
		return
	}
	p.out.line("")
	t := table{head: []string{"RULE", "HOST", "SERVER", "TOOL", "ARGUMENTS", "DO", "NOTE"}}
	any := func(pattern string) string {
		if pattern == "" {
			return "*"
		}
		return visible(pattern)
	}
	for i, r := range s.Rules {
		t.add(strconv.Itoa(i+1), any(r.Host), any(r.Server), any(r.Tool), text(firstDigits(r.Args)), visible(r.Do), text(r.Note))
	}
	t.print(p.out)
}

// firstDigits shortens a digest to what people compare.
func firstDigits(sum string) string {
	if len(sum) > 12 {
		return sum[:12] + "…"
	}
	return sum
}

func (p *program) policyExplain() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain HOST SERVER TOOL",
		Short: "Say what would happen to a call, and why",
		Args:  cobra.ExactArgs(3),
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			why, err := core.Explain(ctx, args[0], args[1], args[2])
			if err != nil {
				return err
			}
			if p.asJSON {
				return p.out.json(why)
			}
			p.out.line("%s  %s", p.out.paint(strong, why.Verdict), visible(why.Because))
			for _, f := range why.Facts {
				p.out.line("  %s", visible(f))
			}
			for _, f := range why.Passed {
				p.out.line("  %s %s", p.out.paint(faint, "also:"), visible(f))
			}
			return nil
		}),
	}
	p.jsonFlag(cmd, "print JSON")
	return cmd
}

func (p *program) policyDefault() *cobra.Command {
	return &cobra.Command{
		Use:       "default PRESET",
		Short:     "Set what is asked about where nothing else is set: everything, changes, destructive, never",
		Args:      cobra.ExactArgs(1),
		ValidArgs: []string{wire.PresetEverything, wire.PresetChanges, wire.PresetDestructive, wire.PresetNever},
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			if err := core.EditSettings(ctx, wire.EditSettings{Ask: &args[0]}); err != nil {
				return err
			}
			p.out.line("default  %s", visible(args[0]))
			return nil
		}),
	}
}

func (p *program) ruleAdd() *cobra.Command {
	var r wire.Rule
	cmd := &cobra.Command{
		Use:       "add allow|ask|deny",
		Short:     "Add a rule; * in a name stands for any run of characters",
		Args:      cobra.ExactArgs(1),
		ValidArgs: []string{wire.VerdictAllow, wire.VerdictAsk, wire.VerdictDeny},
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			r.Do = args[0]
			if err := core.AddRule(ctx, r); err != nil {
				return err
			}
			p.out.line("added")
			return nil
		}),
	}
	cmd.Flags().StringVar(&r.Host, "host", "", "of calls by this host; without it, all")
	cmd.Flags().StringVar(&r.Server, "server", "", "of calls to this server; without it, all")
	cmd.Flags().StringVar(&r.Tool, "tool", "", "of calls of this tool; without it, all")
	cmd.Flags().StringVar(&r.Note, "note", "", "a note for yourself")
	return cmd
}

func (p *program) ruleRemove() *cobra.Command {
	return &cobra.Command{
		Use:     "remove NUMBER",
		Aliases: []string{"rm"},
		Short:   "Remove a rule by its number in `policy show`",
		Args:    cobra.ExactArgs(1),
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil {
				return usage("%q is no number of a rule", args[0])
			}
			s, err := core.Settings(ctx)
			if err != nil {
				return err
			}
			if n < 1 || n > len(s.Rules) {
				return &wire.Error{Code: wire.CodeNoSuchRule, Message: "There is no rule " + args[0] + ".", Hint: "`bridgekeeper policy show` lists them."}
			}
			if err := core.RemoveRule(ctx, n-1, s.Rules[n-1]); err != nil {
				return err
			}
			p.out.line("removed")
			return nil
		}),
	}
}

func (p *program) serverReview() *cobra.Command {
	return &cobra.Command{
		Use:               "review NAME",
		Short:             "Be asked again about a server's new and changed tools, or about what it would run",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeServer,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			n, err := core.Review(ctx, args[0])
			if err != nil {
				return err
			}
			if n == 0 {
				p.out.line("Nothing of %s waits for a person.", visible(args[0]))
			} else {
				p.out.line("asked %s", plural(n, "question", "questions"))
			}
			return nil
		}),
	}
}
