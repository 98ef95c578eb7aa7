package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

const sum = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestReadSettings(t *testing.T) {
	r, problem := read([]byte(`{
  "mcpServers": { "files": { "command": "x", "ask": "destructive", "off": ["delete_*"], "trust": "limited", "changes": "accept",
    "limits": {"callsPerMinute": 60, "callsAtOnce": 4}, "sampling": {"enabled": true, "perHour": 20, "tokensPerHour": 9, "maxTokens": 8},
    "roots": ["~/src", "/srv"] }, "plain": {"command": "x", "limits": {}, "sampling": {}, "off": [], "roots": null} },
  "ask": "everything",
  "rules": [ /* mine */ {"host": "*", "server": "files", "tool": "write_*", "do": "ask", "note": "mine"}, {"do": "deny", "args": "` + sum + `"}, ],
  "hosts": { "claude-code": {"ask": "never", "questions": "host", "limits": {"callsAtOnce": 2}}, "cli": {} },
  "questions": {"deadline": "5m", "deadlines": {"form": "10m"}},
  "models": [ {"name": "local", "kind": "openai", "url": "http://127.0.0.1:11434/v1", "model": "llama3.2", "key": "k", "cost": 10, "speed": 1, "intelligence": 2} ],
  "record": {"arguments": true, "keepMiB": 80},
  "legacySSE": true,
  "registry": "http://127.0.0.1:8080",
}`))
	if problem != nil || len(r.mistakes)+len(r.config.Warnings)+len(r.config.Problems) != 0 {
		t.Fatalf("%+v %+v %+v", problem, r.mistakes, r.config)
	}
	want := wire.Settings{
		Ask:       "everything",
		Rules:     []wire.Rule{{Host: "*", Server: "files", Tool: "write_*", Do: "ask", Note: "mine"}, {Do: "deny", Args: sum}},
		Hosts:     map[string]wire.HostTerms{"claude-code": {Ask: "never", Questions: "host", Limits: &wire.Limits{AtOnce: 2}}, "cli": {}},
		Questions: wire.QuestionTerms{Deadline: "5m", Deadlines: map[string]string{"form": "10m"}},
		Models:    []wire.Model{{Name: "local", Kind: "openai", URL: "http://127.0.0.1:11434/v1", Model: "llama3.2", Key: "k", Cost: 10, Speed: 1, Intelligence: 2}},
		Record:    wire.RecordTerms{Arguments: true, KeepMiB: 80},
		LegacySSE: true,
		Registry:  "http://127.0.0.1:8080",
	}
	if !reflect.DeepEqual(r.config.Settings, want) {
		t.Errorf("got\n%+v\nwant\n%+v", r.config.Settings, want)
	}
	files := wire.Entry{Command: "x", Ask: "destructive", Off: []string{"delete_*"}, Trust: "limited", Changes: "accept",
		Limits: &wire.Limits{PerMinute: 60, AtOnce: 4}, Sampling: &wire.SamplingTerms{Enabled: true, PerHour: 20, TokensPerHour: 9, MaxTokens: 8},
		Roots: []string{"~/src", "/srv"}}
	if got := r.config.Servers; !reflect.DeepEqual(got, []Server{{Name: "files", Entry: files}, {Name: "plain", Entry: wire.Entry{Command: "x"}}}) {
		t.Errorf("servers %+v", got)
	}
}

func TestProblemsOfProtection(t *testing.T) {
	for entry, says := range map[string]string{
		`"ask": "evrything"`: "everything or changes or destructive or never",
		`"ask": true`:        `"ask" must be a text`,
		`"off": "x"`:         `"off" must be a list`,
		`"off": [""]`:        "empty name",
		`"off": ["` + strings.Repeat("x", 257) + `"]`:    "256 are allowed",
		`"off": ["a\u0007"]`:                             "control character",
		`"trust": "none"`:                                "full or limited or pending",
		`"changes": "never"`:                             "ask or accept",
		`"limits": 60`:                                   `"limits" must be an object`,
		`"limits": {"callsPerMinut": 60}`:                `no key "callsPerMinut"`,
		`"limits": {"callsPerMinute": -1}`:               "callsPerMinute is -1",
		`"limits": {"callsAtOnce": 1.5}`:                 "whole number",
		`"limits": {"callsAtOnce": 1, "callsAtOnce": 2}`: "there twice",
		`"sampling": true`:                               `"sampling" must be an object`,
		`"sampling": {"enabled": "yes"}`:                 `"enabled" must be true or false`,
		`"sampling": {"perHour": 1e9}`:                   "perHour",
		`"roots": ["src"]`:                               "absolute path",
		`"roots": ["~ann/src"]`:                          "absolute path",
		`"roots": ["/a\u0000"]`:                          "can't be a folder",
	} {
		r, problem := read([]byte("{\"mcpServers\": {\n\"bad\": {\"command\": \"x\", " + entry + "}, \"good\": {\"command\": \"x\"}}}"))
		if problem != nil {
			t.Errorf("%s: %s", entry, problem.Message)
			continue
		}
		if p := r.config.Problems["bad"]; p.Code != wire.CodeBadEntry || !strings.Contains(p.Message, says) || !strings.Contains(p.Message, "line 2, column ") || len(r.config.Servers) != 1 {
			t.Errorf("%s: %s: %s", entry, p.Code, p.Message)
		}
	}
}

