package directory

import (
	"context"
	"slices"
	"sync"
	"time"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/translate"
	"bridgekeeper/bridge/upstream"
)

// Listener is the host's end of a seat: where news that belong to no call go.
// Its methods must not block.
type Listener interface {
	// Notify queues one notification; raw is shared and must not be changed.
	Notify(raw []byte)
	// Changed tells that a list changed; method is the notification to send.
	Changed(method string)
}

// Seat is one host's place at one endpoint: a legacy session, or a single
// modern request. The exported fields are set before use and constant.
type Seat struct {
	Endpoint     string // "" for the merged one, else a server's name
	Host         string
	Session      string // "" on the modern wire
	Version      string // the revision the host speaks here
	Capabilities []byte // what the host declared, raw
	Client       string // its own name and version, where it began with initialize
	Listener     Listener

	level string              // last logging/setLevel; guarded by Directory.mu
	subs  map[string]string   // subscribed URI -> server; guarded by Directory.mu
	tasks map[string]instance // tasks to hear of, by id; guarded by Directory.mu
}

// Modern reports whether the host speaks 2026-07-28 here.
func (s *Seat) Modern() bool { return s.Version == rpc.V20260728 }

func (s *Seat) sees(server string) bool { return s.Endpoint == "" || s.Endpoint == server }

// maxSubscriptions bounds one seat's subscribed resources.
const maxSubscriptions = 1000

// Sit makes the seat hear news until Leave.
func (d *Directory) Sit(seat *Seat) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seats[seat] = struct{}{}
}

// Leave ends a seat: its subscriptions and its log level are given up.
func (d *Directory) Leave(ctx context.Context, seat *Seat) {
	d.mu.Lock()
	delete(d.seats, seat)
	d.unsubscribeTasksLocked(seat)
	var last []string
	for uri := range seat.subs {
		last = append(last, uri)
	}
	var names []string
	if seat.level != "" {
		names = d.seenLocked(seat)
	}
	d.mu.Unlock()
	if names != nil {
		d.applyLevels(ctx, names) // it may have been the one that wanted most
	}
	for _, uri := range last {
		d.unsubscribe(ctx, seat, uri)
	}
	d.release(seat)
}

// listChanged maps a server's list notification to the lists to read again.
var listChanged = map[string][]kind{
	rpc.ToolsChanged:     {tools},
	rpc.PromptsChanged:   {prompts},
	rpc.ResourcesChanged: {resources, templates},
}

var changedMethods = [kinds]string{rpc.ToolsChanged, rpc.PromptsChanged, rpc.ResourcesChanged, rpc.ResourcesChanged}

// Notify takes a notification of a server's instance that belongs to no call;
// scope is the instance's, "" for the shared one. It does not block.
func (d *Directory) Notify(server, scope string, m *rpc.Message) {
	method := m.MethodName()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.servers[server] == nil {
		return
	}
	if lists, ok := listChanged[method]; ok && scope == "" {
		for _, k := range lists {
			d.soonLocked(job{server: server, kind: k})
		}
		d.poke()
		return
	}
	uri := m.Text(m.URI)
	level := m.Text(m.Level)
	raw := translate.Untagged(m)
	if m.Is(rpc.TaskStatus) || m.Is(rpc.TaskChanged) {
		d.taskNewsLocked(server, scope, m, raw)
		return
	}
	for seat := range d.seats {
		switch {
		case !seat.sees(server) || !d.hears(seat, server, scope):
			continue
		case listChanged[method] != nil:
			seat.Listener.Changed(method)
			continue
		case method == rpc.ResourceUpdated && seat.subs[uri] != server:
			continue
		case method == rpc.LogMessage && !Passes(level, seat.level):
			continue
		}
		seat.Listener.Notify(raw)
	}
}

// Told takes a notification of a legacy host that isn't about its session: on the
// endpoint of one server it is passed on. That a host's folders changed is the
// business of its own instance alone.
func (d *Directory) Told(ctx context.Context, seat *Seat, m *rpc.Message) {
	if seat.Endpoint == "" || m.Is(rpc.RootsChanged) && d.scope(seat, seat.Endpoint).ID == "" {
		return
	}
	ctx, stop := context.WithTimeout(ctx, levelWait)
	defer stop()
	session, err := d.session(ctx, seat, seat.Endpoint)
	if err != nil || session.Info().Era == upstream.Modern && m.Is(rpc.RootsChanged) {
		return
	}
	if err := session.Forward(ctx, m.Raw); err != nil {
		d.opts.Log.Debug("notification not delivered", "server", seat.Endpoint, "err", err)
	}
}

// announce tells every seat which of its lists changed.
func (d *Directory) announce(c changes) {
	if c.servers == nil {
		return
	}
	d.mu.Lock()
	for seat := range d.seats {
		lists := c.merged
		if seat.Endpoint != "" {
			lists = c.servers[seat.Endpoint]
		}
		for k, changed := range lists {
			if changed {
				seat.Listener.Changed(changedMethods[k])
			}
		}
	}
	d.mu.Unlock()
	if d.opts.Changed != nil {
		d.opts.Changed()
	}
}

