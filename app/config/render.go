package config

import (
	"maps"
	"slices"

	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
)

type (
	object = jsonedit.Object
	inline = jsonedit.Inline
	rows   = jsonedit.Rows
)

func f(key string, value any) jsonedit.Field { return jsonedit.Field{Key: key, Value: value} }

func quote(s string) string { return jsonedit.Quote(s) }

func entryObject(e wire.Entry) object {
	o := object{f("command", e.Command)}
	add := func(key string, value any, given bool) {
		if given {
			o = append(o, f(key, value))
		}
	}
	add("args", e.Args, len(e.Args) > 0)
	var env object
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		env = append(env, f(name, e.Env[name]))
	}
	add("env", env, len(env) > 0)
	add("cwd", e.Cwd, e.Cwd != "")
	add("disabled", true, e.Disabled)
	add("start", e.Start, e.Start != "")
	add("idleStop", e.IdleStop, e.IdleStop != "")
	add("sharing", e.Sharing, e.Sharing != "")
	add("era", e.Era, e.Era != "")
	add("maxLine", e.MaxLine, e.MaxLine != 0)
	add("ask", e.Ask, e.Ask != "")
	add("off", e.Off, len(e.Off) > 0)
	add("trust", e.Trust, e.Trust != "")
	add("changes", e.Changes, e.Changes != "")
	limits, sampling := limitsObject(e.Limits), samplingObject(e.Sampling)
	add("limits", limits, len(limits.Given()) > 0)
	add("sampling", sampling, e.Sampling != nil && *e.Sampling != (wire.SamplingTerms{}))
	add("roots", e.Roots, len(e.Roots) > 0)
	return o
}

func limitsObject(l *wire.Limits) inline {
	if l == nil {
		l = &wire.Limits{}
	}
	return inline{f("callsPerMinute", jsonedit.Opt(l.PerMinute)), f("callsAtOnce", jsonedit.Opt(l.AtOnce))}
}

func samplingObject(s *wire.SamplingTerms) inline {
	if s == nil {
		s = &wire.SamplingTerms{}
	}
	return inline{f("enabled", s.Enabled), f("perHour", jsonedit.Opt(s.PerHour)),
		f("tokensPerHour", jsonedit.Opt(s.TokensPerHour)), f("maxTokens", jsonedit.Opt(s.MaxTokens))}
}

func ruleObject(r wire.Rule) inline {
	return inline{f("host", jsonedit.Opt(r.Host)), f("server", jsonedit.Opt(r.Server)), f("tool", jsonedit.Opt(r.Tool)),
		f("args", jsonedit.Opt(r.Args)), f("do", r.Do), f("note", jsonedit.Opt(r.Note))}
}

func hostObject(t wire.HostTerms) inline {
	return inline{f("ask", jsonedit.Opt(t.Ask)), f("questions", jsonedit.Opt(t.Questions)), f("limits", limitsObject(t.Limits))}
}

func questionsObject(q wire.QuestionTerms, had map[string]string) inline {
	var kinds inline
	for _, kind := range askKinds {
		if q.Deadlines[kind] != "" || had[kind] != "" {
			kinds = append(kinds, f(kind, jsonedit.Opt(q.Deadlines[kind])))
		}
	}
	return inline{f("deadline", jsonedit.Opt(q.Deadline)), f("deadlines", kinds), f("cli", jsonedit.Opt(q.CLI))}
}

func recordObject(r wire.RecordTerms) inline {
	return inline{f("arguments", jsonedit.Opt(r.Arguments)), f("keepMiB", jsonedit.Opt(r.KeepMiB))}
}

func modelObject(m wire.Model) inline {
	return inline{f("name", m.Name), f("kind", m.Kind), f("url", jsonedit.Opt(m.URL)), f("model", m.Model), f("key", jsonedit.Opt(m.Key)),
		f("cost", jsonedit.Opt(m.Cost)), f("speed", jsonedit.Opt(m.Speed)), f("intelligence", jsonedit.Opt(m.Intelligence))}
}
