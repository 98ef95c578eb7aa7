package known

func init() {
	add(Host{
		Name: "cursor", Title: "Cursor", Way: Edit, Format: JSONC, Path: mcpServers, HTTP: plainURL,
		Places:  func(s System) []Place { return at(s.home(".cursor", "mcp.json")) },
		Dialect: Dialect{Vars: Env | Editor, PlainURL: HTTP},
		Reload:  "It reads the file when it is saved; chats that are open may need the window to be reloaded.",
	})
}
