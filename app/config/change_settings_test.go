package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

// storeOf is a store over a file with this text.
func storeOf(t testing.TB, text string) (*Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bridgekeeper.json")
	write(t, path, text)
	return open(t, path), path
}

func TestChangesOfSettings(t *testing.T) {
	const servers = `  "mcpServers": {"a": {"command": "x"}}`
	rule := wire.Rule{Host: "h", Server: "a", Tool: "rm_*", Do: "deny", Note: "mine <&>"}
	model := wire.Model{Name: "m", Kind: "openai", URL: "http://127.0.0.1:1/v1", Model: "x", Key: "k", Cost: 3}
	limits := &wire.Limits{PerMinute: 60}
	for _, c := range []struct {
		name         string
		before       string // behind the servers
		change       func(*Store) error
		after        string
		wantSettings wire.Settings
	}{
		{"the first rule", "", func(s *Store) error { return s.AddRule(rule) },
			",\n  \"rules\": [\n    {\"host\": \"h\", \"server\": \"a\", \"tool\": \"rm_*\", \"do\": \"deny\", \"note\": \"mine <&>\"}\n  ]",
			wire.Settings{Rules: []wire.Rule{rule}}},
		{"one more rule", ",\n  \"rules\": [ // why\n    {\"do\": \"ask\"}, // all\n    // last\n  ]", func(s *Store) error { return s.AddRule(wire.Rule{Tool: "x", Do: "allow"}) },
			",\n  \"rules\": [ // why\n    {\"do\": \"ask\"}, // all\n    {\"tool\": \"x\", \"do\": \"allow\"},\n    // last\n  ]",
			wire.Settings{Rules: []wire.Rule{{Do: "ask"}, {Tool: "x", Do: "allow"}}}},
		{"a rule that is there", `, "rules": [{"tool": "x", "do": "allow", "note": "old"}]`, func(s *Store) error { return s.AddRule(wire.Rule{Tool: "x", Do: "allow", Note: "new"}) },
			`, "rules": [{"tool": "x", "do": "allow", "note": "old"}]`, wire.Settings{Rules: []wire.Rule{{Tool: "x", Do: "allow", Note: "old"}}}},
		{"a rule less", ",\n  \"rules\": [\n    // one\n    {\"do\": \"ask\"},\n    // two\n    {\"do\": \"deny\"} // three\n  ]", func(s *Store) error { return s.RemoveRule(0, wire.Rule{Do: "ask"}) },
			",\n  \"rules\": [\n    // one\n    // two\n    {\"do\": \"deny\"} // three\n  ]", wire.Settings{Rules: []wire.Rule{{Do: "deny"}}}},
		{"the last rule", `, "rules": [{"do": "ask"}]`, func(s *Store) error { return s.RemoveRule(0, wire.Rule{Do: "ask"}) }, `, "rules": []`, wire.Settings{}},
		{"the first host", "", func(s *Store) error { return s.SetHost("h", wire.HostTerms{Ask: "never", Limits: limits}) },
			",\n  \"hosts\": {\n    \"h\": {\"ask\": \"never\", \"limits\": {\"callsPerMinute\": 60}}\n  }",
			wire.Settings{Hosts: map[string]wire.HostTerms{"h": {Ask: "never", Limits: limits}}}},
		{"a host again", ",\n  \"hosts\": {\"g\": {}, \"h\": {/* why */ \"ask\": \"never\", \"limits\": {\"callsAtOnce\": 1 /* one */}}}", func(s *Store) error {
			return s.SetHost("h", wire.HostTerms{Ask: "changes", Questions: "host", Limits: &wire.Limits{AtOnce: 2}})
		}, ",\n  \"hosts\": {\"g\": {}, \"h\": {/* why */ \"ask\": \"changes\", \"limits\": {\"callsAtOnce\": 2 /* one */}, \"questions\": \"host\"}}",
			wire.Settings{Hosts: map[string]wire.HostTerms{"g": {}, "h": {Ask: "changes", Questions: "host", Limits: &wire.Limits{AtOnce: 2}}}}},
		{"a host less", ", \"hosts\": {\"g\": {}, \"h\": {\"ask\": \"never\"}}", func(s *Store) error { return s.SetHost("h", wire.HostTerms{Limits: &wire.Limits{}}) },
			", \"hosts\": {\"g\": {}}", wire.Settings{Hosts: map[string]wire.HostTerms{"g": {}}}},
		{"a host with a mistake is mended", ", \"hosts\": {\"h\": {\"aks\": \"never\"}}", func(s *Store) error { return s.SetHost("h", wire.HostTerms{Ask: "everything"}) },
			", \"hosts\": {\n    \"h\": {\"ask\": \"everything\"}\n  }", wire.Settings{Hosts: map[string]wire.HostTerms{"h": {Ask: "everything"}}}},
		{"the default", `, "ask": "never" /* why */`, func(s *Store) error { return s.SetDefaultAsk("everything") }, `, "ask": "everything" /* why */`, wire.Settings{Ask: "everything"}},
		{"no default", `, "ask": "evr"`, func(s *Store) error { return s.SetDefaultAsk("") }, ``, wire.Settings{}},
		{"questions", `, "questions": {"deadline": "1m", /* f */ "deadlines": {"form": "2m", "url": "3m"}}`, func(s *Store) error {
			return s.SetQuestions(wire.QuestionTerms{Deadlines: map[string]string{"url": "4m", "call": "5m"}})
		}, `, "questions": { /* f */ "deadlines": { "url": "4m", "call": "5m"}}`,
			wire.Settings{Questions: wire.QuestionTerms{Deadlines: map[string]string{"url": "4m", "call": "5m"}}}},
		{"no questions", `, "questions": {"deadline": "1m"}`, func(s *Store) error { return s.SetQuestions(wire.QuestionTerms{Deadlines: map[string]string{}}) }, ``, wire.Settings{}},
		{"questions with a mistake are mended", `, "questions": {"deadline": "1", "x": 1}`, func(s *Store) error { return s.SetQuestions(wire.QuestionTerms{Deadline: "1m"}) },
			",\n  \"questions\": {\"deadline\": \"1m\"}", wire.Settings{Questions: wire.QuestionTerms{Deadline: "1m"}}},
		{"the record", `, "record": {"keepMiB": 5}`, func(s *Store) error { return s.SetRecord(wire.RecordTerms{Arguments: true, KeepMiB: 6}) },
			`, "record": {"keepMiB": 6, "arguments": true}`, wire.Settings{Record: wire.RecordTerms{Arguments: true, KeepMiB: 6}}},
		{"the old transport", "", func(s *Store) error { return s.SetLegacySSE(true) }, ",\n  \"legacySSE\": true", wire.Settings{LegacySSE: true}},
		{"a registry", "", func(s *Store) error { return s.SetRegistry("https://registry.example.com") }, ",\n  \"registry\": \"https://registry.example.com\"", wire.Settings{Registry: "https://registry.example.com"}},
		{"not the old transport", `, "legacySSE": true`, func(s *Store) error { return s.SetLegacySSE(false) }, "", wire.Settings{}},
		{"the first model", "", func(s *Store) error { return s.AddModel(model) },
			",\n  \"models\": [\n    {\"name\": \"m\", \"kind\": \"openai\", \"url\": \"http://127.0.0.1:1/v1\", \"model\": \"x\", \"key\": \"k\", \"cost\": 3}\n  ]",
			wire.Settings{Models: []wire.Model{model}}},
		{"a model less", `, "models": [/* a */ {"name": "a", "kind": "openai", "model": "x"}, /* b */ {"name": "b", "kind": "anthropic", "model": "y"}]`,
			func(s *Store) error { return s.RemoveModel("a") }, `, "models": [/* a */ /* b */ {"name": "b", "kind": "anthropic", "model": "y"}]`,
			wire.Settings{Models: []wire.Model{{Name: "b", Kind: "anthropic", Model: "y"}}}},
		{"all models", `, "models": [/* a */ {"name": "a", "kind": "openai", "model": "x", "key": "k"}, /* b */ {"name": "b", "kind": "anthropic", "model": "y"}]`,
			func(s *Store) error {
				return s.SetModels([]wire.Model{{Name: "b", Kind: "anthropic", Model: "y"}, {Name: "a", Kind: "openai", Model: "z", Key: wire.Mask}})
			}, `, "models": [/* a */ {"name": "b", "kind": "anthropic", "model": "y"}, /* b */ {"name": "a", "kind": "openai", "model": "z", "key": "k"}]`,
			wire.Settings{Models: []wire.Model{{Name: "b", Kind: "anthropic", Model: "y"}, {Name: "a", Kind: "openai", Model: "z", Key: "k"}}}},
	} {
		s, path := storeOf(t, "{\n"+servers+c.before+"\n} // end\n")
		if err := c.change(s); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, want := contents(t, path), "{\n"+servers+c.after+"\n} // end\n"; got != want {
			t.Errorf("%s: the file became\n%s\nwant\n%s", c.name, got, want)
		}
		if got := s.Current(); !reflect.DeepEqual(got.Settings, c.wantSettings) || len(got.Warnings) != 0 || names(s) != "a=x " {
			t.Errorf("%s: it runs\n%+v\nwant\n%+v, warnings %q", c.name, got.Settings, c.wantSettings, got.Warnings)
		}
		if again := open(t, path).Current(); !reflect.DeepEqual(again.Settings, c.wantSettings) {
			t.Errorf("%s: read again\n%+v", c.name, again.Settings)
		}
	}
}

