package known

func init() {
	add(Host{
		Name: "trae", Title: "Trae", Way: Edit, Format: JSON, Path: mcpServers, HTTP: plainURL,
		Places:  func(s System) []Place { return at(s.code("Trae", "mcp.json")) },
		Signs:   func(s System) []string { return []string{s.data("Trae")} },
		Dialect: Dialect{Vars: Env | Editor, PlainURL: HTTP},
		Reload:  "Refresh its list of MCP servers.",
	})
}
