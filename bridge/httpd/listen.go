package httpd

import (
	"bytes"
	"context"
	"net/http"
	"slices"

	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

const acknowledged = "notifications/subscriptions/acknowledged"

// listener is one subscriptions/listen of a modern host: the kinds of news it
// asked for, on one stream, each message marked with the request's id
// (2026-07-28, subscriptions). It is the seat's Listener.
type listener struct {
	id       []byte          // raw JSON-RPC id of the request
	host     string          // whose it is
	endpoint string          // where it was made
	wants    map[string]bool // notification methods; constant
	tasks    []string        // ids of tasks to hear of; constant once the seat is taken
	stream   *stream
	end      func() // after the goodbye
}

func newListener(id []byte, host, endpoint string, st *stream) *listener {
	return &listener{id: id, host: host, endpoint: endpoint, wants: make(map[string]bool), stream: st, end: st.close}
}

// Notify passes an update of a subscribed resource or task on; log messages and
// progress never go on this stream.
func (l *listener) Notify(raw []byte) {
	m, err := rpc.Scan(raw)
	if err != nil || !m.Is(rpc.ResourceUpdated) && !l.hasTask(&m) {
		return
	}
	if tagged := l.tag(&m); tagged != nil {
		l.stream.add(tagged)
	}
}

// hasTask reports news of a task that was asked for.
func (l *listener) hasTask(m *rpc.Message) bool {
	if !m.Is(rpc.TaskChanged) && !m.Is(rpc.TaskStatus) {
		return false
	}
	params := m.Bytes(m.Params)
	at := rpc.Find(params, "taskId")
	return at.Ok() && slices.Contains(l.tasks, rpc.Text(params[at.Start:at.End]))
}

// Changed tells of a list change that was asked for.
func (l *listener) Changed(method string) {
	if l.wants[method] {
		l.stream.add(rpc.AppendNotification(nil, method, l.params(nil)))
	}
}

// tag adds the mark to a notification that has params.
func (l *listener) tag(m *rpc.Message) []byte {
	switch {
	case m.Meta.Ok() && m.Raw[m.Meta.Start] == '{':
		return rpc.Splice(nil, m.Raw, rpc.InsertMember(m.Raw, m.Meta, rpc.MetaSubscriptionID, l.id))
	case m.Params.Ok() && m.Raw[m.Params.Start] == '{':
		return rpc.Splice(nil, m.Raw, rpc.InsertMember(m.Raw, m.Params, "_meta", l.meta()))
	}
	return nil
}

func (l *listener) meta() []byte {
	return append(append([]byte{'{'}, rpc.AppendMember(nil, rpc.MetaSubscriptionID, l.id)...), '}')
}

// params is an object with the mark and the members given.
func (l *listener) params(members []byte) []byte {
	out := append([]byte{'{'}, rpc.AppendMember(nil, "_meta", l.meta())...)
	if members != nil {
		out = append(append(out, ','), members...)
	}
	return append(out, '}')
}

// listen serves one subscriptions/listen until the host closes it or we stop.
func (s *Server) listen(x *exchange, seat *directory.Seat) {
	id := bytes.Clone(x.m.Bytes(x.m.ID))
	w, bad := listenWishes(x.m)
	switch {
	case bad != nil:
		fail(x.w, http.StatusBadRequest, id, bad)
		return
	case !x.accept.sse:
		refuse(x.w, http.StatusNotAcceptable, "The Accept header must allow text/event-stream.")
		return
	}
	l := newListener(id, x.host, x.endpoint, newStream(s.keepAlive))
	seat.Listener = l
	if !s.openListen(l) {
		refuse(x.w, http.StatusServiceUnavailable, "Too many subscriptions are open, or bridgekeeper is stopping.")
		return
	}
	defer s.closeListen(l)
	defer s.leave(x.r.Context(), seat)
	s.agree(x.r.Context(), l, seat, w)
	startSSE(x.w)
	ctx, cancel := context.WithCancel(context.WithoutCancel(x.r.Context()))
	defer cancel()
	// Where it is we who stop, the stream has an end that the host shall see.
	stop := context.AfterFunc(x.r.Context(), func() {
		if s.whyGone() != errShutdown {
			cancel()
		}
	})
	defer stop()
	// Why it ended (gone, too slow, stopping) concerns this connection alone.
	_ = l.stream.follow(ctx, x.w, l.stream.attach(), 0, false)
}

// agree acknowledges what of the wishes can be had, and has the seat hear of it
// from then on.
func (s *Server) agree(ctx context.Context, l *listener, seat *directory.Seat, w wishes) {
	d := s.opts.Directory
	offers := d.Offers(seat)
	var agreed []byte
	for _, k := range []struct {
		member, method string
		offered        bool
	}{
		{"toolsListChanged", rpc.ToolsChanged, offers.Tools},
		{"promptsListChanged", rpc.PromptsChanged, offers.Prompts},
		{"resourcesListChanged", rpc.ResourcesChanged, offers.Resources},
	} {
		if w.kinds[k.member] && k.offered {
			l.wants[k.method] = true
			agreed = rpc.AppendMember(agreed, k.member, []byte("true"))
		}
	}
	if accepted := d.Subscribe(ctx, seat, w.uris); len(accepted) > 0 && offers.Updates {
		agreed = rpc.AppendMember(agreed, "resourceSubscriptions", rpc.QuoteAll(accepted))
	}
	if l.tasks = d.SubscribeTasks(seat, w.tasks); len(l.tasks) > 0 && offers.Tasks {
		agreed = rpc.AppendMember(agreed, "taskIds", rpc.QuoteAll(l.tasks))
	}
	notifications := append(append([]byte(`{`), agreed...), '}')
	l.stream.add(rpc.AppendNotification(nil, acknowledged, l.params(rpc.AppendMember(nil, "notifications", notifications))))
	d.Sit(seat) // only now: the acknowledgement comes first
}

// leave has a seat give up what it subscribed to, though its connection is gone.
func (s *Server) leave(ctx context.Context, seat *directory.Seat) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer stop()
	s.opts.Directory.Leave(ctx, seat)
}

