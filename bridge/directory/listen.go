package directory

import (
	"context"
	"slices"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// Offers says what news a seat can get: list changes by kind, and updates of
// single resources.
type Offers struct {
	Tools, Prompts, Resources, Updates bool
}

// Offers returns what the seat's endpoint can tell.
func (d *Directory) Offers(seat *Seat) Offers {
	if seat.Endpoint == "" {
		return Offers{true, true, true, true}
	}
	s := d.View().Server(seat.Endpoint)
	if s == nil || s.Info == nil {
		return Offers{}
	}
	return Offers{s.Info.Has("tools"), s.Info.Has("prompts"), s.Info.Has("resources"), s.Info.HasSub("resources", "subscribe")}
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
// read again afterwards: a change in between must not be missed.
func (d *Directory) listen(ctx context.Context, name, scope string) {
	d.mu.Lock()
	s := d.servers[name]
	if s == nil || s.at(scope) == nil || s.at(scope).Info().Era != upstream.Modern {
		d.mu.Unlock()
		return
	}
	session, old := s.at(scope), s.listening[scope]
	again := old != nil && old.session == session
	uris := s.subsAt(scope)
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
	if again && scope == "" {
		d.mu.Lock()
		for k := range kinds {
			d.soonLocked(job{server: name, kind: k})
		}
		d.mu.Unlock()
		d.poke()
	}
	slices.Sort(uris)
	if err := session.Listen(ctx, listenParams(session.Info(), uris)); err != nil && ctx.Err() == nil {
		d.opts.Log.Debug("listen ended", "server", name, "err", err)
	}
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
func listenParams(info *upstream.Info, uris []string) []byte {
	var wanted []byte
	for _, k := range []struct{ capability, member string }{
		{"tools", "toolsListChanged"}, {"prompts", "promptsListChanged"}, {"resources", "resourcesListChanged"},
	} {
		if info.HasSub(k.capability, "listChanged") {
			wanted = rpc.AppendMember(wanted, k.member, []byte("true"))
		}
	}
	if len(uris) > 0 {
		list := []byte{'['}
		for i, uri := range uris {
			if i > 0 {
				list = append(list, ',')
			}
			list = rpc.AppendQuote(list, uri)
		}
		wanted = rpc.AppendMember(wanted, "resourceSubscriptions", append(list, ']'))
	}
	return append(append([]byte(`{"notifications":{`), wanted...), '}', '}')
}
