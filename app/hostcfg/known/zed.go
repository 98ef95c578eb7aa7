package known

func init() {
	add(Host{
		Name: "zed", Title: "Zed", Way: Edit, Format: JSONC, Path: []string{"context_servers"}, HTTP: plainURL,
		Places: func(s System) []Place {
			switch s.GOOS {
			case "windows":
				return at(s.roaming("Zed", "settings.json"))
			case "darwin":
				return []Place{{Path: s.config("zed", "settings.json")}, {Path: s.data("Zed", "settings.json")}}
			}
			return at(s.config("zed", "settings.json"))
		},
		Programs: []string{"zed", "zeditor"},
		Dialect:  Dialect{Seconds: true, PlainURL: HTTP},
		Reload:   "It sees the change at once.",
	})
}
