package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

func (p *program) serverCheck() *cobra.Command {
	var req wire.CheckServer
	var strict bool
	cmd := &cobra.Command{
		Use:   "check NAME",
		Short: "Look at a server as its authors should: names, descriptions, schemas, start and end",
		Long: "Look at a server as its authors should: names, descriptions, schemas, start and end. A copy\n" +
			"of it is started for that, and ended. The exit code is 10 when there is an error to mend,\n" +
			"with --strict also for a warning.",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeServer,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			r, err := core.CheckServer(ctx, args[0], req)
			if err != nil {
				return err
			}
			if p.asJSON {
				if err := p.out.json(r); err != nil {
					return err
				}
			} else {
				p.printCheckUp(r)
			}
			bad := slices.ContainsFunc(r.Findings, func(f wire.Finding) bool {
				return f.Level == wire.FindError || strict && f.Level == wire.FindWarning
			})
			if bad {
				return &wire.Error{Code: wire.CodeCheck, Message: "the server has something to mend"}
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "a warning counts as an error")
	p.jsonFlag(cmd, "print JSON")
	return cmd
}

func (p *program) printCheckUp(r *wire.CheckReport) {
	p.out.line("%s  %s %s, revision %s, %s, ready after %s", visible(r.Server), visible(r.Title), visible(r.Version), text(visible(r.Protocol)), count(r.Tools, "tool"),
		fmt.Sprintf("%.1f s", float64(r.StartMS)/1000))
	if len(r.Findings) == 0 {
		p.out.line("Nothing to mend.")
		return
	}
	colour := map[string]style{wire.FindError: red, wire.FindWarning: yellow, wire.FindNote: faint}
	n := map[string]int{}
	for _, f := range r.Findings {
		n[f.Level]++
		where := ""
		if f.Tool != "" {
			where = " " + f.Tool
		}
		p.out.line("%s%s: %s", p.out.paint(colour[f.Level], visible(f.Level)), visible(where), visible(f.Text))
		if f.Mend != "" {
			p.out.line("    mend it: %s", visible(f.Mend))
		}
		if f.Spec != "" {
			p.out.line("    see: %s (%s)", visible(f.Spec), visible(f.Code))
		}
	}
	p.out.line("%s, %s, %s", count(n[wire.FindError], "error"), count(n[wire.FindWarning], "warning"), count(n[wire.FindNote], "note"))
}
