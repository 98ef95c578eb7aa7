package known

import (
	"bridgekeeper/app/jsonedit"
)

// AnythingLLM reads a file with a mistake as an empty one and writes it over at
// the next change; a url without a type is SSE to it.
func init() {
	add(Host{
		Name: "anythingllm", Title: "AnythingLLM", Way: Edit, Format: JSON, Path: mcpServers,
		HTTP: func(e Endpoint) jsonedit.Object {
			return jsonedit.Object{f("type", "streamable"), f("url", e.URL), f("headers", bearer(e))}
		},
		Places: func(s System) []Place {
			return at(s.data("anythingllm-desktop", "storage", "plugins", "anythingllm_mcp_servers.json"))
		},
		Signs:   func(s System) []string { return []string{s.data("anythingllm-desktop")} },
		Dialect: Dialect{PlainURL: SSE},
		Reload:  "Press Refresh on its page of MCP servers.",
		Note:    "In Docker 127.0.0.1 is the container itself: there it can't reach us.",
	})
}
