package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"bridgekeeper/app/ask"
	"bridgekeeper/app/policy"
	"bridgekeeper/app/wire"
)

// mayLower asks a person before a program lowers protection. A window is the
// person; an edit of the file by hand never comes here. what says what an edit
// would lower: it is asked again after the answer, which counts for nothing else.
func (a *App) mayLower(ctx context.Context, what func() []string) error {
	asked := what()
	if err := a.askLower(ctx, asked); err != nil {
		return err
	}
	if !slices.Equal(asked, what()) {
		return &wire.Error{Code: wire.CodeDenied, Message: "The change was not made: the config changed while a person was asked about it.", Hint: "Try again."}
	}
	return nil
}

func (a *App) askLower(ctx context.Context, what []string) error {
	who := a.who(ctx)
	if len(what) == 0 || who.name == "window" || a.opts.Answers == AnswerAllow {
		return nil
	}
	text := strings.Join(what, " ")
	q := wire.Question{Kind: wire.AskLower, Lower: &wire.LowerDetail{What: text}, Choices: []string{wire.ChooseDeny, wire.ChooseOnce},
		Why: "It came through " + whereFrom[who.name] + ", not through an edit of the config file by your own hand."}
	if who.child {
		q.Notes = []string{"It was asked for by a process of one of your servers."}
	}
	o := a.queue.Ask(ctx, &ask.Ask{Question: q})
	if o.Yes() {
		return nil
	}
	e := &wire.Error{Code: wire.CodeDenied, Message: "The change was not made: it lowers protection, and a person said no."}
	if o.End != ask.Answered {
		e.Message = fmt.Sprintf("The change was not made: it lowers protection, which needs a person's answer (%s).", o.Reason)
		e.Hint = "Edit " + a.config.Path() + " yourself, or start the core with `serve --answers tty`."
	}
	return e
}

var whereFrom = map[string]string{"cli": "the command line", "program": "a program", "server": "a server's own process", "window": "the window"}

// lowersServer says what an edit of a server would lower.
func (a *App) lowersServer(name string, before, after *wire.Entry) []string {
	settings := a.policyOf(a.config.Current())
	was, is := a.compare(settings, func(s *policy.Settings) {
		s.Servers = maps.Clone(s.Servers)
		s.Servers[name] = a.policyOfServer(after)
	})
	out := lowers(was, is)
	if lowerSampling(before.Sampling, after.Sampling) {
		out = append(out, fmt.Sprintf("The server %s gets a model, or more of one.", name))
	}
	for _, root := range after.Roots {
		if !slices.Contains(before.Roots, root) {
			out = append(out, fmt.Sprintf("The server %s is told of the folder %s.", name, root))
		}
	}
	if before.Trust == wire.TrustPending && after.Trust != wire.TrustPending {
		out = append(out, fmt.Sprintf("The server %s runs without anybody having looked at its command.", name))
	}
	return out
}

// lowerSampling reports whether after lets a server use a model more.
func lowerSampling(before, after *wire.SamplingTerms) bool {
	if after == nil || !after.Enabled {
		return false
	}
	if before == nil || !before.Enabled {
		return true
	}
	more := func(was, is int) bool { return was != is && (is == 0 || was != 0 && is > was) }
	return more(before.PerHour, after.PerHour) || more(before.TokensPerHour, after.TokensPerHour) || more(before.MaxTokens, after.MaxTokens)
}

// compare compiles the settings as they are and with a change.
func (a *App) compare(settings policy.Settings, change func(*policy.Settings)) (was, is *policy.Rules) {
	next := settings
	change(&next)
	was = a.rules.Load()
	is, err := policy.Compile(next)
	if err != nil {
		return was, was // the config refuses it with its own words
	}
	return was, is
}

func lowers(was, is *policy.Rules) []string { return policy.Lowers(was, is) }

// applyEdit is an entry as an edit would leave it, for comparing.
func applyEdit(e wire.Entry, req *wire.EditServer) wire.Entry {
	set := func(to *string, from *string) {
		if from != nil {
			*to = *from
		}
	}
	set(&e.Command, req.Command)
	set(&e.Cwd, req.Cwd)
	set(&e.Ask, req.Ask)
	set(&e.Trust, req.Trust)
	set(&e.Changes, req.Changes)
	if req.Args != nil {
		e.Args = *req.Args
	}
	if req.Off != nil {
		e.Off = *req.Off
	}
	if req.Limits != nil {
		e.Limits = req.Limits
	}
	if req.Sampling != nil {
		e.Sampling = req.Sampling
	}
	if req.Roots != nil {
		e.Roots = *req.Roots
	}
	return e
}

// runsOther reports whether an edit changes what runs.
func runsOther(req *wire.EditServer) bool {
	return req.Command != nil || req.Args != nil || req.Cwd != nil || len(req.Env) > 0
}

