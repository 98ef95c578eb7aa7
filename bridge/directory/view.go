package directory

import (
	"bytes"
	"fmt"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/translate"
	"bridgekeeper/bridge/upstream"
)

// View is what hosts see at one moment. It is immutable.
type View struct {
	servers map[string]*Server
	order   []string
	merged  [kinds][]byte // whole results: {"tools":[...]}
	tools   map[string]target
	prompts map[string]target
	uris    map[string]string // resource URI -> server
	awaited map[string]bool   // servers that pending counts
	pending [kinds]int        // servers that start now and whose list was never read
	changed chan struct{}     // closed when a newer view is published

	Warnings []string // names and URIs that collide, lists that couldn't be read
}

// Server is one server as hosts see it.
type Server struct {
	Name      string
	Info      *upstream.Info // nil until its first handshake
	Tools     []Tool
	Prompts   int
	Resources int

	tools     map[string]*Tool // by own name
	uris      []string
	templates []template
	raw       [kinds][]item
}

// Tool is one tool by both its names.
type Tool struct {
	Name       string
	Seen       string
	ReadOnly   bool
	Definition []byte
	Headers    []translate.ParamHeader // arguments that modern hosts repeat as headers
}

// target is what a merged name stands for; own is the server's own name as a
// JSON string.
type target struct {
	server string
	name   string
	own    []byte
}

// Awaited reports whether the server starts, or has just come up, and a list of
// it was never read.
func (v *View) Awaited(name string) bool { return v.awaited[name] }

// Server returns one server of the view, nil when there is none of that name.
func (v *View) Server(name string) *Server { return v.servers[name] }

func (v *View) targets(k kind) map[string]target {
	if k == tools {
		return v.tools
	}
	return v.prompts
}

// changes says which lists differ between two views: merged ones by kind, and
// each server's own.
type changes struct {
	merged  [kinds]bool
	servers map[string][kinds]bool
}

// publishLocked builds the view from the servers and reports what changed.
func (d *Directory) publishLocked() changes {
	old := d.view.Load()
	v := &View{
		servers: make(map[string]*Server, len(d.order)),
		order:   d.order,
		tools:   make(map[string]target),
		prompts: make(map[string]target),
		uris:    make(map[string]string),
		awaited: make(map[string]bool),
		changed: make(chan struct{}),
	}
	for _, name := range d.order {
		s := d.servers[name]
		v.servers[name] = v.serverView(s, old.servers[name])
		for k := range kinds {
			if s.pending && s.lists[k].readAt.IsZero() {
				v.pending[k]++
				v.awaited[name] = true
			}
			if why := s.lists[k].failed; why != "" {
				v.Warnings = append(v.Warnings, fmt.Sprintf("server %s: %s failed: %s", name, listMethods[k], why))
			}
		}
	}
	for k := range kinds {
		v.merged[k] = v.merge(k)
	}
	changed := diff(old, v)
	d.view.Store(v)
	close(old.changed)
	return changed
}

// serverView builds one server's part, or keeps the old one when nothing moved.
func (v *View) serverView(s *server, old *Server) *Server {
	if old != nil && old.Info == s.info {
		same := true
		for k := range kinds {
			same = same && sameList(old.raw[k], s.lists[k].items)
		}
		if same {
			return old
		}
	}
	out := &Server{Name: s.name, Info: s.info, tools: make(map[string]*Tool)}
	for k := range kinds {
		out.raw[k] = s.lists[k].items
	}
	out.Tools = make([]Tool, 0, len(out.raw[tools]))
	for _, it := range out.raw[tools] {
		out.Tools = append(out.Tools, Tool{Name: it.name, Seen: seenAs(s.name, it.name), ReadOnly: it.readOnly, Definition: it.raw, Headers: translate.ParamHeaders(it.raw)})
	}
	for i := range out.Tools {
		if t := &out.Tools[i]; out.tools[t.Name] == nil { // the first of a name is the one that hosts see
			out.tools[t.Name] = t
		}
	}
	out.Prompts, out.Resources = len(out.raw[prompts]), len(out.raw[resources])+len(out.raw[templates])
	for _, it := range out.raw[resources] {
		out.uris = append(out.uris, it.name)
	}
	for _, it := range out.raw[templates] {
		out.templates = append(out.templates, newTemplate(it.name))
	}
	return out
}

// sameList reports whether two lists are the same slice of memory: lists are
// replaced whole and never changed.
func sameList(a, b []item) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// merge renders one merged list and fills the maps that route by it.
func (v *View) merge(k kind) []byte {
	out := append([]byte(`{"`), listMembers[k]...)
	out = append(out, `":[`...)
	first := len(out)
	seen := make(map[string]string)
	for _, name := range v.order {
		for _, it := range v.servers[name].raw[k] {
			as := it.name
			if k == tools || k == prompts {
				as = seenAs(name, it.name)
			}
			if owner, taken := seen[as]; taken {
				v.Warnings = append(v.Warnings, fmt.Sprintf("%s: %q of server %s is hidden by that of %s", listMembers[k], as, name, owner))
				continue
			}
			seen[as] = name
			if len(out) > first {
				out = append(out, ',')
			}
			out = v.mergeItem(out, k, name, as, it)
		}
	}
	return append(out, "]}"...)
}

func (v *View) mergeItem(out []byte, k kind, server, as string, it item) []byte {
	switch k {
	case tools, prompts:
		t := target{server, it.name, it.raw[it.nameAt.Start:it.nameAt.End]}
		if k == tools {
			v.tools[as] = t
		} else {
			v.prompts[as] = t
		}
		return rpc.Splice(out, it.raw, rpc.Edit{Span: it.nameAt, With: rpc.Quote(as)})
	case resources:
		v.uris[it.name] = server
	}
	return append(out, it.raw...)
}

func diff(old, now *View) changes {
	c := changes{servers: make(map[string][kinds]bool)}
	for k := range kinds {
		c.merged[k] = !bytes.Equal(old.merged[k], now.merged[k])
	}
	for name, s := range now.servers {
		was := old.servers[name]
		if was == s {
			continue
		}
		var differs [kinds]bool
		for k := range kinds {
			differs[k] = was == nil && len(s.raw[k]) > 0 || was != nil && !equalItems(was.raw[k], s.raw[k])
		}
		c.servers[name] = differs
	}
	return c
}

func equalItems(a, b []item) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i].raw, b[i].raw) {
			return false
		}
	}
	return true
}

// Called returns the tool that a host calls by that name at the endpoint, nil
// when there is none.
func (v *View) Called(endpoint, name string) *Tool {
	if endpoint == "" {
		t, ok := v.tools[name]
		if !ok {
			return nil
		}
		endpoint, name = t.server, t.name
	}
	if s := v.servers[endpoint]; s != nil {
		return s.tools[name]
	}
	return nil
}

// Tool returns the tool of that own name, nil when the server lists none.
func (s *Server) Tool(name string) *Tool { return s.tools[name] }
