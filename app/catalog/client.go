package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bridgekeeper/app/catalog/serverjson"
	"bridgekeeper/app/wire"
)

// DefaultRegistry is the official registry; its interface v0.1 doesn't change.
const DefaultRegistry = "https://registry.modelcontextprotocol.io"

const (
	// answerTime bounds one request, also to a slow registry.
	answerTime = 20 * time.Second
	// maxAnswer bounds an answer in bytes: a page of 100 servers is below 1 MiB.
	maxAnswer = 8 << 20
	// fresh is how long an answer is used without asking again, as the registry wishes.
	fresh = time.Hour
	// maxCursor bounds what comes back to us as a cursor.
	maxCursor = 1024
)

// Registry is a client of an MCP registry, v0.1.
type Registry struct {
	base  string
	http  *http.Client
	cache *cache
	now   func() time.Time
}

// NewRegistry asks the registry at base; "" is the official one. Answers are kept
// below dir.
func NewRegistry(base, dir string, client *http.Client) *Registry {
	if base == "" {
		base = DefaultRegistry
	}
	base = strings.TrimRight(base, "/")
	for _, version := range []string{"/v0.1", "/v0"} {
		base = strings.TrimSuffix(base, version)
	}
	return &Registry{base: base, http: client, cache: &cache{dir: dir}, now: time.Now}
}

// listed is one server of an answer.
type listed struct {
	Server json.RawMessage `json:"server"`
	Meta   struct {
		Official struct {
			Status        string    `json:"status"`
			StatusMessage string    `json:"statusMessage"`
			UpdatedAt     time.Time `json:"updatedAt"`
			IsLatest      bool      `json:"isLatest"`
		} `json:"io.modelcontextprotocol.registry/official"`
	} `json:"_meta"`
}

type page struct {
	Servers  []listed `json:"servers"`
	Metadata struct {
		NextCursor string `json:"nextCursor"`
		Older      string `json:"next_cursor"` // of registries before v0.1
	} `json:"metadata"`
}

// Found is a server of the registry.
type Found struct {
	Server  *serverjson.Server
	Raw     json.RawMessage
	Status  string // active, deprecated, deleted
	Message string
	Latest  bool
}

// Page is one page of a search.
type Page struct {
	Servers []Found
	Cursor  string    // of the next page, as the registry gave it; "" at the end
	Age     time.Time // when the registry said so
	Offline string    // why this is an older answer; "" when it isn't
}

// Search returns one page of the newest versions. Without an answer, a kept one
// stands, with Page.Offline; offline asks for that alone. Deleted servers are left out.
func (r *Registry) Search(ctx context.Context, q wire.CatalogQuery) (*Page, error) {
	if len(q.Cursor) > maxCursor || len(q.Text) > 200 {
		return nil, &wire.Error{Code: wire.CodeBadRequest, Message: "the search or its cursor is too long"}
	}
	query := url.Values{"version": {"latest"}, "limit": {fmt.Sprint(limitOf(q.Limit))}}
	if q.Text != "" {
		query.Set("search", q.Text)
	}
	if q.Cursor != "" {
		query.Set("cursor", q.Cursor)
	}
	var answer page
	age, offline, err := r.get(ctx, "/v0.1/servers?"+query.Encode(), q.Offline, &answer)
	if err != nil {
		return nil, err
	}
	p := &Page{Age: age, Offline: offline, Cursor: answer.Metadata.NextCursor}
	if p.Cursor == "" {
		p.Cursor = answer.Metadata.Older
	}
	if p.Cursor == q.Cursor || len(p.Cursor) > maxCursor {
		p.Cursor = "" // it would lead here again
	}
	for _, l := range answer.Servers {
		if f, ok := l.found(); ok && f.Status != "deleted" {
			p.Servers = append(p.Servers, f)
		}
	}
	return p, nil
}

func limitOf(n int) int {
	if n <= 0 {
		return 30
	}
	return min(n, 100)
}

// found reads one server; one that can't be read is left out of a list.
func (l *listed) found() (Found, bool) {
	s, err := serverjson.Parse(l.Server)
	if err != nil {
		return Found{}, false
	}
	f := Found{Server: s, Raw: l.Server, Status: l.Meta.Official.Status, Message: l.Meta.Official.StatusMessage, Latest: l.Meta.Official.IsLatest}
	if f.Status == "" {
		f.Status = s.Status // before 2025-09-29
	}
	if f.Status == "" {
		f.Status = "active"
	}
	return f, true
}

// Version returns one version of a server; "" is the latest. CodeNotInCatalog says
// that the registry has none.
func (r *Registry) Version(ctx context.Context, name, version string, offline bool) (*Found, error) {
	if version == "" {
		version = "latest"
	}
	var l listed
	if _, _, err := r.get(ctx, "/v0.1/servers/"+url.PathEscape(name)+"/versions/"+url.PathEscape(version), offline, &l); err != nil {
		return nil, err
	}
	f, ok := l.found()
	if !ok {
		return nil, r.wrong("its answer for %.100q is no server", name)
	}
	if f.Server.Name != name {
		return nil, r.wrong("it was asked for %.100q and answered with %.100q", name, f.Server.Name)
	}
	return &f, nil
}

