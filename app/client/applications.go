package client

import (
	"context"
	"net/http"
	"net/url"

	"bridgekeeper/app/wire"
)

// Applications lists those that are known by their files.
func (c *Client) Applications(ctx context.Context) ([]wire.Application, error) {
	var list []wire.Application
	return list, c.do(ctx, http.MethodGet, "/applications", nil, &list)
}

// EditApplication does one of the wire.Verb… to an application's file.
func (c *Client) EditApplication(ctx context.Context, name, verb string, req wire.EditApplication) (*wire.EditedApplication, error) {
	var done wire.EditedApplication
	return &done, c.do(ctx, http.MethodPost, "/applications/"+url.PathEscape(name)+"/"+verb, req, &done)
}
