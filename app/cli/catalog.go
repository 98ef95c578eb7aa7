package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

func (p *program) catalog() *cobra.Command {
	return p.groupOf("catalog", "Find MCP servers to add", p.catalogSearch(), p.catalogShow())
}

func (p *program) catalogSearch() *cobra.Command {
	var q wire.CatalogQuery
	cmd := &cobra.Command{
		Use:   "search [TEXT]",
		Short: "Find servers in the built-in list and in the MCP registry",
		Args:  cobra.MaximumNArgs(1),
	}
	cmd.Flags().IntVar(&q.Limit, "limit", 30, "servers of the registry on one page, at most 100")
	cmd.Flags().StringVar(&q.Cursor, "cursor", "", "go on at the `place` that the page before named")
	cmd.Flags().BoolVar(&q.Offline, "offline", false, "only what is on this computer")
	p.jsonFlag(cmd, "print JSON")
	run := p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
		q.Text = strings.Join(args, "")
		page, err := core.SearchCatalog(ctx, q)
		if err != nil {
			return err
		}
		if p.asJSON {
			return p.out.json(page)
		}
		p.printCatalog(page)
		return nil
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if q.Limit < 1 || q.Limit > 100 {
			return usage("--limit is %d: it must be a number from 1 to 100", q.Limit)
		}
		return run(cmd, args)
	}
	return cmd
}

func (p *program) printCatalog(page *wire.CatalogPage) {
	if len(page.Servers) == 0 {
		p.out.line("Nothing was found.")
	} else {
		t := table{head: []string{"NAME", "VERSION", "INSTALLS", "NEEDS", "DESCRIPTION"}}
		for _, s := range page.Servers {
			installs := strings.Join(s.Installs, ", ")
			if installs == "" {
				installs = "nothing here"
			}
			t.add(visible(s.Name), text(visible(s.Version)), visible(installs), text(visible(strings.Join(s.Needs, ", "))), visible(firstLine(s.Description)))
			if s.Status != "active" && s.Status != "" {
				t.note("%s %s", p.out.paint(yellow, visible(s.Status)+":"), visible(s.Message))
			}
		}
		t.print(p.out)
	}
	if page.Offline != "" {
		age := ""
		if !page.Age.IsZero() {
			age = fmt.Sprintf(" What is shown of it is %s old.", time.Since(page.Age).Round(time.Minute))
		}
		p.err.line("note: %s%s", visible(page.Offline), age)
	}
	if page.Cursor != "" {
		p.err.line("There are more: --cursor '%s'", visible(page.Cursor))
	}
}

func (p *program) catalogShow() *cobra.Command {
	var offline bool
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show one server of the catalog, with what it needs and its versions",
		Args:  cobra.ExactArgs(1),
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			s, err := core.ShowCatalog(ctx, args[0], offline)
			if err != nil {
				return err
			}
			if p.asJSON {
				return p.out.json(s)
			}
			for _, row := range [][2]string{{"name", s.Name}, {"title", s.Title}, {"about", s.Description}, {"version", s.Version}, {"installs", strings.Join(s.Installs, ", ")},
				{"needs", strings.Join(s.Needs, ", ")}, {"from", s.Source}, {"website", s.Website}, {"versions", strings.Join(s.Versions, ", ")}} {
				if row[1] != "" {
					p.out.line("%-9s %s", row[0], visible(row[1]))
				}
			}
			if s.Status != "active" && s.Status != "" {
				p.out.line("%s %s", p.out.paint(yellow, visible(s.Status)+":"), visible(s.Message))
			}
			p.out.line("\nAdd it: bridgekeeper server add %s", visible(s.Name))
			return nil
		}),
	}
	cmd.Flags().BoolVar(&offline, "offline", false, "only what is on this computer")
	p.jsonFlag(cmd, "print JSON")
	return cmd
}
