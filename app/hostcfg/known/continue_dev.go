package known

// Continue reads every file of a folder: ours is a file of its own.
func init() {
	add(Host{
		Name: "continue", Title: "Continue", Way: Edit, Format: JSONC, Path: mcpServers, HTTP: typedURL,
		Places: func(s System) []Place { return at(s.home(".continue", "mcpServers", "bridgekeeper.json")) },
		Reads: func(s System) []Source {
			return []Source{{s.home(".continue", "config.yaml"), YAML}, {s.home(".continue", "mcpServers", "*.json"), JSONC}, {s.home(".continue", "mcpServers", "*.yaml"), YAML}}
		},
		Signs:   func(s System) []string { return []string{s.home(".continue")} },
		Dialect: Dialect{Vars: Vault, PlainURL: HTTP},
		Reload:  "Reload its configuration.",
	})
}
