package known

import (
	"bridgekeeper/app/jsonedit"
)

// Windsurf's file is still read by the Cascade agent and by its JetBrains plugin.
func init() {
	add(Host{
		Name: "windsurf", Title: "Windsurf", Way: Import, Format: JSON, Path: mcpServers,
		HTTP: func(e Endpoint) jsonedit.Object {
			return jsonedit.Object{f("serverUrl", e.URL), f("headers", bearer(e))}
		},
		Places:    func(s System) []Place { return at(s.home(".codeium", "windsurf", "mcp_config.json")) },
		Reads:     func(s System) []Source { return []Source{{s.home(".codeium", "mcp_config.json"), JSON}} },
		Dialect:   Dialect{Vars: Env | Files, PlainURL: HTTP},
		Note:      "Windsurf became Devin Desktop, which reads another file: connect devin.",
		ToolLimit: 100,
	})
}
