package known

import (
	"bridgekeeper/app/jsonedit"
)

// Jan wants the keys of both kinds of servers, the other kind's empty.
func init() {
	add(Host{
		Name: "jan", Title: "Jan", Way: Edit, Format: JSON, Path: mcpServers,
		HTTP: func(e Endpoint) jsonedit.Object {
			return jsonedit.Object{f("type", "http"), f("url", e.URL), f("command", ""), f("args", []string{}), f("env", jsonedit.Object{}),
				f("headers", bearer(e)), f("active", true)}
		},
		Places:  func(s System) []Place { return at(s.data("Jan", "data", "mcp_config.json")) },
		Signs:   func(s System) []string { return []string{s.data("Jan")} },
		Dialect: Dialect{PlainURL: HTTP},
		Reload:  "Start it again, or switch the server off and on.",
		Note:    "Its data folder can be moved in its settings; a moved one isn't found.",
	})
}
