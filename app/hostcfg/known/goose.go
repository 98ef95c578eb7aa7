package known

import (
	"bridgekeeper/app/jsonedit"
)

// goose needs name and description, also an empty one.
func init() {
	add(Host{
		Name: "goose", Title: "goose", Way: Edit, Format: YAML, Path: []string{"extensions"},
		HTTP: func(e Endpoint) jsonedit.Object {
			return jsonedit.Object{f("type", "streamable_http"), f("name", e.Name), f("description", ""), f("uri", e.URL),
				f("headers", bearer(e)), f("enabled", true), f("timeout", 300)}
		},
		Shim: func(e Endpoint) jsonedit.Object {
			return jsonedit.Object{f("type", "stdio"), f("name", e.Name), f("description", ""), f("cmd", e.Command), f("args", e.Args), f("enabled", true), f("timeout", 300)}
		},
		Places: func(s System) []Place {
			if s.GOOS == "windows" {
				return at(s.roaming("Block", "goose", "config", "config.yaml"))
			}
			return at(s.config("goose", "config.yaml"))
		},
		Programs: []string{"goose"},
		Dialect:  Dialect{PlainURL: SSE, Seconds: true},
		Reload:   "Start a new session.",
		Prefix:   "%s__",
	})
}
