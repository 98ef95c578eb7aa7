package known

// Junie's documentation knows stdio only.
func init() {
	add(Host{
		Name: "junie", Title: "Junie", Way: Edit, Format: JSON, Path: mcpServers,
		Places:  func(s System) []Place { return at(s.home(".junie", "mcp", "mcp.json")) },
		Signs:   func(s System) []string { return []string{s.home(".junie")} },
		Dialect: Dialect{PlainURL: HTTP},
		Reload:  "Open Junie's MCP settings in the IDE and refresh the list.",
	})
}
