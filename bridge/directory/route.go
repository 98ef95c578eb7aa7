package directory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// Request is a host's request with its place.
type Request struct {
	Seat    *Seat
	Message *rpc.Message
	Sink    upstream.Sink

	opened       bool   // the message has the server's own state, which we had sealed
	server, tool string // by their own names, once they are known
}

func (r *Request) about() upstream.About {
	return upstream.About{Session: r.Seat.Session, Tool: r.tool, Revision: r.Seat.Version}
}

// listWait bounds how long a list request waits for servers that start now and
// were never listed before: hosts that ignore list_changed then still see them.
const listWait = 5 * time.Second

// Handle answers one request of a host. It returns early when ctx ends, after
// telling the server; httpd says what ends ctx in which era.
func (d *Directory) Handle(ctx context.Context, r *Request) Answer {
	r = d.openState(r)
	answer := d.route(ctx, r)
	d.noteTask(r, &answer)
	if r.Seat.Modern() {
		d.modernise(r, &answer)
	} else {
		d.legacise(r, &answer)
	}
	return answer
}

func (d *Directory) route(ctx context.Context, r *Request) Answer {
	m, seat := r.Message, r.Seat
	switch {
	case m.Is(rpc.CallTool):
		return d.callTool(ctx, r)
	case m.Is(rpc.Discover) && seat.Modern():
		return d.discover(ctx, seat)
	case m.Is(rpc.Ping):
		return Answer{}
	case m.Is(rpc.SetLevel):
		return Answer{Error: d.setLevel(ctx, seat, m.Text(m.Level))}
	case m.Is(rpc.Subscribe), m.Is(rpc.Unsubscribe):
		return d.subscription(ctx, r)
	}
	switch {
	case seat.Modern() && (m.Is(rpc.TaskResult) || m.Is(rpc.ListTasks)): // 2026-07-28 has neither
		return unknownMethod(m)
	case slices.ContainsFunc(taskMethods, m.Is):
		return d.task(ctx, r)
	}
	if seat.Endpoint != "" {
		answer := d.forward(ctx, r, seat.Endpoint)
		if m.Is(rpc.ListTasks) {
			d.ownTasks(r, &answer)
		}
		return answer
	}
	if m.Is(rpc.ListTasks) {
		return d.listTasks(ctx, r)
	}
	for k := range kinds {
		if m.Is(listMethods[k]) {
			return Answer{Result: d.list(ctx, seat, k)}
		}
	}
	switch {
	case m.Is(rpc.GetPrompt):
		name := m.Text(m.Name)
		t, ok := d.named(ctx, prompts, name)
		if !ok {
			return failure(rpc.CodeInvalidParams, fmt.Sprintf("Unknown prompt: %s", name))
		}
		return d.forward(ctx, r, t.server, rpc.Edit{Span: m.Name, With: t.own})
	case m.Is(rpc.ReadResource):
		uri := m.Text(m.URI)
		server, ok := d.owner(ctx, uri)
		if !ok {
			return Answer{Error: unknownResource(uri)}
		}
		return d.forward(ctx, r, server)
	case m.Is(rpc.Complete):
		return d.complete(ctx, r)
	}
	return unknownMethod(m)
}

func unknownMethod(m *rpc.Message) Answer {
	return failure(rpc.CodeMethodNotFound, "Method not found: "+m.MethodName())
}

// forward passes the request to a server and its reply back, both untouched
// but for the edits.
func (d *Directory) forward(ctx context.Context, r *Request, server string, edits ...rpc.Edit) Answer {
	r.server = server
	if answer, ok := d.resume(ctx, r, server); ok {
		return answer
	}
	session, err := d.session(ctx, r.Seat, server)
	if err != nil {
		return failure(rpc.CodeInternal, err.Error())
	}
	if d.holds(r, session) {
		return d.hold(ctx, r, server, session, edits, nil)
	}
	reply, err := d.do(ctx, r, session, edits)
	if refused, ok := errors.AsType[*rpc.Error](err); ok {
		return Answer{Error: refused}
	}
	if err != nil {
		return failure(rpc.CodeInternal, err.Error())
	}
	answer := Answer{Reply: reply, era: session.Info().Era}
	if r.Message.Is(rpc.ListTools) {
		d.screenReply(server, &answer)
	}
	return answer
}

