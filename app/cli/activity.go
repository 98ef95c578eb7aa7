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

func (p *program) activity() *cobra.Command {
	return p.groupOf("activity", "Look at the record of calls and decisions",
		p.activityList(), p.activityFollow(), p.activityExport(), p.activityVerify())
}

// filters are the flags that pick entries of the record.
type filters struct {
	q            wire.ActivityQuery
	since, until string
}

func (p *program) filterFlags(cmd *cobra.Command, f *filters, lines int) {
	flags := cmd.Flags()
	flags.StringVar(&f.q.Host, "host", "", "only of this AI `application`; * stands for any characters")
	flags.StringVar(&f.q.Server, "server", "", "only of this `server`; * stands for any characters")
	flags.StringVar(&f.q.Tool, "tool", "", "only of this `tool`; * stands for any characters")
	flags.StringVar(&f.q.Decision, "decision", "", "only those decided so: allow or deny")
	flags.StringVar(&f.q.Outcome, "outcome", "", "only those that came out so: ok, tool_error, error, cancelled, server_down, unknown or running")
	flags.StringVar(&f.q.Kind, "kind", "", "only of this kind: call, question, change or record")
	flags.StringVar(&f.since, "since", "", "only from this `time` on: 2h (ago) or 2026-01-31T15:04:05Z")
	flags.StringVar(&f.until, "until", "", "only up to this `time`, written likewise")
	flags.IntVarP(&f.q.Limit, "lines", "n", lines, "newest entries to show; 0 shows all that are kept")
	for name, values := range map[string]cobra.CompletionFunc{
		"host": p.completeHosts, "server": p.completeServer,
		"decision": cobra.FixedCompletions([]string{"allow", "deny"}, noFiles),
		"kind":     cobra.FixedCompletions([]string{wire.ActivityCall, wire.ActivityQuestion, wire.ActivityChange, wire.ActivityRecord}, noFiles),
	} {
		if err := cmd.RegisterFlagCompletionFunc(name, values); err != nil {
			panic(err) // a flag that isn't above
		}
	}
}

// query is what the flags say.
func (f *filters) query(now time.Time) (wire.ActivityQuery, error) {
	q := f.q
	var err error
	if q.Since, err = moment("--since", f.since, now); err != nil {
		return q, err
	}
	if q.Until, err = moment("--until", f.until, now); err != nil {
		return q, err
	}
	if q.Limit < 0 {
		return q, usage("-n is %d: it must be a number from 0", q.Limit)
	}
	if err := q.Check(); err != nil {
		return q, usage("%s", err)
	}
	return q, nil
}

// moment reads a time, or how long ago it is.
func moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		if _, err := fmt.Sscanf(days, "%d", &n); err == nil && fmt.Sprint(n) == days && n >= 0 && n < 36500 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	e := usage("%s is %.40q: it is no time", flag, text)
	e.Hint = "Write how long ago it was, like 30m, 2h or 7d, or a time like 2026-01-31T15:04:05Z."
	return time.Time{}, e
}

// withQuery makes a RunE of a function that needs the core and a query.
func (p *program) withQuery(f *filters, do func(ctx context.Context, core *client.Client, q wire.ActivityQuery) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		q, err := f.query(time.Now())
		if err != nil {
			return err
		}
		return p.withCore(func(ctx context.Context, core *client.Client, _ []string) error { return do(ctx, core, q) })(cmd, args)
	}
}

func (p *program) activityList() *cobra.Command {
	var f filters
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List calls and decisions, the newest last",
		Example: "  bridgekeeper activity list --server rooms --tool 'reboot*' --since 2h",
		Args:    cobra.NoArgs,
	}
	p.filterFlags(cmd, &f, 50)
	p.jsonFlag(cmd, "print each entry as JSON, one a line")
	cmd.RunE = p.withQuery(&f, func(ctx context.Context, core *client.Client, q wire.ActivityQuery) error {
		t := table{head: []string{"TIME", "HOST", "SERVER", "TOOL", "DECISION", "BY", "OUTCOME", "TOOK", "WHY"}, paint: paintActivity}
		skipped, err := core.Activity(ctx, q, func(a wire.Activity) error {
			if p.asJSON {
				return p.printEntry(a)
			}
			t.add(stamp(a.Time), text(a.Host), text(a.Server), text(a.Tool), text(a.Decision), text(a.By), outcome(a), took(a), why(a))
			return nil
		})
		if err != nil {
			return err
		}
		switch {
		case p.asJSON:
		case len(t.rows) == 0:
			p.out.line("No entries.")
		default:
			t.print(p.out)
		}
		if skipped > 0 {
			p.err.line("%s %s of the record can't be read; `bridgekeeper activity verify` says where.", p.err.paint(yellow, "warning:"), plural(skipped, "line", "lines"))
		}
		return nil
	})
	return cmd
}

func (p *program) activityFollow() *cobra.Command {
	var f filters
	cmd := &cobra.Command{
		Use:   "follow",
		Short: "Show calls and decisions as they happen, until Ctrl-C",
		Args:  cobra.NoArgs,
	}
	p.filterFlags(cmd, &f, 10)
	p.jsonFlag(cmd, "print each entry as JSON, and again with the same id when it has ended")
	cmd.RunE = p.withQuery(&f, func(ctx context.Context, core *client.Client, q wire.ActivityQuery) error {
		return untilInterrupted(ctx, core.FollowActivity(ctx, q, func(a wire.Activity) error {
			if p.asJSON {
				return p.printEntry(a)
			}
			p.printActivity(a)
			return p.out.failed
		}))
	})
	return cmd
}

