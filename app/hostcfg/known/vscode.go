package known

func init() {
	for _, v := range []struct{ name, title, folder, program string }{
		{"vscode", "VS Code", "Code", "code"},
		{"vscode-insiders", "VS Code Insiders", "Code - Insiders", "code-insiders"},
	} {
		add(Host{
			Name: v.name, Title: v.title, Way: Edit, Format: JSONC, Path: []string{"servers"}, HTTP: typedURL,
			Places: func(s System) []Place { return at(s.code(v.folder, "mcp.json")) },
			Reads: func(s System) []Source {
				return []Source{{s.code(v.folder, "profiles", "*", "mcp.json"), JSONC}, {s.code(v.folder, "settings.json"), JSONC}}
			},
			Programs:  []string{v.program},
			Dialect:   Dialect{Vars: Env | Editor | Inputs, PlainURL: HTTP},
			Reload:    "It sees the change; start the server there and trust it when it asks.",
			Note:      "It may find Claude Desktop's servers by itself (chat.mcp.discovery.enabled): then ours is listed twice.",
			ToolLimit: 128,
		})
	}
}
