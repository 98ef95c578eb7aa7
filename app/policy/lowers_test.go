package policy

import (
	"slices"
	"testing"

	"bridgekeeper/app/wire"
)

func TestLowers(t *testing.T) {
	rules := func(r ...wire.Rule) Settings { return Settings{Rules: r} }
	server := func(s Server) Settings { return Settings{Servers: map[string]Server{"files": s}} }
	host := func(h Host) Settings { return Settings{Hosts: map[string]Host{"editor": h}} }
	allow, ask, deny := wire.Rule{Server: "files", Tool: "write", Do: "allow"}, wire.Rule{Server: "files", Tool: "write", Do: "ask"}, wire.Rule{Server: "files", Tool: "write", Do: "deny"}
	tests := []struct {
		name          string
		before, after Settings
		want          []string
	}{
		{"nothing", rules(allow, deny), rules(allow, deny), nil},
		{"a note", rules(allow), rules(wire.Rule{Server: "files", Tool: "write", Do: "allow", Note: "mine"}), nil},
		{"* for nothing", rules(wire.Rule{Do: "ask"}), rules(wire.Rule{Tool: "*", Host: "*", Do: "ask"}), nil},
		{"a new allow", Settings{}, rules(allow), []string{`A new rule: allow tool "write" of server "files" for every host.`}},
		{"an allow is gone", rules(allow), Settings{}, nil},
		{"a new ask", Settings{}, rules(ask), nil},
		{"a new ask under a deny", rules(wire.Rule{Do: "deny"}), rules(wire.Rule{Do: "deny"}, ask), []string{`A new rule: ask about tool "write" of server "files" for every host.`}},
		{"a deny becomes an ask", rules(deny), rules(ask), []string{
			`A new rule: ask about tool "write" of server "files" for every host.`,
			`A rule is gone: deny tool "write" of server "files" for every host.`}},
		{"an ask is gone, the default asks some", rules(ask), Settings{}, nil},
		{"an ask is gone, the server is trusted", Settings{Rules: []wire.Rule{ask}, Servers: map[string]Server{"files": {Trusted: true}}}, server(Server{Trusted: true}),
			[]string{`A rule is gone: ask about tool "write" of server "files" for every host.`}},
		{"an ask is gone, all is asked", Settings{Default: "everything", Rules: []wire.Rule{ask}}, Settings{Default: "everything"}, nil},
		{"a deny is gone, a wider one stays", rules(deny, wire.Rule{Server: "files", Do: "deny"}), rules(wire.Rule{Server: "files", Do: "deny"}), nil},
		{"a deny is gone, an allow is between", rules(deny, wire.Rule{Server: "files", Tool: "w*", Do: "allow"}, wire.Rule{Server: "files", Do: "deny"}),
			rules(wire.Rule{Server: "files", Tool: "w*", Do: "allow"}, wire.Rule{Server: "files", Do: "deny"}),
			[]string{`A rule is gone: deny tool "write" of server "files" for every host.`}},
		{"an allow that a deny beats", rules(deny), rules(deny, allow), nil},
		{"a wide allow beside an exact deny", Settings{Default: "never", Rules: []wire.Rule{deny}}, Settings{Default: "never", Rules: []wire.Rule{deny, {Server: "files", Tool: "w*", Do: "allow"}}}, nil},
		{"an allow where nothing is asked", Settings{Default: "never"}, Settings{Default: "never", Rules: []wire.Rule{{Tool: "w*", Do: "allow"}}}, nil},

		{"default", Settings{}, Settings{Default: "destructive"}, []string{`The default falls from "changes" to "destructive".`}},
		{"default rises", Settings{}, Settings{Default: "everything"}, nil},
		{"server", server(Server{Ask: "everything"}), server(Server{}), []string{`Server "files" is asked about less: "everything" before, not set now.`}},
		{"server rises", server(Server{Ask: "never"}), server(Server{}), nil},
		{"server is new", Settings{}, server(Server{Ask: "never", Trusted: true}), []string{
			`Server "files" is asked about less: not set before, "never" now.`,
			`What the tools of server "files" say of themselves is believed.`}},
		{"host", Settings{}, host(Host{Ask: "never"}), []string{`Host "editor" is asked about less: not set before, "never" now.`}},
		{"host is strict no more, but the server", Settings{Default: "everything", Hosts: map[string]Host{"editor": {Ask: "everything"}}}, Settings{Default: "everything"}, nil},
		{"host in front of a strict server only", Settings{Default: "never", Servers: map[string]Server{"files": {Ask: "everything"}}},
			Settings{Default: "never", Servers: map[string]Server{"files": {Ask: "everything"}}, Hosts: map[string]Host{"editor": {Ask: "never"}}}, nil},
		{"changes", server(Server{}), server(Server{AcceptChanges: true}), []string{`New and changed tools of server "files" are accepted unseen.`}},
		{"off", server(Server{Off: []string{"a", "b*"}}), server(Server{Off: []string{"*a"}}), []string{`Tools "b*" of server "files" are no longer off.`}},
		{"one off", server(Server{Off: []string{"a"}}), server(Server{}), []string{`Tool "a" of server "files" is no longer off.`}},
		{"limits", server(Server{Limits: wire.Limits{PerMinute: 10, AtOnce: 2}}), server(Server{Limits: wire.Limits{AtOnce: 3}}), []string{
			`The limit of 10 calls a minute of server "files" is lifted.`,
			`The limit of calls at once of server "files" rises from 2 to 3.`}},
		{"limits are new", host(Host{}), host(Host{Limits: wire.Limits{PerMinute: 10}}), nil},
		{"limits of a host", host(Host{Limits: wire.Limits{PerMinute: 10}}), Settings{}, []string{`The limit of 10 calls a minute of host "editor" is lifted.`}},
		{"questions", host(Host{}), host(Host{InHost: true}), []string{`Questions of servers go to host "editor" and not to you.`}},
	}
	for _, tt := range tests {
		got := Lowers(compile(t, tt.before), compile(t, tt.after))
		slices.Sort(got)
		slices.Sort(tt.want)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%q, want\n%q", tt.name, got, tt.want)
		}
	}
}

