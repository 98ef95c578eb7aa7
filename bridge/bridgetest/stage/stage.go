// Package stage sets up a directory with scripted servers behind it, as the app
// does with real ones, for the tests of what hosts see. Tests only.
package stage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"bridgekeeper/bridge/bridgetest"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// Stage is a running directory and the servers it has.
type Stage struct {
	*directory.Directory
	Gate  *Gate
	Close func() // ends everything and waits for it; also done when the test ends

	t testing.TB

	mu       sync.Mutex // guards the fields below
	actors   map[string]*Actor
	changed  chan struct{} // closed and replaced after each change of the view
	sharing  map[string]directory.Sharing
	tables   map[string]map[string]string // of servers that are not shared
	scoped   map[string]*Actor            // by server and scope
	released []string                     // likewise
	hidden   map[string]string            // why no host sees a tool
}

// Actor is one scripted server with its session.
type Actor struct {
	*bridgetest.Server
	Session      *upstream.Session
	Capabilities string // what it was told its client can do
}

// New returns a stage with these servers configured and none of them up. The
// names in pending are about to start.
func New(t testing.TB, pending []string, names ...string) *Stage {
	t.Helper()
	return Kept(t, "", nil, pending, names...)
}

// Kept is New with a folder in which lists are kept over restarts.
func Kept(t testing.TB, folder string, fingerprint func(server string) string, pending []string, names ...string) *Stage {
	t.Helper()
	s := &Stage{Gate: &Gate{}, t: t, actors: make(map[string]*Actor), changed: make(chan struct{}),
		sharing: make(map[string]directory.Sharing), tables: make(map[string]map[string]string), scoped: make(map[string]*Actor)}
	s.Directory = directory.New(directory.Options{Upstreams: s, Gate: s.Gate, Log: slog.New(slog.DiscardHandler),
		Name: "bridgekeeper", Version: "1", Cache: folder, Fingerprint: fingerprint, Changed: s.poke, Question: question, Sharing: s.sharingOf, Screen: s.screen})
	s.Configure(names, func(name string) bool { return slices.Contains(pending, name) })
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = s.Run(ctx) }) // never fails
	s.Close = sync.OnceFunc(func() {
		stop()
		for name := range s.actors {
			s.Kill(name)
		}
		running.Wait()
		for _, a := range s.scoped {
			a.close()
		}
	})
	t.Cleanup(s.Close)
	return s
}

func (s *Stage) poke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// Until waits until the view is as wanted.
func (s *Stage) Until(what string, wanted func(*directory.View) bool) {
	s.t.Helper()
	late := time.After(bridgetest.Patience)
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if wanted(s.View()) {
			return
		}
		select {
		case <-changed:
		case <-late:
			s.t.Fatalf("the view never had %s", what)
		}
	}
}

// Up starts a server that answers by the table and waits for its lists.
func (s *Stage) Up(name string, results map[string]string) *Actor {
	s.t.Helper()
	a := s.Open(name, results, upstream.Auto)
	s.Ready(name, a.Session)
	s.untilRead(name, results)
	return a
}

// Open starts a server without telling the directory.
func (s *Stage) Open(name string, results map[string]string, era upstream.Era) *Actor {
	s.t.Helper()
	a, err := s.start(name, results, era, directory.Scope{Capabilities: []byte(`{"roots":{},"elicitation":{"form":{},"url":{}},"sampling":{}}`)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	s.actors[name] = a
	s.mu.Unlock()
	return a
}

func (s *Stage) start(name string, results map[string]string, era upstream.Era, scope directory.Scope) (*Actor, error) {
	a := &Actor{Server: bridgetest.Serve(results), Capabilities: string(scope.Capabilities)}
	session, err := upstream.Open(context.Background(), a.Lines, upstream.Options{Era: era, ClientName: "stage", ClientVer: "1",
		Capabilities: scope.Capabilities, OneHost: scope.ID != "", Events: events{s, name, scope.ID}, Log: slog.New(slog.DiscardHandler)})
	a.Session = session
	return a, err
}

// untilRead waits until the view has as much as the server's table lists.
func (s *Stage) untilRead(name string, results map[string]string) {
	s.t.Helper()
	count := func(method, member string) int {
		n, result := 0, []byte(results[method])
		at := rpc.Find(result, member)
		_ = rpc.Elements(result[at.Start:at.End], func(rpc.Span) bool { n++; return true }) // no list: none
		return n
	}
	tools, prompts := count(rpc.ListTools, "tools"), count(rpc.ListPrompts, "prompts")
	resources := count(rpc.ListResources, "resources") + count(rpc.ListTemplates, "resourceTemplates")
	s.Until("the lists of "+name, func(v *directory.View) bool {
		one := v.Server(name)
		return one != nil && one.Info != nil && !v.Awaited(name) && len(one.Tools) == tools && one.Prompts == prompts && one.Resources == resources
	})
}

// Kill ends a server as the death of its process does.
func (s *Stage) Kill(name string) {
	s.mu.Lock()
	a := s.actors[name]
	delete(s.actors, name)
	s.mu.Unlock()
	if a == nil {
		return
	}
	a.End()
	a.Session.Close(errors.New("the process exited"))
	s.Down(name, a.Session)
	a.close()
}

// close ends a server and waits for it.
func (a *Actor) close() {
	a.End()
	a.Session.Close(errors.New("the process exited"))
	a.Session.Wait()
	a.Wait()
}

// Share makes a server one of which each host or session has its own instance,
// started from the table when it is needed.
func (s *Stage) Share(name string, how directory.Sharing, results map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sharing[name], s.tables[name] = how, results
}

func (s *Stage) sharingOf(name string) directory.Sharing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sharing[name]
}

// Session returns the session of a server that is up (directory.Upstreams).
func (s *Stage) Session(_ context.Context, server string, scope directory.Scope) (*upstream.Session, error) {
	if scope.ID != "" {
		return s.own(server, scope)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.actors[server]; a != nil {
		return a.Session, nil
	}
	return nil, fmt.Errorf("The server %s is down.", server)
}

// own returns the session of a scope's instance, which starts when there is none.
// Tests don't ask for the same one twice at once.
func (s *Stage) own(server string, scope directory.Scope) (*upstream.Session, error) {
	if a := s.Own(server, scope.ID); a != nil {
		return a.Session, nil
	}
	scope.Capabilities = slices.Clone(scope.Capabilities)
	a, err := s.start(server, s.tables[server], upstream.Auto, scope)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.scoped[server+" "+scope.ID] = a
	s.mu.Unlock()
	s.ReadyFor(server, scope.ID, a.Session)
	return a.Session, nil
}

// Crash ends the instance of a scope as the death of its process does, and starts
// it again, as the supervisor does.
func (s *Stage) Crash(server string, scope directory.Scope) *Actor {
	s.t.Helper()
	key := server + " " + scope.ID
	s.mu.Lock()
	old := s.scoped[key]
	delete(s.scoped, key)
	s.mu.Unlock()
	old.End()
	old.Session.Close(errors.New("the process exited"))
	s.DownFor(server, scope.ID, old.Session)
	old.close()
	if _, err := s.own(server, scope); err != nil {
		s.t.Fatal(err)
	}
	return s.Own(server, scope.ID)
}

// Own returns the instance of a scope, nil when there is none.
func (s *Stage) Own(server, scope string) *Actor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.scoped[server+" "+scope]
}

// Scopes lists the instances that are not shared, by server and scope.
func (s *Stage) Scopes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.scoped))
}

