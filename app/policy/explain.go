package policy

import (
	"fmt"
	"slices"

	"bridgekeeper/app/wire"
)

// maxPassed bounds the rules that an explanation names besides the one that
// counts: nobody reads more.
const maxPassed = 50

// Explain tells what Decide would say, what it knows, and which rules matched
// besides. Without a digest of arguments it says which rules wait for particular ones.
func Explain(r *Rules, f *Facts) wire.Explanation {
	d := Decide(r, f)
	e := wire.Explanation{Verdict: d.Verdict, Because: d.Because, Facts: facts(r, f)}
	if d.Rule != nil {
		copied := *d.Rule
		e.Rule = &copied
	}
	e.Passed = r.passed(f, d.Line)
	return e
}

func facts(r *Rules, f *Facts) (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if !f.Listed {
		say("The server doesn't list this tool.")
	} else {
		say("%s", hintSentence(f.Hints))
	}
	if f.Trusted {
		say("Server %q is trusted: what its tools say of themselves is believed.", f.Server)
	} else {
		say("Server %q isn't trusted: what its tools say of themselves is not believed.", f.Server)
	}
	switch f.Pin {
	case PinSame:
		say("The tool is as it was when it was trusted.")
	case PinNew, PinChanged, PinLost:
		if r.AcceptChanges(f.Server) {
			say("%s, but changes of this server are accepted unseen.", heldBecause[f.Pin])
		} else {
			say("%s.", heldBecause[f.Pin])
		}
	case PinNone:
		say("Nothing is known yet of what the server's tools were.")
	}
	preset, whose := r.preset(f.Host, f.Server)
	say("%s", presetSentence(preset, whose, f))
	if at := r.settings.Hosts[f.Host].Ask; whose == whoseServer && at != "" {
		say("Host %q is set to %q, which doesn't lift the server's %q.", f.Host, at, preset)
	}
	if of := r.server(f.Server).Ask; whose == whoseHost && of != "" {
		say("Server %q is set to %q; the host's setting counts before it.", f.Server, of)
	}
	return all
}

func hintSentence(h Hints) string {
	switch {
	case h.ReadOnly:
		return "The tool says that it only reads."
	case !h.Said:
		return "The tool doesn't say whether it changes or destroys anything, so it may."
	case h.Destructive:
		return "The tool may destroy something, by what it says."
	}
	return "The tool says that it changes something, but destroys nothing."
}

// passed are the matching rules but the one that counted, in order of precedence.
func (r *Rules) passed(f *Facts, counted int) (all []string) {
	more := 0
	for _, x := range slices.Concat(r.byTool[f.Tool], r.wild) {
		args := f.ArgsDigest == "" && x.Args != "" && x.server.match(f.Server) && x.host.match(f.Host)
		if x.line == counted || !args && !x.match(f) {
			continue
		}
		if len(all) == maxPassed {
			more++
			continue
		}
		s := x.sentence
		if args {
			s += " It is for these arguments only."
		}
		all = append(all, s)
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("And %d more rules.", more))
	}
	return all
}
