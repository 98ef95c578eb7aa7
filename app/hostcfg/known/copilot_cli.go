package known

import (
	"bridgekeeper/app/jsonedit"
)

// Older builds of Copilot CLI need "tools".
func init() {
	add(Host{
		Name: "copilot-cli", Title: "Copilot CLI", Way: Edit, Format: JSON, Path: mcpServers,
		HTTP:     func(e Endpoint) jsonedit.Object { return append(typedURL(e), f("tools", []string{"*"})) },
		Shim:     func(e Endpoint) jsonedit.Object { return append(shim(e), f("tools", []string{"*"})) },
		Places:   func(s System) []Place { return at(s.home(".copilot", "mcp-config.json")) },
		Programs: []string{"copilot"},
		Dialect:  Dialect{Vars: Braces | Dollar, PlainURL: HTTP},
		Reload:   "Start a new session.",
		Check:    "copilot mcp list",
		Prefix:   "%s-",
	})
}