func (p *program) activityExport() *cobra.Command {
	var f filters
	var format string
	cmd := &cobra.Command{
		Use:     "export",
		Short:   "Write calls and decisions to stdout, for other programs",
		Example: "  bridgekeeper activity export --format csv --since 7d > week.csv",
		Args:    cobra.NoArgs,
	}
	p.filterFlags(cmd, &f, 0)
	cmd.Flags().StringVar(&format, "format", wire.FormatJSONL, "jsonl (one JSON object a line) or csv")
	run := p.withQuery(&f, func(ctx context.Context, core *client.Client, q wire.ActivityQuery) error {
		return core.ExportActivity(ctx, q, format, p.out.w)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if format != wire.FormatJSONL && format != wire.FormatCSV {
			return usage("--format is %.40q: it must be jsonl or csv", format)
		}
		return run(cmd, args)
	}
	return cmd
}

func (p *program) activityVerify() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Look whether the record is whole: no line changed, cut, added or moved",
		Long: "Look whether the record is whole: no line changed, cut, added or moved. The exit code is 1\n" +
			"when it is not. Somebody who may write all of your files can write a record anew without a\n" +
			"trace, unless you noted number and digest of its newest line elsewhere.",
		Args: cobra.NoArgs,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
			check, err := core.VerifyActivity(ctx)
			if err != nil {
				return err
			}
			if p.asJSON {
				if err := p.out.json(check); err != nil {
					return err
				}
			} else {
				p.printCheck(check)
			}
			if check.OK {
				return nil
			}
			return &wire.Error{Code: wire.CodeRecordBroken, Message: "The record of calls is not as it was written.",
				Hint: "docs/activity.md says what each sentence means. Keep a copy of the files before anything else."}
		}),
	}
	p.jsonFlag(cmd, "print the result as JSON")
	return cmd
}

func (p *program) printCheck(c *wire.ActivityCheck) {
	places := func(colour style, word string, list []wire.Broken) {
		for _, b := range list {
			where := visible(b.File)
			if b.Line > 0 {
				where += fmt.Sprintf(" line %d", b.Line)
			}
			if where != "" {
				where += ": "
			}
			p.out.line("%s %s%s", p.out.paint(colour, word), where, visible(b.Text))
		}
	}
	places(red, "broken:", c.Breaks)
	if c.More > 0 {
		p.out.line("%s and %s more", p.out.paint(red, "broken:"), plural(c.More, "place", "places"))
	}
	places(yellow, "note:", c.Notes)
	if c.OK {
		p.out.line("%s", p.out.paint(green, "The record is whole."))
	}
	p.out.line("lines     %d in %s", c.Lines, plural(c.Files, "file", "files"))
	if c.Older > 0 {
		p.out.line("older     %s without a chain: they can't be checked", plural(c.Older, "line", "lines"))
	}
	p.out.line("oldest    %s", text(c.Oldest))
	if c.Number > 0 {
		p.out.line("newest    line %d, digest %s", c.Number, visible(c.Digest))
	}
}

// printEntry prints an entry as one line of JSON.
func (p *program) printEntry(a wire.Activity) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	p.out.line("%s", data)
	return p.out.failed
}

// printActivity prints an entry in one line, as it begins or as it has ended.
func (p *program) printActivity(a wire.Activity) {
	words := []string{p.out.paint(faint, stamp(a.Time))}
	for _, s := range []string{a.Host, a.Server, a.Tool} {
		if s != "" {
			words = append(words, visible(s))
		}
	}
	if a.Decision != "" {
		words = append(words, p.out.paint(paintActivity(4, a.Decision), visible(a.Decision)))
	}
	if a.By != "" {
		words = append(words, "by "+visible(a.By))
	}
	if reason := why(a); reason != "-" {
		words = append(words, p.out.paint(faint, "("+reason+")"))
	}
	if a.Outcome != "" {
		end := outcome(a)
		words = append(words, "-> "+p.out.paint(paintActivity(6, end), end))
		if !a.Ended.IsZero() {
			words = append(words, fmt.Sprintf("after %s, %d bytes", took(a), a.Bytes))
		}
	}
	p.out.line("%s", strings.Join(words, " "))
}

func stamp(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05.000") }

// outcome is how a call came out, in a word.
func outcome(a wire.Activity) string {
	if a.Outcome == "" && a.Kind == wire.ActivityCall && a.Decision == "allow" {
		return wire.OutcomeRunning
	}
	return text(a.Outcome)
}

func took(a wire.Activity) string {
	if a.Ended.IsZero() {
		return "-"
	}
	if a.MS < 1000 {
		return fmt.Sprintf("%.1fms", a.MS)
	}
	return fmt.Sprintf("%.1fs", a.MS/1000)
}

// why is the rule of a call, and what is said of everything else.
func why(a wire.Activity) string {
	switch {
	case a.Text == "":
		return text(a.Rule)
	case a.Rule == "":
		return visible(a.Text)
	}
	return visible(a.Text) + " (" + visible(a.Rule) + ")"
}

func paintActivity(column int, cell string) style {
	switch {
	case column == 4 && cell == "deny":
		return red
	case column == 6 && (cell == "ok" || cell == "running"):
		return green
	case column == 6 && cell != "-":
		return yellow
	}
	return plain
}
