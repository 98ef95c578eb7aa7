package known

import (
	"bridgekeeper/app/jsonedit"
)

// Codex refuses an entry with keys of both families, and then its whole file.
func init() {
	add(Host{
		Name: "codex", Title: "Codex", Way: Edit, Format: TOML, Path: []string{"mcp_servers"},
		HTTP: func(e Endpoint) jsonedit.Object {
			return jsonedit.Object{f("url", e.URL), f("http_headers", bearer(e))}
		},
		Places:   func(s System) []Place { return at(s.or("CODEX_HOME", []string{".codex"}, "config.toml")) },
		Programs: []string{"codex"},
		Dialect:  Dialect{PlainURL: HTTP, Seconds: true},
		Reload:   "Start a new session.",
		Check:    "codex mcp list",
		Note:     "Its check shows what is configured, not whether it connects.",
		Shares:   "the command line and the desktop application read the same file",
	})
}
