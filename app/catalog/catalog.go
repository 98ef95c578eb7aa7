package catalog

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"bridgekeeper/app/catalog/serverjson"
	"bridgekeeper/app/draft"
	"bridgekeeper/app/wire"
)

// builtIn are servers in the form of server.json, with what they need in words.
//
//go:embed builtin.json
var builtIn []byte

// known is a server of the built-in list.
type known struct {
	server *serverjson.Server
	needs  []string
}

// list is the built-in list, read once.
var list = sync.OnceValue(func() []known {
	var raws []json.RawMessage
	if err := json.Unmarshal(builtIn, &raws); err != nil {
		panic("catalog: builtin.json: " + err.Error()) // it is ours, and a test reads it
	}
	var out []known
	for _, raw := range raws {
		s, err := serverjson.Parse(raw)
		if err != nil {
			panic("catalog: builtin.json: " + err.Error())
		}
		var more struct{ Needs []string }
		_ = json.Unmarshal(raw, &more) // Parse has read it
		out = append(out, known{s, more.Needs})
	}
	return out
})

// Catalog is the built-in list and a registry.
type Catalog struct{ registry *Registry }

// New joins the built-in list with a registry.
func New(r *Registry) *Catalog { return &Catalog{r} }

// Search finds servers: on the first page those of the built-in list, then the
// registry's. Without the registry the built-in ones stand, and Offline says why.
func (c *Catalog) Search(ctx context.Context, q wire.CatalogQuery) (*wire.CatalogPage, error) {
	out := &wire.CatalogPage{Servers: []wire.CatalogServer{}}
	if q.Cursor == "" {
		for _, k := range list() {
			if matches(k.server, q.Text) {
				out.Servers = append(out.Servers, k.wire())
			}
		}
	}
	p, err := c.registry.Search(ctx, q)
	switch {
	case err == nil:
	case ctx.Err() != nil || wire.AsError(err).Code == wire.CodeBadRequest:
		return nil, err
	default:
		out.Offline = wire.AsError(err).Message
		return out, nil
	}
	out.Cursor, out.Age, out.Offline = p.Cursor, p.Age, p.Offline
	for _, f := range p.Servers {
		out.Servers = append(out.Servers, ofRegistry(f))
	}
	return out, nil
}

// matches: every word of the text is in the name, title or description.
func matches(s *serverjson.Server, text string) bool {
	all := strings.ToLower(s.Name + " " + s.Title + " " + s.Description)
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}

func (k known) wire() wire.CatalogServer {
	return wire.CatalogServer{Name: k.server.Name, Title: k.server.Title, Description: k.server.Description, Version: string(k.server.Version), Source: wire.SourceBuiltIn,
		Status: "active", Installs: installs(k.server), Needs: k.needs, Website: k.server.WebsiteURL}
}

func ofRegistry(f Found) wire.CatalogServer {
	s := f.Server
	return wire.CatalogServer{Name: s.Name, Title: s.Title, Description: s.Description, Version: string(s.Version), Source: wire.SourceRegistry, Status: f.Status,
		Message: f.Message, Installs: installs(s), Website: s.WebsiteURL}
}

// installs are the ways to add a server; none when nothing of it can be added.
func installs(s *serverjson.Server) (kinds []string) {
	drafts, err := s.Drafts(wire.DraftSource{})
	if err != nil {
		return nil
	}
	for _, d := range drafts {
		if len(d.Blocked) == 0 && !slices.Contains(kinds, d.Install) {
			kinds = append(kinds, d.Install)
		}
	}
	return kinds
}

// Show returns one server with its versions.
func (c *Catalog) Show(ctx context.Context, name string, offline bool) (*wire.CatalogServer, error) {
	if k, ok := lookup(name); ok {
		w := k.wire()
		return &w, nil
	}
	f, err := c.registry.Version(ctx, name, "", offline)
	if err != nil {
		return nil, err
	}
	w := ofRegistry(*f)
	if versions, err := c.registry.Versions(ctx, name, offline); err == nil {
		for _, v := range versions {
			w.Versions = append(w.Versions, string(v.Server.Version))
		}
	}
	return &w, nil
}

func lookup(name string) (known, bool) {
	i := slices.IndexFunc(list(), func(k known) bool { return strings.EqualFold(k.server.Name, name) })
	if i < 0 {
		return known{}, false
	}
	return list()[i], true
}

// Drafts makes drafts of a server: of the built-in list by its short name, of the
// registry by its whole one. version "" is the newest.
func (c *Catalog) Drafts(ctx context.Context, name, version string) ([]*draft.Draft, error) {
	if k, ok := lookup(name); ok && (version == "" || version == string(k.server.Version)) {
		drafts, err := k.server.Drafts(wire.DraftSource{Kind: wire.SourceBuiltIn, From: k.server.Name})
		for _, d := range drafts {
			d.Name = k.server.Name
		}
		return drafts, err
	}
	f, err := c.registry.Version(ctx, name, version, false)
	if err != nil {
		return nil, err
	}
	drafts, err := f.Server.Drafts(wire.DraftSource{Kind: wire.SourceRegistry, From: name})
	for _, d := range drafts {
		switch f.Status {
		case "deprecated":
			d.Warn(strings.TrimSpace("Its registry calls it deprecated. " + f.Message))
		case "deleted":
			d.Block(strings.TrimSpace("It was deleted from its registry. " + f.Message))
		}
	}
	return drafts, err
}
