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

// Ask answers a legacy server's question. With exactly one call in flight it is
// that call's; with more it belongs to none of them, and no host is guessed.
func (e events) Ask(ctx context.Context, _ *upstream.Session, call *upstream.Call, m *rpc.Message) ([]byte, *rpc.Error) {
	q := &directory.Question{Server: e.key.Server, Shared: e.key.Scope == "", Message: m}
	if call != nil {
		q.Host, q.About = call.Owner, call.About
		q.Asker, _ = call.Sink.(directory.Asker)
	}
	return e.app.answerQuestion(ctx, q)
}