// With too many rules to compare, every change that could lower does.
func TestLowersIsCarefulWithManyRules(t *testing.T) {
	var before, after Settings
	for range 500 {
		before.Rules = append(before.Rules, wire.Rule{Tool: "a*", Do: "deny"})
	}
	after.Rules = append(after.Rules, wire.Rule{Do: "deny"})
	if low := Lowers(compile(t, before), compile(t, after)); len(low) != 500 {
		t.Errorf("%d sentences", len(low))
	}
}

func TestGlobs(t *testing.T) {
	// Everything of up to four letters of two kinds is tried.
	var all []string
	for level := []string{""}; len(level[0]) < 4; {
		var next []string
		for _, s := range level {
			next = append(next, s+"a", s+"b")
		}
		all, level = append(all, next...), next
	}
	patterns := []string{"*", "a", "ab", "a*", "*a", "*b*", "a*b", "ab*", "*ab*a", "a*a*", "b*b", "**a", "a***", "*a*b*", "aaaa"}
	for _, p := range patterns {
		for _, q := range patterns {
			g, h := newGlob(p), newGlob(q)
			covers, overlaps := true, false
			for _, s := range all {
				if g.match(s) != plainMatch(p, s) {
					t.Errorf("%q matches %q: %v", p, s, g.match(s))
				}
				covers = covers && (!h.match(s) || g.match(s))
				overlaps = overlaps || g.match(s) && h.match(s)
			}
			if g.overlaps(h) != overlaps {
				t.Errorf("%q overlaps %q: %v", p, q, !overlaps)
			}
			// What is covered here may not be with longer names, never the other way.
			if g.covers(h) && !covers {
				t.Errorf("%q covers %q", p, q)
			}
		}
	}
	for _, tt := range [][2]string{{"*", "a*"}, {"a*", "ab*"}, {"a*", "a*b"}, {"*b*", "ab*"}, {"a*", "a"}, {"*a*", "*a*b*"}} {
		if g, h := newGlob(tt[0]), newGlob(tt[1]); !g.covers(h) || h.covers(g) {
			t.Errorf("%q and %q", tt[0], tt[1])
		}
	}
	star, mark, plain := newGlob("a*"), newGlob("?"), newGlob("a")
	if star.match("A") || mark.match("a") || plain.match("a*") {
		t.Error("case or ? counts for something else")
	}
}

// plainMatch is the definition, as slow as it is.
func plainMatch(p, s string) bool {
	switch {
	case p == "":
		return s == ""
	case p[0] == '*':
		return plainMatch(p[1:], s) || s != "" && plainMatch(p, s[1:])
	}
	return s != "" && p[0] == s[0] && plainMatch(p[1:], s[1:])
}

func FuzzGlob(f *testing.F) {
	f.Add("a*b*", "aab", "*b")
	f.Fuzz(func(t *testing.T, p, s, q string) {
		if p == "" || len(p)+len(s)+len(q) > 40 || checkPattern(p) != "" || checkPattern(q) != "" {
			return // "" is *; and the plain way takes for ever
		}
		g, h := newGlob(p), newGlob(q)
		if g.match(s) != plainMatch(p, s) {
			t.Errorf("%q matches %q: %v", p, s, g.match(s))
		}
		if g.match(s) && h.match(s) && !g.overlaps(h) || h.match(s) && g.covers(h) && !g.match(s) {
			t.Errorf("%q and %q at %q", p, q, s)
		}
	})
}
