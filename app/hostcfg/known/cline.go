package known

import (
	"bridgekeeper/app/jsonedit"
)

// Cline takes a url without a type for the old SSE transport.
func init() {
	add(Host{
		Name: "cline", Title: "Cline", Way: Edit, Format: JSON, Path: mcpServers,
		HTTP: func(e Endpoint) jsonedit.Object {
			return jsonedit.Object{f("type", "streamableHttp"), f("url", e.URL), f("headers", bearer(e)), f("disabled", false)}
		},
		Places: func(s System) []Place {
			if file := s.set("CLINE_MCP_SETTINGS_PATH"); file != "" {
				return at(file)
			}
			return at(s.or("CLINE_DIR", []string{".cline"}, "data", "settings", "cline_mcp_settings.json"))
		},
		Reads: func(s System) []Source {
			return []Source{{s.code("Code", "globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json"), JSON}, {s.home(".cline", "mcp.json"), JSON}}
		},
		Signs: func(s System) []string {
			return []string{s.or("CLINE_DIR", []string{".cline"}), s.home(".vscode", "extensions", "saoudrizwan.claude-dev-*")}
		},
		Programs: []string{"cline"},
		Dialect:  Dialect{Vars: Env, PlainURL: SSE, Seconds: true},
		Reload:   "It sees the change at once.",
	})
}
