package read

import (
	"fmt"
	"slices"
	"strings"

	"bridgekeeper/app/hostcfg/known"
)

// Raw is one entry of a file as it is written.
type Raw struct {
	Name   string
	Value  any      // a *Map, or what is there instead
	Path   []string // of the map that it is in; nil in a list
	Folder string   // the folder that it belongs to, "" for all
	Line   int
	Twice  bool
}

// maps are the places of servers that some host has, those whose members are
// servers for sure, and those that may be something else.
var (
	surely  = [][]string{{"mcpServers"}, {"mcp_servers"}, {"context_servers"}, {"amp.mcpServers"}, {"mcp.servers"}, {"mcp", "servers"}, {"servers"}}
	perhaps = [][]string{{"mcp"}, {"extensions"}}
)

// maxServers bounds what is taken from one file.
const maxServers = 1000

// Servers finds the entries of a file by its shape: the host's own place first,
// then those that other hosts use, then a map or list without any.
func Servers(f *File, h *known.Host) []Raw {
	c := &collector{}
	c.within(f.Root, nil, "")
	for _, m := range membersOf(f.Root.Map("projects")) {
		if project, ok := m.Value.(*Map); ok {
			c.within(project, []string{"projects", m.Key}, m.Key)
		}
	}
	if h != nil && len(h.Path) > 0 && !slices.ContainsFunc(append(surely, perhaps...), func(p []string) bool { return slices.Equal(p, h.Path) }) {
		c.take(f.Root, nil, h.Path, "", false)
	}
	if len(c.found) == 0 {
		c.bare(f.Root)
	}
	return c.found[:min(len(c.found), maxServers)]
}

type collector struct{ found []Raw }

func (c *collector) within(m *Map, at []string, folder string) {
	for _, path := range surely {
		c.take(m, at, path, folder, false)
	}
	for _, path := range perhaps {
		c.take(m, at, path, folder, true)
	}
}

// take collects the entries at one place. doubtful ones must look like entries.
func (c *collector) take(m *Map, at, path []string, folder string, doubtful bool) {
	v, _ := m.At(path...)
	whole := append(slices.Clone(at), path...)
	switch v := v.(type) {
	case *Map:
		for i, one := range v.Members {
			if slices.ContainsFunc(v.Members[i+1:], func(later Member) bool { return later.Key == one.Key }) {
				continue // the last one counts
			}
			if doubtful && !looksLikeEntry(one.Value) || notForUs(one.Value) {
				continue
			}
			c.found = append(c.found, Raw{Name: one.Key, Value: one.Value, Path: whole, Folder: folder, Line: one.Line, Twice: slices.Contains(v.Twice, one.Key)})
		}
	case []any:
		c.list(v, folder)
	}
}

func (c *collector) list(list []any, folder string) {
	for i, e := range list {
		m, ok := e.(*Map)
		if !ok || !looksLikeEntry(m) {
			continue
		}
		name := m.Text("name", "id")
		if name == "" {
			name = fmt.Sprintf("%d", i+1)
		}
		c.found = append(c.found, Raw{Name: name, Value: m, Folder: folder})
	}
}

// bare finds entries in a text that has none of the usual names: a map of entries,
// one entry alone, a list.
func (c *collector) bare(m *Map) {
	if m == nil {
		return
	}
	if v, ok := m.Get(""); ok && len(m.Members) == 1 {
		if list, ok := v.([]any); ok {
			c.list(list, "")
		}
		return
	}
	if looksLikeEntry(m) {
		c.found = append(c.found, Raw{Name: m.Text("name"), Value: m})
		return
	}
	for _, one := range m.Members {
		if !looksLikeEntry(one.Value) {
			return
		}
	}
	for _, one := range m.Members {
		c.found = append(c.found, Raw{Name: one.Key, Value: one.Value, Path: []string{}, Line: one.Line, Twice: slices.Contains(m.Twice, one.Key)})
	}
}

func membersOf(m *Map) []Member {
	if m == nil {
		return nil
	}
	return m.Members
}

var commandKeys = []string{"command", "cmd"}

// urlKeys are the names of a remote server's address.
var urlKeys = []string{"url", "serverUrl", "serverURL", "httpUrl", "uri", "baseUrl", "endpoint", "server_url"}

func looksLikeEntry(v any) bool {
	m, ok := v.(*Map)
	if !ok {
		return false
	}
	for _, key := range slices.Concat(commandKeys, urlKeys) {
		if _, there := m.Get(key); there {
			return true
		}
	}
	return m.Map("transport") != nil
}

// notForUs are entries that are parts of the host itself: extensions of an editor,
// what comes with the host.
func notForUs(v any) bool {
	m, ok := v.(*Map)
	if !ok {
		return false
	}
	if bundled, _ := m.Get("bundled"); bundled == true {
		return true
	}
	switch strings.ToLower(m.Text("type")) {
	case "builtin", "platform", "frontend", "inline_python":
		return true
	}
	_, settings := m.Get("settings")
	return settings && !looksLikeEntry(m)
}
