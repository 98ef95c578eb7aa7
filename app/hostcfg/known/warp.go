package known

func init() {
	add(Host{
		Name: "warp", Title: "Warp", Way: Edit, Format: JSON, Path: mcpServers, HTTP: plainURL,
		Places:  func(s System) []Place { return at(s.home(".warp", ".mcp.json")) },
		Dialect: Dialect{PlainURL: HTTP},
		Reload:  "It sees the change by itself.",
	})
}
