package known

import (
	"net/url"
	"strings"

	"bridgekeeper/app/jsonedit"
)

func init() {
	add(Host{
		Name: "raycast", Title: "Raycast", Way: Manual,
		Signs: func(s System) []string {
			if s.GOOS != "darwin" {
				return nil
			}
			return []string{s.Join("", "Applications", "Raycast.app")}
		},
		Text: func(e Endpoint) []Paste {
			entry := append(jsonedit.Object{f("name", e.Name), f("type", "stdio")}, shim(e)...)
			return []Paste{
				{What: "Open this link", Link: true, Text: "raycast://mcp/install?" + url.PathEscape(oneLine(entry))},
				{What: "Or in Raycast, Install Server: Command", Text: e.Command},
				{What: "and Arguments", Text: strings.Join(e.Args, " ")},
			}
		},
		Note: "The link has no token in it: Raycast starts our program, which knows the way.",
	})
}
