package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"

	"bridgekeeper/app/config"
	"bridgekeeper/app/wire"
	"bridgekeeper/supervisor"
)

// reconcile makes the supervisor and the directory follow the config. Whoever
// changed the config through us calls it before answering, so that the next
// order finds the server there.
func (a *App) reconcile() {
	a.applyMu.Lock()
	defer a.applyMu.Unlock()
	defer a.news.poke() // a problem of the file is news, too
	conf := a.config.Current()
	if conf == a.applied {
		return
	}
	was := a.applied
	a.applied = conf
	a.followPolicy(conf)
	a.followSettings(conf)
	a.followEntries(was, conf)
	specs := make([]supervisor.Spec, 0, len(conf.Servers))
	names := make([]string, 0, len(conf.Servers))
	pending := make(map[string]bool)
	env := ourEnv(os.Environ())
	for _, s := range conf.Servers {
		spec := specOf(s, env)
		spec.Held = spec.Held && a.opts.Answers != AnswerAllow
		specs = append(specs, spec)
		names = append(names, s.Name)
		pending[s.Name] = !s.Entry.Disabled && s.Entry.Start != string(supervisor.StartManual)
	}
	a.metrics.forget(func(name string) bool { return slices.Contains(names, name) })
	a.dir.Configure(names, func(name string) bool { return pending[name] })
	a.door.EndServers(names)
	a.sup.Apply(specs)
}

// following is the config that the supervisor follows. It may be a moment older
// than Current, and a server of that one is not known yet.
func (a *App) following() *config.Config {
	a.applyMu.Lock()
	defer a.applyMu.Unlock()
	return a.applied
}

// fingerprint tells what runs as a server, for the lists kept of it. The values
// of variables are left out: they are secrets, and seldom change what is listed.
func (a *App) fingerprint(server string) string {
	s, ok := a.config.Current().Lookup(server)
	if !ok {
		return ""
	}
	return printOf(&s.Entry)
}

func printOf(e *wire.Entry) string {
	text, _ := json.Marshal([]any{e.Command, e.Args, e.Cwd, slices.Sorted(maps.Keys(e.Env))}) // texts only: it can't fail
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// followConfig applies every change of the file until ctx ends.
func (a *App) followConfig(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.config.Changed():
			a.reconcile()
		}
	}
}

// followNews acts on what the supervisor observed, until ctx ends: the
// directory drops what a person stopped, and lets waiting lists go when a
// server won't come.
func (a *App) followNews(ctx context.Context) error {
	learned := make(map[string]supervisor.Spec)
	for {
		changed := a.news.next()
		conf := a.following()
		for _, st := range a.sup.Statuses() {
			if st.Key.Scope == "" {
				a.observed(conf, &st)
			}
		}
		a.learn(conf, learned)
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
	}
}

// observed tells the directory of a state that it must act on. The status may
// be a moment old: the directory leaves a server alone that has a session.
func (a *App) observed(conf *config.Config, st *supervisor.Status) {
	name := st.Key.Server
	switch st.State {
	case supervisor.Backoff, supervisor.Failed, supervisor.Held:
		a.dir.Settled(name)
	case supervisor.Disabled:
		a.dir.Forget(name)
	case supervisor.Stopped:
		if s, ok := conf.Lookup(name); ok && s.Entry.Start != string(supervisor.StartManual) && !st.ByPerson {
			return // it is new, or started when it is used: it stays listed, with the lists of its last run
		}
		a.dir.Forget(name)
	}
}

// learn starts each on-demand server once, and again when what runs as it
// changed, so that its lists are known. The supervisor ends it when it is idle.
func (a *App) learn(conf *config.Config, learned map[string]supervisor.Spec) {
	for name := range learned {
		if s, ok := conf.Lookup(name); !ok || !onDemand(s) {
			delete(learned, name)
		}
	}
	for _, s := range conf.Servers {
		spec := specOf(s, nil)
		if was, ok := learned[s.Name]; !onDemand(s) || ok && reflect.DeepEqual(was, spec) {
			continue
		}
		learned[s.Name] = spec
		// The wish alone starts it; nobody waits here.
		if _, err := a.sup.Acquire(ended, supervisor.Key{Server: s.Name}); err != nil {
			a.opts.Log.Debug("on-demand server asked to start", "server", s.Name, "err", err)
		}
	}
}

func onDemand(s config.Server) bool {
	return s.Entry.Start == string(supervisor.StartOnDemand) && !s.Entry.Disabled
}