// An entry from another program's file, which has "trust": true, could not be started.
func TestTrustOfAnotherProgram(t *testing.T) {
	for value, want := range map[string]string{"true": "", "false": "limited"} {
		r, _ := read([]byte(`{"mcpServers": {"a": {"command": "x", "trust": ` + value + `}}}`))
		if s, ok := r.config.Lookup("a"); !ok || s.Entry.Trust != want || len(r.config.Warnings) != 1 || !strings.Contains(r.config.Warnings[0], "trust is "+value) {
			t.Errorf("%s: %+v", value, r.config)
		}
	}
}

func TestAbsolute(t *testing.T) {
	for dir, want := range map[string][3]bool{ // linux, darwin, windows
		"/srv": {true, true, false}, "~": {true, true, true}, "~/src": {true, true, true}, `~\src`: {false, false, true},
		`C:\src`: {false, false, true}, "c:/src": {false, false, true}, "C:src": {false, false, false}, `\\nas\share`: {false, false, true},
		`\src`: {false, false, false}, "src": {false, false, false}, "~ann": {false, false, false}, "": {false, false, false}, "1:/x": {false, false, false},
	} {
		for i, goos := range []string{"linux", "darwin", "windows"} {
			if got := absolute(goos, dir); got != want[i] {
				t.Errorf("%s on %s: %v", dir, goos, got)
			}
		}
	}
}

// settled is a store's config after the texts were in the file, one after the other.
func settled(t testing.TB, texts ...string) *Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bridgekeeper.json")
	write(t, path, texts[0])
	s := open(t, path)
	for _, text := range texts[1:] {
		write(t, path, text)
		s.reload()
	}
	if p := s.Problem(); p != nil {
		t.Fatal(p.Message)
	}
	return s.Current()
}

