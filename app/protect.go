package app

import (
	"maps"
	"slices"
	"sync"
	"time"

	"bridgekeeper/app/config"
	"bridgekeeper/app/policy"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// policyOf is what the config says about protection.
func (a *App) policyOf(conf *config.Config) policy.Settings {
	s := policy.Settings{Default: conf.Settings.Ask, Rules: conf.Settings.Rules,
		Servers: make(map[string]policy.Server, len(conf.Servers)), Hosts: make(map[string]policy.Host, len(conf.Settings.Hosts))}
	for _, one := range conf.Servers {
		s.Servers[one.Name] = a.policyOfServer(&one.Entry)
	}
	for name, terms := range conf.Settings.Hosts {
		s.Hosts[name] = policy.Host{Ask: terms.Ask, InHost: terms.Questions == wire.QuestionsHost, Limits: limitsOf(terms.Limits)}
	}
	return s
}

func (a *App) policyOfServer(e *wire.Entry) policy.Server {
	return policy.Server{Ask: e.Ask, Off: e.Off, Trusted: e.Trust == "" || e.Trust == wire.TrustFull,
		// Where everything is allowed nobody is there to look at a difference.
		AcceptChanges: e.Changes == wire.ChangesAccept || a.opts.Answers == AnswerAllow,
		Limits:        limitsOf(e.Limits)}
}

func limitsOf(l *wire.Limits) wire.Limits {
	if l == nil {
		return wire.Limits{}
	}
	return *l
}

// followPolicy makes the rules of a config count. Rules that can't be used leave
// the former ones in force.
func (a *App) followPolicy(conf *config.Config) {
	rules, err := policy.Compile(a.policyOf(conf))
	if err != nil {
		a.opts.Log.Error("rules of the config not used, the former ones stay", "err", err)
		return
	}
	a.rules.Store(rules)
}

// followSettings makes the other settings of a config count.
func (a *App) followSettings(conf *config.Config) {
	record := conf.Settings.Record
	a.activity.SetArguments(record.Arguments)
	a.activity.SetKeep(0, 0)
	if record.KeepMiB > 0 {
		a.activity.SetKeep(recordFile, max(1, record.KeepMiB<<20/recordFile))
	}
	if conf.Settings.Questions.CLI != (a.cliLeave != nil) {
		if a.cliLeave != nil {
			a.cliLeave()
			a.cliLeave = nil
		} else {
			a.cliLeave = a.queue.Attend() // a person can come at any time
		}
	}
}

// recordFile is the size of one file of the record where a person said how much
// is kept in all.
const recordFile = 4 << 20

// legacySSE reports whether the transport of 2024-11-05 is served now.
func (a *App) legacySSE() bool {
	return a.opts.LegacySSE || a.config.Current().Settings.LegacySSE
}

// shelf keeps what is known of each tool, so that neither a call nor a new list
// reads every definition anew. Definitions are never changed: where one lies in
// memory says whether it is the same.
type shelf struct {
	pins *policy.Pins

	mu    sync.RWMutex
	tools map[toolKey]*shelved // guarded by mu
}

type toolKey struct{ server, tool string }

type shelved struct {
	first *byte
	size  int
	hints policy.Hints
	pin   string
}

// maxShelved bounds what is kept: all tools that a directory can hold at once.
const maxShelved = 100_000

func newShelf(pins *policy.Pins) *shelf {
	return &shelf{pins: pins, tools: make(map[toolKey]*shelved)}
}

// of returns what is known of a tool with that definition.
func (s *shelf) of(server, tool string, definition []byte) *shelved {
	if len(definition) == 0 {
		return &shelved{hints: policy.HintsOf(nil), pin: policy.PinNone}
	}
	key := toolKey{server, tool}
	s.mu.RLock()
	known := s.tools[key]
	s.mu.RUnlock()
	if known != nil && known.first == &definition[0] && known.size == len(definition) {
		return known
	}
	known = &shelved{&definition[0], len(definition), policy.HintsOf(definition), s.pins.Look(server, tool, definition).State}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tools) >= maxShelved {
		clear(s.tools)
	}
	s.tools[key] = known
	return known
}

// clear forgets everything: pins have changed.
func (s *shelf) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tools)
}

