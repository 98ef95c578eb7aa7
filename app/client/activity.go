package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"bridgekeeper/app/wire"
)

// Activity hands the entries of the record that fit to send, newest last. skipped
// counts lines of the record that could not be read.
func (c *Client) Activity(ctx context.Context, q wire.ActivityQuery, send func(wire.Activity) error) (skipped int, err error) {
	resp, err := c.send(ctx, http.MethodGet, "/activity?"+q.Values().Encode(), nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if err := decodeLines(ctx, resp.Body, send); err != nil {
		return 0, err
	}
	skipped, _ = strconv.Atoi(resp.Trailer.Get("Bridgekeeper-Skipped")) // none is sent for 0
	return skipped, nil
}

// FollowActivity hands the newest entries to send, and then each one as it begins
// and again, with the same ID, when it has ended.
func (c *Client) FollowActivity(ctx context.Context, q wire.ActivityQuery, send func(wire.Activity) error) error {
	return stream(ctx, c, "/activity/follow?"+q.Values().Encode(), send)
}

// ExportActivity writes the entries that fit to w, as jsonl or csv.
func (c *Client) ExportActivity(ctx context.Context, q wire.ActivityQuery, format string, w io.Writer) error {
	values := q.Values()
	values.Set("format", format)
	resp, err := c.send(ctx, http.MethodGet, "/activity/export?"+values.Encode(), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	out := &target{w: w}
	if _, err := io.Copy(out, resp.Body); err != nil {
		if out.failed != nil {
			return out.failed
		}
		return cut(ctx, err)
	}
	return nil
}

// target tells its own failures from those of reading.
type target struct {
	w      io.Writer
	failed error
}

func (t *target) Write(p []byte) (int, error) {
	n, err := t.w.Write(p)
	t.failed = errors.Join(t.failed, err)
	return n, err
}

// VerifyActivity looks whether the record is whole.
func (c *Client) VerifyActivity(ctx context.Context) (*wire.ActivityCheck, error) {
	var check wire.ActivityCheck
	return &check, c.do(ctx, http.MethodGet, "/activity/verify", nil, &check)
}
