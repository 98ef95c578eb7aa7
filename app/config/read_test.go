package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

func TestReadIsLenient(t *testing.T) {
	r, problem := read([]byte("\xef\xbb\xbf// my servers\n" + `{
  "mcpServers": {
    /* first */ "rooms": {
      "command": "bridgekeeper", "args": ["example", "rooms",], // trailing comma
      "env": {"A": "1", "A": "2"}, "type": "stdio", "theirKey": [1, {}],
      "cwd": null, "disabled": true, "start": "on-demand", "idleStop": "10m",
      "sharing": "shared", "era": "legacy", "maxLine": 128,
    },
    "tickets": {"command": "x"},
    "again": {"command": "one"},
    "again": {"command": "two"},
  },
  "globalShortcut": "Ctrl+Space",
} // the end, with no newline`))
	if problem != nil {
		t.Fatal(problem.Message)
	}
	want := []Server{
		{Name: "rooms", Entry: wire.Entry{Command: "bridgekeeper", Args: []string{"example", "rooms"}, Env: map[string]string{"A": "2"},
			Disabled: true, Start: "on-demand", IdleStop: "10m", Sharing: "shared", Era: "legacy", MaxLine: 128}},
		{Name: "tickets", Entry: wire.Entry{Command: "x"}},
		{Name: "again", Entry: wire.Entry{Command: "two"}},
	}
	if !reflect.DeepEqual(r.config.Servers, want) {
		t.Errorf("got\n%+v\nwant\n%+v", r.config.Servers, want)
	}
	if len(r.config.Problems) != 0 || len(r.config.Warnings) != 2 {
		t.Errorf("problems %v, warnings %q", r.config.Problems, r.config.Warnings)
	}
	for _, empty := range []string{"{}", `{"mcpServers":{}}`, `{"mcpServers":null,"version":1}`} {
		if r, problem := read([]byte(empty)); problem != nil || len(r.config.Servers) != 0 {
			t.Errorf("%s: %+v, %+v", empty, r.config, problem)
		}
	}
}

func TestReadSaysWhere(t *testing.T) {
	for _, c := range []struct {
		text      string
		line, col int
		says      string
		code      wire.Code
	}{
		{"", 1, 1, "empty", wire.CodeConfigBroken},
		{" \n", 1, 1, "empty", wire.CodeConfigBroken},
		{"[]", 1, 1, "must be an object", wire.CodeConfigBroken},
		{"{\n  \"mcpServers\": []\n}", 2, 17, "mcpServers must be an object", wire.CodeConfigBroken},
		{"{\n  \"a\": \"é\" \"b\": 1\n}", 2, 12, "found '\"' where a comma or }", wire.CodeConfigBroken},
		{"{\n  \"a\": tru\n}", 2, 8, "neither true", wire.CodeConfigBroken},
		{"{\n  a: 1\n}", 2, 3, "need double quotes", wire.CodeConfigBroken},
		{"{\n  'a': 1\n}", 2, 3, "where a value should start", wire.CodeConfigBroken},
		{"{\"a\" 1}", 1, 6, "a colon", wire.CodeConfigBroken},
		{"{\"a\": [1 2]}", 1, 10, "a comma or ]", wire.CodeConfigBroken},
		{"{\"a\": 1", 1, 8, "} is missing", wire.CodeConfigBroken},
		{"{\"a\": [1,", 1, 10, "ends too early", wire.CodeConfigBroken},
		{"{\"a\": \"x", 1, 9, "closing quote", wire.CodeConfigBroken},
		{"{} /* x", 1, 8, "*/ is missing", wire.CodeConfigBroken},
		{"{}\n{}", 2, 1, "behind the end", wire.CodeConfigBroken},
		{"{\"a\": \"C:\\Users\"}", 1, 7, "escape", wire.CodeConfigBroken},
		{"{\"version\": 2}", 1, 13, "versions up to 1", wire.CodeConfigNewer},
		{"{\"version\": 0}", 1, 13, "whole number", wire.CodeConfigBroken},
		{"{\"version\": \"1\"}", 1, 13, "whole number", wire.CodeConfigBroken},
		{strings.Repeat("[", 200), 1, 101, "levels deep", wire.CodeConfigBroken},
		{strings.Repeat(" ", maxFile) + "{}", 0, 0, "larger", wire.CodeConfigBroken},
	} {
		_, p := read([]byte(c.text))
		name := c.text[:min(len(c.text), 40)]
		if p == nil {
			t.Errorf("%q: no problem", name)
			continue
		}
		if p.Code != c.code || p.Line != c.line || p.Col != c.col || !strings.Contains(p.Message, c.says) {
			t.Errorf("%q: line %d, column %d, %s: %s", name, p.Line, p.Col, p.Code, p.Message)
		}
	}
}

