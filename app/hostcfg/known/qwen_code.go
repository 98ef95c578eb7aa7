package known

import (
	"bridgekeeper/app/jsonedit"
)

// Qwen Code is a relative of Gemini CLI for which url is still SSE.
func init() {
	add(Host{
		Name: "qwen-code", Title: "Qwen Code", Way: Edit, Format: JSONC, Path: mcpServers,
		HTTP: func(e Endpoint) jsonedit.Object {
			return jsonedit.Object{f("httpUrl", e.URL), f("headers", bearer(e))}
		},
		Places:   func(s System) []Place { return at(s.home(".qwen", "settings.json")) },
		Programs: []string{"qwen"},
		Dialect:  Dialect{Vars: Braces | Dollar | Percent, Unset: Blank, PlainURL: SSE},
		Reload:   "Start a new session.",
		Check:    "qwen mcp list",
		Prefix:   "mcp__%s__",
	})
}
