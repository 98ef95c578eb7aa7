package app

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"bridgekeeper/app/hosts"
	"bridgekeeper/app/policy"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/httpd"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/supervisor"
)

// cliHost is the name under which the local API's own calls pass the gate.
const cliHost = "cli"

// watchPause is the least time between two snapshots of a watch: changes come
// in bursts, and nobody reads faster.
const watchPause = 100 * time.Millisecond

// Watch sends the snapshot now and after every change (localapi.Snapshots).
func (a *App) Watch(ctx context.Context, glance bool, send func(wire.Event) error) error {
	if !glance {
		defer a.metrics.watch()()
	}
	shows, done := a.face.listen()
	defer done()
	for {
		changed := a.news.next()
		if err := send(wire.Event{Snapshot: a.Snapshot()}); err != nil {
			return err
		}
		pause := time.NewTimer(watchPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
		select {
		case <-changed:
		case page := <-shows:
			if err := send(wire.Event{Show: page}); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// AddServer writes a new entry and starts it. One that doesn't come from the
// person's own command line or window waits until a person has seen what it runs.
func (a *App) AddServer(ctx context.Context, req wire.AddServer) error {
	if !a.ownHand(ctx) {
		req.Entry.Trust = wire.TrustPending
	}
	return a.applying(a.config.AddServer(req.Name, req.Entry))
}

// EditServer changes an entry; its instances restart when that changes what runs.
func (a *App) EditServer(ctx context.Context, name string, req wire.EditServer) error {
	s, err := a.entryOf(name)
	if err != nil {
		return err
	}
	err = a.mayLower(ctx, func() []string {
		now, _ := a.config.Current().Lookup(name)
		after := applyEdit(now.Entry, &req)
		return a.lowersServer(name, &now.Entry, &after)
	})
	if err != nil {
		return err
	}
	if runsOther(&req) {
		if a.ownHand(ctx) {
			a.trustAnew(name)
		} else {
			pending := wire.TrustPending
			req.Trust = &pending
			a.reviews.replaces(name, &s.Entry)
		}
	}
	return a.applying(a.config.EditServer(name, req))
}

// RemoveServer ends a server's instances and takes its entry out of the file.
func (a *App) RemoveServer(ctx context.Context, name string) error {
	s, known := a.config.Current().Lookup(name)
	if err := a.applying(a.config.RemoveServer(name)); err != nil {
		return err
	}
	if known {
		a.cleanUp(ctx, name, &s.Entry)
	}
	return nil
}

// applying makes a change of the config, unless it failed, count at once.
func (a *App) applying(err error) error {
	if err == nil {
		a.reconcile()
	}
	return err
}

// Act starts, stops or restarts a server.
func (a *App) Act(_ context.Context, name, verb string) error {
	s, err := a.entryOf(name)
	if err != nil {
		return err
	}
	act, ok := map[string]func(string) error{"start": a.sup.Start, "stop": a.sup.Stop, "restart": a.sup.Restart}[verb]
	if !ok {
		return &wire.Error{Code: wire.CodeBadRequest, Message: fmt.Sprintf("There is no action %q.", verb), Hint: "Use start, stop or restart."}
	}
	if s.Entry.Disabled && verb != "stop" {
		return &wire.Error{Code: wire.CodeServerDown, Message: fmt.Sprintf("The server %s is disabled in the config.", name),
			Hint: fmt.Sprintf("Enable it with `bridgekeeper server edit %s --disabled=false`.", name)}
	}
	return act(name)
}

// Tools lists a server's tools under both their names.
func (a *App) Tools(_ context.Context, name string) ([]wire.Tool, error) {
	if _, err := a.entryOf(name); err != nil {
		return nil, err
	}
	out := []wire.Tool{}
	v := a.dir.View()
	if s := v.Server(name); s != nil {
		limits, names := v.Limits(name), namesIn(v)
		for _, t := range s.Tools {
			out = append(out, wire.Tool{Name: t.Name, Seen: t.Seen, Hidden: t.Hidden, Limited: limits[t.Name], Off: t.Off, ReadOnly: t.ReadOnly, Definition: t.Definition,
				Notes: policy.Inspect(name, policy.Tool{Name: t.Name, Definition: t.Definition}, names)})
		}
	}
	return out, nil
}

// Call runs one tool as the host "cli", past the same gate as any other.
func (a *App) Call(ctx context.Context, name string, req wire.CallTool) ([]byte, error) {
	if _, err := a.entryOf(name); err != nil {
		return nil, err
	}
	if err := a.reach(ctx, name); err != nil {
		return nil, err
	}
	if s := a.dir.View().Server(name); s != nil && len(s.Tools) > 0 && s.Tool(req.Tool) == nil {
		return nil, &wire.Error{Code: wire.CodeNoSuchTool, Message: fmt.Sprintf("The server %s has no tool called %q.", name, req.Tool),
			Hint: fmt.Sprintf("See `bridgekeeper server tools %s`.", name)}
	}
	params := rpc.AppendMember(nil, "name", rpc.Quote(req.Tool))
	if len(req.Arguments) > 0 {
		args := bytes.Clone(req.Arguments)
		rpc.Flatten(args)
		params = rpc.AppendMember(params, "arguments", args)
	}
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, rpc.CallTool, params)
	m, err := rpc.Scan(line)
	if err != nil || m.Repeated {
		return nil, &wire.Error{Code: wire.CodeBadRequest, Message: "The arguments are not valid JSON."}
	}
	seat := &directory.Seat{Endpoint: name, Host: cliHost, Version: rpc.V20251125}
	answer := a.dir.Handle(ctx, &directory.Request{Seat: seat, Message: &m})
	defer answer.Free()
	return a.callResult(req.Tool, &answer)
}

// reach waits for a server's session, or says why there is none.
func (a *App) reach(ctx context.Context, name string) error {
	_, err := a.Session(ctx, name, directory.Scope{})
	if err == nil {
		return nil
	}
	code := wire.CodeServerDown
	if st, ok := a.status(name); ok && st.State == supervisor.Failed {
		code = wire.CodeServerFailed
	}
	return &wire.Error{Code: code, Message: err.Error(), Hint: fmt.Sprintf("See `bridgekeeper server logs %s`.", name)}
}

// callResult turns the answer to a call into raw JSON or an edge error.
func (a *App) callResult(tool string, answer *directory.Answer) ([]byte, error) {
	switch {
	case answer.Denied:
		e := &wire.Error{Code: wire.CodeDenied, Message: sentenceOf(answer.Result)}
		switch {
		case a.hold.on():
			e.Code, e.Hint = wire.CodeHeld, "`bridgekeeper hold off` ends the hold."
		case !a.queue.Attended():
			e.Hint = "Start the core with `serve --answers tty` to be asked in its terminal; `bridgekeeper policy explain` says what decides."
		}
		return nil, e
	case answer.Down:
		return nil, &wire.Error{Code: wire.CodeServerDown, Message: sentenceOf(answer.Result)}
	}
	return rawResult(answer)
}

// rawResult is an answer's result as it was written, or its error at the edge.
func rawResult(answer *directory.Answer) ([]byte, error) {
	m, err := rpc.Scan(answer.Append(nil, []byte("1")))
	if err != nil {
		return nil, fmt.Errorf("read an answer: %w", err)
	}
	if !m.Error.Ok() {
		return m.Bytes(m.Result), nil
	}
	raw := m.Bytes(m.Error)
	at := rpc.Find(raw, "message")
	return nil, &wire.Error{Code: wire.CodeRPC, Message: fmt.Sprintf("The server answered with an error: %s", rpc.Text(raw[at.Start:at.End])),
		Hint: string(raw)}
}

// sentenceOf is the text of a tool failure of ours.
func sentenceOf(result []byte) string {
	at := rpc.Find(result, "content")
	content, text := result[at.Start:at.End], ""
	_ = rpc.Elements(content, func(at rpc.Span) bool { // ours: one text element
		item := content[at.Start:at.End]
		value := rpc.Find(item, "text")
		text = rpc.Text(item[value.Start:value.End])
		return false
	})
	return text
}

// Logs sends a server's lines (localapi.Use).
func (a *App) Logs(ctx context.Context, name string, lines int, follow bool, send func(wire.LogLine) error) error {
	if name == "" {
		return a.allLogs(ctx, lines, follow, send)
	}
	if _, err := a.entryOf(name); err != nil {
		return err
	}
	log := a.sup.Logs(name)
	if log == nil {
		return nil
	}
	out := func(l supervisor.Line) error { return send(wireLine(name, l)) }
	if follow {
		return log.Follow(ctx, lines, out)
	}
	for _, l := range log.Tail(lines) {
		if err := out(l); err != nil {
			return err
		}
	}
	return nil
}

func wireLine(server string, l supervisor.Line) wire.LogLine {
	return wire.LogLine{Seq: l.Seq, Time: l.Time, Server: server, Source: string(l.Source), Text: l.Text, Cut: l.Cut}
}

// AddHost makes a token for a host; it is shown this once.
func (a *App) AddHost(ctx context.Context, name string) (*wire.NewHost, error) {
	if err := a.mayConnect(ctx, name); err != nil {
		return nil, err
	}
	token, err := a.hosts.Add(name)
	if err != nil {
		return nil, err
	}
	a.news.poke()
	return &wire.NewHost{Name: name, Token: token, URL: a.url}, nil
}

// SetHost changes what is chosen for a host in the config.
func (a *App) SetHost(ctx context.Context, name string, req wire.EditHost) error {
	if !a.knowsHost(name) {
		return &wire.Error{Code: wire.CodeNoSuchHost, Message: fmt.Sprintf("There is no host called %.80q.", name), Hint: "See `bridgekeeper host list`."}
	}
	terms := req.Apply(a.config.Current().Settings.Hosts[name])
	err := a.mayLower(ctx, func() []string {
		return lowers(a.compare(a.policyOf(a.config.Current()), func(s *policy.Settings) {
			s.Hosts = maps.Clone(s.Hosts)
			s.Hosts[name] = policy.Host{Ask: terms.Ask, InHost: terms.Questions == wire.QuestionsHost, Limits: limitsOf(terms.Limits)}
		}))
	})
	if err != nil {
		return err
	}
	return a.applying(a.config.SetHost(name, terms))
}

// knowsHost reports whether calls can come from a host of that name.
func (a *App) knowsHost(name string) bool {
	return name == cliHost || a.opts.Open && name == httpd.OpenHost ||
		slices.ContainsFunc(a.hosts.List(), func(h hosts.Host) bool { return h.Name == name })
}

// RemoveHost makes a host's token worthless at once. What was chosen for it goes,
// too: another application that gets its name later must not inherit that.
func (a *App) RemoveHost(_ context.Context, name string) error {
	if err := a.hosts.Remove(name); err != nil {
		return err
	}
	a.door.EndHost(name)
	a.gate.grants.drop(func(host, _ string) bool { return host == name })
	a.news.poke()
	if _, chosen := a.config.Current().Settings.Hosts[name]; chosen {
		return a.applying(a.config.SetHost(name, wire.HostTerms{}))
	}
	return nil
}

// core describes this process.
func (a *App) core() wire.Core {
	return wire.Core{Version: a.opts.Version, PID: os.Getpid(), Started: a.started, URL: a.url, Socket: a.dirs.Socket, LogDir: a.dirs.Logs,
		Open: a.opts.Open, Answers: a.opts.Answers, Attended: a.queue.Attended(), Held: a.hold.at()}
}
