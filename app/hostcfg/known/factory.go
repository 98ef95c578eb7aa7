package known

func init() {
	add(Host{
		Name: "factory", Title: "Factory Droid", Way: Edit, Format: JSON, Path: mcpServers, HTTP: typedURL,
		Places:   func(s System) []Place { return at(s.home(".factory", "mcp.json")) },
		Programs: []string{"droid"},
		Dialect:  Dialect{Vars: Braces, PlainURL: HTTP},
		Reload:   "Start a new session.",
	})
}
