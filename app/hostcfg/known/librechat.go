package known

func init() {
	add(Host{
		Name: "librechat", Title: "LibreChat", Way: Manual,
		Text: func(e Endpoint) []Paste {
			return []Paste{{What: "librechat.yaml, then start the server again", Text: "mcpServers:\n  " + e.Name +
				":\n    type: streamable-http\n    url: " + e.URL + "\n    headers:\n      Authorization: \"Bearer " + e.Token + "\"\n    requiresOAuth: false\n"}}
		},
		Note: "In Docker 127.0.0.1 is the container itself: there it can't reach us.",
	})
}
