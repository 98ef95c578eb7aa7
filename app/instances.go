package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bridgekeeper/app/config"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
	"bridgekeeper/supervisor"
	"bridgekeeper/supervisor/stdio"
)

// clientCapabilities are what servers are told we can do for them: each is
// answered by a person here, by the calling host where it can, or declined.
// Sampling is declared to servers that get a model, only.
const (
	clientCapabilities   = `{"roots":{},"elicitation":{"form":{},"url":{}}}`
	samplingCapabilities = `{"roots":{},"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}}}`
)

// lends reports whether the server may ask for a model.
func lends(e *wire.Entry) bool { return e.Sampling != nil && e.Sampling.Enabled }

// conversation joins a session to the instance it belongs to: the supervisor
// ends it, the directory must hear of that.
type conversation struct {
	*upstream.Session
	app *App
	key supervisor.Key
}

// Close fails the calls in flight and takes the session out of the directory.
func (c *conversation) Close(cause error) {
	c.Session.Close(cause)
	if c.key.Scope == "" {
		c.app.dir.Down(c.key.Server, c.Session)
	} else {
		c.app.dir.DownFor(c.key.Server, c.key.Scope, c.Session)
	}
	c.app.talks.Go(c.Session.Wait) // not for long: the supervisor closes the lines next
}

// attach opens the MCP session of an instance that was just started
// (supervisor.Attach).
func (a *App) attach(ctx context.Context, inst supervisor.Instance, lines *stdio.Conn) (supervisor.Session, error) {
	era := upstream.Auto
	if s, ok := a.config.Current().Lookup(inst.Key.Server); ok && s.Entry.Era != "" {
		era = upstream.Era(s.Entry.Era)
	}
	session, err := upstream.Open(ctx, &traced{lines, a.traces, inst.Key.Server, inst.Key.Scope}, upstream.Options{
		Era:          era,
		ClientName:   Name,
		ClientVer:    a.opts.Version,
		Capabilities: a.capabilities(inst.Key),
		OneHost:      inst.Key.Scope != "",
		Events:       events{a, inst.Key},
		Log:          a.opts.Log.With("server", inst.Key.Server, "gen", inst.Gen),
	})
	if err != nil {
		return nil, err
	}
	if inst.Key.Scope == "" {
		a.dir.Ready(inst.Key.Server, session)
	} else {
		a.dir.ReadyFor(inst.Key.Server, inst.Key.Scope, session)
	}
	return &conversation{session, a, inst.Key}, nil
}

// remember keeps a host's capabilities for the starts of its instance. They are
// copied: the bytes belong to the request that brought them.
func (a *App) remember(key supervisor.Key, capabilities []byte) {
	if _, known := a.scopes.Load(key); !known {
		a.scopes.Store(key, bytes.Clone(capabilities))
	}
}

// capabilities are what an instance is told its client can do: exactly its
// host's where it is one host's, else all we can answer for.
func (a *App) capabilities(key supervisor.Key) []byte {
	s, _ := a.config.Current().Lookup(key.Server)
	if own, ok := a.scopes.Load(key); ok {
		return a.onBehalf(own.([]byte), &s.Entry)
	}
	if lends(&s.Entry) {
		return []byte(samplingCapabilities)
	}
	return []byte(clientCapabilities)
}

// onBehalf is what a server is told for one host: what the host can do, without
// what the server may not have, and with what can be answered here.
func (a *App) onBehalf(own []byte, e *wire.Entry) []byte {
	return adapted(own, lends(e), a.dialogs(), a.dialogs() && lends(e) && len(a.config.Current().Settings.Models) > 0)
}

// told is what a modern server is told with a host's request, and whether its
// questions are put to a person here (directory.Options.Capabilities).
func (a *App) told(host, server string, own []byte) ([]byte, bool) {
	s, _ := a.config.Current().Lookup(server)
	here := a.here(host)
	return adapted(own, lends(&s.Entry), here, here && lends(&s.Entry) && len(a.config.Current().Settings.Models) > 0), here
}

// adapted returns capabilities without sampling, unless the server may have it,
// and with what is answered for the host.
func adapted(own []byte, lends, forms, models bool) []byte {
	whole := func() rpc.Span { return rpc.Span{End: len(own)} }
	if len(own) == 0 {
		own = []byte("{}")
	}
	if !lends && rpc.Find(own, "sampling").Ok() {
		if edit, ok := rpc.RemoveMember(own, whole(), "sampling"); ok {
			own = rpc.Splice(nil, own, edit)
		}
	}
	if at := rpc.Find(own, "elicitation"); forms && !at.Ok() {
		own = rpc.Splice(nil, own, rpc.InsertMember(own, whole(), "elicitation", []byte(`{"form":{},"url":{}}`)))
	} else if forms && !rpc.Find(own[at.Start:at.End], "url").Ok() {
		own = rpc.Splice(nil, own, rpc.Edit{Span: at, With: []byte(`{"form":{},"url":{}}`)})
	}
	if models && !rpc.Find(own, "sampling").Ok() {
		own = rpc.Splice(nil, own, rpc.InsertMember(own, whole(), "sampling", []byte(`{"tools":{}}`)))
	}
	return own
}

