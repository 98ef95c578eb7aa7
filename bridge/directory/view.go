package directory

import (
	"bytes"
	"fmt"
	"sync"
	"time"

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
	pending [kinds]int        // servers that start now and whose list isn't known
	changed chan struct{}     // closed when a newer view is published
	legacy  func() flavour    // the merged tools for hosts before 2026-07-28, made when one asks
	inlined func() flavour    // likewise, for those of them that don't follow references

	Warnings []string // names and URIs that collide, entries that are hidden, lists that couldn't be read
}

// Server is one server as hosts see it.
type Server struct {
	Name      string
	Info      *upstream.Info // nil until its first handshake
	Tools     []Tool
	Prompts   int
	Resources int

	tools     map[string]*Tool // by own name
	kept      bool             // the tools are those of an earlier run
	readAt    time.Time        // of the tools, in this run
	reading   bool             // and are being read now
	uris      []string
	templates []template
	raw       [kinds][]item // as they were read
	items     [kinds][]item // what of it hosts see, by hidden and off
	screened  int           // Directory.screened when items was made
}

// Listed reports whether the tools are those that the server has now.
func (s *Server) Listed() bool { return s.Info != nil && !s.kept && !s.reading && !s.readAt.IsZero() }

// Tool is one tool by both its names.
type Tool struct {
	Name       string
	Seen       string // on the merged endpoint; "" when it is hidden there
	Hidden     string // why
	Off        bool   // hidden on every endpoint
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

// Servers returns all servers of the view, in config order.
func (v *View) Servers() []*Server {
	all := make([]*Server, 0, len(v.order))
	for _, name := range v.order {
		all = append(all, v.servers[name])
	}
	return all
}

// ReadAt is when the server's tools were read; zero when that was in an earlier run.
func (s *Server) ReadAt() time.Time { return s.readAt }

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
		v.servers[name] = d.serverView(s, old.servers[name])
		for k := range kinds {
			if l := &s.lists[k]; s.pending && l.readAt.IsZero() && !l.known {
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
	v.legacy = sync.OnceValue(func() flavour { return v.flavoured(forLegacy) })
	v.inlined = sync.OnceValue(func() flavour { return v.flavoured(inlining()) })
	changed := diff(old, v)
	d.view.Store(v)
	close(old.changed)
	return changed
}

// serverView builds one server's part, or keeps the old one when nothing moved.
func (d *Directory) serverView(s *server, old *Server) *Server {
	kept := s.lists[tools].known && s.lists[tools].readAt.IsZero()
	reading := kept && s.session != nil
	var readAt time.Time
	if s.lists[tools].known {
		readAt = s.lists[tools].readAt
	}
	if old != nil && old.screened == d.screened && old.Info == s.info && old.kept == kept && old.readAt.Equal(readAt) && old.reading == reading {
		same := true
		for k := range kinds {
			same = same && sameList(old.raw[k], s.lists[k].items)
		}
		if same {
			return old
		}
	}
	out := &Server{Name: s.name, Info: s.info, tools: make(map[string]*Tool), kept: kept, readAt: readAt, reading: reading, screened: d.screened}
	for k := range kinds {
		out.raw[k] = s.lists[k].items
	}
	out.items = out.raw
	out.items[tools] = d.screen(s.name, out.raw[tools])
	out.Tools = make([]Tool, 0, len(out.raw[tools]))
	for _, it := range out.items[tools] {
		if it.name == "" {
			continue // nobody can call it
		}
		t := Tool{Name: it.name, Hidden: it.hidden, Off: it.off != "", ReadOnly: it.readOnly, Definition: it.raw, Headers: translate.ParamHeaders(it.raw)}
		if t.Hidden == "" {
			t.Seen = seenAs(s.name, it.name)
		}
		out.Tools = append(out.Tools, t)
	}
	for i := range out.Tools {
		if t := &out.Tools[i]; out.tools[t.Name] == nil { // the first of a name is the one that hosts see
			out.tools[t.Name] = t
		}
	}
	for _, it := range out.raw[prompts] {
		if it.hidden == "" {
			out.Prompts++
		}
	}
	for _, it := range out.raw[resources] {
		if it.hidden == "" {
			out.uris = append(out.uris, it.name)
		}
	}
	for _, it := range out.raw[templates] {
		if it.hidden == "" {
			out.templates = append(out.templates, newTemplate(it.name))
		}
	}
	out.Resources = len(out.uris) + len(out.templates)
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
		v.warnHidden(k, name)
		for _, it := range v.servers[name].items[k] {
			if it.hidden != "" {
				continue
			}
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

// maxHiddenShown is how many hidden entries of one list are told one by one.
const maxHiddenShown = 10

// warnHidden says which entries of a server's list hosts don't see, and why.
func (v *View) warnHidden(k kind, server string) {
	hidden := 0
	for i, it := range v.servers[server].items[k] {
		if it.hidden == "" || it.off != "" { // what a person turned off is no problem
			continue
		}
		if hidden++; hidden > maxHiddenShown {
			continue
		}
		what := fmt.Sprintf("entry %d", i+1)
		if it.name != "" {
			what = fmt.Sprintf("%q", it.name)
		}
		v.Warnings = append(v.Warnings, fmt.Sprintf("%s: %s of server %s is hidden: %s", listMembers[k], what, server, it.hidden))
	}
	if more := hidden - maxHiddenShown; more > 0 {
		v.Warnings = append(v.Warnings, fmt.Sprintf("%s: %d more of server %s are hidden", listMembers[k], more, server))
	}
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
		raw, at := it.shown()
		return rpc.Splice(out, raw, rpc.Edit{Span: at, With: rpc.Quote(as)})
	case resources:
		v.uris[it.name] = server
	}
	return append(out, it.raw...)
}

// shown is the definition that hosts see on the merged endpoint, and where its
// name stands.
func (it *item) shown() (raw []byte, nameAt rpc.Span) {
	if it.fixed == nil {
		return it.raw, it.nameAt
	}
	return it.fixed, rpc.Find(it.fixed, "name")
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
			differs[k] = was == nil && len(s.raw[k]) > 0 || was != nil && !equalSeen(was.items[k], s.items[k])
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

// equalSeen compares what hosts see of two lists.
func equalSeen(a, b []item) bool {
	if !equalItems(a, b) {
		return false
	}
	for i := range a {
		if (a[i].off == "") != (b[i].off == "") {
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
