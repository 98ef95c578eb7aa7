package read

import (
	"strconv"
	"strings"
)

// maxSlug keeps SERVER__TOOL within what hosts take.
const maxSlug = 40

// Slug is a name of ours for a server: small letters, digits and dashes. taken
// tells which names are in use.
func Slug(name string, taken func(string) bool) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			b.WriteRune(r)
		} else if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
			b.WriteByte('-')
		}
	}
	slug := strings.Trim(b.String(), "-")
	if slug == "" {
		slug = "server"
	}
	slug = strings.Trim(slug[:min(len(slug), maxSlug)], "-")
	for i := 2; taken != nil && taken(slug) || slug == "cli"; i++ {
		end := "-" + strconv.Itoa(i)
		stem := strings.TrimSuffix(slug, "-"+strconv.Itoa(i-1))
		slug = stem[:min(len(stem), maxSlug-len(end))] + end
	}
	return slug
}

// Suggest is a name for an entry that has none: that of what it runs or where it is.
func Suggest(s *Server) string {
	if s.Name != "" {
		return s.Name
	}
	if s.URL != "" {
		_, rest, _ := strings.Cut(withoutQuery(s.URL), "://")
		host, _, _ := strings.Cut(rest, "/")
		host, _, _ = strings.Cut(host, ":")
		return strings.TrimPrefix(strings.TrimPrefix(host, "mcp."), "www.")
	}
	for _, arg := range s.Args {
		if !strings.HasPrefix(arg, "-") && strings.ContainsAny(arg, "abcdefghijklmnopqrstuvwxyz") && arg != "run" {
			name, _, _ := strings.Cut(strings.TrimPrefix(arg, "@"), "@")
			if i := strings.LastIndexAny(name, `/\`); i >= 0 {
				name = name[i+1:]
			}
			return name
		}
	}
	return base(s.Command)
}
