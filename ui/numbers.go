package ui

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

// whole reads a number from 0 that may be left out.
func whole(text, field string) (int, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, errors.New(lang.L("“{{.Field}}” wants a whole number, or nothing for no limit", named{"Field": field}))
	}
	return n, nil
}

func editing(server string, req wire.EditServer) func(context.Context, *client.Client) error {
	return func(ctx context.Context, c *client.Client) error { return c.EditServer(ctx, server, req) }
}
