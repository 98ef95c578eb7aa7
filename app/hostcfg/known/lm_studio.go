package known

func init() {
	add(Host{
		Name: "lm-studio", Title: "LM Studio", Way: Edit, Format: JSON, Path: mcpServers, HTTP: plainURL,
		Places: func(s System) []Place {
			return []Place{{Path: s.home(".lmstudio", "mcp.json")}, {Path: s.home(".cache", "lm-studio", "mcp.json"), If: s.home(".cache", "lm-studio")}}
		},
		Signs:   func(s System) []string { return []string{s.home(".lmstudio"), s.home(".cache", "lm-studio")} },
		Dialect: Dialect{Vars: Env, PlainURL: HTTP},
		Reload:  "It reads the file when it is saved.",
	})
}
