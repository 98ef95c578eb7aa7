package read

import (
	"maps"
	"slices"
	"strings"
)

// Identity is equal for entries that are the same server under other names: the
// same address, or the same command after wrappers are taken away.
func (s *Server) Identity() string {
	if s.URL != "" {
		address := strings.TrimRight(s.URL, "/")
		if scheme, rest, ok := strings.Cut(address, "://"); ok {
			host, path, _ := strings.Cut(rest, "/")
			address = strings.ToLower(scheme+"://"+host) + "/" + path
		}
		return "url\x00" + address
	}
	if s.Command == "" {
		return ""
	}
	command := s.Command
	switch b := base(command); b {
	case "npx", "uvx", "bunx", "node", "docker", "podman", "python", "python3", "deno", "uv", "dnx":
		command = b // wherever it is installed
	}
	parts := []string{"run", command}
	for _, arg := range s.Args {
		if base(command) == "npx" && (arg == "-y" || arg == "--yes") {
			continue
		}
		parts = append(parts, arg)
	}
	parts = append(parts, "")
	return strings.Join(append(parts, slices.Sorted(maps.Keys(s.Env))...), "\x00")
}