// One bad entry in an imported file and no server at all was started.
func TestProblemsOfOneServer(t *testing.T) {
	for _, c := range []struct{ entry, says string }{
		{`{}`, "the command is missing"},
		{`{"command": " "}`, "the command is missing"},
		{`{"command": 7}`, `"command" must be a text`},
		{`"npx foo"`, "must be an object"},
		{`{"command": "x", "args": "y"}`, `"args" must be a list`},
		{`{"command": "x", "args": ["y", 7]}`, `every element of "args"`},
		{`{"command": "x", "env": {"PORT": 8080}}`, `the variable "PORT" must be a text`},
		{`{"command": "x", "env": {"A=B": ""}}`, "can't be the name of a variable"},
		{`{"command": "x", "env": {"": ""}}`, "can't be the name of a variable"},
		{`{"command": "x", "env": {"KEY": "••••"}}`, "is a mask"},
		{`{"command": "x\u0000"}`, "zero byte"},
		{`{"command": "x", "disabled": "yes"}`, `"disabled" must be true or false`},
		{`{"command": "x", "start": "allways"}`, "always or on-demand or manual"},
		{`{"command": "x", "idleStop": "soon"}`, "at least a second"},
		{`{"command": "x", "idleStop": "1ms"}`, "at least a second"},
		{`{"command": "x", "sharing": "no"}`, "shared or per-host or per-session"},
		{`{"command": "x", "era": "old"}`, "auto or legacy or modern"},
		{`{"command": "x", "maxLine": 1.5}`, "whole number"},
		{`{"command": "x", "maxLine": -1}`, "between 1 and"},
		{`{"url": "https://example.com/mcp"}`, "remote servers"},
		{`{"type": "http", "command": "x"}`, "remote servers"},
	} {
		text := "{\"mcpServers\": {\n\"bad\": " + c.entry + ",\n\"good\": {\"command\": \"x\"}}}"
		r, problem := read([]byte(text))
		if problem != nil {
			t.Errorf("%s: %s", c.entry, problem.Message)
			continue
		}
		p := r.config.Problems["bad"]
		if p.Code != wire.CodeBadEntry || !strings.Contains(p.Message, c.says) || !strings.Contains(p.Message, "line 2, column ") {
			t.Errorf("%s: %s: %s", c.entry, p.Code, p.Message)
		}
		if len(r.config.Servers) != 1 || r.config.Servers[0].Name != "good" {
			t.Errorf("%s: servers %+v", c.entry, r.config.Servers)
		}
	}
	r, _ := read([]byte(`{"mcpServers": {"a__b": {"command": "x"}, "a": {"command": "x"}}}`))
	if r.config.Problems["a__b"].Code != wire.CodeBadName || len(r.config.Servers) != 1 {
		t.Errorf("got %+v", r.config)
	}
}

