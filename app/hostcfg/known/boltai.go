package known

func init() {
	add(Host{
		Name: "boltai", Title: "BoltAI", Way: Manual,
		Signs: func(s System) []string {
			if s.GOOS != "darwin" {
				return nil
			}
			return []string{s.Join("", "Applications", "BoltAI.app")}
		},
		Text: func(e Endpoint) []Paste {
			return []Paste{{What: "Settings | Plugins | MCP servers: Import JSON", Text: wrapped("mcpServers", e.Name, shim(e))}}
		},
	})
}
