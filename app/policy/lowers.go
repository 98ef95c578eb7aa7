package policy

import (
	"fmt"
	"maps"
	"slices"

	"bridgekeeper/app/wire"
)

// maxCompared bounds the pairs of rules that Lowers looks at; with more of them
// every change that could lower protection counts as one that does.
const maxCompared = 100_000

// Lowers returns what makes the rules after weaker than those before, one
// sentence each; nil means that no call could pass more easily. It is careful
// rather than exact: what may lower protection for some call is in, also when
// that call may never come. Order of rules and their notes change no verdict.
//
// A server or host that only one side has counts, on the other, as one with
// nothing set. Where one is removed, and with it all of its calls, leave it out of both.
func Lowers(before, after *Rules) []string {
	out := rulesLower(before, after)
	out = append(out, presetsLower(before, after)...)
	for _, name := range names(before.settings.Servers, after.settings.Servers) {
		was, is := before.server(name), after.server(name)
		out = append(out, serverLowers(name, was, is)...)
	}
	for _, name := range names(before.settings.Hosts, after.settings.Hosts) {
		was, is := before.settings.Hosts[name], after.settings.Hosts[name]
		if is.InHost && !was.InHost {
			out = append(out, fmt.Sprintf("Questions of servers go to host %q and not to you.", name))
		}
		out = append(out, limitsLower(fmt.Sprintf("host %q", name), was.Limits, is.Limits)...)
	}
	return out
}

