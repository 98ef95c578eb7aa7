package known

import (
	"bridgekeeper/app/jsonedit"
)

// Gemini CLI splits a tool's name at the first underscore, so that an entry's
// name must have none. Builds from before "type" was read want httpUrl; both
// together are a warning there.
func init() {
	add(Host{
		Name: "gemini-cli", Title: "Gemini CLI", Way: Edit, Format: JSONC, Path: mcpServers,
		HTTP: func(e Endpoint) jsonedit.Object {
			return jsonedit.Object{f("url", e.URL), f("type", "http"), f("headers", bearer(e))}
		},
		Places:   func(s System) []Place { return at(s.home(".gemini", "settings.json")) },
		Programs: []string{"gemini"},
		Dialect:  Dialect{Vars: Braces | Dollar | Percent, Unset: Blank, PlainURL: HTTP},
		Reload:   "Start it again, or use /mcp refresh.",
		Check:    "gemini mcp list",
		Note:     "Behind a proxy 127.0.0.1 must be in NO_PROXY.",
		Prefix:   "mcp_%s_",
	})
}