func TestChangesOfSettingsAreRefused(t *testing.T) {
	const good = `{"rules": [{"do": "ask"}, {"do": "deny"}], "models": [{"name": "m", "kind": "openai", "model": "x", "key": "k"}]}`
	const bad = `{"rules": [{"do": "ask"}, {"do": "alow"}], "models": {}, "hosts": 7}`
	model := func(change func(*wire.Model)) wire.Model {
		m := wire.Model{Name: "n", Kind: "openai", Model: "x"}
		change(&m)
		return m
	}
	for _, c := range []struct {
		text   string
		change func(*Store) error
		want   wire.Code
	}{
		{good, func(s *Store) error { return s.AddRule(wire.Rule{Do: "perhaps"}) }, wire.CodeBadSetting},
		{good, func(s *Store) error { return s.AddRule(wire.Rule{Do: "deny", Args: "abc"}) }, wire.CodeBadSetting},
		{good, func(s *Store) error { return s.AddRule(wire.Rule{Do: "deny", Tool: "a\nb"}) }, wire.CodeBadSetting},
		{good, func(s *Store) error { return s.RemoveRule(0, wire.Rule{Do: "deny"}) }, wire.CodeNoSuchRule},
		{good, func(s *Store) error { return s.RemoveRule(2, wire.Rule{Do: "deny"}) }, wire.CodeNoSuchRule},
		{good, func(s *Store) error { return s.RemoveRule(-1, wire.Rule{Do: "deny"}) }, wire.CodeNoSuchRule},
		{good, func(s *Store) error { return s.SetHost("h", wire.HostTerms{Ask: "maybe"}) }, wire.CodeBadSetting},
		{good, func(s *Store) error { return s.SetHost("a b", wire.HostTerms{}) }, wire.CodeBadSetting},
		{good, func(s *Store) error { return s.SetDefaultAsk("maybe") }, wire.CodeBadSetting},
		{good, func(s *Store) error { return s.SetQuestions(wire.QuestionTerms{Deadline: "1"}) }, wire.CodeBadSetting},
		{good, func(s *Store) error {
			return s.SetQuestions(wire.QuestionTerms{Deadlines: map[string]string{"x": "1m"}})
		}, wire.CodeBadSetting},
		{good, func(s *Store) error { return s.SetRecord(wire.RecordTerms{KeepMiB: -1}) }, wire.CodeBadSetting},
		{good, func(s *Store) error { return s.AddModel(model(func(m *wire.Model) { m.Name = "m" })) }, wire.CodeBadSetting},
		{good, func(s *Store) error { return s.AddModel(model(func(m *wire.Model) { m.Key = wire.Mask })) }, wire.CodeBadSetting},
		{good, func(s *Store) error { return s.AddModel(model(func(m *wire.Model) { m.URL = "file:///x" })) }, wire.CodeBadSetting},
		{good, func(s *Store) error { return s.RemoveModel("n") }, wire.CodeNoSuchModel},
		// A key must not go to another place than it was given for.
		{good, func(s *Store) error {
			return s.SetModels([]wire.Model{{Name: "m", Kind: "openai", Model: "x", Key: wire.Mask, URL: "https://elsewhere.example"}})
		}, wire.CodeBadSetting},
		{good, func(s *Store) error { return s.SetModels(slices.Repeat([]wire.Model{model(func(*wire.Model) {})}, 2)) }, wire.CodeBadSetting},
		{bad, func(s *Store) error { return s.AddRule(wire.Rule{Do: "deny"}) }, wire.CodeConfigBroken},
		{bad, func(s *Store) error { return s.RemoveRule(0, wire.Rule{Do: "ask"}) }, wire.CodeConfigBroken},
		{bad, func(s *Store) error { return s.SetHost("h", wire.HostTerms{Ask: "never"}) }, wire.CodeConfigBroken},
		{bad, func(s *Store) error { return s.AddModel(model(func(*wire.Model) {})) }, wire.CodeConfigBroken},
	} {
		s, path := storeOf(t, c.text)
		before := s.Current()
		if err := c.change(s); code(err) != c.want {
			t.Errorf("got %s (%v), want %s", code(err), err, c.want)
		}
		if contents(t, path) != c.text || s.Current() != before {
			t.Errorf("something was changed")
		}
	}
}

