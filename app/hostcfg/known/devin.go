package known

import (
	"bridgekeeper/app/jsonedit"
)

// Devin Desktop is what Windsurf became.
func init() {
	add(Host{
		Name: "devin", Title: "Devin Desktop", Way: Edit, Format: JSON, Path: mcpServers,
		HTTP: func(e Endpoint) jsonedit.Object {
			return jsonedit.Object{f("url", e.URL), f("transport", "http"), f("headers", bearer(e))}
		},
		Places: func(s System) []Place {
			if s.GOOS == "windows" {
				return at(s.roaming("devin", "mcp_config.json"))
			}
			return at(s.home(".config", "devin", "mcp_config.json"))
		},
		Dialect:   Dialect{Vars: Env | Files, PlainURL: HTTP},
		Reload:    "Refresh the list of MCP servers.",
		ToolLimit: 100,
	})
}