func (d *Directory) session(ctx context.Context, seat *Seat, server string) (*upstream.Session, error) {
	return d.opts.Upstreams.Session(ctx, server, d.scope(seat, server))
}

// do sends the request and returns the server's last word on it: a modern
// server's questions are answered on the way for hosts that don't know them, and
// where they are put to a person here.
func (d *Directory) do(ctx context.Context, r *Request, session *upstream.Session, edits []rpc.Edit) (upstream.Reply, error) {
	req := &upstream.Request{Message: r.Message, Edits: edits, Sink: r.Sink, Owner: r.Seat.Host, About: r.about()}
	if session.Info().Era == upstream.Legacy {
		return session.Do(ctx, req)
	}
	told, here := d.told(r)
	switch modern := r.Seat.Modern(); {
	case modern && !bytes.Equal(told, r.Seat.Capabilities):
		req.Edits = append(edits[:len(edits):len(edits)], rpc.Edit{Span: r.Message.MetaCapabilities, With: told})
	case !modern:
		req.Capabilities, req.LogLevel = told, d.level(r.Seat)
	}
	reply, err := session.Do(ctx, req)
	if err != nil || !answersRounds(r.Message) || r.Seat.Modern() && !here {
		return reply, err
	}
	return d.rounds(ctx, r, session, req, reply)
}

// told returns what a modern server is told the host can do, and whether its
// questions are put to a person here. A request that brings answers of its host's
// goes on as it began.
func (d *Directory) told(r *Request) (capabilities []byte, here bool) {
	own := r.Seat.Capabilities
	if d.opts.Capabilities == nil || !answersRounds(r.Message) {
		return own, false
	}
	if r.Seat.Modern() && (r.opened || rpc.Find(r.Message.Bytes(r.Message.Params), "inputResponses").Ok()) {
		return own, false
	}
	return d.opts.Capabilities(r.Seat.Host, r.server, own)
}

// list returns one merged list, complete: merged lists have one page.
func (d *Directory) list(ctx context.Context, seat *Seat, k kind) []byte {
	d.retryFailed(k)
	v := d.settled(ctx, func(v *View) bool { return v.pending[k] == 0 })
	if k == tools {
		return v.flavourFor(seat)
	}
	return v.merged[k]
}

// settled returns the view when enough is known, at once as a rule, or what is
// known after listWait.
func (d *Directory) settled(ctx context.Context, enough func(*View) bool) *View {
	v := d.View()
	if enough(v) {
		return v
	}
	timer := time.NewTimer(listWait)
	defer timer.Stop()
	for !enough(v) {
		select {
		case <-v.changed:
			v = d.View()
		case <-timer.C:
			return d.View()
		case <-ctx.Done():
			return d.View()
		}
	}
	return v
}

// named looks a merged name up, waiting for servers that start now: hosts use
// the names of yesterday's list before they ask for today's.
func (d *Directory) named(ctx context.Context, k kind, name string) (t target, ok bool) {
	d.settled(ctx, func(v *View) bool {
		t, ok = v.targets(k)[name]
		return ok || v.pending[k] == 0
	})
	return t, ok
}

// owner is named for resources.
func (d *Directory) owner(ctx context.Context, uri string) (server string, ok bool) {
	d.settled(ctx, func(v *View) bool {
		server, ok = v.owner(uri)
		return ok || v.pending[resources]+v.pending[templates] == 0
	})
	return server, ok
}

// retryFailed reads lists again whose last read failed a while ago.
func (d *Directory) retryFailed(k kind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.servers {
		if l := s.lists[k]; l.failed != "" && s.session != nil && time.Since(l.readAt) > retryAfter {
			d.soonLocked(job{server: s.name, kind: k})
			d.poke()
		}
	}
}

