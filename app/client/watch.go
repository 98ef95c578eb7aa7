package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"bridgekeeper/app/wire"
)

// Waits between attempts to reach a core that went away.
const (
	firstRetry = 200 * time.Millisecond
	maxRetry   = 5 * time.Second // a person looks at the window after starting the core
)

// Watch hands every event to send, a snapshot first, and again after every time
// it had to connect anew. down, when it is not nil, hears why there is no
// connection, once each time. Watch returns when ctx ends or send fails.
func (c *Client) Watch(ctx context.Context, send func(wire.Event) error, down func(error)) error {
	return c.watch(ctx, "/watch", send, down)
}

// Glance is Watch for who needs neither memory nor processor time of servers: it
// costs the core nothing while nothing happens.
func (c *Client) Glance(ctx context.Context, send func(wire.Event) error, down func(error)) error {
	return c.watch(ctx, "/watch?glance=true", send, down)
}

// Attend is Watch by somebody who can answer questions: while it is connected,
// the core counts on that. It takes a client that the core lets answer.
func (c *Client) Attend(ctx context.Context, send func(wire.Event) error, down func(error)) error {
	return c.watch(ctx, "/watch?attend=true", send, down)
}

func (c *Client) watch(ctx context.Context, path string, send func(wire.Event) error, down func(error)) error {
	wait := firstRetry
	told := false
	var failed error
	for {
		err := stream(ctx, c, path, func(e wire.Event) error {
			wait, told = firstRetry, false
			failed = send(e)
			return failed
		})
		if failed != nil {
			return failed
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			err = &wire.Error{Code: wire.CodeNotRunning, Message: "the core ended", Hint: "Start it with `bridgekeeper serve`."}
		}
		if down != nil && !told {
			down(err)
			told = true
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
		wait = min(2*wait, maxRetry)
	}
}

// stream reads JSON lines until the end, an error, or one of send.
func stream[T any](ctx context.Context, c *Client, path string, send func(T) error) error {
	resp, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return decodeLines(ctx, resp.Body, send)
}

func decodeLines[T any](ctx context.Context, body io.Reader, send func(T) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue // a sign of life
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return &wire.Error{Code: wire.CodeInternal, Message: "read the core's stream: " + err.Error()}
		}
		if err := send(v); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return cut(ctx, err)
	}
	return ctx.Err()
}
