package known

func init() {
	add(Host{
		Name: "open-webui", Title: "Open WebUI", Way: Manual,
		Text: func(e Endpoint) []Paste {
			return []Paste{
				{What: "Admin Panel | Settings | Integrations: add a connection of type MCP (Streamable HTTP) with the URL", Text: e.URL},
				{What: "Auth: Bearer, with the key", Text: e.Token},
			}
		},
		Note: "In Docker 127.0.0.1 is the container itself: there it can't reach us. A Bearer without a key sends an empty header.",
	})
}
