package known

// Amazon Q's command line became Kiro's.
func init() {
	add(Host{
		Name: "amazon-q", Title: "Amazon Q CLI", Way: Import, Format: JSON, Path: mcpServers, HTTP: typedURL,
		Places:   func(s System) []Place { return at(s.home(".aws", "amazonq", "mcp.json")) },
		Reads:    func(s System) []Source { return []Source{{s.home(".aws", "amazonq", "cli-agents", "*.json"), JSON}} },
		Programs: []string{"q"},
		Dialect:  Dialect{PlainURL: HTTP},
		Note:     "It became Kiro: connect kiro.",
	})
}
