package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

func (p *program) question() *cobra.Command {
	return p.groupOf("question", "See and answer what waits for a person",
		p.questionList(), p.questionShow(), p.questionAnswer(), p.questionPast(), p.questionDeny())
}

func (p *program) questionList() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List the questions that are open",
		Args:    cobra.NoArgs,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
			s, err := core.Snapshot(ctx)
			if err != nil {
				return err
			}
			if p.asJSON {
				return p.out.json(append([]wire.Question{}, s.Questions...))
			}
			if len(s.Questions) == 0 {
				p.out.line("No questions.")
				return nil
			}
			now := time.Now()
			t := table{head: []string{"ID", "KIND", "HOST", "SERVER", "TOOL", "ASKED", "LEFT"}}
			for _, q := range s.Questions {
				t.add(visible(q.ID), visible(q.Kind), text(q.Host), text(q.Server), text(q.Tool), ago(q.Asked, now), span(q.Deadline.Sub(now)))
			}
			t.print(p.out)
			return nil
		}),
	}
	p.jsonFlag(cmd, "print JSON")
	return cmd
}

func (p *program) questionShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "show ID",
		Short:             "Show one question whole",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeQuestions,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			q, err := core.Question(ctx, args[0])
			if err != nil {
				return err
			}
			if p.asJSON {
				return p.out.json(q)
			}
			p.printQuestion(q)
			return nil
		}),
	}
	p.jsonFlag(cmd, "print JSON")
	return cmd
}

func (p *program) printQuestion(q *wire.Question) {
	row := func(name, value string) {
		if value != "" {
			p.out.line("%-10s%s", name, value)
		}
	}
	row("kind", visible(q.Kind))
	row("host", visible(q.Host))
	row("server", visible(q.Server))
	row("tool", visible(q.Tool))
	row("why", visible(q.Why))
	for _, note := range q.Notes {
		row("note", p.out.paint(yellow, visible(note)))
	}
	row("choices", strings.Join(q.Choices, ", "))
	row("left", span(time.Until(q.Deadline)))
	detail := any(nil)
	switch {
	case q.Call != nil:
		row("arguments", "")
		p.out.text(visibleLines(indented(q.Call.Arguments)) + "\n")
	case q.Form != nil:
		detail = q.Form
	case q.URL != nil:
		detail = q.URL
	case q.Sampling != nil:
		detail = q.Sampling
	case q.Command != nil:
		detail = q.Command
	case q.Change != nil:
		p.printDiff(q.Change.Diff)
	case q.Lower != nil:
		detail = q.Lower
	}
	if detail == nil {
		return
	}
	raw, err := json.Marshal(detail)
	if err == nil {
		p.out.text(visibleLines(indented(raw)) + "\n")
	}
}

func (p *program) printDiff(diff []wire.DiffLine) {
	for _, d := range diff {
		switch d.Op {
		case "gone":
			p.out.line("%s", p.out.paint(red, "- "+visible(d.Text)))
		case "added":
			p.out.line("%s", p.out.paint(green, "+ "+visible(d.Text)))
		default:
			p.out.line("  %s", visible(d.Text))
		}
	}
}

func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

func (p *program) questionAnswer() *cobra.Command {
	var content string
	cmd := &cobra.Command{
		Use:   "answer ID CHOICE",
		Short: "Answer a question, where the command line may",
		Long: `Answer a question with one of its choices: deny, once, session, minutes, tool,
arguments; for a form or a web page also cancel, and deny declines.

A form that is accepted (once) takes its values as a JSON object from --content, or
from stdin with --content -.

The command line may answer only where the core was started with --answers tty or
allow, or where the config file says "questions": {"cli": true}.`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: p.completeQuestions,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			a := wire.Answer{Choice: args[1]}
			if content == "-" {
				raw, err := io.ReadAll(io.LimitReader(p.stdin, maxContent))
				if err != nil {
					return fmt.Errorf("read stdin: %w", err)
				}
				content = string(raw)
			}
			if content != "" {
				if !json.Valid([]byte(content)) {
					return usage("--content is not valid JSON")
				}
				a.Content = json.RawMessage(content)
			}
			if err := core.Answer(ctx, args[0], a); err != nil {
				return err
			}
			p.out.line("answered: %s", visible(args[1]))
			return nil
		}),
	}
	cmd.Flags().StringVar(&content, "content", "", "values of a form, as JSON; - reads stdin")
	return cmd
}

// maxContent is far above what a form can ask for.
const maxContent = 1 << 20

func (p *program) questionPast() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "past",
		Short: "List the questions that were settled lately",
		Args:  cobra.NoArgs,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
			past, err := core.PastQuestions(ctx)
			if err != nil {
				return err
			}
			if p.asJSON {
				return p.out.json(append([]wire.Settled{}, past...))
			}
			if len(past) == 0 {
				p.out.line("No questions were asked since the core started.")
				return nil
			}
			now := time.Now()
			t := table{head: []string{"ID", "KIND", "HOST", "SERVER", "TOOL", "SETTLED", "HOW"}}
			for _, s := range past {
				how := s.End
				if s.Choice != "" {
					how = s.Choice + " (" + s.By + ")"
				} else if s.Reason != "" {
					how += ": " + s.Reason
				}
				t.add(visible(s.ID), visible(s.Kind), text(s.Host), text(s.Server), text(s.Tool), ago(s.At, now), visible(how))
			}
			t.print(p.out)
			return nil
		}),
	}
	p.jsonFlag(cmd, "print JSON")
	return cmd
}

func (p *program) questionDeny() *cobra.Command {
	return &cobra.Command{
		Use:               "deny-server SERVER",
		Short:             "Answer no to everything that waits because of one server",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeServer,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, args []string) error {
			n, err := core.DenyServer(ctx, args[0])
			if err != nil {
				return err
			}
			p.out.line("denied %s", plural(n, "question", "questions"))
			return nil
		}),
	}
}

func (p *program) hold() *cobra.Command {
	turn := func(name, short, said string, on bool) *cobra.Command {
		return &cobra.Command{
			Use: name, Short: short, Args: cobra.NoArgs,
			RunE: p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
				if err := core.Hold(ctx, on); err != nil {
					return err
				}
				p.out.line("%s", said)
				return nil
			}),
		}
	}
	return p.groupOf("hold", "Deny every call and question, with one switch",
		turn("on", "Deny everything from now on; servers go on running", "Everything is held. `bridgekeeper hold off` ends that.", true),
		turn("off", "Let calls through again, by the rules", "Calls go through again, by the rules.", false))
}