// A rule was removed by its number, and another one had that number by then.
func TestARuleThatMovedIsNotRemoved(t *testing.T) {
	s, path := storeOf(t, `{"rules": [{"do": "ask"}, {"do": "deny"}]}`)
	write(t, path, `{"rules": [{"do": "deny"}, {"do": "ask"}]}`)
	if err := s.RemoveRule(0, wire.Rule{Do: "ask"}); code(err) != wire.CodeNoSuchRule {
		t.Errorf("got %v", err)
	}
	if err := s.RemoveRule(1, wire.Rule{Do: "ask"}); err != nil {
		t.Error(err)
	}
	if got := contents(t, path); got != `{"rules": [{"do": "deny"}]}` {
		t.Errorf("got %s", got)
	}
}

// A change of one thing with mistakes elsewhere was refused, or corrected them on the way.
func TestChangesLeaveMistakesElsewhere(t *testing.T) {
	const text = "{\"mcpServers\": {\"bad\": {\"command\": 7}},\n \"rules\": [{\"tool\": 7, \"do\": \"deny\"}], \"hosts\": {\"h\": {\"ask\": \"x\"}}, \"record\": 1}"
	s, path := storeOf(t, text)
	for _, change := range []func() error{
		func() error { return s.AddServer("new", wire.Entry{Command: "y"}) },
		func() error { return s.SetDefaultAsk("everything") },
		func() error { return s.SetHost("g", wire.HostTerms{Ask: "never"}) },
	} {
		if err := change(); err != nil {
			t.Error(err)
		}
	}
	for _, part := range []string{`"bad": {"command": 7}`, `[{"tool": 7, "do": "deny"}]`, `"h": {"ask": "x"}`, `"record": 1`} {
		if got := contents(t, path); !strings.Contains(got, part) {
			t.Errorf("%s is gone from %s", part, got)
		}
	}
	if c := s.Current(); len(c.Warnings) != 3 || c.Settings.Hosts["g"].Ask != "never" || c.Settings.Hosts["h"].Ask != "everything" || c.Settings.Ask != "everything" {
		t.Errorf("%+v", c)
	}
}

