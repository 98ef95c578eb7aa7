package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

func (p *program) status() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the core, its servers and what is wrong",
		Args:  cobra.NoArgs,
		RunE: p.withCore(func(ctx context.Context, core *client.Client, _ []string) error {
			s, err := core.Snapshot(ctx)
			if err != nil {
				return err
			}
			if p.asJSON {
				return p.out.json(s)
			}
			p.printStatus(s, time.Now())
			return nil
		}),
	}
	p.jsonFlag(cmd, "print the whole state as JSON")
	return cmd
}

func (p *program) printStatus(s *wire.Snapshot, now time.Time) {
	row := func(name, format string, args ...any) {
		p.out.line("%-10s%s", name, fmt.Sprintf(format, args...))
	}
	p.out.line("%s, running for %s (pid %d)", p.out.paint(strong, "Bridgekeeper "+visible(s.Core.Version)), span(now.Sub(s.Core.Started)), s.Core.PID)
	row("endpoint", "%s", s.Core.URL)
	if s.Core.Open {
		row("", "%s", p.out.paint(red, "open: no token is asked for"))
	}
	row("answers", "%s", s.Core.Answers)
	if !s.Core.Held.IsZero() {
		row("held", "%s", p.out.paint(red, "every call is denied, since "+ago(s.Core.Held, now)+" (`bridgekeeper hold off` ends that)"))
	}
	if n := len(s.Questions); n > 0 {
		row("questions", "%s", p.out.paint(yellow, plural(n, "waits", "wait")+" for an answer (`bridgekeeper question list`)"))
	}
	row("config", "%s", text(s.Config.Path))
	if e := s.Config.Error; e != nil {
		row("", "%s %s", p.out.paint(red, "not in use:"), visible(e.Message))
	}
	row("hosts", "%s, %s open", plural(len(s.Hosts), "host", "hosts"), plural(s.Core.Sessions, "session", "sessions"))
	for _, warning := range s.Core.Warnings {
		p.out.line("%s %s", p.out.paint(yellow, "warning:"), visible(warning))
	}
	row("servers", "%s", summary(s.Servers))
	if len(s.Servers) > 0 {
		p.out.line("")
		p.printServers(s.Servers, now)
	}
}

// summary counts servers by state.
func summary(servers []wire.Server) string {
	if len(servers) == 0 {
		return "none (`bridgekeeper server add` adds one)"
	}
	count := map[string]int{}
	for _, s := range servers {
		count[s.State]++
	}
	var parts []string
	for _, state := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%d %s", count[state], state))
	}
	return fmt.Sprintf("%d: %s", len(servers), strings.Join(parts, ", "))
}

// maxStderr is how many of a dead server's last lines are shown; all are in its log.
const maxStderr = 5

func (p *program) printServers(servers []wire.Server, now time.Time) {
	t := table{head: []string{"NAME", "STATE", "SINCE", "PID", "TOOLS", "RESTARTS", "COMMAND"}, paint: paintState}
	for _, s := range servers {
		state := visible(s.State)
		if s.Phase != "" {
			state += " (" + visible(s.Phase) + ")"
		}
		t.add(visible(s.Name), state, ago(s.Since, now), number(s.PID), number(s.Tools), number(s.Restarts), command(s.Entry))
		if !s.NextTry.IsZero() {
			t.note("next try in %s", span(s.NextTry.Sub(now)))
		}
		// Of a server that is fine again the last exit is history.
		if s.LastExit == nil || s.State == "ready" || s.State == "disabled" || s.State == "stopped" {
			continue
		}
		t.note("%s %s (%s)", p.out.paint(red, "reason:"), visible(s.LastExit.Reason), how(s.LastExit, now))
		p.noteLines(&t, "stderr", s.LastExit.Stderr)
		p.noteLines(&t, "stdout", s.LastExit.Stray)
	}
	t.print(p.out)
}

func (p *program) noteLines(t *table, source string, lines []string) {
	for _, line := range lines[max(0, len(lines)-maxStderr):] {
		t.note("%s %s", p.out.paint(faint, source+":"), visible(line))
	}
}

func how(e *wire.Exit, now time.Time) string {
	switch {
	case e.Signal != "":
		return visible(e.Signal) + ", " + ago(e.At, now)
	case e.Code < 0:
		return ago(e.At, now)
	}
	return fmt.Sprintf("exit code %d, %s", e.Code, ago(e.At, now))
}

func paintState(column int, cell string) style {
	if column != 1 {
		return plain
	}
	word, _, _ := strings.Cut(cell, " ")
	switch word {
	case "ready":
		return green
	case "failed":
		return red
	case "backoff", "held", "starting", "stopping":
		return yellow
	}
	return faint
}

// maxCommand keeps a table's last column on a wide terminal's line.
const maxCommand = 60

func command(e wire.Entry) string {
	words := []string{quoted(e.Command)}
	for _, arg := range e.Args {
		words = append(words, quoted(arg))
	}
	line := []rune(strings.Join(words, " "))
	if len(line) > maxCommand {
		return string(line[:maxCommand-1]) + "…"
	}
	return string(line)
}

func quoted(word string) string {
	word = visible(word)
	if word == "" || strings.ContainsAny(word, " \t'\"\\$&|;<>()`*?") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
