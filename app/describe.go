package app

import (
	"fmt"
	"strings"
	"unicode"

	"bridgekeeper/app/wire"
)

// maxShown bounds the arguments that a terminal shows; a longer text says so.
const maxShown = 4000

// describe is a question's text. What a host or server wrote can't move the
// cursor or hide a part of itself.
func describe(q *wire.Question) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		for i, arg := range args {
			if text, ok := arg.(string); ok {
				args[i] = printable(text)
			}
		}
		fmt.Fprintf(&b, format+"\n", args...)
	}
	host := q.Host
	if host == "" {
		host = "an application"
	}
	switch q.Kind {
	case wire.AskCall:
		line("%s wants to run %s on the server %s", host, q.Tool, q.Server)
		args := printable(compact(q.Call.Arguments))
		if len(args) > maxShown {
			args = fmt.Sprintf("%s… (%d bytes in all: see `bridgekeeper question show %s`)", strings.ToValidUTF8(args[:maxShown], ""), len(q.Call.Arguments), q.ID)
		}
		b.WriteString("  arguments: " + args + "\n")
	case wire.AskForm:
		line("the server %s asks, while %s uses it: %s", q.Server, host, q.Form.Message)
	case wire.AskURL:
		line("the server %s wants a web page opened, while %s uses it: %s", q.Server, host, q.URL.Message)
		line("  address: %s", q.URL.URL)
		line("  that is at: %s", q.URL.Host)
		for _, note := range q.URL.Notes {
			line("  note: %s", note)
		}
	case wire.AskSampling, wire.AskSamplingResult:
		describeSampling(line, q)
	case wire.AskFirstRun:
		line("a program wants this to run as the server %s, with your rights", q.Server)
		describeCommand(line, q.Command)
		if q.Command.Before != nil {
			line("  what you allowed before:")
			describeCommand(line, q.Command.Before)
		}
	case wire.AskChangedTool:
		if q.Change.New {
			line("the server %s has a new tool: %s", q.Server, q.Tool)
		} else {
			line("the tool %s of the server %s is not what it was", q.Tool, q.Server)
		}
		for _, d := range q.Change.Diff {
			line("  %s %s", map[string]string{"gone": "-", "added": "+"}[d.Op], d.Text)
		}
	case wire.AskNewHost:
		line("a program wants to connect as the application %s", q.Host)
	case wire.AskLower:
		line("a program wants less protection: %s", q.Lower.What)
		if q.Lower.Before != "" || q.Lower.After != "" {
			line("  before: %s", q.Lower.Before)
			line("  after: %s", q.Lower.After)
		}
	}
	if q.Waiting > 0 {
		line("  identical calls that wait, too: %d", q.Waiting)
	}
	for _, note := range q.Notes {
		line("  note: %s", note)
	}
	line("  why you are asked: %s", q.Why)
	return b.String()
}

func describeCommand(line func(string, ...any), c *wire.CommandDetail) {
	line("  command: %s", c.Command)
	for i, arg := range c.Args {
		line("  argument %d: %s", i+1, arg)
	}
	if len(c.Env) > 0 {
		line("  variables: %s", strings.Join(c.Env, ", "))
	}
	if c.Cwd != "" {
		line("  folder: %s", c.Cwd)
	}
	if c.Source != "" {
		line("  from: %s", c.Source)
	}
}

func describeSampling(line func(string, ...any), q *wire.Question) {
	s := q.Sampling
	if q.Kind == wire.AskSamplingResult {
		line("the model %s answered the server %s", s.Model, q.Server)
	} else {
		line("the server %s wants the model %s to answer a prompt", q.Server, s.Model)
	}
	if s.System != "" && s.Result == nil {
		line("  system: %s", s.System)
	}
	messages := s.Messages
	if s.Result != nil {
		messages = []wire.SamplingMessage{*s.Result}
	}
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Type == "text" {
				line("  %s: %s", m.Role, p.Text)
			} else {
				line("  %s (%s): %s", m.Role, p.Type, p.Text)
			}
		}
	}
	if s.MaxTokens > 0 && s.Result == nil {
		line("  at most %d tokens", s.MaxTokens)
	}
	if len(s.Tools) > 0 {
		line("  tools it may ask for: %s", strings.Join(s.Tools, ", "))
	}
}

// printable shows every character that isn't an ordinary visible one by its number.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == ' ' || unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r) && !unicode.IsSpace(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u{%x}", r)
		}
	}
	return b.String()
}
