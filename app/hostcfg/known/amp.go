package known

// Amp's key is one name with a dot in it.
func init() {
	add(Host{
		Name: "amp", Title: "Amp", Way: Edit, Format: JSONC, Path: []string{"amp.mcpServers"}, HTTP: plainURL,
		Places:   func(s System) []Place { return at(s.config("amp", "settings.json")) },
		Programs: []string{"amp"},
		Dialect:  Dialect{Vars: Braces, PlainURL: HTTP},
		Reload:   "Start a new session.",
	})
}
