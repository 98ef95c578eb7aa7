package known

func init() {
	add(Host{
		Name: "claude-code", Title: "Claude Code", Way: Edit, Format: JSON, Path: mcpServers, HTTP: typedURL,
		Places:   func(s System) []Place { return at(s.or("CLAUDE_CONFIG_DIR", nil, ".claude.json")) },
		Signs:    func(s System) []string { return []string{s.or("CLAUDE_CONFIG_DIR", []string{".claude"})} },
		Programs: []string{"claude"},
		Dialect:  Dialect{Vars: Braces, PlainURL: HTTP},
		Reload:   "Start a new session, or reconnect in /mcp.",
		Check:    "claude mcp list",
		Note:     "It writes its file all the time: no session should be running while it is edited.",
		Prefix:   "mcp__%s__",
	})
}