// dialogs reports whether a person may be there to answer, now or later.
func (a *App) dialogs() bool {
	return a.opts.Answers == AnswerTTY || a.opts.Answers == AnswerWindow || a.queue.Attended() || a.config.Current().Settings.Questions.CLI
}

// sessionWait bounds the wait for a server that starts: package runners may
// have to download it first, and hosts cancel when they lose patience.
const sessionWait = 5 * time.Minute

// ended is a context for asking without waiting.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// Session returns the running session of an instance (directory.Upstreams).
// Its errors are sentences for the model.
func (a *App) Session(ctx context.Context, server string, scope directory.Scope) (*upstream.Session, error) {
	key := supervisor.Key{Server: server, Scope: scope.ID}
	if scope.ID != "" {
		a.remember(key, scope.Capabilities)
	}
	s, err := a.sup.Acquire(ended, key) // ready as a rule: nothing to wait for
	if errors.Is(err, context.Canceled) {
		ctx, stop := context.WithTimeout(ctx, sessionWait)
		defer stop()
		s, err = a.sup.Acquire(ctx, key)
	}
	if err != nil {
		return nil, downSentence(server, err)
	}
	return s.(*conversation).Session, nil
}

func downSentence(server string, err error) error {
	down, ok := errors.AsType[*supervisor.DownError](err)
	if !ok {
		return fmt.Errorf("The server %s is not ready: %w", server, err)
	}
	switch down.State {
	case supervisor.Backoff:
		return fmt.Errorf("The server %s is down: %s.", server, strings.TrimSuffix(down.Reason, "."))
	case supervisor.Failed:
		return fmt.Errorf("The server %s has failed and needs a person: %s. The call was not sent.", server, strings.TrimSuffix(down.Reason, "."))
	}
	return fmt.Errorf("The server %s is %s. The call was not sent.", server, down.State)
}

// Release ends a scoped instance (directory.Upstreams).
func (a *App) Release(server string, scope directory.Scope) {
	key := supervisor.Key{Server: server, Scope: scope.ID}
	a.sup.Release(key)
	a.scopes.Delete(key)
}

// sharing is what the config says of a server (directory.Options).
func (a *App) sharing(server string) directory.Sharing {
	if s, ok := a.config.Current().Lookup(server); ok && s.Entry.Sharing != "" {
		return directory.Sharing(s.Entry.Sharing)
	}
	return directory.Shared
}

// specOf turns a config entry into what the supervisor starts. What is asked,
// hidden, limited, trusted or granted is no part of it: that takes effect while
// the server runs.
func specOf(s config.Server, env []string) supervisor.Spec {
	e := s.Entry
	spec := supervisor.Spec{
		Server: s.Name, Command: e.Command, Args: e.Args, Env: slices.Clone(env), Dir: e.Cwd,
		Start: supervisor.StartMode(e.Start), Disabled: e.Disabled, MaxLine: e.MaxLine << 20, Terms: e.Era,
		Held: e.Trust == wire.TrustPending,
	}
	if lends(&e) {
		spec.Terms += " sampling" // it is told at its start
	}
	if spec.Start == "" {
		spec.Start = supervisor.StartAlways
	}
	if e.IdleStop != "" {
		spec.IdleStop, _ = time.ParseDuration(e.IdleStop) // the config has checked it
	}
	names := make([]string, 0, len(e.Env))
	for name := range e.Env {
		names = append(names, name)
	}
	slices.Sort(names) // equal entries give equal specs
	for _, name := range names {
		spec.Env = append(spec.Env, name+"="+e.Env[name])
	}
	return spec
}

// ourEnv is our own environment as children may have it: nothing that is ours.
func ourEnv(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		return strings.HasPrefix(kv, "BRIDGEKEEPER_")
	})
}

// entryOf returns the named server's entry, or the edge error.
func (a *App) entryOf(name string) (config.Server, error) {
	s, ok := a.config.Current().Lookup(name)
	if !ok {
		return s, &wire.Error{Code: wire.CodeNoSuchServer, Message: fmt.Sprintf("There is no server called %q.", name),
			Hint: "See `bridgekeeper server list`."}
	}
	return s, nil
}
