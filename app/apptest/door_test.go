package apptest

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"bridgekeeper/test/misbehave"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The old transport reaches a real server, and the session of a server that is
// removed ends on either transport instead of hanging.
func TestOldTransportAndRemovedServers(t *testing.T) {
	c := Start(t, Options{LegacySSE: true})
	c.Add("echo", misbehave.Good)
	ctx, stop := context.WithTimeout(t.Context(), Patience)
	defer stop()
	c.UntilListed("echo")
	made, err := c.AddHost(ctx, "old")
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSuffix(made.URL, "/mcp")
	client := mcp.NewClient(&mcp.Implementation{Name: "old", Version: "1"}, nil)
	open := func(endpoint string) *mcp.ClientSession {
		session, err := client.Connect(ctx, &mcp.SSEClientTransport{Endpoint: base + endpoint, HTTPClient: &http.Client{Transport: withToken(made.Token)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
		return session
	}
	all, alone := open("/sse"), open("/servers/echo/sse")
	for session, tool := range map[*mcp.ClientSession]string{all: "echo__echo", alone: "echo"} {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"text": "hello"}})
		if err != nil || result.IsError {
			t.Fatalf("%s: %+v, %v", tool, result, err)
		}
	}
	if err := c.RemoveServer(ctx, "echo"); err != nil {
		t.Fatal(err)
	}
	if err := alone.Wait(); ctx.Err() != nil {
		t.Errorf("the session of a removed server goes on: %v", err)
	}
	if err := all.Ping(ctx, nil); err != nil {
		t.Error(err)
	}
}

// withToken adds a host's token to every request.
type withToken string

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(w))
	return http.DefaultTransport.RoundTrip(r)
}
