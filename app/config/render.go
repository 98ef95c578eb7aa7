package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"bridgekeeper/app/wire"
)

// object is a JSON object whose members have an order.
type object []field

type field struct {
	key   string
	value any
}

func entryObject(e wire.Entry) object {
	o := object{{"command", e.Command}}
	add := func(key string, value any, given bool) {
		if given {
			o = append(o, field{key, value})
		}
	}
	add("args", e.Args, len(e.Args) > 0)
	var env object
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		env = append(env, field{name, e.Env[name]})
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
	add("limits", limits, len(limits.given()) > 0)
	add("sampling", sampling, e.Sampling != nil && *e.Sampling != (wire.SamplingTerms{}))
	add("roots", e.Roots, len(e.Roots) > 0)
	return o
}

// inline is an object on one line. Members whose value is nil are left out.
type inline []field

func (o inline) given() inline {
	return slices.DeleteFunc(slices.Clone(o), func(f field) bool {
		nested, ok := f.value.(inline)
		return f.value == nil || ok && len(nested.given()) == 0
	})
}

// opt is a value, or nil for one that isn't given.
func opt[T comparable](value T) any {
	var zero T
	if value == zero {
		return nil
	}
	return value
}

func limitsObject(l *wire.Limits) inline {
	if l == nil {
		l = &wire.Limits{}
	}
	return inline{{"callsPerMinute", opt(l.PerMinute)}, {"callsAtOnce", opt(l.AtOnce)}}
}

func samplingObject(s *wire.SamplingTerms) inline {
	if s == nil {
		s = &wire.SamplingTerms{}
	}
	return inline{{"enabled", s.Enabled}, {"perHour", opt(s.PerHour)},
		{"tokensPerHour", opt(s.TokensPerHour)}, {"maxTokens", opt(s.MaxTokens)}}
}

func ruleObject(r wire.Rule) inline {
	return inline{{"host", opt(r.Host)}, {"server", opt(r.Server)}, {"tool", opt(r.Tool)},
		{"args", opt(r.Args)}, {"do", r.Do}, {"note", opt(r.Note)}}
}

func hostObject(t wire.HostTerms) inline {
	return inline{{"ask", opt(t.Ask)}, {"questions", opt(t.Questions)}, {"limits", limitsObject(t.Limits)}}
}

func questionsObject(q wire.QuestionTerms, had map[string]string) inline {
	var kinds inline
	for _, kind := range askKinds {
		if q.Deadlines[kind] != "" || had[kind] != "" {
			kinds = append(kinds, field{kind, opt(q.Deadlines[kind])})
		}
	}
	return inline{{"deadline", opt(q.Deadline)}, {"deadlines", kinds}, {"cli", opt(q.CLI)}}
}

func recordObject(r wire.RecordTerms) inline {
	return inline{{"arguments", opt(r.Arguments)}, {"keepMiB", opt(r.KeepMiB)}}
}

func modelObject(m wire.Model) inline {
	return inline{{"name", m.Name}, {"kind", m.Kind}, {"url", opt(m.URL)}, {"model", m.Model}, {"key", opt(m.Key)},
		{"cost", opt(m.Cost)}, {"speed", opt(m.Speed)}, {"intelligence", opt(m.Intelligence)}}
}

// rows is a list with a line for each element.
type rows []any

// render writes a value: objects and rows over several lines, all else on one.
func (e *editor) render(value any, in string) string {
	switch v := value.(type) {
	case object:
		if len(v) == 0 {
			return "{}"
		}
		nl, deeper := newline(e.text.src), in+e.text.unit()
		var lines []string
		for _, f := range v {
			lines = append(lines, deeper+quote(f.key)+": "+e.render(f.value, deeper))
		}
		return "{" + nl + strings.Join(lines, ","+nl) + nl + in + "}"
	case rows:
		nl, deeper := newline(e.text.src), in+e.text.unit()
		var lines []string
		for _, row := range v {
			lines = append(lines, deeper+e.render(row, deeper))
		}
		return "[" + nl + strings.Join(lines, ","+nl) + nl + in + "]"
	case inline:
		var members []string
		for _, f := range v.given() {
			members = append(members, quote(f.key)+": "+e.render(f.value, in))
		}
		return "{" + strings.Join(members, ", ") + "}"
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case string:
		return quote(v)
	}
	return fmt.Sprint(value) // numbers and booleans
}

// quote writes a text as JSON, with < and & as people write them.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// same reports whether a value of the file is this string, number or boolean already.
func same(v hujson.Value, value any) bool {
	lit, ok := v.Value.(hujson.Literal)
	if !ok {
		return false
	}
	switch value := value.(type) {
	case string:
		return lit.Kind() == '"' && lit.String() == value
	case bool:
		return lit.Kind() == hujson.Bool(value).Kind()
	case int:
		return string(lit) == fmt.Sprint(value)
	}
	return false
}