func TestMigrate(t *testing.T) {
	steps := []migration{
		func(data []byte) ([]byte, error) {
			s := strings.Replace(string(data), "{", `{"version": 2, `, 1)
			return []byte(strings.ReplaceAll(s, `"cmd"`, `"command"`)), nil
		},
		func(data []byte) ([]byte, error) {
			return []byte(strings.Replace(string(data), `"version": 2`, `"version": 3`, 1)), nil
		},
	}
	r, problem := readWith([]byte("{\"mcpServers\": {\"a\": {\"cmd\": \"x\"}}} // kept"), steps)
	if problem != nil {
		t.Fatal(problem.Message)
	}
	if len(r.config.Servers) != 1 || r.config.Servers[0].Entry.Command != "x" {
		t.Errorf("got %+v", r.config)
	}
	want := "{\"version\": 3, \"mcpServers\": {\"a\": {\"command\": \"x\"}}} // kept"
	if got := string(r.text.Bytes()); got != want {
		t.Errorf("the text became %s", got)
	}
	if _, problem := readWith([]byte(`{"version": 4}`), steps); problem == nil || problem.Code != wire.CodeConfigNewer {
		t.Errorf("got %+v", problem)
	}
	before, err := filepath.Glob("testdata/migrate/*.before.json")
	if err != nil || len(before) != len(migrations) {
		t.Errorf("%d migrations, golden pairs %v, %v", len(migrations), before, err)
	}
	for i, file := range before {
		in, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.Replace(file, ".before.", ".after.", 1))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := migrations[i](in); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v\n%s", file, err, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"mcpServers": {"a": {"command": "x", "args": ["1",], "env": {"K": "v"}}, /* c */}} // d`))
	f.Add([]byte("\xef\xbb\xbf{\r\n\t\"mcpServers\": {}\r\n}"))
	f.Add([]byte(`{"version": 2}`))
	f.Add([]byte("{\"a\": \"\\u00\", //\n}"))
	f.Add([]byte(`{"mcpServers": {"a": {"command": "x", "ask": "never", "off": ["a*"], "trust": "limited", "changes": "accept", "limits": {"callsAtOnce": 1},
		"sampling": {"enabled": true, "perHour": 1}, "roots": ["~/x"]}}, "ask": "changes", "record": {"keepMiB": 7}, "legacySSE": true}`))
	f.Add([]byte(`{"rules": [{"host": "h", "tool": "x*", "do": "deny"}, {"do": "alow"}, 7], "hosts": {"h": {"ask": "x", "limits": {}}, "h": null, "a b": {}}}`))
	f.Add([]byte(`{"questions": {"deadline": "5m", "deadlines": {"form": "1s"}}, "models": [{"name": "m", "kind": "openai", "model": "x", "url": "http://u:p@h"}]}`))
	f.Add([]byte(`{"rules": null, "rules": [/* a */], "hosts": [], "questions": 1, "models": {}, "record": {"x": 1}, "ask": 0}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		before, problem := read(data)
		if problem != nil {
			if problem.Message == "" || problem.Code == "" || problem.Line < 0 || problem.Col < 0 {
				t.Errorf("a problem without a sentence: %+v", problem)
			}
			return
		}
		if string(before.text.Bytes()) != string(data) {
			t.Fatal("reading changed the bytes")
		}
		checkSettings(t, before)
		fuzzSettings(t, data)
		// Whatever can be read can be added to, and that loses no comment.
		const name = "added-by-fuzz"
		if _, taken := before.config.Lookup(name); taken {
			return
		}
		next, err := edited(data, scope{server: name}, func(e *editor) error {
			return e.addServer(name, wire.Entry{Command: "x", Args: []string{"a", "b"}})
		})
		if err != nil {
			if len(data) > maxFile-1000 {
				return
			}
			t.Fatalf("add a server: %v", err)
		}
		after, _ := read(next)
		if len(after.config.Servers) != len(before.config.Servers)+1 {
			t.Errorf("servers %+v became %+v", before.config.Servers, after.config.Servers)
		}
		back, err := edited(next, scope{server: name}, func(e *editor) error { return e.Unset(serversKey, name) })
		if err != nil {
			t.Fatalf("remove it again: %v", err)
		}
		if last, problem := read(back); problem != nil || len(last.config.Servers) != len(before.config.Servers) {
			t.Errorf("got %s", back)
		}
	})
}

// checkSettings makes sure that whatever was read can be acted on.
func checkSettings(t *testing.T, r reading) {
	s := r.config.Settings
	faults := []*fault{checkValue("ask", s.Ask, presetValues), checkQuestions(s.Questions), checkRecord(s.Record)}
	for _, rule := range s.Rules {
		faults = append(faults, checkRule(rule))
	}
	for name, terms := range s.Hosts {
		faults = append(faults, checkHost(name, terms))
	}
	for _, server := range r.config.Servers {
		faults = append(faults, check(server.Entry))
	}
	if f := firstOf(faults...); f != nil {
		t.Errorf("read all the same: %+v", *f)
	}
	if err := checkModels(s.Models); err != nil {
		t.Errorf("read all the same: %v", err)
	}
	before := reflect.ValueOf(s.Rules).Len()
	r.settle(&Config{}, true)
	if len(r.config.Settings.Rules) < before || len(r.mistakes) > 0 && len(r.config.Warnings) == 0 {
		t.Errorf("settled to %+v, %q", r.config.Settings, r.config.Warnings)
	}
}

// fuzzSettings changes settings and takes the changes back.
func fuzzSettings(t *testing.T, data []byte) {
	was, _ := read(data)
	rule := wire.Rule{Server: "added", Tool: "by-fuzz", Do: "deny"}
	terms := wire.HostTerms{Ask: "everything", Limits: &wire.Limits{AtOnce: 1}}
	q := wire.QuestionTerms{Deadline: "1m", Deadlines: map[string]string{"form": "2m"}}
	if _, taken := was.config.Settings.Hosts["by-fuzz"]; taken || len(was.config.Settings.Rules) >= maxRules || slices.Contains(was.config.Settings.Rules, rule) || len(data) > maxFile-1000 {
		return
	}
	step := func(data []byte, in scope, edit func(*editor) error) []byte {
		next, err := edited(data, in, edit)
		if err != nil && wire.AsError(err).Code == wire.CodeConfigBroken {
			return nil // there is a mistake in that place already
		}
		if err != nil {
			t.Fatalf("change the settings of %s: %v", data, err)
		}
		return next
	}
	twice := func(do, undo func() (scope, func(*editor) error)) []byte {
		in, edit := do()
		next := step(data, in, edit)
		if next == nil {
			return nil
		}
		in, edit = undo()
		return step(next, in, edit)
	}
	for _, back := range [][]byte{
		twice(func() (scope, func(*editor) error) { return addRule(rule) },
			func() (scope, func(*editor) error) { return removeRule(len(was.config.Settings.Rules), rule) }),
		twice(func() (scope, func(*editor) error) { return setHost("by-fuzz", terms) },
			func() (scope, func(*editor) error) { return setHost("by-fuzz", wire.HostTerms{}) }),
	} {
		if back == nil {
			continue
		}
		if now, _ := read(back); !reflect.DeepEqual(now.config.Settings, was.config.Settings) {
			t.Errorf("%s became %s", data, back)
		}
	}
	in, edit := setQuestions(q)
	step(data, in, edit)
}