// subscribe counts the seat's interest; the server hears of the first one only.
func (d *Directory) subscribe(ctx context.Context, seat *Seat, server, uri string, session *upstream.Session) *rpc.Error {
	d.mu.Lock()
	s := d.servers[server]
	switch {
	case s == nil:
		d.mu.Unlock()
		return unknownResource(uri)
	case len(seat.subs) >= maxSubscriptions:
		d.mu.Unlock()
		return &rpc.Error{Code: rpc.CodeInvalidParams, Message: "too many subscriptions in this session"}
	case seat.subs[uri] == server:
		d.mu.Unlock()
		return nil
	}
	if seat.subs == nil {
		seat.subs = make(map[string]string)
	}
	seat.subs[uri] = server
	book := subscription{d.scope(seat, server).ID, uri}
	b := s.subs[book]
	if b == nil {
		b = &booking{at: session}
		s.subs[book] = b
	}
	b.seats++
	first := b.seats == 1
	d.mu.Unlock()
	if !first {
		return nil
	}
	if session.Info().Era == upstream.Modern {
		d.relisten(server, d.scope(seat, server).ID)
		return nil
	}
	reply, err := session.Request(ctx, rpc.Subscribe, uriParams(uri))
	if err != nil {
		d.forget(seat, uri)
		return &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
	}
	defer reply.Free()
	if reply.Error.Ok() {
		d.forget(seat, uri)
		return rawError(&reply)
	}
	return nil
}

// unsubscribe drops the seat's interest; the server hears of the last one only.
func (d *Directory) unsubscribe(ctx context.Context, seat *Seat, uri string) {
	session, server, last := d.forget(seat, uri)
	if !last || session == nil {
		return
	}
	if session.Info().Era == upstream.Modern {
		d.relisten(server, d.scope(seat, server).ID)
		return
	}
	if reply, err := session.Request(ctx, rpc.Unsubscribe, uriParams(uri)); err == nil {
		reply.Free()
	}
}

// forget takes one subscription out of the books; session is that of its
// instance, nil when that isn't up.
func (d *Directory) forget(seat *Seat, uri string) (session *upstream.Session, server string, last bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	server, there := seat.subs[uri]
	delete(seat.subs, uri)
	s := d.servers[server]
	if !there || s == nil {
		return nil, server, false
	}
	book := subscription{d.scope(seat, server).ID, uri}
	b := s.subs[book]
	if b == nil {
		return nil, server, false
	}
	if b.seats--; b.seats > 0 {
		return nil, server, false
	}
	delete(s.subs, book)
	return s.at(book.scope), server, true
}

// relisten has a modern server's subscriptions/listen opened anew.
func (d *Directory) relisten(server, scope string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.soonLocked(job{server, news, scope})
	d.poke()
}

// level is the log level that the seat set last.
func (d *Directory) level(seat *Seat) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return seat.level
}

// unbookLocked drops the subscriptions at a server that is no more; one of the
// same name begins anew.
func (d *Directory) unbookLocked(server string) {
	for seat := range d.seats {
		for uri, at := range seat.subs {
			if at == server {
				delete(seat.subs, uri)
			}
		}
	}
}

func uriParams(uri string) []byte {
	return append(rpc.AppendQuote([]byte(`{"uri":`), uri), '}')
}

// levels in rising order (RFC 5424, as MCP names them).
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// Wants reports whether the seat asked for log messages of that level.
func (d *Directory) Wants(seat *Seat, level string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Passes(level, seat.level)
}

// Passes reports whether a message of level is wanted by who set the minimum;
// no minimum wants everything, an unknown level passes.
func Passes(level, minimum string) bool {
	return minimum == "" || slices.Index(levels, level) >= slices.Index(levels, minimum) || !slices.Contains(levels, level)
}

// setLevel notes the seat's level and tells the servers the lowest one wanted.
func (d *Directory) setLevel(ctx context.Context, seat *Seat, level string) *rpc.Error {
	if !slices.Contains(levels, level) {
		return &rpc.Error{Code: rpc.CodeInvalidParams, Message: "unknown log level"}
	}
	d.mu.Lock()
	seat.level = level
	names := d.seenLocked(seat)
	d.mu.Unlock()
	d.applyLevels(ctx, names)
	for _, name := range names {
		scope := d.scope(seat, name).ID
		if scope == "" {
			continue
		}
		if session, err := d.session(ctx, seat, name); err == nil {
			d.levelAt(ctx, name, scope, session)
		}
	}
	return nil
}

func (d *Directory) seenLocked(seat *Seat) (names []string) {
	for _, name := range d.order {
		if seat.sees(name) {
			names = append(names, name)
		}
	}
	return names
}

// levelWait bounds how long a host that sets its level waits for servers.
const levelWait = 2 * time.Second

// applyLevels sets the level at several servers side by side: one that doesn't
// answer holds up neither the others nor, for long, the host.
func (d *Directory) applyLevels(ctx context.Context, names []string) {
	ctx, stop := context.WithTimeout(ctx, levelWait)
	defer stop()
	var wait sync.WaitGroup
	for _, name := range names {
		wait.Go(func() { d.applyLevel(ctx, name) })
	}
	wait.Wait()
}

// applyLevel sends a server the lowest level that a seat wants, when it isn't
// the one it has.
func (d *Directory) applyLevel(ctx context.Context, name string) {
	d.mu.Lock()
	s := d.servers[name]
	if s == nil || s.session == nil || !s.info.Has("logging") || s.info.Era == upstream.Modern {
		d.mu.Unlock()
		return
	}
	lowest := d.lowestLocked(func(seat *Seat) bool { return seat.sees(name) })
	session := s.session
	if lowest == "" || s.level == lowest {
		d.mu.Unlock()
		return
	}
	s.level = lowest
	d.mu.Unlock()
	params := append(rpc.AppendQuote([]byte(`{"level":`), lowest), '}')
	reply, err := session.Request(ctx, rpc.SetLevel, params)
	if err != nil {
		d.opts.Log.Warn("log level not set", "server", name, "err", err)
		return
	}
	reply.Free()
}
