package policy

import (
	"cmp"
	"fmt"
	"strings"

	"bridgekeeper/app/wire"
)

// Bounds of the rules.
const (
	maxRules   = 1000 // a person keeps dozens; more is a program writing them
	maxPattern = 256  // longer than any name of a tool that hosts take
	maxNote    = 1000 // a sentence or two
	argsDigits = 64   // of a SHA-256
)

// strength orders the verdicts of rules.
var strength = map[string]int{wire.VerdictAllow: 1, wire.VerdictAsk: 2, wire.VerdictDeny: 3}

// CheckRule says why a rule can't be kept, or nil.
func CheckRule(r wire.Rule) *wire.Error {
	bad := func(format string, args ...any) *wire.Error {
		return &wire.Error{Code: wire.CodeBadRule, Message: fmt.Sprintf(format, args...)}
	}
	if strength[r.Do] == 0 {
		e := bad("a rule can't do %.40q", r.Do)
		e.Hint = "use allow, ask or deny"
		return e
	}
	for _, p := range []struct{ key, pattern string }{{"host", r.Host}, {"server", r.Server}, {"tool", r.Tool}} {
		if e := checkPattern(p.pattern); e != "" {
			return bad("the %s of a rule %s", p.key, e)
		}
	}
	if len(r.Note) > maxNote {
		return bad("the note of a rule has %d bytes, at most %d", len(r.Note), maxNote)
	}
	if r.Args == "" {
		return nil
	}
	if len(r.Args) != argsDigits || strings.Trim(r.Args, "0123456789abcdef") != "" {
		e := bad("the args of a rule are %.80q", r.Args)
		e.Hint = "args is the digest of a call's arguments: 64 hexadecimal digits in small letters. It is written when you answer a question with \"always with these arguments\""
		return e
	}
	if !newGlob(r.Server).exact() || !newGlob(r.Tool).exact() {
		e := bad("a rule with args is for many tools")
		e.Hint = "the same arguments mean something else to another tool: name one server and one tool, without *"
		return e
	}
	return nil
}

// checkPattern says what is wrong with a pattern, or "".
func checkPattern(p string) string {
	if len(p) > maxPattern {
		return fmt.Sprintf("has %d bytes, at most %d", len(p), maxPattern)
	}
	if strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "has a control character"
	}
	return ""
}

// rule is one rule, ready to be matched.
type rule struct {
	wire.Rule
	line               int // in the file, from 1
	host, server, tool glob
	sentence           string // how a decision names it
}

func newRule(r wire.Rule, line int) *rule {
	sentence := fmt.Sprintf("Rule %d says: %s.", line, Phrase(r))
	if r.Note != "" {
		sentence += fmt.Sprintf(" Its note: %.200q.", r.Note)
	}
	return &rule{Rule: r, line: line, host: newGlob(r.Host), server: newGlob(r.Server), tool: newGlob(r.Tool), sentence: sentence}
}

func (r *rule) match(f *Facts) bool {
	return (r.Args == "" || r.Args == f.ArgsDigest) && r.tool.match(f.Tool) && r.server.match(f.Server) && r.host.match(f.Host)
}

// precedence is negative when a counts before b: the table of docs/policy.md.
// Two different rules are never equal.
func precedence(a, b *rule) int {
	if c := specificity(a, b); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(strength[b.Do], strength[a.Do]), cmp.Compare(b.line, a.line))
}

// specificity is negative when a is more specific than b.
func specificity(a, b *rule) int {
	return cmp.Or(
		-cmp.Compare(min(len(a.Args), 1), min(len(b.Args), 1)),
		-cmp.Compare(a.tool.weight(), b.tool.weight()),
		-cmp.Compare(a.server.weight(), b.server.weight()),
		-cmp.Compare(a.host.weight(), b.host.weight()),
	)
}

// covers reports whether r is for every call that s is for.
func (r *rule) covers(s *rule) bool {
	return (r.Args == "" || r.Args == s.Args) && r.host.covers(s.host) && r.server.covers(s.server) && r.tool.covers(s.tool)
}

// overlaps reports whether some call is one for both.
func (r *rule) overlaps(s *rule) bool {
	return (r.Args == "" || s.Args == "" || r.Args == s.Args) && r.host.overlaps(s.host) && r.server.overlaps(s.server) && r.tool.overlaps(s.tool)
}

// Phrase says what a rule does, without a full stop: allow tools "read_*" of
// server "files" for host "editor".
func Phrase(r wire.Rule) string {
	with := ""
	if r.Args != "" {
		with = " with the arguments of digest " + r.Args[:min(16, len(r.Args))]
	}
	verb := r.Do
	if r.Do == wire.VerdictAsk {
		verb = "ask about"
	}
	return verb + " " + some("tool", r.Tool) + with + " of " + some("server", r.Server) + " for " + some("host", r.Host)
}

func some(noun, pattern string) string {
	g := newGlob(pattern)
	switch {
	case g.any():
		return "every " + noun
	case g.exact():
		return fmt.Sprintf("%s %.80q", noun, pattern)
	}
	return fmt.Sprintf("%ss %.80q", noun, pattern)
}
