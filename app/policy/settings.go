package policy

import (
	"fmt"
	"slices"

	"bridgekeeper/app/wire"
)

// Settings are what the config says about protection. The zero value asks about
// every call but those of read-only tools of trusted servers.
type Settings struct {
	Default string      // preset; "" is "changes"
	Rules   []wire.Rule // in the order of the file
	Servers map[string]Server
	Hosts   map[string]Host
}

// Server is what a person set for one server.
type Server struct {
	Ask           string   // preset; "" is not set
	Off           []string // patterns of tools that are switched off
	Trusted       bool     // what its tools say of themselves is believed
	AcceptChanges bool     // new and changed tools aren't held
	Limits        wire.Limits
}

// Host is what a person set for one host.
type Host struct {
	Ask    string // preset; "" is not set
	InHost bool   // servers' questions go to the host, not to our own dialog
	Limits wire.Limits
}

// presets are ordered: each asks about all that the ones before it ask about.
var presets = []string{wire.PresetNever, wire.PresetDestructive, wire.PresetChanges, wire.PresetEverything}

// Bounds of the settings.
const (
	maxOff   = 1000    // patterns of one server: more than servers have tools
	maxLimit = 1 << 20 // more calls a minute than we can pass
)

// CheckPreset says why a preset can't be kept, or nil.
func CheckPreset(p string) *wire.Error {
	if p == "" || slices.Contains(presets, p) {
		return nil
	}
	return &wire.Error{Code: wire.CodeBadRule, Message: fmt.Sprintf("there is no preset %.40q", p), Hint: "use everything, changes, destructive or never"}
}

// CheckLimits says why limits can't be kept, or nil.
func CheckLimits(l wire.Limits) *wire.Error {
	if l.PerMinute >= 0 && l.PerMinute <= maxLimit && l.AtOnce >= 0 && l.AtOnce <= maxLimit {
		return nil
	}
	return &wire.Error{Code: wire.CodeBadRule, Message: fmt.Sprintf("a limit is below 0 or above %d", maxLimit), Hint: "0, or leaving it out, is no limit"}
}

// CheckOff says why patterns of tools that are off can't be kept, or nil.
func CheckOff(patterns []string) *wire.Error {
	if len(patterns) > maxOff {
		return &wire.Error{Code: wire.CodeBadRule, Message: fmt.Sprintf("%d patterns of tools that are off, at most %d", len(patterns), maxOff)}
	}
	for _, p := range patterns {
		bad := checkPattern(p)
		if p == "" {
			bad = "is empty"
		}
		if bad != "" {
			return &wire.Error{Code: wire.CodeBadRule, Message: "a pattern of tools that are off " + bad, Hint: "a tool's name, in which * stands for any run of characters"}
		}
	}
	return nil
}

// Rules are settings made ready for deciding. They don't change; any number of
// goroutines may use them.
type Rules struct {
	settings Settings
	byTool   map[string][]*rule // those for exactly one tool, in order of precedence
	wild     []*rule            // the others: all of them come after those above
	all      []*rule            // in the order of the file
	servers  map[string]*server
	byArgs   map[string]bool // tools with a rule for particular arguments
}

type server struct {
	Server
	off []glob
}

var noServer = &server{}

// Compile checks the settings and makes rules of them. An error is a
// *wire.Error that says which part is wrong. The settings must not be changed
// afterwards.
func Compile(s Settings) (*Rules, error) {
	if err := check(s); err != nil {
		return nil, err
	}
	if s.Default == "" {
		s.Default = wire.PresetChanges
	}
	r := &Rules{settings: s, byTool: make(map[string][]*rule), servers: make(map[string]*server), byArgs: make(map[string]bool)}
	for i, w := range s.Rules {
		r.all = append(r.all, newRule(w, i+1))
		if w.Args != "" {
			r.byArgs[w.Tool] = true
		}
	}
	for _, x := range slices.SortedFunc(slices.Values(r.all), precedence) {
		if x.tool.exact() {
			r.byTool[x.Tool] = append(r.byTool[x.Tool], x)
		} else {
			r.wild = append(r.wild, x)
		}
	}
	for name, of := range s.Servers {
		srv := &server{Server: of}
		for _, p := range of.Off {
			srv.off = append(srv.off, newGlob(p))
		}
		r.servers[name] = srv
	}
	return r, nil
}

func check(s Settings) error {
	if len(s.Rules) > maxRules {
		return &wire.Error{Code: wire.CodeBadRule, Message: fmt.Sprintf("there are %d rules, at most %d", len(s.Rules), maxRules), Hint: "a name with * can stand for many"}
	}
	for i, r := range s.Rules {
		if e := CheckRule(r); e != nil {
			return in(e, "rule %d", i+1)
		}
	}
	if e := CheckPreset(s.Default); e != nil {
		return in(e, "policy")
	}
	for name, of := range s.Servers {
		for _, e := range []*wire.Error{CheckPreset(of.Ask), CheckOff(of.Off), CheckLimits(of.Limits)} {
			if e != nil {
				return in(e, "server %q", name)
			}
		}
	}
	for name, of := range s.Hosts {
		for _, e := range []*wire.Error{CheckPreset(of.Ask), CheckLimits(of.Limits)} {
			if e != nil {
				return in(e, "host %q", name)
			}
		}
	}
	return nil
}

func in(e *wire.Error, format string, args ...any) *wire.Error {
	e.Message = fmt.Sprintf(format, args...) + ": " + e.Message
	return e
}

func (r *Rules) server(name string) *server {
	if s := r.servers[name]; s != nil {
		return s
	}
	return noServer
}

// ByArguments reports whether a rule looks at a tool's arguments: Facts need their
// digest then, and each call is decided by itself.
func (r *Rules) ByArguments(tool string) bool { return r.byArgs[tool] }

// Off returns the pattern that switches a tool off, or "".
func (r *Rules) Off(server, tool string) string {
	for _, g := range r.server(server).off {
		if g.match(tool) {
			return g.text
		}
	}
	return ""
}

// Trusted reports whether the server's annotations are believed: what
// Facts.Trusted is.
func (r *Rules) Trusted(server string) bool { return r.server(server).Trusted }

// AcceptChanges reports whether the server's new and changed tools pass unseen.
func (r *Rules) AcceptChanges(server string) bool { return r.server(server).AcceptChanges }

// InHost reports whether servers' questions go to this host.
func (r *Rules) InHost(host string) bool { return r.settings.Hosts[host].InHost }

// Limits returns what bounds the calls of a host and of a server.
func (r *Rules) Limits(host, server string) (ofHost, ofServer wire.Limits) {
	return r.settings.Hosts[host].Limits, r.server(server).Limits
}

// preset returns the preset that counts for a host at a server, and whose it
// is. The host's counts before the server's: it is set when that host asks its
// own user, or can't be trusted as others are. Only a server's "everything"
// stands whatever the host's is: who wants to see every call of a server
// means those, too.
func (r *Rules) preset(host, server string) (preset, whose string) {
	of, at := r.server(server).Ask, r.settings.Hosts[host].Ask
	switch {
	case of == wire.PresetEverything, at == "" && of != "":
		return of, whoseServer
	case at != "":
		return at, whoseHost
	}
	return r.settings.Default, whoseDefault
}

// Whose preset it is.
const (
	whoseServer  = "server"
	whoseHost    = "host"
	whoseDefault = ""
)