// What verify is for: an edit that would do more than it says is not written.
func TestAnEditThatChangesMoreIsNotWritten(t *testing.T) {
	const text = `{"mcpServers": {"a": {"command": "x"}, "bad": {}}, "ask": "everything", "rules": [{"do": "deny"}], "record": 1}`
	for name, change := range map[string]func(s *Store) error{
		"a server's edit changes a setting": func(s *Store) error {
			return s.change(scope{server: "a"}, func(e *editor) error { return e.Set("never", askKey) })
		},
		"a server's edit takes the rules": func(s *Store) error {
			return s.change(scope{server: "a"}, func(e *editor) error { return e.Unset(rulesKey) })
		},
		"a server's edit mends a setting": func(s *Store) error {
			return s.change(scope{server: "a"}, func(e *editor) error { return e.Unset(recordKey) })
		},
		"a setting's edit changes a server": func(s *Store) error {
			want := func(c wire.Settings) wire.Settings { return c }
			return s.change(scope{part: askKey, want: want}, func(e *editor) error { return e.Set("y", serversKey, "a", "command") })
		},
		"a setting's edit mends a server": func(s *Store) error {
			want := func(c wire.Settings) wire.Settings { return c }
			return s.change(scope{part: askKey, want: want}, func(e *editor) error { return e.Unset(serversKey, "bad") })
		},
		"a setting becomes another value": func(s *Store) error {
			want := func(c wire.Settings) wire.Settings { c.Ask = "changes"; return c }
			return s.change(scope{part: askKey, want: want}, func(e *editor) error { return e.Set("never", askKey) })
		},
		"a setting breaks": func(s *Store) error {
			want := func(c wire.Settings) wire.Settings { return c }
			return s.change(scope{part: askKey, want: want}, func(e *editor) error { return e.Set("evrything", askKey) })
		},
	} {
		s, path := storeOf(t, text)
		if err := change(s); code(err) != wire.CodeInternal {
			t.Errorf("%s: %v", name, err)
		}
		if got := contents(t, path); got != text {
			t.Errorf("%s: the file became %s", name, got)
		}
	}
}

