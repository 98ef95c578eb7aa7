package known

func init() {
	add(Host{
		Name: "jetbrains", Title: "JetBrains AI Assistant", Way: Manual,
		Signs: func(s System) []string { return []string{s.data("JetBrains")} },
		Text: func(e Endpoint) []Paste {
			return []Paste{{What: "Settings | Tools | AI Assistant | Model Context Protocol (MCP): Add, As JSON", Text: wrapped("mcpServers", e.Name, plainURL(e))}}
		},
	})
}
