package directory

import (
	"context"
	"errors"
	"slices"
	"time"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// Offers says what news a seat can get: list changes by kind, updates of single
// resources, and what becomes of tasks.
type Offers struct {
	Tools, Prompts, Resources, Updates, Tasks bool
}

// Offers returns what the seat's endpoint can tell.
func (d *Directory) Offers(seat *Seat) Offers {
	if seat.Endpoint == "" {
		return Offers{true, true, true, true, true}
	}
	s := d.View().Server(seat.Endpoint)
	if s == nil || s.Info == nil {
		return Offers{}
	}
	return Offers{s.Info.Has("tools"), s.Info.Has("prompts"), s.Info.Has("resources"), s.Info.HasSub("resources", "subscribe"), hasTasks(s.Info)}
}

// Subscribe subscribes a modern host's seat to resources and returns those
// that worked: the others are left out of the acknowledgement.
func (d *Directory) Subscribe(ctx context.Context, seat *Seat, uris []string) []string {
	accepted := []string{}
	for _, uri := range uris {
		server, ok := seat.Endpoint, true
		if server == "" {
			server, ok = d.View().owner(uri)
		}
		if !ok || slices.Contains(accepted, uri) {
			continue
		}
		session, err := d.session(ctx, seat, server)
		if err != nil || !session.Info().HasSub("resources", "subscribe") {
			continue
		}
		if d.subscribe(ctx, seat, server, uri, session) == nil {
			accepted = append(accepted, uri)
		}
	}
	return accepted
}

// listen keeps one subscriptions/listen open at a modern server: its list
// changes and the resources that seats subscribed to. One that is open already
// is ended first (servers keep one for each kind of news), so the lists are
// read again afterwards: a change in between must not be missed. A legacy
// instance that isn't shared is told what its hosts want.
func (d *Directory) listen(ctx context.Context, name, scope string) {
	d.mu.Lock()
	s := d.servers[name]
	if s == nil || s.at(scope) == nil {
		d.mu.Unlock()
		return
	}
	session, old := s.at(scope), s.listening[scope]
	if session.Info().Era != upstream.Modern {
		d.mu.Unlock()
		d.restoreScoped(ctx, name, scope, session)
		return
	}
	again := old != nil && old.session == session
	uris, tasks := s.subsAt(scope), s.tasksAtLocked(scope)
	ctx, cancel := context.WithCancel(ctx)
	now := &listening{session: session, cancel: cancel, done: make(chan struct{})}
	s.listening[scope] = now
	d.mu.Unlock()
	defer close(now.done)
	defer cancel()
	if old != nil {
		old.cancel()
		<-old.done
	}
	slices.Sort(uris)
	params, wait := listenParams(session.Info(), uris, tasks), relistenFirst
	var capabilities []byte
	if tasks != nil { // a server speaks of tasks only to who knows them
		capabilities = []byte(`{"extensions":{"` + TasksExtension + `":{}}}`)
	}
	for {
		if again && scope == "" {
			d.rereadAll(name)
		}
		began := time.Now()
		err := session.Listen(ctx, params, capabilities)
		if ctx.Err() != nil || session.Err() != nil || cannotListen(err) {
			return
		}
		// A server may end it as it likes, and says nothing from then on.
		d.opts.Log.Debug("listen ended", "server", name, "err", err)
		if time.Since(began) > relistenMost {
			wait = relistenFirst
		}
		if pause(ctx, wait) != nil {
			return
		}
		wait, again = min(2*wait, relistenMost), true
	}
}

// Waits before a server that ended its subscriptions/listen is listened to again.
const (
	relistenFirst = time.Second
	relistenMost  = time.Minute
)

// cannotListen reports a refusal that would be the same the next time.
func cannotListen(err error) bool {
	refused, ok := errors.AsType[*rpc.Error](err)
	return ok && (refused.Code == rpc.CodeMethodNotFound || refused.Code == rpc.CodeInvalidParams)
}

// rereadAll has all lists of a server read again.
func (d *Directory) rereadAll(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for k := range kinds {
		d.soonLocked(job{server: name, kind: k})
	}
	d.poke()
}

// at returns the session of an instance, nil when it has none; the caller holds
// Directory.mu.
func (s *server) at(scope string) *upstream.Session {
	if scope == "" {
		return s.session
	}
	return s.scoped[scope]
}

// listening is one open subscriptions/listen at a server.
type listening struct {
	session *upstream.Session
	cancel  context.CancelFunc
	done    chan struct{}
}

// listenParams asks for what the server can tell.
func listenParams(info *upstream.Info, uris, tasks []string) []byte {
	var wanted []byte
	for _, k := range []struct{ capability, member string }{
		{"tools", "toolsListChanged"}, {"prompts", "promptsListChanged"}, {"resources", "resourcesListChanged"},
	} {
		if info.HasSub(k.capability, "listChanged") {
			wanted = rpc.AppendMember(wanted, k.member, []byte("true"))
		}
	}
	for _, l := range []struct {
		member string
		list   []string
	}{{"resourceSubscriptions", uris}, {"taskIds", tasks}} {
		if len(l.list) > 0 {
			wanted = rpc.AppendMember(wanted, l.member, rpc.QuoteAll(l.list))
		}
	}
	return append(append([]byte(`{"notifications":{`), wanted...), '}', '}')
}