// screen says why no host may see a tool (directory.Options.Screen).
func (a *App) screen(server, tool string, definition []byte) string {
	rules := a.rules.Load()
	if rules.Off(server, tool) != "" {
		return "It is switched off."
	}
	if rules.AcceptChanges(server) {
		return ""
	}
	switch a.shelf.of(server, tool, definition).pin {
	case policy.PinNew:
		return "It is new: a person has to see it first (`bridgekeeper server review " + server + "`)."
	case policy.PinChanged:
		return "It isn't what it was: a person has to see the difference first (`bridgekeeper server review " + server + "`)."
	}
	return ""
}

// rescreen applies a change of pins.
func (a *App) rescreen() {
	a.shelf.clear()
	a.dir.Rescreen()
	a.news.poke()
}

// pinNew pins the tools of servers that were never pinned, as they are now.
func (a *App) pinNew(conf *config.Config) {
	view := a.dir.View()
	for _, one := range conf.Servers {
		s := view.Server(one.Name)
		if s == nil || !s.ReadAt().After(a.anew(one.Name)) || one.Entry.Trust == wire.TrustPending {
			continue
		}
		if _, ok := a.pins.Trusted(one.Name); ok {
			continue
		}
		if err := a.pins.TrustAll(one.Name, toolsOf(s)); err != nil {
			a.opts.Log.Warn("tools not pinned", "server", one.Name, "err", err)
			continue
		}
		a.shelf.clear()
	}
}

func toolsOf(s *directory.Server) []policy.Tool {
	tools := make([]policy.Tool, 0, len(s.Tools))
	for _, t := range s.Tools {
		tools = append(tools, policy.Tool{Name: t.Name, Definition: t.Definition})
	}
	return tools
}

// strictest are the rules before the config was read.
func strictest() *policy.Rules {
	rules, err := policy.Compile(policy.Settings{Default: wire.PresetEverything})
	if err != nil {
		panic(err) // a constant
	}
	return rules
}

// listed returns a tool's definition as it is now, nil when it isn't listed.
func (a *App) listed(server, tool string) []byte {
	if s := a.dir.View().Server(server); s != nil {
		if t := s.Tool(tool); t != nil {
			return t.Definition
		}
	}
	return nil
}

// keepRule writes a standing rule that a person's answer made.
func (a *App) keepRule(rule wire.Rule) error {
	return a.applying(a.config.AddRule(rule))
}

// followEntries forgets what was trusted of servers that are gone, or that a
// person made something else by hand.
func (a *App) followEntries(was, conf *config.Config) {
	if was == nil {
		return
	}
	for _, old := range was.Servers {
		s, ok := conf.Lookup(old.Name)
		switch {
		case !ok:
			a.gate.grants.drop(func(_, server string) bool { return server == old.Name })
			a.queue.Withdraw("the server was removed", func(q *wire.Question) bool { return q.Server == old.Name })
		case s.ByHand && !runsSame(&s.Entry, &old.Entry):
		default:
			continue
		}
		a.trustAnew(old.Name)
	}
}

// trustAnew forgets what a server's tools were: the person made it another one,
// whose tools are pinned when they are first seen.
func (a *App) trustAnew(server string) {
	if err := a.pins.Forget(server); err != nil {
		a.opts.Log.Warn("pinned tools not forgotten", "server", server, "err", err)
	}
	a.shelf.clear()
	a.anewSince.Store(server, time.Now()) // what was listed before is the old one's
}

// anew is when a server was made another one; zero when it wasn't in this run.
func (a *App) anew(server string) time.Time {
	at, _ := a.anewSince.Load(server)
	since, _ := at.(time.Time)
	return since
}

// runsSame reports whether two entries start the same thing.
func runsSame(a, b *wire.Entry) bool {
	return a.Command == b.Command && a.Cwd == b.Cwd && slices.Equal(a.Args, b.Args) && maps.Equal(a.Env, b.Env)
}

// oddInstructions points out what is odd in what servers tell the model.
func (a *App) oddInstructions(view *directory.View) (notes []string) {
	for _, s := range view.Servers() {
		if s.Info == nil || len(s.Info.Instructions) == 0 {
			continue
		}
		seen, ok := a.inspected.Load(s.Name)
		if one, same := seen.(inspected); !ok || !same || one.info != s.Info {
			text := rpc.Text(s.Info.Instructions)
			seen = inspected{s.Info, policy.InspectText("The instructions of server "+s.Name, s.Name, text, policy.NewNames(nil))}
			a.inspected.Store(s.Name, seen)
		}
		notes = append(notes, seen.(inspected).notes...)
	}
	return notes
}

// inspected is what was found in one server's instructions.
type inspected struct {
	info  *upstream.Info
	notes []string
}