// Released lists the instances that were ended (directory.Upstreams).
func (s *Stage) Released() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.released)
}

// Release ends the instance of a scope (directory.Upstreams).
func (s *Stage) Release(server string, scope directory.Scope) {
	s.mu.Lock()
	key := server + " " + scope.ID
	a := s.scoped[key]
	delete(s.scoped, key)
	s.released = append(s.released, key)
	s.mu.Unlock()
	if a != nil {
		s.DownFor(server, scope.ID, a.Session)
		a.close()
	}
}

// events passes on what a server says, as the app does.
type events struct {
	stage *Stage
	name  string
	scope string
}

func (e events) Notify(_ *upstream.Session, m *rpc.Message) {
	e.stage.Directory.Notify(e.name, e.scope, m)
}

func (e events) Ask(ctx context.Context, _ *upstream.Session, call *upstream.Call, m *rpc.Message) ([]byte, *rpc.Error) {
	var host directory.Asker
	if call != nil {
		host, _ = call.Sink.(directory.Asker)
	}
	return question(ctx, &directory.Question{Asker: host, Message: m})
}

// question lets the host answer what it declared, and declines the rest.
func question(ctx context.Context, q *directory.Question) ([]byte, *rpc.Error) {
	host, m := q.Asker, q.Message
	capability := map[string]string{rpc.Elicit: "elicitation", rpc.ListRoots: "roots", rpc.CreateMessage: "sampling"}[m.MethodName()]
	if host != nil && host.Declares(capability) {
		return host.Ask(ctx, m)
	}
	switch {
	case m.Is(rpc.ListRoots):
		return []byte(`{"roots":[]}`), nil
	case m.Is(rpc.CreateMessage):
		return nil, &rpc.Error{Code: -1, Message: "no model"}
	}
	return []byte(`{"action":"decline"}`), nil
}

// Hide makes no host see a tool any more; "" shows it again.
func (s *Stage) Hide(tool, why string) {
	s.mu.Lock()
	s.hidden = map[string]string{tool: why}
	s.mu.Unlock()
	s.Rescreen()
}

func (s *Stage) screen(_, tool string, _ []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hidden[tool]
}

// Gate lets every call pass but those of tools in Refuse, and records them.
type Gate struct {
	mu       sync.Mutex // guards the fields below
	Refuse   map[string]string
	Thinking func()                           // called before the decision
	Joined   func(pass uint64) directory.Pass // decides instead of Refuse
	attempts []directory.Attempt
	outcomes []string
}

// Begin decides (directory.Gate).
func (g *Gate) Begin(_ context.Context, a *directory.Attempt) directory.Pass {
	g.mu.Lock()
	own := *a
	own.Definition, own.Arguments = slices.Clone(a.Definition), slices.Clone(a.Arguments)
	g.attempts = append(g.attempts, own)
	pass, refusal, thinking := uint64(len(g.attempts)), g.Refuse[a.Tool], g.Thinking
	g.mu.Unlock()
	if thinking != nil {
		thinking()
	}
	if g.Joined != nil {
		return g.Joined(pass)
	}
	return directory.Pass{ID: pass, Refusal: refusal}
}

// End records (directory.Gate).
func (g *Gate) End(_ uint64, outcome string, _ int, _ time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.outcomes = append(g.outcomes, outcome)
}

// Outcomes returns how all passed calls ended, in that order, and how many there were.
func (g *Gate) Outcomes() (outcomes []string, begun int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.outcomes), len(g.attempts)
}

// Last returns the newest attempt and outcome.
func (g *Gate) Last() (a directory.Attempt, outcome string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.attempts) > 0 {
		a = g.attempts[len(g.attempts)-1]
	}
	if len(g.outcomes) > 0 {
		outcome = g.outcomes[len(g.outcomes)-1]
	}
	return a, outcome
}
