package directory

import (
	"context"
	"slices"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// subscription is one resource at one instance.
type subscription struct{ scope, uri string }

// booking is what seats want of it.
type booking struct {
	seats int
	at    *upstream.Session // that was asked for it last, or is being asked now
}

// levelSet is the log level that was last set at an instance that isn't shared.
type levelSet struct {
	session *upstream.Session
	level   string
}

// subsAt returns the resources subscribed at an instance; the caller holds
// Directory.mu.
func (s *server) subsAt(scope string) (uris []string) {
	for sub := range s.subs {
		if sub.scope == scope {
			uris = append(uris, sub.uri)
		}
	}
	return uris
}

// restore subscribes again at a new session of a legacy server's instance, but
// not where that session was asked already: a host may be faster.
func (d *Directory) restore(ctx context.Context, name, scope string, session *upstream.Session) {
	if session.Info().Era != upstream.Legacy {
		return
	}
	d.mu.Lock()
	var uris []string
	if s := d.servers[name]; s != nil && s.at(scope) == session {
		for sub, b := range s.subs {
			if sub.scope == scope && b.at != session {
				b.at = session
				uris = append(uris, sub.uri)
			}
		}
	}
	d.mu.Unlock()
	slices.Sort(uris)
	for _, uri := range uris {
		reply, err := session.Request(ctx, rpc.Subscribe, uriParams(uri))
		if err != nil {
			return // the session is gone; the next one is restored anew
		}
		reply.Free()
	}
}

// restoreScoped does that for an instance that isn't shared, and sets its level.
func (d *Directory) restoreScoped(ctx context.Context, name, scope string, session *upstream.Session) {
	d.levelAt(ctx, name, scope, session)
	d.restore(ctx, name, scope, session)
}

// levelAt sets the lowest level that a seat of the instance wants, when it isn't
// the one that is set there.
func (d *Directory) levelAt(ctx context.Context, name, scope string, session *upstream.Session) {
	if !session.Info().Has("logging") || session.Info().Era == upstream.Modern {
		return
	}
	d.mu.Lock()
	s := d.servers[name]
	lowest := d.lowestLocked(func(seat *Seat) bool { return seat.sees(name) && d.scope(seat, name).ID == scope })
	now := levelSet{session, lowest}
	if s == nil || lowest == "" || s.levels[scope] == now {
		d.mu.Unlock()
		return
	}
	s.levels[scope] = now
	d.mu.Unlock()
	params := append(rpc.AppendQuote([]byte(`{"level":`), lowest), '}')
	reply, err := session.Request(ctx, rpc.SetLevel, params)
	if err != nil {
		d.opts.Log.Warn("log level not set", "server", name, "err", err)
		return
	}
	reply.Free()
}

// lowestLocked is the lowest level that any of these seats wants; "" when none
// wants one.
func (d *Directory) lowestLocked(of func(*Seat) bool) string {
	lowest := -1
	for seat := range d.seats {
		if seat.level != "" && of(seat) {
			if at := slices.Index(levels, seat.level); lowest < 0 || at < lowest {
				lowest = at
			}
		}
	}
	if lowest < 0 {
		return ""
	}
	return levels[lowest]
}
