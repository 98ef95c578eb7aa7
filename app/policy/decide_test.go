package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

var (
	readOnly    = Hints{ReadOnly: true, Said: true}
	changes     = Hints{Said: true}
	destructive = Hints{Destructive: true, Said: true}
	silent      = Hints{Destructive: true} // no annotations
)

func compile(t testing.TB, s Settings) *Rules {
	t.Helper()
	r, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// call is a listed tool of a trusted server, unless fields say otherwise.
func call(host, server, tool string, h Hints) Facts {
	return Facts{Host: host, Server: server, Tool: tool, Listed: true, Hints: h, Trusted: true, Pin: PinSame}
}

func with(f Facts, edit func(*Facts)) Facts {
	edit(&f)
	return f
}

func untrusted(f *Facts) { f.Trusted = false }
func unlisted(f *Facts)  { f.Listed = false }

func TestDecide(t *testing.T) {
	args := ArgsDigest([]byte(`{"path":"/tmp"}`))
	allowArgs := wire.Rule{Server: "files", Tool: "write", Args: args, Do: "allow"}
	withArgs := func(f *Facts) { f.ArgsDigest = args }
	otherArgs := func(f *Facts) { f.ArgsDigest = ArgsDigest([]byte(`{"path":"/etc"}`)) }
	pin := func(state string) func(*Facts) { return func(f *Facts) { f.Pin = state } }
	server := func(s Server) Settings { return Settings{Servers: map[string]Server{"files": s}} }
	host := func(preset string) Settings { return Settings{Hosts: map[string]Host{"editor": {Ask: preset}}} }
	both := func(ofHost, ofServer string) Settings {
		return Settings{Hosts: map[string]Host{"editor": {Ask: ofHost}}, Servers: map[string]Server{"files": {Ask: ofServer}}}
	}
	rules := func(r ...wire.Rule) Settings { return Settings{Rules: r} }
	write, read := call("editor", "files", "write", silent), call("editor", "files", "read", readOnly)

	tests := []struct {
		name     string
		settings Settings
		facts    Facts
		want     string
		because  string // part of it
	}{
		{"default, read-only and trusted", Settings{}, read, "allow", "only reads, and its server is trusted"},
		{"default, read-only and not trusted", Settings{}, with(read, untrusted), "ask", "isn't trusted"},
		{"default, no annotations", Settings{}, write, "ask", "doesn't say"},
		{"default, no destruction", Settings{}, call("editor", "files", "add", changes), "ask", "may change"},
		{"default, not listed", Settings{}, with(read, unlisted), "ask", "doesn't list"},

		{"everything, read-only", server(Server{Ask: "everything"}), read, "ask", `Server "files" is set to "everything"`},
		{"destructive, no annotations", server(Server{Ask: "destructive"}), write, "ask", "may destroy"},
		{"destructive, destructive", server(Server{Ask: "destructive"}), call("editor", "files", "rm", destructive), "ask", "may destroy"},
		{"destructive, changes", server(Server{Ask: "destructive"}), call("editor", "files", "add", changes), "allow", "destroys nothing, and"},
		{"destructive, changes, not trusted", server(Server{Ask: "destructive"}), with(call("editor", "files", "add", changes), untrusted), "ask", "isn't trusted"},
		{"destructive, read-only", server(Server{Ask: "destructive"}), read, "allow", "only reads"},
		{"never", server(Server{Ask: "never"}), with(write, untrusted), "allow", `"never"`},
		{"never, not listed", server(Server{Ask: "never"}), with(write, unlisted), "ask", "doesn't list"},
		{"default never", Settings{Default: "never"}, write, "allow", `The default is "never"`},

		{"host never", host("never"), write, "allow", "left to ask its own user"},
		{"another host", host("never"), call("chat", "files", "write", silent), "ask", "The default"},
		{"host everything", host("everything"), read, "ask", `Host "editor"`},
		{"host never, server changes", both("never", "changes"), write, "allow", `Host "editor"`},
		{"host never, server everything", both("never", "everything"), read, "ask", `Server "files"`},
		{"host changes, server never", both("changes", "never"), write, "ask", `Host "editor"`},
		{"host unset, server destructive", both("", "destructive"), call("editor", "files", "add", changes), "allow", `Server "files"`},

		{"off", server(Server{Off: []string{"wr*"}}), write, "off", `Tools "wr*" of server "files" are switched off.`},
		{"off, and allowed", Settings{Rules: []wire.Rule{{Tool: "write", Do: "allow"}}, Servers: map[string]Server{"files": {Off: []string{"write"}}}}, write, "off", `Tool "write" of server "files" is switched off.`},
		{"another is off", server(Server{Off: []string{"write"}}), read, "allow", ""},
		{"off elsewhere", server(Server{Off: []string{"*"}}), call("editor", "mail", "read", readOnly), "allow", ""},

		{"new", Settings{}, with(read, pin(PinNew)), "held", "didn't have this tool"},
		{"changed", Settings{}, with(read, pin(PinChanged)), "held", "isn't what it was"},
		{"lost", Settings{}, with(read, pin(PinLost)), "held", "isn't known any more"},
		{"changed, host never", host("never"), with(write, pin(PinChanged)), "held", ""},
		{"changed, allowed", rules(wire.Rule{Tool: "write", Do: "allow"}), with(write, pin(PinChanged)), "held", ""},
		{"changed, these arguments allowed", rules(allowArgs), with(with(write, withArgs), pin(PinChanged)), "held", ""},
		{"changed, denied", rules(wire.Rule{Tool: "write", Do: "deny"}), with(write, pin(PinChanged)), "deny", "Rule 1"},
		{"changed, accepted", server(Server{AcceptChanges: true}), with(read, pin(PinChanged)), "allow", ""},
		{"nothing pinned", Settings{}, with(read, pin(PinNone)), "allow", ""},

		{"denied, host never", Settings{Rules: []wire.Rule{{Server: "files", Do: "deny"}}, Hosts: map[string]Host{"editor": {Ask: "never"}}}, write, "deny", ""},
		{"these arguments", rules(allowArgs), with(write, withArgs), "allow", "with the arguments"},
		{"other arguments", rules(allowArgs), with(write, otherArgs), "ask", "The default"},
		{"no arguments known", rules(allowArgs), write, "ask", ""},
		{"not listed, named by a rule", rules(wire.Rule{Tool: "write", Do: "allow"}), with(write, unlisted), "allow", ""},
		{"not listed, within a pattern", rules(wire.Rule{Tool: "wr*", Do: "allow"}), with(write, unlisted), "ask", "doesn't list"},
		{"not listed, denied by a pattern", rules(wire.Rule{Tool: "wr*", Do: "deny"}), with(write, unlisted), "deny", ""},
	}
	for _, tt := range tests {
		r := compile(t, tt.settings)
		d := Decide(r, &tt.facts)
		if d.Verdict != tt.want || !strings.Contains(d.Because, tt.because) || d.Because == "" {
			t.Errorf("%s: %s because %q, want %s because %q", tt.name, d.Verdict, d.Because, tt.want, tt.because)
		}
		if e := Explain(r, &tt.facts); e.Verdict != d.Verdict || e.Because != d.Because || len(e.Facts) < 3 {
			t.Errorf("%s: explained as %+v", tt.name, e)
		}
	}
}

// Rules that are worn out in pairs: the first of the two counts for the call
// editor, files, write_file, in whatever order they are written.
func TestPrecedence(t *testing.T) {
	args := ArgsDigest(nil)
	tests := []struct {
		name        string
		wins, loses wire.Rule
	}{
		{"arguments before a tool", wire.Rule{Server: "files", Tool: "write_file", Args: args, Do: "allow"}, wire.Rule{Host: "editor", Server: "files", Tool: "write_file", Do: "deny"}},
		{"tool before pattern", wire.Rule{Tool: "write_file", Do: "allow"}, wire.Rule{Host: "editor", Server: "files", Tool: "write_*", Do: "deny"}},
		{"pattern before every tool", wire.Rule{Tool: "w*", Do: "allow"}, wire.Rule{Host: "editor", Server: "files", Do: "deny"}},
		{"more text", wire.Rule{Tool: "write_*", Do: "allow"}, wire.Rule{Host: "editor", Server: "files", Tool: "write*", Do: "deny"}},
		{"more text, two stars", wire.Rule{Tool: "*rite_fil*", Do: "allow"}, wire.Rule{Tool: "write*", Do: "deny"}},
		{"server before pattern", wire.Rule{Server: "files", Tool: "write_file", Do: "allow"}, wire.Rule{Host: "editor", Server: "file*", Tool: "write_file", Do: "deny"}},
		{"server before every server", wire.Rule{Server: "files", Do: "allow"}, wire.Rule{Host: "editor", Do: "deny"}},
		{"tool before server", wire.Rule{Tool: "write_file", Do: "allow"}, wire.Rule{Server: "files", Do: "deny"}},
		{"host before pattern", wire.Rule{Host: "editor", Do: "allow"}, wire.Rule{Host: "edit*", Do: "deny"}},
		{"host before every host", wire.Rule{Host: "editor", Server: "files", Do: "allow"}, wire.Rule{Server: "files", Do: "deny"}},
		{"server before host", wire.Rule{Server: "files", Do: "allow"}, wire.Rule{Host: "editor", Do: "deny"}},
		{"deny before ask", wire.Rule{Tool: "write_*", Do: "deny"}, wire.Rule{Tool: "*e_file", Do: "ask"}},
		{"ask before allow", wire.Rule{Tool: "write_*", Do: "ask"}, wire.Rule{Tool: "write_*", Do: "allow"}},
		{"deny before allow", wire.Rule{Do: "deny"}, wire.Rule{Do: "allow"}},
		{"* and nothing are the same", wire.Rule{Host: "*", Server: "", Tool: "*", Do: "ask"}, wire.Rule{Do: "allow"}},
		{"** and * are the same", wire.Rule{Tool: "write**", Do: "deny"}, wire.Rule{Tool: "write*", Do: "allow"}},
	}
	f := call("editor", "files", "write_file", silent)
	f.ArgsDigest = args
	for _, tt := range tests {
		for _, order := range [][]wire.Rule{{tt.wins, tt.loses}, {tt.loses, tt.wins}} {
			r := compile(t, Settings{Rules: order})
			d := Decide(r, &f)
			if d.Rule == nil || *d.Rule != tt.wins {
				t.Errorf("%s: %+v counts, want %+v", tt.name, d.Rule, tt.wins)
			}
			if e := Explain(r, &f); len(e.Passed) != 1 || !strings.Contains(e.Passed[0], Phrase(tt.loses)) {
				t.Errorf("%s: passed %q, want %q", tt.name, e.Passed, Phrase(tt.loses))
			}
		}
	}
	// Of two that are equal in all the later one is named.
	r := compile(t, Settings{Rules: []wire.Rule{{Tool: "write_file", Do: "deny", Note: "old"}, {Tool: "write_file", Do: "deny", Note: "new"}}})
	if d := Decide(r, &f); d.Line != 2 || !strings.Contains(d.Because, `"new"`) {
		t.Errorf("line %d because %s", d.Line, d.Because)
	}
}

func TestExplainNamesRulesForArguments(t *testing.T) {
	r := compile(t, Settings{Rules: []wire.Rule{
		{Server: "files", Tool: "write", Args: ArgsDigest(nil), Do: "allow"},
		{Server: "mail", Tool: "write", Args: ArgsDigest(nil), Do: "allow"},
		{Tool: "w*", Do: "ask"},
		{Tool: "x*", Do: "ask"},
	}, Servers: map[string]Server{"files": {Ask: "everything"}}, Hosts: map[string]Host{"editor": {Ask: "never"}}})
	f := call("editor", "files", "write", silent)
	e := Explain(r, &f)
	if e.Rule == nil || e.Rule.Tool != "w*" || len(e.Passed) != 1 || !strings.Contains(e.Passed[0], "these arguments only") {
		t.Errorf("%+v", e)
	}
	if !slices.ContainsFunc(e.Facts, func(s string) bool { return strings.Contains(s, "doesn't lift") }) {
		t.Errorf("facts %q", e.Facts)
	}
}

func TestBadSettings(t *testing.T) {
	rule := func(r wire.Rule) Settings { return Settings{Rules: []wire.Rule{{Do: "ask"}, r}} }
	many := make([]wire.Rule, maxRules+1)
	for i := range many {
		many[i].Do = "ask"
	}
	args := ArgsDigest(nil)
	for want, s := range map[string]Settings{
		`rule 2: a rule can't do "maybe"`:      rule(wire.Rule{Do: "maybe"}),
		`rule 2: a rule can't do ""`:           rule(wire.Rule{}),
		`rule 2: a rule can't do "held"`:       rule(wire.Rule{Do: "held"}),
		"rule 2: the tool of a rule has 257":   rule(wire.Rule{Do: "ask", Tool: strings.Repeat("a", 257)}),
		"rule 2: the server of a rule has a c": rule(wire.Rule{Do: "ask", Server: "a\x00"}),
		"rule 2: the args of a rule are":       rule(wire.Rule{Do: "ask", Server: "a", Tool: "b", Args: "12"}),
		"rule 2: the args of a rule are \"A":   rule(wire.Rule{Do: "ask", Server: "a", Tool: "b", Args: "A" + args[1:]}),
		"rule 2: a rule with args is for many": rule(wire.Rule{Do: "ask", Server: "a", Tool: "b*", Args: args}),
		"rule 2: the note of a rule has":       rule(wire.Rule{Do: "ask", Note: strings.Repeat("a", 1001)}),
		"there are 1001 rules":                 {Rules: many},
		`policy: there is no preset "x"`:       {Default: "x"},
		`server "s": there is no preset "x"`:   {Servers: map[string]Server{"s": {Ask: "x"}}},
		`server "s": a pattern of tools`:       {Servers: map[string]Server{"s": {Off: []string{""}}}},
		`server "s": a limit is below`:         {Servers: map[string]Server{"s": {Limits: wire.Limits{AtOnce: -1}}}},
		`host "h": there is no preset "x"`:     {Hosts: map[string]Host{"h": {Ask: "x"}}},
		`host "h": a limit is below`:           {Hosts: map[string]Host{"h": {Limits: wire.Limits{PerMinute: maxLimit + 1}}}},
	} {
		_, err := Compile(s)
		if e, ok := err.(*wire.Error); !ok || e.Code != wire.CodeBadRule || !strings.HasPrefix(e.Message, want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// The small world of the property tests: few names, so that rules meet.
var (
	worldHosts    = []string{"", "*", "h1", "h2", "h*"}
	worldServers  = []string{"", "s1", "s2", "s*", "*1"}
	worldTools    = []string{"", "*", "ab", "b", "a*", "*b", "a*b", "*a*", "b*"}
	worldDo       = []string{"allow", "ask", "deny"}
	worldArgs     = []string{ArgsDigest(nil), ArgsDigest([]byte("[]"))}
	worldPresets  = []string{"", "everything", "changes", "destructive", "never"}
	worldOff      = [][]string{nil, nil, {"ab"}, {"a*"}, {"*b", "ab"}}
	worldLimits   = []int{0, 1, 5}
	everyCall     = everyFacts()
	worldVerdicts = map[string]int{"allow": 0, "ask": 1, "held": 2, "deny": 3, "off": 3}
)

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func randomRule(r *rand.Rand) wire.Rule {
	x := wire.Rule{Host: pick(r, worldHosts), Server: pick(r, worldServers), Tool: pick(r, worldTools), Do: pick(r, worldDo)}
	if r.IntN(6) == 0 {
		x.Server, x.Tool, x.Args = pick(r, []string{"s1", "s2"}), pick(r, []string{"ab", "b"}), pick(r, worldArgs)
	}
	return x
}

func randomSettings(r *rand.Rand) Settings {
	s := Settings{Default: pick(r, worldPresets), Servers: map[string]Server{}, Hosts: map[string]Host{}}
	for range r.IntN(6) {
		s.Rules = append(s.Rules, randomRule(r))
	}
	for _, name := range []string{"s1", "s2"} {
		if r.IntN(2) == 0 {
			s.Servers[name] = Server{Ask: pick(r, worldPresets), Off: pick(r, worldOff), Trusted: r.IntN(2) == 0, AcceptChanges: r.IntN(3) == 0}
		}
	}
	for _, name := range []string{"h1", "h2"} {
		if r.IntN(2) == 0 {
			s.Hosts[name] = Host{Ask: pick(r, worldPresets)}
		}
	}
	return s
}

func everyFacts() (all []Facts) {
	for _, host := range []string{"h1", "h2", "x"} {
		for _, server := range []string{"s1", "s2", "x1", "y"} {
			for _, tool := range []string{"ab", "b", "a", "aab", "abb", "bab", "ba", "c", "axb"} {
				for _, h := range []Hints{readOnly, changes, silent} {
					for i, args := range append(slices.Clone(worldArgs), "") {
						f := Facts{Host: host, Server: server, Tool: tool, Listed: true, Hints: h, ArgsDigest: args, Pin: PinSame}
						f.Listed = i != 0 || h != silent
						f.Pin = []string{PinSame, PinSame, PinChanged}[i]
						all = append(all, f)
					}
				}
			}
		}
	}
	return all
}

// verdict decides with the trust that the settings have.
func verdict(r *Rules, f Facts) Decision {
	f.Trusted = r.Trusted(f.Server)
	return Decide(r, &f)
}

func seeds(t *testing.T, n uint64, f func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	for seed := range n {
		f(t, rand.New(rand.NewPCG(seed, 4)))
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

func TestOrderOfRulesDoesNotCount(t *testing.T) {
	seeds(t, 200, func(t *testing.T, r *rand.Rand) {
		s := randomSettings(r)
		a := compile(t, s)
		s.Rules = slices.Clone(s.Rules)
		r.Shuffle(len(s.Rules), func(i, j int) { s.Rules[i], s.Rules[j] = s.Rules[j], s.Rules[i] })
		b := compile(t, s)
		for _, f := range everyCall {
			if x, y := verdict(a, f), verdict(b, f); x.Verdict != y.Verdict {
				t.Fatalf("%+v: %s, and %s in another order", f, x.Verdict, y.Verdict)
			}
		}
		if low := Lowers(a, b); low != nil {
			t.Fatalf("another order lowers: %q", low)
		}
	})
}

func TestADenyNeverWeakens(t *testing.T) {
	seeds(t, 200, func(t *testing.T, r *rand.Rand) {
		s := randomSettings(r)
		a := compile(t, s)
		deny := randomRule(r)
		deny.Do = "deny"
		s.Rules = slices.Insert(slices.Clone(s.Rules), r.IntN(len(s.Rules)+1), deny)
		b := compile(t, s)
		for _, f := range everyCall {
			if x, y := verdict(a, f), verdict(b, f); worldVerdicts[y.Verdict] < worldVerdicts[x.Verdict] {
				t.Fatalf("%+v: %s before the deny, %s with it", f, x.Verdict, y.Verdict)
			}
		}
		if low := Lowers(a, b); low != nil {
			t.Fatalf("a deny lowers: %q", low)
		}
	})
}

// The rule that counts is found here in the plainest way: by trying all.
func TestMostSpecificWins(t *testing.T) {
	seeds(t, 200, func(t *testing.T, r *rand.Rand) {
		s := randomSettings(r)
		rules := compile(t, s)
		for _, f := range everyCall {
			var best *rule
			for _, x := range rules.all {
				if x.match(&f) && (best == nil || precedence(x, best) < 0) {
					best = x
				}
			}
			if got := rules.first(&f); got != best {
				t.Fatalf("%+v: %v counts, want %v", f, got, best)
			}
			if d := verdict(rules, f); d.Rule != nil && *d.Rule != best.Rule {
				t.Fatalf("%+v: decided by %v, want %v", f, d.Rule, best)
			}
		}
	})
}

// An edit that nobody was asked about let a call pass that was asked about before.
func TestLowersMissesNothing(t *testing.T) {
	lowered, said := 0, 0
	seeds(t, 1500, func(t *testing.T, r *rand.Rand) {
		s := randomSettings(r)
		a := compile(t, s)
		next := randomSettings(r)
		if r.IntN(3) > 0 { // mostly small edits
			next = edited(r, s)
		}
		b := compile(t, next)
		low := Lowers(a, b)
		if low != nil {
			said++
		}
		for _, f := range everyCall {
			if x, y := verdict(a, f), verdict(b, f); worldVerdicts[y.Verdict] < worldVerdicts[x.Verdict] {
				lowered++
				if low == nil {
					t.Fatalf("%+v: %s before and %s after, but nothing is said\nbefore %+v\nafter %+v", f, x.Verdict, y.Verdict, s, next)
				}
				break
			}
		}
	})
	t.Logf("%d edits lowered, %d were said to", lowered, said)
	if lowered < 500 || said > lowered*13/10 {
		t.Errorf("%d edits lowered, %d were said to", lowered, said)
	}
}

func edited(r *rand.Rand, s Settings) Settings {
	next := Settings{Default: s.Default, Rules: slices.Clone(s.Rules), Servers: map[string]Server{}, Hosts: map[string]Host{}}
	for k, v := range s.Servers {
		next.Servers[k] = v
	}
	for k, v := range s.Hosts {
		next.Hosts[k] = v
	}
	switch r.IntN(5) {
	case 0:
		next.Rules = append(next.Rules, randomRule(r))
	case 1:
		if n := len(next.Rules); n > 0 {
			next.Rules = slices.Delete(next.Rules, n-1, n)
		}
	case 2:
		next.Servers["s1"] = Server{Ask: pick(r, worldPresets), Off: pick(r, worldOff), Trusted: r.IntN(2) == 0}
	case 3:
		next.Hosts["h1"] = Host{Ask: pick(r, worldPresets)}
	case 4:
		if n := len(next.Rules); n > 0 {
			next.Rules[n-1] = randomRule(r)
		}
	}
	return next
}

func BenchmarkDecide(b *testing.B) {
	var rules []wire.Rule
	for i := range 100 {
		rules = append(rules, wire.Rule{Server: "files", Tool: fmt.Sprintf("tool_%d", i), Do: "allow"}, wire.Rule{Host: "h*", Tool: fmt.Sprintf("other_%d_*", i), Do: "deny"})
	}
	r := compile(b, Settings{Rules: rules})
	f := call("editor", "files", "write_file", silent)
	b.ReportAllocs()
	for b.Loop() {
		Decide(r, &f)
	}
}