// wishes are what a subscriptions/listen asks for.
type wishes struct {
	kinds       map[string]bool
	uris, tasks []string
}

// listenWishes reads what the host wants to hear of.
func listenWishes(m *rpc.Message) (w wishes, bad *rpc.Error) {
	params := m.Bytes(m.Params)
	at := rpc.Find(params, "notifications")
	if !at.Ok() || params[at.Start] != '{' {
		return w, &rpc.Error{Code: rpc.CodeInvalidParams, Message: "subscriptions/listen needs params.notifications"}
	}
	filter := params[at.Start:at.End]
	w.kinds = make(map[string]bool)
	err := rpc.Members(filter, func(key []byte, at rpc.Span) bool {
		value := filter[at.Start:at.End]
		switch string(key) {
		case "resourceSubscriptions":
			w.uris = append(w.uris, texts(value)...)
		case "taskIds":
			w.tasks = append(w.tasks, texts(value)...)
		default:
			w.kinds[string(key)] = string(value) == "true"
		}
		return true
	})
	if err != nil {
		bad = &rpc.Error{Code: rpc.CodeInvalidParams, Message: "params.notifications is no object"}
	}
	return w, bad
}

// texts returns the texts of a raw array.
func texts(list []byte) (all []string) {
	_ = rpc.Elements(list, func(at rpc.Span) bool { // no array: none
		if text := rpc.Text(list[at.Start:at.End]); text != "" {
			all = append(all, text)
		}
		return true
	})
	return all
}

// maxListens bounds the subscriptions open at once.
const maxListens = 1024

func (s *Server) openListen(l *listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping || len(s.listens) >= maxListens {
		return false
	}
	s.listens[l] = struct{}{}
	return true
}

func (s *Server) closeListen(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listens, l)
}

// goodbye ends the subscription with the result of its request, which only we can
// give.
func (l *listener) goodbye() {
	members := rpc.AppendMember(nil, "resultType", []byte(`"complete"`))
	l.stream.add(rpc.AppendResult(nil, l.id, l.params(members)))
	l.end()
}
