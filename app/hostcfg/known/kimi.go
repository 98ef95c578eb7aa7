package known

import (
	"bridgekeeper/app/jsonedit"
)

func init() {
	add(Host{
		Name: "kimi", Title: "Kimi", Way: Edit, Format: JSON, Path: mcpServers,
		HTTP: func(e Endpoint) jsonedit.Object {
			return jsonedit.Object{f("url", e.URL), f("transport", "http"), f("headers", bearer(e))}
		},
		Places: func(s System) []Place {
			dir := s.or("KIMI_CODE_HOME", []string{".kimi-code"})
			return []Place{{Path: s.Join(dir, "mcp.json"), If: dir}, {Path: s.home(".kimi", "mcp.json")}}
		},
		Programs: []string{"kimi"},
		Dialect:  Dialect{PlainURL: HTTP},
		Reload:   "Start a new session.",
	})
}
