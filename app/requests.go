package app

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// openMethods are what a client of the local API may ask a server besides calling
// tools: they read.
var openMethods = []string{rpc.ListResources, rpc.ListTemplates, rpc.ReadResource, rpc.ListPrompts, rpc.GetPrompt, rpc.Complete}

// Request passes a reading request to one server, as the host "cli", and returns
// the raw result (localapi.Use).
func (a *App) Request(ctx context.Context, name string, req wire.ServerRequest) ([]byte, error) {
	if _, err := a.entryOf(name); err != nil {
		return nil, err
	}
	if !slices.Contains(openMethods, req.Method) {
		return nil, &wire.Error{Code: wire.CodeBadRequest, Message: fmt.Sprintf("%.60q can't be asked here.", req.Method),
			Hint: "resources/list, resources/templates/list, resources/read, prompts/list, prompts/get and completion/complete can; for tools there is `bridgekeeper call`."}
	}
	if err := a.reach(ctx, name); err != nil {
		return nil, err
	}
	params := []byte("{}")
	if len(req.Params) > 0 {
		params = bytes.Clone(req.Params)
		rpc.Flatten(params)
	}
	m, err := rpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, req.Method, params))
	if err != nil || m.Repeated || params[0] != '{' {
		return nil, &wire.Error{Code: wire.CodeBadRequest, Message: "The params are not a valid JSON object."}
	}
	seat := &directory.Seat{Endpoint: name, Host: cliHost, Version: rpc.V20251125}
	answer := a.dir.Handle(ctx, &directory.Request{Seat: seat, Message: &m})
	defer answer.Free()
	return rawResult(&answer)
}