// A letter too much in one setting, and nothing was asked any more.
func TestAMistakeNeverWeakens(t *testing.T) {
	const before = `{"ask": "destructive", "rules": [{"tool": "rm", "do": "deny"}], "hosts": {"h": {"ask": "changes", "limits": {"callsAtOnce": 1}}},
  "questions": {"deadline": "1m"}, "models": [{"name": "m", "kind": "openai", "model": "x"}], "record": {"keepMiB": 7}, "legacySSE": true, "registry": "https://registry.example.com"}`
	was := settled(t, before).Settings
	for _, c := range []struct {
		text, says string
		strict     func(*wire.Settings) // what is read when nothing is known from before
	}{
		{`"ask": "evrything"`, "ask, line 2, column 8: ask is", func(s *wire.Settings) { s.Ask = "everything" }},
		{`"ask": ["never"]`, `"ask" must be a text`, func(s *wire.Settings) { s.Ask = "everything" }},
		{`"rules": {"do": "deny"}`, "must be a list", func(s *wire.Settings) {
			s.Rules = []wire.Rule{{Do: "deny", Note: "the rules could not be read"}}
		}},
		{`"rules": [{"tool": "rm", "do": "denny"}]`, "do is", func(s *wire.Settings) {
			s.Rules = []wire.Rule{{Tool: "rm", Do: "deny", Note: "it could not be read in full"}}
		}},
		{`"hosts": {"h": {"ask": "nver", "limits": {"callsAtOnce": 3}}}`, `host "h", line 2, column 24: ask is`, func(s *wire.Settings) {
			s.Hosts = map[string]wire.HostTerms{"h": {Ask: "everything", Limits: &wire.Limits{AtOnce: 3}}}
		}},
		{`"hosts": {"h": {"aks": "everything"}}`, `no key "aks"`, func(s *wire.Settings) {
			s.Hosts = map[string]wire.HostTerms{"h": {Ask: "everything"}}
		}},
		{`"hosts": {"h": {"ask": "never", "limits": {"callsAtOnce": -3}}}`, `callsAtOnce is -3`, func(s *wire.Settings) {
			s.Hosts = map[string]wire.HostTerms{"h": {Ask: "everything"}}
		}},
		{`"hosts": {"h": {"ask": "everything"}, "h": {"ask": "never"}}`, `is there twice`, func(s *wire.Settings) {
			s.Hosts = map[string]wire.HostTerms{"h": {Ask: "everything"}}
		}},
		{`"hosts": []`, `must be an object`, func(s *wire.Settings) {
			s.Rules = []wire.Rule{{Do: "ask", Note: "hosts could not be read"}}
		}},
		{`"questions": {"deadline": "1s"}`, "from 10s to 24h", nil},
		{`"questions": {"deadline": "soon"}`, "from 10s to 24h", nil},
		{`"questions": {"deadline": "25h"}`, "from 10s to 24h", nil},
		{`"questions": {"deadlines": {"forms": "10m"}}`, `"forms"`, nil},
		{`"questions": {"deadlines": {"form": 10}}`, `must be a text`, nil},
		{`"models": {}`, "must be a list", nil},
		{`"models": [{"name": "m", "kind": "openai"}]`, "name of the model is missing", nil},
		{`"models": [{"name": "m", "kind": "gemini", "model": "x"}]`, "openai or anthropic", nil},
		{`"models": [{"name": "m m", "kind": "openai", "model": "x"}]`, "can't be the name", nil},
		{`"models": [{"name": "m", "kind": "openai", "model": "x", "url": "ftp://x"}]`, "http:// or https://", nil},
		{`"models": [{"name": "m", "kind": "openai", "model": "x", "url": "http://a:b@x"}]`, "name or password", nil},
		{`"models": [{"name": "m", "kind": "openai", "model": "x", "key": "••••"}]`, "a mask", nil},
		{`"models": [{"name": "m", "kind": "openai", "model": "x", "speed": 11}]`, "between 1 and 10", nil},
		{`"models": [{"name": "m", "kind": "openai", "model": "x"}, {"name": "m", "kind": "openai", "model": "y"}]`, "two models", nil},
		{`"models": ["m"]`, "must be an object", nil},
		{`"record": {"arguments": 1}`, "true or false", nil},
		{`"record": {"keepMiB": -1}`, "keepMiB is -1", nil},
		{`"record": {"argument": true}`, `no key "argument"`, nil},
		{`"legacySSE": "yes"`, "true or false", nil},
		{`"registry": "http://registry.example.com"`, "must begin with https://", nil},
	} {
		text := "{\n" + c.text + "}"
		key := strings.Split(c.text, `"`)[1]
		// It was never right: the strictest reading.
		var want wire.Settings
		if c.strict != nil {
			c.strict(&want)
		}
		for _, texts := range [][]string{{text}, {`{}`, text}, {text, text + " "}, {`{"mcpServers": `, text}} {
			if len(texts) == 2 && texts[0] == `{"mcpServers": ` {
				path := filepath.Join(t.TempDir(), "bridgekeeper.json")
				write(t, path, texts[0])
				s := open(t, path)
				write(t, path, texts[1])
				s.reload()
				if got := s.Current().Settings; !reflect.DeepEqual(got, want) {
					t.Errorf("%s: after a broken file it is read as %+v", c.text, got)
				}
				continue
			}
			conf := settled(t, texts...)
			if !reflect.DeepEqual(conf.Settings, want) {
				t.Errorf("%s: read as\n%+v, want\n%+v", c.text, conf.Settings, want)
			}
			if w := fmt.Sprint(conf.Warnings); !strings.Contains(w, c.says) || !strings.Contains(w, "line 2, column ") || !strings.Contains(w, "strictly") {
				t.Errorf("%s: warnings %s", c.text, w)
			}
		}
		// It was right before: that stays, and everything else is as the file says.
		conf := settled(t, before, text, text+" ")
		for k, v := range byKey(conf.Settings) {
			want := byKey(wire.Settings{})[k]
			if k == key {
				want = byKey(was)[k]
			}
			if !reflect.DeepEqual(v, want) {
				t.Errorf("%s: %s became %+v, want %+v", c.text, k, v, want)
			}
		}
		if w := fmt.Sprint(conf.Warnings); !strings.Contains(w, "stays") {
			t.Errorf("%s: warnings %s", c.text, w)
		}
		// Corrected, it is what the file says.
		if conf := settled(t, text, before); !reflect.DeepEqual(conf.Settings, was) || len(conf.Warnings) != 0 {
			t.Errorf("%s: corrected, it is %+v", c.text, conf.Settings)
		}
	}
}