func (d *Directory) subscription(ctx context.Context, r *Request) Answer {
	m := r.Message
	uri := m.Text(m.URI)
	server, ok := r.Seat.Endpoint, true
	if server == "" {
		server, ok = d.owner(ctx, uri)
	}
	if !ok {
		return Answer{Error: unknownResource(uri)}
	}
	if m.Is(rpc.Unsubscribe) {
		d.unsubscribe(ctx, r.Seat, uri)
		return Answer{}
	}
	session, err := d.session(ctx, r.Seat, server)
	if err != nil {
		return failure(rpc.CodeInternal, err.Error())
	}
	return Answer{Error: d.subscribe(ctx, r.Seat, server, uri, session)}
}

// complete routes by what is being completed: a prompt's name or a resource
// template's text.
func (d *Directory) complete(ctx context.Context, r *Request) Answer {
	m := r.Message
	ref := m.Bytes(m.Ref)
	text := func(member string) (string, rpc.Span) {
		at := rpc.Find(ref, member)
		if !at.Ok() {
			return "", at
		}
		return rpc.Text(ref[at.Start:at.End]), rpc.Span{Start: m.Ref.Start + at.Start, End: m.Ref.Start + at.End}
	}
	switch what, _ := text("type"); what {
	case "ref/prompt":
		name, at := text("name")
		if t, ok := d.named(ctx, prompts, name); ok {
			return d.forward(ctx, r, t.server, rpc.Edit{Span: at, With: t.own})
		}
		return failure(rpc.CodeInvalidParams, fmt.Sprintf("Unknown prompt: %s", name))
	case "ref/resource":
		uri, _ := text("uri")
		if server, ok := d.owner(ctx, uri); ok {
			return d.forward(ctx, r, server)
		}
		return Answer{Error: unknownResource(uri)}
	}
	return failure(rpc.CodeInvalidParams, "completion/complete needs a ref of type ref/prompt or ref/resource")
}

// callTool resolves the name, asks the gate and sends the call.
func (d *Directory) callTool(ctx context.Context, r *Request) Answer {
	m, seat := r.Message, r.Seat
	seen := m.Text(m.Name)
	a := &Attempt{Host: seat.Host, Session: seat.Session, Server: seat.Endpoint, Tool: seen, Arguments: m.Bytes(m.Arguments)}
	v := d.View()
	var edits []rpc.Edit
	if seat.Endpoint == "" {
		t, ok := v.tools[seen]
		if !ok {
			t, ok = d.named(ctx, tools, seen)
			v = d.View()
		}
		if !ok {
			return failure(rpc.CodeInvalidParams, fmt.Sprintf("Unknown tool: %s", seen))
		}
		a.Server, a.Tool = t.server, t.name
		edits = []rpc.Edit{{Span: m.Name, With: t.own}}
	}
	r.server, r.tool = a.Server, a.Tool
	v.describe(a)
	if answer, ok := d.resume(ctx, r, a.Server); ok {
		return answer // the gate has let this call pass; it is held, not made again
	}
	session, err := d.session(ctx, seat, a.Server)
	if err != nil {
		answer := toolFailure(err.Error())
		answer.Down = true
		return answer
	}
	if s := v.servers[a.Server]; s != nil && s.kept {
		// The gate must not decide by what a tool said of itself before the server
		// was, maybe, updated.
		v = d.settled(ctx, func(v *View) bool { s := v.servers[a.Server]; return s == nil || !s.reading })
		a.ReadOnly, a.Known, a.Definition = false, false, nil
		v.describe(a)
	}
	if !a.Known { // the server has just come up for this call: its list tells what the gate must know
		d.settled(ctx, func(v *View) bool { return v.describe(a) || v.pending[tools] == 0 })
	}
	a.Gone = session.Done()
	done := session.Await()
	pass := d.opts.Gate.Begin(ctx, a)
	done()
	if pass.Follow != nil {
		return pass.Follow.wait(ctx)
	}
	if pass.Refusal != "" {
		answer := toolFailure(pass.Refusal)
		answer.Denied = true
		pass.Lead.settle(&answer)
		return answer
	}
	began := time.Now()
	end := func(answer *Answer, outcome string) {
		pass.Lead.settle(answer)
		d.opts.Gate.End(pass.ID, outcome, len(answer.Reply.Raw), time.Since(began))
	}
	select {
	case <-session.Done(): // a moment ago
		if session, err = d.session(ctx, seat, a.Server); err != nil {
			answer := toolFailure(err.Error())
			answer.Down = true
			end(&answer, "server_down")
			return answer
		}
	default:
	}
	if d.holds(r, session) {
		return d.hold(ctx, r, a.Server, session, edits, end)
	}
	answer, outcome := d.run(ctx, r, session, edits)
	end(&answer, outcome)
	return answer
}

