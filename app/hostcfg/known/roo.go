package known

// Roo Code is no longer made.
func init() {
	add(Host{
		Name: "roo", Title: "Roo Code", Way: Import, Format: JSON, Path: mcpServers,
		Places: func(s System) []Place {
			return at(s.code("Code", "globalStorage", "rooveterinaryinc.roo-cline", "settings", "mcp_settings.json"))
		},
		Dialect: Dialect{Vars: Env | Editor, PlainURL: HTTP, Seconds: true},
		Note:    "Roo Code is no longer made.",
	})
}
