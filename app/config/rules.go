package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"bridgekeeper/app/jsonedit"
	"bridgekeeper/app/wire"
)

// readRules reads the standing rules. One that can't be read in full never just
// vanishes: see standIn.
func (r *reading) readRules(v *hujson.Value) []wire.Rule {
	if v == nil || v.Value.Kind() == 'n' {
		return nil
	}
	a, ok := v.Value.(*hujson.Array)
	if !ok {
		r.misread(rulesKey, r.mistakeAt(wire.CodeBadSetting, rulesKey, *v, "must be a list of objects"))
		return []wire.Rule{{Do: wire.VerdictDeny, Note: "the rules could not be read"}}
	}
	var rules, wide []wire.Rule
	for i, v := range a.Elements {
		if i == maxRules {
			r.misread(rulesKey, r.mistakeAt(wire.CodeBadSetting, rulesKey, v, fmt.Sprintf("there are %d rules: %d are allowed", len(a.Elements), maxRules)))
			rest := wire.Rule{Do: wire.VerdictDeny, Note: "the rules behind could not be read"}
			rules, wide = append(rules, rest), append(wide, rest)
			break
		}
		got := r.readRule(v)
		if got.err != nil {
			harmless := got.exact || got.rule.Do == wire.VerdictAllow
			r.mistakes = append(r.mistakes, mistake{rulesKey, got.err.Message, harmless})
			if !got.exact && got.rule.Do == wire.VerdictAllow {
				continue // without it more is asked, not less
			}
			if !got.exact {
				got.rule.Note = "it could not be read in full"
			}
			if got.wide {
				wide = append(wide, got.rule)
			}
		}
		rules = append(rules, got.rule)
	}
	return raised(rules, wide)
}

// ruleRead is a rule and how well it could be read.
type ruleRead struct {
	rule  wire.Rule
	err   *wire.Error
	exact bool // it says what is written there, in spite of err
	wide  bool // a part of it that narrows it was lost
}

// readRule reads a rule as strictly as it can be meant: a part that can't be
// read matches everything, a verdict that can't be read is deny.
func (r *reading) readRule(v hujson.Value) ruleRead {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return ruleRead{rule: wire.Rule{Do: wire.VerdictDeny}, wide: true,
			err: r.mistakeAt(wire.CodeBadSetting, rulesKey, v, "a rule must be an object")}
	}
	d := r.decoder(rulesKey, wire.CodeBadSetting, o)
	d.only(keysOf[wire.Rule]()...)
	got := ruleRead{exact: d.err() == nil, wide: d.err() != nil} // an unknown key may be a misspelt one
	text := func(key string) string {
		one := r.decoder(rulesKey, wire.CodeBadSetting, o)
		s := one.text(key)
		if err := one.err(); err != nil {
			if key != "note" {
				got.exact = false
				got.wide = got.wide || key != "do"
			}
			if d.err() == nil {
				*d.first = err
			}
		}
		return s
	}
	got.rule = wire.Rule{Host: text("host"), Server: text("server"), Tool: text("tool"), Args: text("args"), Do: text("do"), Note: text("note")}
	for _, key := range jsonedit.Repeated(o) {
		got.drop(key) // either may be meant
	}
	for f := checkRule(got.rule); f != nil; f = checkRule(got.rule) {
		d.fail(place(v, f.path), f.sentence)
		got.drop(f.path)
	}
	got.err = d.err()
	return got
}

// drop gives up a part of the rule that is wrong.
func (g *ruleRead) drop(part string) {
	switch part {
	case "note":
		g.rule.Note = ""
		return
	case "do":
		g.rule.Do = wire.VerdictDeny
	case "host":
		g.rule.Host = ""
	case "server":
		g.rule.Server = ""
	case "tool":
		g.rule.Tool = ""
	case "args":
		g.rule.Args = ""
	}
	g.exact = false
	g.wide = g.wide || part != "do"
}

// raised makes the rules that could win over a wide one, because they are
// more specific, as strict as that: the lost part may have said more than they do.
func raised(rules, wide []wire.Rule) []wire.Rule {
	for i := range rules {
		for _, w := range wide {
			if strictness(rules[i].Do) < strictness(w.Do) && overlap(rules[i].Host, w.Host) &&
				overlap(rules[i].Server, w.Server) && overlap(rules[i].Tool, w.Tool) {
				rules[i].Do = w.Do
			}
		}
	}
	return rules
}

func strictness(do string) int { return slices.Index(doValues, do) }

// overlap reports whether some name may match both patterns; in doubt it does.
func overlap(a, b string) bool {
	headA, tailA, wildA := ends(a)
	headB, tailB, wildB := ends(b)
	if !wildA && !wildB {
		return a == b
	}
	n, m := min(len(headA), len(headB)), min(len(tailA), len(tailB))
	return headA[:n] == headB[:n] && tailA[len(tailA)-m:] == tailB[len(tailB)-m:]
}

// ends returns what a pattern's names begin and end with.
func ends(pattern string) (head, tail string, wild bool) {
	if pattern == "" {
		return "", "", true
	}
	first, last := strings.IndexByte(pattern, '*'), strings.LastIndexByte(pattern, '*')
	if first < 0 {
		return pattern, pattern, false
	}
	return pattern[:first], pattern[last+1:], true
}
