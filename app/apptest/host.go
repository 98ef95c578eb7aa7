package apptest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Host is an AI application of the test's own: every byte it sends and reads is
// the test's.
type Host struct {
	tb      testing.TB
	URL     string
	Token   string
	Session string // "" before Begin
	HTTP    *http.Client

	ids atomic.Int64
}

// Host adds a host of that name and opens its session at the merged endpoint.
func (c *Core) Host(name string) *Host {
	c.tb.Helper()
	made, err := c.AddHost(context.Background(), name)
	if err != nil {
		c.tb.Fatal(err)
	}
	h := &Host{tb: c.tb, URL: made.URL, Token: made.Token, HTTP: &http.Client{Timeout: Patience, Transport: &http.Transport{}}}
	c.tb.Cleanup(h.HTTP.CloseIdleConnections)
	h.Begin()
	return h
}

// Again is the same host with one more session, over the same connections.
func (h *Host) Again() *Host {
	h.tb.Helper()
	other := &Host{tb: h.tb, URL: h.URL, Token: h.Token, HTTP: h.HTTP}
	other.Begin()
	return other
}

// Begin opens a session.
func (h *Host) Begin() {
	h.tb.Helper()
	h.Session = ""
	resp, body := h.Post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"apptest","version":"1"}}}`)
	if resp.StatusCode != http.StatusOK {
		h.tb.Fatalf("initialize: HTTP %d %s", resp.StatusCode, body)
	}
	h.Session = resp.Header.Get("Mcp-Session-Id")
	h.Post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// Do makes one request with the host's headers.
func (h *Host) Do(ctx context.Context, method, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, h.URL, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodGet {
		req.Header.Set("Accept", "text/event-stream")
	} else if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+h.Token)
	if h.Session != "" {
		req.Header.Set("Mcp-Session-Id", h.Session)
	}
	return h.HTTP.Do(req)
}

// Post sends one message and returns the whole answer.
func (h *Host) Post(body string) (*http.Response, string) {
	h.tb.Helper()
	resp, text, err := h.try(body)
	if err != nil {
		h.tb.Fatal(err)
	}
	return resp, text
}

func (h *Host) try(body string) (*http.Response, string, error) {
	resp, err := h.Do(context.Background(), http.MethodPost, body)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return resp, string(raw), err
}

// Call calls a tool and returns the raw response, from JSON or an event stream.
func (h *Host) Call(tool, arguments string) (string, error) {
	id := h.ids.Add(1)
	_, body, err := h.try(fmt.Sprintf(`{"jsonrpc":"2.0","id":"c%d","method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments))
	for line := range strings.SplitSeq(body, "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok && strings.Contains(data, fmt.Sprintf(`"id":"c%d"`, id)) {
			body = data
		}
	}
	return body, err
}

// MustCall is Call that wants a result without isError.
func (h *Host) MustCall(tool, arguments string) string {
	h.tb.Helper()
	body, err := h.Call(tool, arguments)
	if err != nil || !strings.Contains(body, `"result":`) || strings.Contains(body, `"isError":true`) {
		h.tb.Fatalf("call %s: %v %.500s", tool, err, body)
	}
	return body
}

// Tools returns the raw answer to tools/list.
func (h *Host) Tools() string {
	h.tb.Helper()
	_, body := h.Post(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	return body
}

// Stream is a session's standing event stream.
type Stream struct {
	body io.ReadCloser
	in   *bufio.Reader
}

// Listen opens the session's event stream.
func (h *Host) Listen(ctx context.Context) (*Stream, error) {
	resp, err := h.Do(ctx, http.MethodGet, "")
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("GET: HTTP %d", resp.StatusCode)
	}
	return &Stream{resp.Body, bufio.NewReader(resp.Body)}, nil
}

// Next returns the next message.
func (s *Stream) Next() (string, error) {
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return "", err
		}
		if data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok {
			return data, nil
		}
	}
}

// Close lets go of the stream.
func (s *Stream) Close() { s.body.Close() }

// bearer adds the host's token to each request.
type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(req)
}

// Connect connects a client of the official SDK as a host of that name.
func (c *Core) Connect(name string, opts *mcp.ClientOptions) *mcp.ClientSession {
	c.tb.Helper()
	made, err := c.AddHost(context.Background(), name)
	if err != nil {
		c.tb.Fatal(err)
	}
	transport := &http.Transport{}
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, opts).Connect(context.Background(),
		&mcp.StreamableClientTransport{Endpoint: made.URL, HTTPClient: &http.Client{Transport: bearer{made.Token, transport}}}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		c.tb.Fatal(err)
	}
	c.tb.Cleanup(func() {
		session.Close() // the core may be gone: nothing to tell
		transport.CloseIdleConnections()
	})
	return session
}
