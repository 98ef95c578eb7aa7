package directory

import (
	"regexp"
	"strings"
)

// template is a resource template (RFC 6570) turned round: does a URI fit it?
type template struct {
	text  string
	parts []string // what stands between the expressions
}

var expression = regexp.MustCompile(`\{[^{}]*\}`)

// newTemplate reads every {expression} as "something": enough to find the
// owner, which checks for itself.
func newTemplate(text string) template {
	return template{text, expression.Split(text, -1)}
}

func (t template) fits(uri string) bool {
	rest, ok := strings.CutPrefix(uri, t.parts[0])
	if !ok || len(t.parts) == 1 {
		return ok && rest == ""
	}
	between, last := t.parts[1:len(t.parts)-1], t.parts[len(t.parts)-1]
	for _, part := range between {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, last)
}

// owner returns the server that a resource URI belongs to: the one that lists
// it; else the first whose template it fits; else the only one with resources
// of the same scheme, or the only one with resources at all.
func (v *View) owner(uri string) (string, bool) {
	if name, ok := v.uris[uri]; ok {
		return name, true
	}
	for _, name := range v.order {
		for _, t := range v.servers[name].templates {
			if t.text == uri || t.fits(uri) {
				return name, true
			}
		}
	}
	scheme, _, _ := strings.Cut(uri, ":")
	if name, ok := v.only(func(s *Server) bool { return s.hasScheme(scheme) }); ok {
		return name, true
	}
	return v.only(func(s *Server) bool { return s.Info != nil && s.Info.Has("resources") })
}

func (v *View) only(fits func(*Server) bool) (name string, ok bool) {
	for _, n := range v.order {
		if !fits(v.servers[n]) {
			continue
		}
		if ok {
			return "", false
		}
		name, ok = n, true
	}
	return name, ok
}

func (s *Server) hasScheme(scheme string) bool {
	prefix := scheme + ":"
	for _, uri := range s.uris {
		if strings.HasPrefix(uri, prefix) {
			return true
		}
	}
	for _, t := range s.templates {
		if strings.HasPrefix(t.text, prefix) {
			return true
		}
	}
	return false
}
