package known

import (
	"bridgekeeper/app/jsonedit"
)

func init() {
	add(Host{
		Name: "kiro", Title: "Kiro", Way: Edit, Format: JSON, Path: mcpServers,
		HTTP:     func(e Endpoint) jsonedit.Object { return append(plainURL(e), f("disabled", false)) },
		Places:   func(s System) []Place { return at(s.home(".kiro", "settings", "mcp.json")) },
		Signs:    func(s System) []string { return []string{s.home(".kiro")} },
		Programs: []string{"kiro-cli", "kiro"},
		Dialect:  Dialect{Vars: Braces, PlainURL: HTTP},
		Reload:   "It connects again when the file is saved.",
		Check:    "kiro-cli mcp status",
		Shares:   "the IDE and the command line read the same file",
	})
}
