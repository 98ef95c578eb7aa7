package policy

import (
	"fmt"

	"bridgekeeper/app/wire"
)

// Facts are what is known of one call.
type Facts struct {
	Host, Server, Tool string // the server's own name of the tool
	Listed             bool   // the tool is on the server's list
	Hints              Hints  // see HintsOf
	Trusted            bool   // the hints are believed: see Rules.Trusted
	Pin                string // see Pins.Look
	ArgsDigest         string // see ArgsDigest; "" when there is no call, as in an explanation
}

// Decision is what happens to a call.
type Decision struct {
	Verdict string // allow, ask, deny, held, off
	Because string // a sentence
	Rule    *wire.Rule
	Line    int // of the rule, from 1
}

// Decide says what happens to a call. The same rules and facts always give the
// same decision. In order:
//
//  1. A tool that is off is off.
//  2. Of the rules that match the most specific one counts; a deny ends here.
//  3. A tool that is new or changed is held, whatever else allows it.
//  4. A tool that the server doesn't list is asked about, unless a rule names
//     exactly it: nobody has seen what it is.
//  5. The rule, if there is one.
//  6. The preset.
func Decide(r *Rules, f *Facts) Decision {
	if p := r.Off(f.Server, f.Tool); p != "" {
		return Decision{Verdict: wire.VerdictOff, Because: capital(some("tool", p)) + " of " + some("server", f.Server) + isAre(p) + "switched off."}
	}
	x := r.first(f)
	if x != nil && x.Do == wire.VerdictDeny {
		return x.decision()
	}
	if why := heldBecause[f.Pin]; why != "" && !r.AcceptChanges(f.Server) {
		return Decision{Verdict: wire.VerdictHeld, Because: why + ": a person has to see it first."}
	}
	if !f.Listed && (x == nil || x.Do == wire.VerdictAllow && !x.tool.exact()) {
		return Decision{Verdict: wire.VerdictAsk, Because: "The server doesn't list this tool, so nobody has seen what it is."}
	}
	if x != nil {
		return x.decision()
	}
	return r.byPreset(f)
}

// heldBecause has the states of a pin that hold a tool, as the beginning of a sentence.
var heldBecause = map[string]string{
	PinNew:     "The server didn't have this tool when it was trusted",
	PinChanged: "The tool isn't what it was when it was trusted",
	PinLost:    "It isn't known any more what the tool was when it was trusted, because that file is broken",
}

func (x *rule) decision() Decision {
	return Decision{Verdict: x.Do, Because: x.sentence, Rule: &x.Rule, Line: x.line}
}

// first is the rule that counts, or nil.
func (r *Rules) first(f *Facts) *rule {
	for _, x := range r.byTool[f.Tool] {
		if x.match(f) {
			return x
		}
	}
	for _, x := range r.wild {
		if x.match(f) {
			return x
		}
	}
	return nil
}

func (r *Rules) byPreset(f *Facts) Decision {
	preset, whose := r.preset(f.Host, f.Server)
	set := presetSentence(preset, whose, f)
	allow := func(why string) Decision { return Decision{Verdict: wire.VerdictAllow, Because: set + why} }
	ask := func(why string) Decision { return Decision{Verdict: wire.VerdictAsk, Because: set + why} }
	switch preset {
	case wire.PresetNever:
		if whose == whoseHost {
			return allow(" That host is left to ask its own user.")
		}
		return allow("")
	case wire.PresetEverything:
		return ask("")
	}
	switch {
	case f.Hints.ReadOnly && f.Trusted:
		return allow(" The tool says that it only reads, and its server is trusted.")
	case f.Hints.ReadOnly:
		return ask(" The tool says that it only reads, but its server isn't trusted.")
	case preset == wire.PresetDestructive && !f.Hints.Destructive && f.Trusted:
		return allow(" The tool says that it destroys nothing, and its server is trusted.")
	case preset == wire.PresetDestructive && !f.Hints.Destructive:
		return ask(" The tool says that it destroys nothing, but its server isn't trusted.")
	case preset == wire.PresetDestructive:
		return ask(" The tool " + saysDestroys(f.Hints) + ".")
	}
	return ask(" The tool " + saysChanges(f.Hints) + ".")
}

func saysDestroys(h Hints) string {
	if h.Said {
		return "may destroy something"
	}
	return "doesn't say what it does, so it may destroy something"
}

func saysChanges(h Hints) string {
	if h.Said {
		return "may change something"
	}
	return "doesn't say that it only reads, so it may change something"
}

func presetSentence(preset, whose string, f *Facts) string {
	what := presetMeans[preset]
	switch whose {
	case whoseServer:
		return fmt.Sprintf("Server %q is set to %q: %s.", f.Server, preset, what)
	case whoseHost:
		return fmt.Sprintf("Host %q is set to %q: %s.", f.Host, preset, what)
	}
	return fmt.Sprintf("The default is %q: %s.", preset, what)
}

var presetMeans = map[string]string{
	wire.PresetNever:       "no call is asked about",
	wire.PresetDestructive: "calls that may destroy are asked about",
	wire.PresetChanges:     "calls that may change something are asked about",
	wire.PresetEverything:  "every call is asked about",
}

func capital(s string) string { return string(s[0]-'a'+'A') + s[1:] }

func isAre(pattern string) string {
	if g := newGlob(pattern); g.exact() || g.any() {
		return " is "
	}
	return " are "
}
