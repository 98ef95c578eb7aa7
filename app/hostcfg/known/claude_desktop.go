package known

// Claude Desktop takes no URL in its file: such an entry is ignored, or crashed
// it at launch. On Windows the packaged application reads a file of its own.
func init() {
	add(Host{
		Name: "claude-desktop", Title: "Claude Desktop", Way: Edit, Format: JSON, Path: mcpServers,
		Places: func(s System) []Place {
			const file = "claude_desktop_config.json"
			if s.GOOS != "windows" {
				return at(s.data("Claude", file))
			}
			packaged := s.local("Packages", "Claude_*", "LocalCache", "Roaming")
			return []Place{{Path: s.Join(packaged, "Claude", file), If: packaged}, {Path: s.roaming("Claude", file)}}
		},
		Strict:  Strict{BOM: true, Text: true},
		Dialect: Dialect{PlainURL: HTTP},
		Reload:  "Quit Claude Desktop whole, also from the tray or menu bar, and start it again.",
		Note:    "It writes its file anew at times and may lose the entry: edit while it is closed. `host status` tells, `host repair` writes it again.",
	})
}