// A rule against a tool was misspelt, and a rule that allows more took its place.
func TestRulesAreReadAsStrictlyAsTheyCanBeMeant(t *testing.T) {
	full := "it could not be read in full"
	for _, c := range []struct {
		name, rules string
		want        []wire.Rule
		mistakes    int
	}{
		{"an allow that can't be read allows nothing", `{"tool": 7, "do": "allow"}, {"tool": "a", "do": "allow"}`,
			[]wire.Rule{{Tool: "a", Do: "allow"}}, 1},
		{"an allow with an unknown key would allow too much", `{"sever": "a", "do": "allow"}`, nil, 1},
		{"a deny with an unknown key denies more, and beats what is inside of it", `{"sever": "b", "tool": "rm*", "do": "deny"},
			{"tool": "rm_all", "do": "allow"}, {"tool": "rm_one", "do": "ask"}, {"tool": "ls", "do": "allow"}`,
			[]wire.Rule{{Tool: "rm*", Do: "deny", Note: full}, {Tool: "rm_all", Do: "deny"}, {Tool: "rm_one", Do: "deny"}, {Tool: "ls", Do: "allow"}}, 1},
		{"an ask with a part that can't be read", `{"server": "a", "tool": [], "do": "ask"}, {"server": "a", "tool": "x", "do": "allow"},
			{"server": "b", "do": "allow"}, {"server": "*", "tool": "y", "do": "deny"}`,
			[]wire.Rule{{Server: "a", Do: "ask", Note: full}, {Server: "a", Tool: "x", Do: "ask"}, {Server: "b", Do: "allow"}, {Server: "*", Tool: "y", Do: "deny"}}, 1},
		{"arguments that are no digest", `{"tool": "x", "args": "ab", "do": "deny"}`, []wire.Rule{{Tool: "x", Do: "deny", Note: full}}, 1},
		{"no verdict", `{"tool": "x"}`, []wire.Rule{{Tool: "x", Do: "deny", Note: full}}, 1},
		{"a verdict of the wrong kind", `{"tool": "x", "do": true}`, []wire.Rule{{Tool: "x", Do: "deny", Note: full}}, 1},
		{"two verdicts", `{"tool": "x", "do": "deny", "do": "ask"}`, []wire.Rule{{Tool: "x", Do: "deny", Note: full}}, 1},
		{"two tools", `{"tool": "x", "tool": "y", "do": "ask"}`, []wire.Rule{{Do: "ask", Note: full}}, 1},
		{"no object", `"deny"`, []wire.Rule{{Do: "deny", Note: full}}, 1},
		{"a long note harms nothing", `{"tool": "x", "do": "allow", "note": "` + strings.Repeat("n", 501) + `"}`, []wire.Rule{{Tool: "x", Do: "allow"}}, 1},
		{"a long name", `{"tool": "` + strings.Repeat("n", 257) + `", "do": "ask"}`, []wire.Rule{{Do: "ask", Note: full}}, 1},
	} {
		r, problem := read([]byte(`{"rules": [` + c.rules + `]}`))
		if problem != nil {
			t.Fatal(problem.Message)
		}
		if !reflect.DeepEqual(r.config.Settings.Rules, c.want) || len(r.mistakes) != c.mistakes {
			t.Errorf("%s:\n%+v, want\n%+v, mistakes %+v", c.name, r.config.Settings.Rules, c.want, r.mistakes)
		}
	}
	many := strings.Repeat(`{"do": "allow"},`, maxRules+1)
	r, _ := read([]byte(`{"rules": [` + many + `]}`))
	if rules := r.config.Settings.Rules; len(rules) != maxRules+1 || rules[0].Do != "deny" || len(r.mistakes) != 1 {
		t.Errorf("too many rules: %d, %+v, %+v", len(rules), rules[0], r.mistakes)
	}
	// What can't weaken anything doesn't keep the person's other edits from counting.
	conf := settled(t, `{"rules": [{"tool": "a", "do": "allow"}]}`, `{"rules": [{"tool": 7, "do": "allow"}, {"tool": "b", "do": "deny"}]}`)
	if got := conf.Settings.Rules; !reflect.DeepEqual(got, []wire.Rule{{Tool: "b", Do: "deny"}}) || len(conf.Warnings) != 1 {
		t.Errorf("got %+v, %q", got, conf.Warnings)
	}
}

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "x", true}, {"*", "", true}, {"x", "x", true}, {"x", "y", false}, {"x*", "xy", true}, {"x*", "yx", false}, {"*x", "yx", true},
		{"*x", "xy", false}, {"a*b", "a*c", false}, {"a*", "*b", true}, {"ab*", "a*", true}, {"a*b*c", "axc", true}, // in doubt
	} {
		if overlap(c.a, c.b) != c.want || overlap(c.b, c.a) != c.want {
			t.Errorf("%q and %q: want %v", c.a, c.b, c.want)
		}
	}
}

func TestKeysThatDifferInCase(t *testing.T) {
	conf := settled(t, "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"OFF\": [\"rm\"]}},\n \"Rules\": []}")
	w := fmt.Sprint(conf.Warnings)
	for _, says := range []string{`server "a", line 1`, `"OFF" is ignored; write it "off"`, `line 2, column 2: "Rules" is ignored`} {
		if !strings.Contains(w, says) {
			t.Errorf("no %q in %s", says, w)
		}
	}
}
