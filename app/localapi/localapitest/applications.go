package localapitest

import (
	"context"

	"bridgekeeper/app/wire"
)

func (f *Fake) Applications(context.Context) ([]wire.Application, error) {
	return []wire.Application{
		{Name: "cursor", Title: "Cursor", Installed: true, Way: "edit", File: "/home/ann/.cursor/mcp.json", Servers: 2, State: "dropped", Text: "Our entry is no longer in the file."},
		{Name: "zed", Title: "Zed", Way: "edit", File: "/home/ann/.config/zed/settings.json"},
	}, nil
}

func (f *Fake) EditApplication(_ context.Context, name, verb string, req wire.EditApplication) (*wire.EditedApplication, error) {
	if name != "cursor" {
		return nil, &wire.Error{Code: wire.CodeNoSuchHost, Message: "no application \"" + name + "\" is known"}
	}
	e := &wire.EditedApplication{Name: name, Title: "Cursor", File: "/home/ann/.cursor/mcp.json", Changed: verb != wire.VerbUndo}
	if e.Changed {
		e.Diff, e.Warnings, e.Reload = "--- a\n+++ b\n-{}\n+{\"x\u001b\": 1}\n", []string{"Look out."}, "It sees the change at once."
	}
	return e, nil
}