// Settings returns the config's settings, with keys masked (localapi.Policy).
func (a *App) Settings(context.Context) (*wire.Settings, error) {
	s := a.config.Current().Settings.Masked()
	return &s, nil
}

// EditSettings changes settings (localapi.Policy).
func (a *App) EditSettings(ctx context.Context, req wire.EditSettings) error {
	if err := a.mayLower(ctx, func() []string { return a.lowersSettings(&req) }); err != nil {
		return err
	}
	return a.applying(a.writeSettings(&req))
}

// lowersSettings says what an edit of the settings would lower.
func (a *App) lowersSettings(req *wire.EditSettings) (what []string) {
	now := a.config.Current().Settings
	if req.Ask != nil {
		was, is := a.compare(a.policyOf(a.config.Current()), func(s *policy.Settings) { s.Default = *req.Ask })
		what = append(what, lowers(was, is)...)
	}
	if q := req.Questions; q != nil && q.CLI && !now.Questions.CLI {
		what = append(what, "The command line may answer questions.")
	}
	if r := req.Record; r != nil {
		if r.Arguments && !now.Record.Arguments {
			what = append(what, "The arguments of calls are recorded whole.")
		}
		if r.KeepMiB != 0 && r.KeepMiB != now.Record.KeepMiB {
			what = append(what, fmt.Sprintf("At most %d MiB of the record of calls are kept.", r.KeepMiB))
		}
	}
	if req.LegacySSE != nil && *req.LegacySSE && !now.LegacySSE {
		what = append(what, "The transport of 2024-11-05 is served, too.")
	}
	if req.Registry != nil && *req.Registry != now.Registry {
		what = append(what, "Servers to add are looked up in another registry.")
	}
	if req.Models != nil {
		what = append(what, "Other models answer the prompts of servers.")
	}
	return what
}

func (a *App) writeSettings(req *wire.EditSettings) error {
	var steps []func() error
	if req.Ask != nil {
		steps = append(steps, func() error { return a.config.SetDefaultAsk(*req.Ask) })
	}
	if req.Questions != nil {
		steps = append(steps, func() error { return a.config.SetQuestions(*req.Questions) })
	}
	if req.Record != nil {
		steps = append(steps, func() error { return a.config.SetRecord(*req.Record) })
	}
	if req.LegacySSE != nil {
		steps = append(steps, func() error { return a.config.SetLegacySSE(*req.LegacySSE) })
	}
	if req.Registry != nil {
		steps = append(steps, func() error { return a.config.SetRegistry(*req.Registry) })
	}
	if req.Models != nil {
		steps = append(steps, func() error { return a.config.SetModels(*req.Models) })
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// AddRule adds a rule (localapi.Policy).
func (a *App) AddRule(ctx context.Context, rule wire.Rule) error {
	if bad := policy.CheckRule(rule); bad != nil {
		return bad
	}
	err := a.mayLower(ctx, func() []string {
		return lowers(a.compare(a.policyOf(a.config.Current()), func(s *policy.Settings) {
			s.Rules = append(slices.Clone(s.Rules), rule)
		}))
	})
	if err != nil {
		return err
	}
	return a.applying(a.config.AddRule(rule))
}

// RemoveRule takes a rule away (localapi.Policy).
func (a *App) RemoveRule(ctx context.Context, index int, expected wire.Rule) error {
	err := a.mayLower(ctx, func() []string {
		return lowers(a.compare(a.policyOf(a.config.Current()), func(s *policy.Settings) {
			if index >= 0 && index < len(s.Rules) {
				s.Rules = slices.Delete(slices.Clone(s.Rules), index, index+1)
			}
		}))
	})
	if err != nil {
		return err
	}
	return a.applying(a.config.RemoveRule(index, expected))
}

// Explain says what would happen to a call (localapi.Policy).
func (a *App) Explain(_ context.Context, host, server, tool string) (*wire.Explanation, error) {
	if _, err := a.entryOf(server); err != nil {
		return nil, err
	}
	f := &policy.Facts{Host: host, Server: server, Tool: tool, Pin: policy.PinNone, Hints: policy.HintsOf(nil), Trusted: a.rules.Load().Trusted(server)}
	if s := a.dir.View().Server(server); s != nil {
		if t := s.Tool(tool); t != nil {
			known := a.shelf.of(server, tool, t.Definition)
			f.Listed, f.Hints, f.Pin = true, known.hints, known.pin
		}
	}
	why := policy.Explain(a.rules.Load(), f)
	if a.hold.on() {
		why.Verdict, why.Because = wire.VerdictDeny, "Everything is on hold. "+why.Because
	}
	return &why, nil
}
