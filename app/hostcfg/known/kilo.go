package known

func init() {
	add(Host{
		Name: "kilo", Title: "Kilo", Way: Edit, Format: JSONC, Path: []string{"mcp"}, HTTP: remoteEntry, Shim: localEntry,
		Places: func(s System) []Place {
			var places []Place
			for _, name := range []string{"kilo.jsonc", "kilo.json", "opencode.jsonc", "opencode.json", "config.json"} {
				places = append(places, Place{Path: s.config("kilo", name)})
			}
			return places
		},
		Reads: func(s System) []Source {
			return []Source{{s.code("Code", "globalStorage", "kilocode.kilo-code", "settings", "mcp_settings.json"), JSON}}
		},
		Programs: []string{"kilo"},
		Dialect:  Dialect{Vars: Curly | Files, PlainURL: HTTP},
		Reload:   "Start it again, or use /mcps.",
		Prefix:   "%s_",
	})
}
