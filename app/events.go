package app

import (
	"context"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
	"bridgekeeper/supervisor"
)

// asker is the calling host's end of a call, where it can be asked.
type asker interface {
	Declares(capability string) bool
	Ask(ctx context.Context, m *rpc.Message) (result []byte, refused *rpc.Error)
}

// events takes what one instance says outside of replies (upstream.Events).
type events struct {
	app *App
	key supervisor.Key
}

// Notify passes news on to the hosts that see the server.
func (e events) Notify(_ *upstream.Session, m *rpc.Message) {
	if e.key.Scope == "" {
		e.app.dir.Notify(e.key.Server, m)
	}
}

// Ask answers a server's question: by the host whose call is the only one in
// flight, if it declared that it can; otherwise by declining. With more calls
// in flight the question belongs to none of them, and no host is guessed.
func (e events) Ask(ctx context.Context, _ *upstream.Session, call *upstream.Call, m *rpc.Message) ([]byte, *rpc.Error) {
	var host asker
	if call != nil {
		host, _ = call.Sink.(asker)
	}
	switch {
	case m.Is(rpc.ListRoots):
		// A shared instance serves many hosts: the folders of one are not the
		// others' business. An error would make some servers fail at their start.
		return []byte(`{"roots":[]}`), nil
	case m.Is(rpc.Elicit):
		if host != nil && host.Declares("elicitation") && (!urlMode(m) || host.Declares("elicitation.url")) {
			return host.Ask(ctx, m)
		}
		return []byte(`{"action":"decline"}`), nil
	case m.Is(rpc.CreateMessage):
		if host != nil && host.Declares("sampling") {
			return host.Ask(ctx, m)
		}
		return nil, &rpc.Error{Code: -1, Message: "Sampling was declined: the host that made this call has no model to lend."}
	}
	return nil, &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "Method not found: " + m.MethodName()}
}

// urlMode reports an elicitation that wants a web address opened.
func urlMode(m *rpc.Message) bool {
	params := m.Bytes(m.Params)
	at := rpc.Find(params, "mode")
	return at.Ok() && rpc.Text(params[at.Start:at.End]) == "url"
}
