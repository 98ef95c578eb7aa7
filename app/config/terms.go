package config

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"bridgekeeper/app/wire"
)

// Bounds of what the settings say.
const (
	maxPattern = 256              // bytes; tools' names are seldom longer than 64
	maxRules   = 2000             // each call is compared with all of them
	maxNote    = 500              // bytes of a rule's note: a sentence or two
	argsDigits = 64               // of a SHA-256
	maxHosts   = 1000             // with terms
	minWait    = 10 * time.Second // nobody reads and answers faster
	maxWait    = 24 * time.Hour   // a host has long given up by then
	maxCalls   = 1_000_000        // a minute, or at once: far above what one machine can do
	maxTokens  = 1_000_000_000    // an hour
	maxModels  = 100              // more than anybody tells apart
	maxText    = 4096             // bytes of a model's address, name or key
	maxGrade   = 10               // of a model's cost, speed and intelligence
	maxKeepMiB = 100 << 10        // 100 GiB of record
)

// The values of the settings' keys.
var (
	doValues       = []string{wire.VerdictAllow, wire.VerdictAsk, wire.VerdictDeny}
	questionValues = []string{"here", "host"}
	modelKinds     = []string{"openai", "anthropic"}
	askKinds       = []string{wire.AskCall, wire.AskForm, wire.AskURL, wire.AskSampling, wire.AskSamplingResult,
		wire.AskFirstRun, wire.AskChangedTool, wire.AskNewHost, wire.AskLower}
)

// keysOf are the keys of a type's fields in JSON.
func keysOf[T any]() []string {
	var keys []string
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		keys = append(keys, name)
	}
	return keys
}

func checkPattern(key, pattern string) *fault {
	if len(pattern) > maxPattern {
		return &fault{path: key, sentence: fmt.Sprintf("%s has a name of %d bytes: %d are allowed", lastKey(key), len(pattern), maxPattern)}
	}
	if strings.ContainsFunc(pattern, unicode.IsControl) {
		return &fault{path: key, sentence: fmt.Sprintf("%s has a name with a control character: %.40q", lastKey(key), pattern)}
	}
	return nil
}

func checkLimits(key string, l *wire.Limits) *fault {
	if l == nil {
		return nil
	}
	return firstOf(checkNumber(key+".callsPerMinute", l.PerMinute, maxCalls), checkNumber(key+".callsAtOnce", l.AtOnce, maxCalls))
}

func checkSampling(key string, s *wire.SamplingTerms) *fault {
	if s == nil {
		return nil
	}
	return firstOf(checkNumber(key+".perHour", s.PerHour, maxCalls), checkNumber(key+".tokensPerHour", s.TokensPerHour, maxTokens),
		checkNumber(key+".maxTokens", s.MaxTokens, maxTokens))
}

func checkRule(r wire.Rule) *fault {
	if r.Do == "" {
		return &fault{path: "do", sentence: "a rule must say what to do: " + strings.Join(doValues, " or ")}
	}
	if r.Args != "" {
		if _, err := hex.DecodeString(r.Args); err != nil || len(r.Args) != argsDigits || strings.ToLower(r.Args) != r.Args {
			return &fault{path: "args", sentence: fmt.Sprintf("args is %.80q: it must be a SHA-256 of %d small hexadecimal digits", r.Args, argsDigits)}
		}
	}
	if len(r.Note) > maxNote {
		return &fault{path: "note", sentence: fmt.Sprintf("note has %d bytes: %d are allowed", len(r.Note), maxNote)}
	}
	return firstOf(checkValue("do", r.Do, doValues),
		checkPattern("host", r.Host), checkPattern("server", r.Server), checkPattern("tool", r.Tool))
}

func checkHost(name string, t wire.HostTerms) *fault {
	if err := wire.CheckName("host", name); err != nil {
		return &fault{"", err.Message, err.Hint}
	}
	return firstOf(checkValue("ask", t.Ask, presetValues), checkValue("questions", t.Questions, questionValues),
		checkLimits("limits", t.Limits))
}

func checkQuestions(q wire.QuestionTerms) *fault {
	if f := checkWait("deadline", q.Deadline); f != nil {
		return f
	}
	for _, kind := range slices.Sorted(maps.Keys(q.Deadlines)) {
		wait := q.Deadlines[kind]
		if !slices.Contains(askKinds, kind) {
			return &fault{"deadlines." + kind, fmt.Sprintf("there is no kind of questions %.40q: it must be %s", kind, strings.Join(askKinds, " or ")), ""}
		}
		if f := checkWait("deadlines."+kind, wait); f != nil {
			return f
		}
		if wait == "" {
			return &fault{"deadlines." + kind, "the time is missing", `Write it like "10m" or "1h30m".`}
		}
	}
	return nil
}

func checkWait(key, wait string) *fault {
	if wait == "" {
		return nil
	}
	if d, err := time.ParseDuration(wait); err != nil || d < minWait || d > maxWait {
		return &fault{key, fmt.Sprintf("%s is %.40q: it must be a time from 10s to 24h", lastKey(key), wait), `Write it like "10m" or "1h30m".`}
	}
	return nil
}

func checkRecord(r wire.RecordTerms) *fault { return checkNumber("keepMiB", r.KeepMiB, maxKeepMiB) }

func checkModel(m wire.Model) *fault {
	if err := wire.CheckName("model", m.Name); err != nil {
		return &fault{"name", err.Message, err.Hint}
	}
	switch {
	case m.Kind == "":
		return &fault{path: "kind", sentence: "a model's kind is missing: " + strings.Join(modelKinds, " or ")}
	case strings.TrimSpace(m.Model) == "":
		return &fault{path: "model", sentence: "the provider's name of the model is missing"}
	case m.Key == wire.Mask:
		return &fault{path: "key", sentence: "the key is a mask, not a key"}
	}
	for _, f := range []struct{ key, value string }{{"url", m.URL}, {"model", m.Model}, {"key", m.Key}} {
		if len(f.value) > maxText || strings.ContainsFunc(f.value, unicode.IsControl) {
			return &fault{path: f.key, sentence: fmt.Sprintf("%s is longer than %d bytes, or has a control character", f.key, maxText)}
		}
	}
	return firstOf(checkValue("kind", m.Kind, modelKinds), checkURL("url", m.URL), checkNumber("cost", m.Cost, maxGrade),
		checkNumber("speed", m.Speed, maxGrade), checkNumber("intelligence", m.Intelligence, maxGrade))
}

func checkURL(key, text string) *fault {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return &fault{path: key, sentence: fmt.Sprintf("%s is %.80q: it must be an address that starts with http:// or https://", key, text)}
	case u.User != nil:
		return &fault{path: key, sentence: key + " has a name or password in it", hint: "Put the key into \"key\": it is masked wherever it is shown."}
	}
	return nil
}
