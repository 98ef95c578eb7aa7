package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"bridgekeeper/app/wire"
)

// SearchCatalog finds servers that can be added.
func (c *Client) SearchCatalog(ctx context.Context, q wire.CatalogQuery) (*wire.CatalogPage, error) {
	query := url.Values{"text": {q.Text}, "cursor": {q.Cursor}, "limit": {strconv.Itoa(q.Limit)}, "offline": {strconv.FormatBool(q.Offline)}}
	var page wire.CatalogPage
	return &page, c.do(ctx, http.MethodGet, "/catalog?"+query.Encode(), nil, &page)
}

// ShowCatalog returns one of them.
func (c *Client) ShowCatalog(ctx context.Context, name string, offline bool) (*wire.CatalogServer, error) {
	query := url.Values{"name": {name}, "offline": {strconv.FormatBool(offline)}}
	var one wire.CatalogServer
	return &one, c.do(ctx, http.MethodGet, "/catalog/server?"+query.Encode(), nil, &one)
}

// BeginDrafts makes drafts of a source. Nothing is written and nothing runs.
func (c *Client) BeginDrafts(ctx context.Context, req wire.NewDraft) ([]wire.Draft, error) {
	var list []wire.Draft
	err := c.do(ctx, http.MethodPost, "/drafts", req, &list)
	return list, err
}

// Draft returns a draft again.
func (c *Client) Draft(ctx context.Context, id string) (*wire.Draft, error) {
	var d wire.Draft
	return &d, c.do(ctx, http.MethodGet, draftPath(id, ""), nil, &d)
}

// FetchDraft fetches the bundle that a draft names; the answer takes its place.
func (c *Client) FetchDraft(ctx context.Context, id string) (*wire.Draft, error) {
	var d wire.Draft
	return &d, c.do(ctx, http.MethodPost, draftPath(id, "/fetch"), nil, &d)
}

// ReviewDraft says exactly what would run.
func (c *Client) ReviewDraft(ctx context.Context, id string, req wire.FillDraft) (*wire.Reviewed, error) {
	var r wire.Reviewed
	return &r, c.do(ctx, http.MethodPost, draftPath(id, "/review"), req, &r)
}

// AddDraft adds a draft's server, starts it and returns with its tools.
func (c *Client) AddDraft(ctx context.Context, id string, req wire.FillDraft) (*wire.Added, error) {
	var added wire.Added
	return &added, c.do(ctx, http.MethodPost, draftPath(id, "/add"), req, &added)
}

// DropDraft forgets a draft.
func (c *Client) DropDraft(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, draftPath(id, ""), nil, nil)
}

// CheckServer looks at a server as its authors should.
func (c *Client) CheckServer(ctx context.Context, name string, req wire.CheckServer) (*wire.CheckReport, error) {
	var report wire.CheckReport
	return &report, c.do(ctx, http.MethodPost, server(name, "check"), req, &report)
}

func draftPath(id, below string) string { return "/drafts/" + url.PathEscape(id) + below }