// Versions are the versions of a server, in the registry's order: only it knows
// which is the newest.
func (r *Registry) Versions(ctx context.Context, name string, offline bool) ([]Found, error) {
	var answer page
	if _, _, err := r.get(ctx, "/v0.1/servers/"+url.PathEscape(name)+"/versions", offline, &answer); err != nil {
		return nil, err
	}
	var list []Found
	for _, l := range answer.Servers {
		if f, ok := l.found(); ok {
			list = append(list, f)
		}
	}
	return list, nil
}

// get asks for a path, or takes what was kept. age is when the answer was given.
func (r *Registry) get(ctx context.Context, path string, offline bool, into any) (age time.Time, why string, err error) {
	address := r.base + path
	kept, has := r.cache.read(address)
	use := func(why string) (time.Time, string, error) {
		if err := json.Unmarshal(kept.Body, into); err != nil {
			return time.Time{}, "", r.wrong("what was kept of it can't be read: %s", err)
		}
		return kept.At, why, nil
	}
	age0 := r.now().Sub(kept.At)
	switch {
	case has && !offline && age0 >= 0 && age0 < fresh:
		return use("")
	case has && offline:
		return use("it was not asked")
	case offline:
		return time.Time{}, "", &wire.Error{Code: wire.CodeCatalog, Message: "Nothing of this is kept from the registry.", Hint: "Ask again without --offline."}
	}
	body, etag, same, err := r.ask(ctx, address, kept.ETag)
	switch {
	case err == nil && same && has:
		kept.At = r.now()
		r.cache.write(address, kept)
		return use("")
	case err == nil:
		if err := json.Unmarshal(body, into); err != nil {
			err := r.wrong("its answer can't be read: %s", strings.TrimPrefix(err.Error(), "json: "))
			if has {
				return use(err.Message)
			}
			return time.Time{}, "", err
		}
		at := r.now()
		r.cache.write(address, entry{Address: address, At: at, ETag: etag, Body: body})
		return at, "", nil
	case has && wire.AsError(err).Code == wire.CodeCatalog:
		return use(wire.AsError(err).Message)
	}
	return time.Time{}, "", err
}

// ask makes one request. same means that what has etag is still right.
func (r *Registry) ask(ctx context.Context, address, etag string) (body []byte, newTag string, same bool, err error) {
	within, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(within, http.MethodGet, address, nil)
	if err != nil {
		return nil, "", false, r.wrong("its address can't be: %s", err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "bridgekeeper")
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	resp, err := r.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, "", false, ctx.Err()
		}
		return nil, "", false, r.wrong("it can't be reached: %s", plain(err))
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case ctx.Err() != nil:
		return nil, "", false, ctx.Err()
	case err != nil:
		return nil, "", false, r.wrong("its answer broke off: %s", plain(err))
	case len(body) > maxAnswer:
		return nil, "", false, r.wrong("its answer is larger than %d MiB", maxAnswer>>20)
	case resp.StatusCode == http.StatusNotModified && etag != "":
		return nil, etag, true, nil
	case resp.StatusCode == http.StatusNotFound:
		return nil, "", false, &wire.Error{Code: wire.CodeNotInCatalog, Message: "The registry has no such server, or not in that version.", Hint: "`bridgekeeper catalog search WORD` shows names."}
	case resp.StatusCode != http.StatusOK:
		return nil, "", false, r.wrong("it answered %s%s", resp.Status, said(body))
	}
	return body, resp.Header.Get("ETag"), false, nil
}

// plain is an error without the address in it.
func plain(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		if u.Timeout() {
			return fmt.Sprintf("no answer within %s", answerTime)
		}
		err = u.Err
	}
	return err.Error()
}

// said are the words of a registry's error.
func said(body []byte) string {
	var e struct {
		Error  string `json:"error"`
		Detail string `json:"detail"`
	}
	if json.Unmarshal(body, &e) != nil || e.Error+e.Detail == "" {
		return ""
	}
	return fmt.Sprintf(": %.200s", e.Error+e.Detail)
}

func (r *Registry) wrong(format string, args ...any) *wire.Error {
	host := r.base
	if u, err := url.Parse(r.base); err == nil && u.Host != "" {
		host = u.Host
	}
	return &wire.Error{Code: wire.CodeCatalog, Message: fmt.Sprintf("The registry %s: "+format+".", append([]any{host}, args...)...),
		Hint: "The list that comes with Bridgekeeper needs no net: `bridgekeeper catalog search --offline`."}
}
