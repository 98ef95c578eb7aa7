package known

import (
	"bridgekeeper/app/jsonedit"
)

// Crush passes headers and variables through a shell.
func init() {
	add(Host{
		Name: "crush", Title: "Crush", Way: Edit, Format: JSON, Path: []string{"mcp"}, HTTP: typedURL,
		Shim:     func(e Endpoint) jsonedit.Object { return append(jsonedit.Object{f("type", "stdio")}, shim(e)...) },
		Places:   func(s System) []Place { return at(s.config("crush", "crush.json")) },
		Programs: []string{"crush"},
		Dialect:  Dialect{Vars: Braces | Dollar | Commands, PlainURL: HTTP, Seconds: true},
		Reload:   "Start it again.",
		Note:     "A crushrc beside the file beats it.",
		Prefix:   "mcp_%s_",
	})
}