// describe adds what the server's list says of the tool; false when it isn't listed.
func (v *View) describe(a *Attempt) bool {
	if s := v.servers[a.Server]; s != nil {
		if tool := s.tools[a.Tool]; tool != nil {
			a.ReadOnly, a.Known, a.Definition = tool.ReadOnly, true, tool.Definition
		}
	}
	return a.Known
}

// run sends a call that the gate let pass and says how it ended.
func (d *Directory) run(ctx context.Context, r *Request, session *upstream.Session, edits []rpc.Edit) (Answer, string) {
	reply, err := d.do(ctx, r, session, edits)
	return d.judge(ctx, session, reply, err)
}

// judge makes the answer of a call, and its outcome for the record, from what
// came back.
func (d *Directory) judge(ctx context.Context, session *upstream.Session, reply upstream.Reply, err error) (Answer, string) {
	var refused *rpc.Error
	switch {
	case errors.As(err, &refused):
		return toolFailure(refused.Message), "refused"
	case err == nil && reply.Error.Ok():
		return Answer{Reply: reply, era: session.Info().Era}, "error"
	case err == nil && isError(reply.Bytes(reply.Result)):
		return Answer{Reply: reply, era: session.Info().Era}, "tool_error"
	case err == nil:
		return Answer{Reply: reply, era: session.Info().Era}, "ok"
	case ctx.Err() != nil:
		return failure(rpc.CodeInternal, err.Error()), "cancelled"
	case errors.Is(err, upstream.ErrBusy):
		return toolFailure(err.Error()), "error"
	case errors.Is(err, upstream.ErrTooLarge):
		return toolFailure(fmt.Sprintf("The call ran, but its result can't be shown: %v. Ask for less at once.", err)), "error"
	}
	// The server may or may not have done it: say so, and never send it again.
	return toolFailure(fmt.Sprintf("The server ended while this call was running (%v). It is not known whether the call took effect. The server is being restarted; check before you try again.", err)), "unknown"
}

// errorEdge is how much of a large result's ends is looked at for isError:
// servers write it before the content or behind it, and the results of failed
// tools are short. Looking through a megabyte would cost each such call a tenth
// of a millisecond for a word in the record.
const errorEdge = 4 << 10

// isError reports whether a tool's result says that it failed. The object is
// read only when a "true" stands somewhere behind the name.
func isError(result []byte) bool {
	if n := len(result); n > 2*errorEdge && !saysError(result[:errorEdge]) && !saysError(result[n-errorEdge:]) ||
		n <= 2*errorEdge && !saysError(result) {
		return false
	}
	at := rpc.Find(result, "isError")
	return at.Ok() && string(result[at.Start:at.End]) == "true"
}

func saysError(text []byte) bool {
	name := []byte(`"isError"`)
	for {
		i := bytes.Index(text, name)
		if i < 0 {
			return false
		}
		text = text[i+len(name):]
		if bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n:"), []byte("true")) {
			return true
		}
	}
}
