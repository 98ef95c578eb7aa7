package known

import (
	"bridgekeeper/app/jsonedit"
)

// Antigravity's command line ends at its start when its file has a comment.
func init() {
	add(Host{
		Name: "antigravity", Title: "Antigravity", Way: Edit, Format: JSON, Path: mcpServers,
		HTTP: func(e Endpoint) jsonedit.Object {
			return jsonedit.Object{f("serverUrl", e.URL), f("headers", bearer(e))}
		},
		Places: func(s System) []Place {
			return []Place{{Path: s.home(".gemini", "config", "mcp_config.json")}, {Path: s.home(".gemini", "antigravity", "mcp_config.json")}}
		},
		Programs: []string{"agy"},
		Strict:   Strict{BOM: true},
		Dialect:  Dialect{PlainURL: HTTP},
		Reload:   "Refresh its list of servers, or start it again.",
		Shares:   "the IDE and the command line `agy` read the same file",
	})
}
