package known

import (
	"encoding/base64"
	"net/url"

	"bridgekeeper/app/jsonedit"
)

func init() {
	add(Host{
		Name: "cherry-studio", Title: "Cherry Studio", Way: Manual,
		Signs: func(s System) []string { return []string{s.data("CherryStudio")} },
		Text: func(e Endpoint) []Paste {
			entry := jsonedit.Object{f("mcpServers", jsonedit.Object{f(e.Name, append(jsonedit.Object{f("type", "stdio")}, shim(e)...))})}
			return []Paste{
				{What: "Open this link", Link: true, Text: "cherrystudio://mcp/install?servers=" + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(oneLine(entry))))},
				{What: "Or Settings | MCP Servers: Add, Import from JSON", Text: wrapped("mcpServers", e.Name,
					append(jsonedit.Object{f("type", "streamableHttp")}, plainURL(e)...))},
			}
		},
		Note: "The link has no token in it: Cherry Studio starts our program, which knows the way.",
	})
}
