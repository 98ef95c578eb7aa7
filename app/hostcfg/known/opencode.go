package known

import (
	"bridgekeeper/app/jsonedit"
)

// remoteEntry switches OAuth off: a token that was refused would start it.
func remoteEntry(e Endpoint) jsonedit.Object {
	return jsonedit.Object{f("type", "remote"), f("url", e.URL), f("headers", bearer(e)), f("oauth", false), f("enabled", true)}
}

func localEntry(e Endpoint) jsonedit.Object {
	return jsonedit.Object{f("type", "local"), f("command", append([]string{e.Command}, e.Args...)), f("enabled", true)}
}

func init() {
	add(Host{
		Name: "opencode", Title: "opencode", Way: Edit, Format: JSONC, Path: []string{"mcp"}, Other: []string{"mcp", "servers"},
		HTTP: remoteEntry, Shim: localEntry,
		Places: func(s System) []Place {
			dirs := []string{s.config("opencode")}
			if s.GOOS == "windows" {
				dirs = append(dirs, s.local("opencode"), s.roaming("opencode"))
			}
			var places []Place
			for _, dir := range dirs {
				places = append(places, Place{Path: s.Join(dir, "opencode.jsonc")}, Place{Path: s.Join(dir, "opencode.json")})
			}
			return places
		},
		Programs: []string{"opencode"},
		Dialect:  Dialect{Vars: Curly | Files, PlainURL: HTTP},
		Reload:   "Start it again.",
		Check:    "opencode mcp list",
		Prefix:   "%s_",
	})
}
