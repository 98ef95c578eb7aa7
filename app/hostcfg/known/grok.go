package known

func init() {
	add(Host{
		Name: "grok", Title: "Grok Build", Way: Edit, Format: TOML, Path: []string{"mcp_servers"},
		HTTP:     plainURL,
		Places:   func(s System) []Place { return at(s.or("GROK_HOME", []string{".grok"}, "config.toml")) },
		Programs: []string{"grok"},
		Dialect:  Dialect{PlainURL: HTTP},
		Reload:   "Start a new session.",
	})
}