func TestProvenance(t *testing.T) {
	hand := func(s *Store) string {
		out := fmt.Sprint(s.Current().ByHand)
		for _, server := range s.Current().Servers {
			out += fmt.Sprintf(" %s=%v", server.Name, server.ByHand)
		}
		return out + fmt.Sprintf(" ask=%v rules=%v", s.Current().HandSet[askKey], s.Current().HandSet[rulesKey])
	}
	is := func(s *Store, want string) {
		t.Helper()
		if got := hand(s); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	s, path := storeOf(t, `{"mcpServers": {"a": {"command": "x"}}}`)
	is(s, "true a=true ask=true rules=true")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	// Ours.
	must(s.AddServer("b", wire.Entry{Command: "y"}))
	is(s, "false a=true b=false ask=true rules=true")
	ours := contents(t, path)
	s.reload() // the watcher saw our own write
	is(s, "false a=true b=false ask=true rules=true")

	// Ours and then by hand, before anybody looked at the first: each is what it is.
	must(s.AddRule(wire.Rule{Tool: "x", Do: "deny"}))
	write(t, path, strings.Replace(contents(t, path), `"command": "x"`, `"command": "hand"`, 1))
	s.reload()
	is(s, "true a=true b=false ask=true rules=false")

	// By hand, and ours right after, before the watcher saw the first.
	write(t, path, strings.Replace(contents(t, path), `"command": "y"`, `"command": "hand"`, 1))
	must(s.SetDefaultAsk("everything"))
	is(s, "false a=true b=true ask=false rules=false")

	// Back by hand to what we once wrote: that is a person's undo, not ours.
	write(t, path, ours)
	s.reload()
	is(s, "true a=true b=true ask=true rules=true")

	// A broken file, and the same again: nothing has changed.
	must(s.AddServer("c", wire.Entry{Command: "z"}))
	is(s, "false a=true b=true c=false ask=true rules=true")
	text := contents(t, path)
	write(t, path, "{")
	s.reload()
	write(t, path, text)
	s.reload()
	is(s, "true a=true b=true c=false ask=true rules=true")
}

// An edit saved in the very moment of our own write passed for ours.
func TestAnEditDuringOurWriteIsByHand(t *testing.T) {
	s, path := storeOf(t, `{"mcpServers": {"a": {"command": "x"}}}`)
	tries := 0
	err := s.change(scope{server: "b"}, func(e *editor) error {
		if tries++; tries == 1 {
			write(t, path, `{"mcpServers": {"a": {"command": "x"}, "h": {"command": "hand"}}}`)
		}
		return e.addServer("b", wire.Entry{Command: "y"})
	})
	if err != nil || tries != 2 {
		t.Fatalf("%d tries, %v", tries, err)
	}
	flags := func() map[string]bool {
		got := map[string]bool{}
		for _, server := range s.Current().Servers {
			got[server.Name] = server.ByHand
		}
		return got
	}
	if got := flags(); !reflect.DeepEqual(got, map[string]bool{"a": true, "h": true, "b": false}) || s.Current().ByHand {
		t.Errorf("during the edit: %v", got)
	}
	// After it was written, before it is read again: theirs stands on top of ours.
	ours := contents(t, path)
	next := strings.Replace(ours, `"command": "y"`, `"command": "y2"`, 1)
	s.mu.Lock()
	s.raw = nil // as if only now written
	s.confirmWith(t, path, ours, next)
	s.mu.Unlock()
	if got := flags(); !got["b"] || !s.Current().ByHand {
		t.Errorf("after the write: %v", got)
	}
	// Written, but it was reported as failed: still ours.
	third := strings.Replace(next, `"command": "y2"`, `"command": "y3"`, 1)
	s.mu.Lock()
	s.ours = digestOf([]byte(third))
	s.mu.Unlock()
	write(t, path, third)
	s.reload()
	if got := flags(); got["b"] || s.Current().ByHand {
		t.Errorf("a write that seemed to fail: %v", got)
	}
}

// confirmWith is confirmLocked after somebody wrote over what we had written.
func (s *Store) confirmWith(t testing.TB, path, ours, theirs string) {
	s.ours = digestOf([]byte(ours))
	write(t, path, theirs)
	s.confirmLocked([]byte(ours))
}
