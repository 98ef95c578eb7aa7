package known

func init() {
	add(Host{
		Name: "witsy", Title: "Witsy", Way: Import, Format: JSON, Path: mcpServers,
		Places:  func(s System) []Place { return at(s.data("Witsy", "settings.json")) },
		Dialect: Dialect{PlainURL: HTTP},
		Note:    "Its file holds all of its settings, in a form that isn't documented: add the shim in its own settings.",
	})
}