func names[V any](maps_ ...map[string]V) []string {
	all := make(map[string]bool)
	for _, m := range maps_ {
		for name := range m {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func serverLowers(name string, was, is *server) (out []string) {
	if is.Trusted && !was.Trusted {
		out = append(out, fmt.Sprintf("What the tools of server %q say of themselves is believed.", name))
	}
	if is.AcceptChanges && !was.AcceptChanges {
		out = append(out, fmt.Sprintf("New and changed tools of server %q are accepted unseen.", name))
	}
	for _, g := range was.off {
		if !slices.ContainsFunc(is.off, func(h glob) bool { return h.covers(g) }) {
			out = append(out, fmt.Sprintf("%s of server %q%sno longer off.", capital(some("tool", g.text)), name, isAre(g.text)))
		}
	}
	return append(out, limitsLower(fmt.Sprintf("server %q", name), was.Limits, is.Limits)...)
}

func limitsLower(whose string, was, is wire.Limits) (out []string) {
	lower := func(what string, was, is int) {
		switch {
		case was > 0 && is == 0:
			out = append(out, fmt.Sprintf("The limit of %d %s of %s is lifted.", was, what, whose))
		case was > 0 && is > was:
			out = append(out, fmt.Sprintf("The limit of %s of %s rises from %d to %d.", what, whose, was, is))
		}
	}
	lower("calls a minute", was.PerMinute, is.PerMinute)
	lower("calls at once", was.AtOnce, is.AtOnce)
	return out
}

// presetsLower compares the presets that count, for every host and server that
// either names and for one that neither does ("", which is no name).
func presetsLower(before, after *Rules) (out []string) {
	hosts := append(names(before.settings.Hosts, after.settings.Hosts), "")
	servers := append(names(before.settings.Servers, after.settings.Servers), "")
	lowered := func(host, server string) bool {
		was, _ := before.preset(host, server)
		is, _ := after.preset(host, server)
		return slices.Index(presets, is) < slices.Index(presets, was)
	}
	was, is := before.settings, after.settings
	if lowered("", "") {
		out = append(out, fmt.Sprintf("The default falls from %q to %q.", was.Default, is.Default))
	}
	for _, s := range servers {
		if was.Servers[s].Ask != is.Servers[s].Ask && slices.ContainsFunc(hosts, func(h string) bool { return lowered(h, s) }) {
			out = append(out, fmt.Sprintf("Server %q is asked about less: %s before, %s now.", s, quoted(was.Servers[s].Ask), quoted(is.Servers[s].Ask)))
		}
	}
	for _, h := range hosts {
		if was.Hosts[h].Ask != is.Hosts[h].Ask && slices.ContainsFunc(servers, func(s string) bool { return lowered(h, s) }) {
			out = append(out, fmt.Sprintf("Host %q is asked about less: %s before, %s now.", h, quoted(was.Hosts[h].Ask), quoted(is.Hosts[h].Ask)))
		}
	}
	return out
}

func quoted(preset string) string {
	if preset == "" {
		return "not set"
	}
	return fmt.Sprintf("%q", preset)
}

// rulesLower looks at each rule that only one side has. Where two sides give a
// call different verdicts, the rule that counted before is gone or the one that
// counts after is new; and no rule that both have counts before it there.
func rulesLower(before, after *Rules) (out []string) {
	removed, kept := differ(before.all, after.all)
	added, _ := differ(after.all, before.all)
	unsure := (len(removed)+len(added))*(len(before.all)+len(after.all)) > maxCompared
	for _, x := range added {
		if x.Do == wire.VerdictDeny || shadowed(kept, x) {
			continue
		}
		others := slices.Concat(weaker(kept, x), removed)
		if _, most := before.bounds(others, x); unsure || most > strength[x.Do] {
			out = append(out, fmt.Sprintf("A new rule: %s.", Phrase(x.Rule)))
		}
	}
	for _, x := range removed {
		if x.Do == wire.VerdictAllow || shadowed(kept, x) {
			continue
		}
		others := slices.Concat(weaker(kept, x), added)
		if least, _ := after.bounds(others, x); unsure || least < strength[x.Do] {
			out = append(out, fmt.Sprintf("A rule is gone: %s.", Phrase(x.Rule)))
		}
	}
	return out
}

// differ splits a's rules into those that b doesn't have and those that both have.
func differ(a, b []*rule) (only, both []*rule) {
	have := make(map[wire.Rule]int)
	for _, x := range b {
		have[plain(x)]++
	}
	for _, x := range a {
		if key := plain(x); have[key] > 0 {
			both = append(both, x)
		} else {
			only = append(only, x)
		}
	}
	return only, both
}

// plain is what of a rule decides.
func plain(x *rule) wire.Rule {
	return wire.Rule{Host: x.host.text, Server: x.server.text, Tool: x.tool.text, Args: x.Args, Do: x.Do}
}

// weaker are the rules that don't count before x.
func weaker(rules []*rule, x *rule) []*rule {
	return slices.DeleteFunc(slices.Clone(rules), func(y *rule) bool { return countsBefore(y, x) })
}

// shadowed reports whether x never counts: one of the rules does, wherever x matches.
func shadowed(rules []*rule, x *rule) bool {
	return slices.ContainsFunc(rules, func(y *rule) bool { return countsBefore(y, x) && y.covers(x) })
}

func countsBefore(y, x *rule) bool {
	c := specificity(y, x)
	return c < 0 || c == 0 && strength[y.Do] > strength[x.Do]
}

// bounds returns the least and the greatest strength that these rules, and then
// the presets, give the calls that x is for.
func (r *Rules) bounds(rules []*rule, x *rule) (least, most int) {
	least, most = strength[wire.VerdictDeny], strength[wire.VerdictAllow]
	slices.SortFunc(rules, precedence)
	for _, y := range rules {
		if !y.overlaps(x) {
			continue
		}
		least, most = min(least, strength[y.Do]), max(most, strength[y.Do])
		if y.covers(x) {
			// A tool that isn't listed is asked about, unless the rule names it.
			if y.Do == wire.VerdictAllow && x.tool.exact() && !y.tool.exact() {
				most = max(most, strength[wire.VerdictAsk])
			}
			return least, most
		}
	}
	l, m := r.presetBounds(x)
	return min(least, l), max(most, m)
}

// presetBounds is the same for the presets alone.
func (r *Rules) presetBounds(x *rule) (least, most int) {
	least, most = strength[wire.VerdictAsk], strength[wire.VerdictAllow]
	if x.tool.exact() {
		most = strength[wire.VerdictAsk] // when it isn't listed
	}
	for _, h := range matching(names(r.settings.Hosts), x.host) {
		for _, s := range matching(names(r.settings.Servers), x.server) {
			preset, _ := r.preset(h, s)
			if preset != wire.PresetNever {
				most = strength[wire.VerdictAsk]
			}
			if preset != wire.PresetEverything && (preset == wire.PresetNever || r.Trusted(s)) {
				least = strength[wire.VerdictAllow]
			}
		}
	}
	return least, most
}

// matching are the names that g matches, and one that has no settings.
func matching(names []string, g glob) []string {
	return append(slices.DeleteFunc(names, func(n string) bool { return !g.match(n) }), "")
}
