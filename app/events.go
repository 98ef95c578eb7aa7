package app

import (
	"context"

	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
	"bridgekeeper/supervisor"
)

// events takes what one instance says outside of replies (upstream.Events).
type events struct {
	app *App
	key supervisor.Key
}

// Notify passes news on to the hosts that see the instance.
func (e events) Notify(_ *upstream.Session, m *rpc.Message) {
	e.app.dir.Notify(e.key.Server, e.key.Scope, m)
}

// Ask answers a legacy server's question: by the host whose call is the only
// one in flight, if it declared that it can; otherwise by declining. With more
// calls in flight the question belongs to none of them, and no host is guessed.
func (e events) Ask(ctx context.Context, _ *upstream.Session, call *upstream.Call, m *rpc.Message) ([]byte, *rpc.Error) {
	var host directory.Asker
	if call != nil {
		host, _ = call.Sink.(directory.Asker)
	}
	if m.Is(rpc.ListRoots) && e.key.Scope == "" {
		host = nil // a shared instance serves many hosts: the folders of one are not the others' business
	}
	return answerQuestion(ctx, host, m)
}

// answerQuestion answers one question of a server: by the calling host, if there is
// one and it declared that it can, otherwise by declining.
func answerQuestion(ctx context.Context, host directory.Asker, m *rpc.Message) ([]byte, *rpc.Error) {
	can := func(capability string) bool { return host != nil && host.Declares(capability) }
	switch {
	case m.Is(rpc.ListRoots):
		if can("roots") {
			return host.Ask(ctx, m)
		}
		return []byte(`{"roots":[]}`), nil // an error would make some servers fail at their start
	case m.Is(rpc.Elicit):
		if can("elicitation") && (!urlMode(m) || can("elicitation.url")) {
			return host.Ask(ctx, m)
		}
		return []byte(`{"action":"decline"}`), nil
	case m.Is(rpc.CreateMessage):
		if can("sampling") {
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
