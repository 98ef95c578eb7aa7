// Package example holds the two built-in MCP servers, rooms and tickets, that
// `bridgekeeper example NAME` runs on stdio. They give a newcomer, the demo and
// the tests something real to call: believable data about meeting rooms, kept
// in memory, the same at every start.
//
// They are ordinary servers, made with the official SDK, and know nothing of
// Bridgekeeper. The command line and the demo call Run; tests call New.
package example

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Names are the servers that Run and New know.
var Names = []string{"rooms", "tickets"}

// Version is what both servers report about themselves.
const Version = "1.0.0"

// rebootStep is how long one step of reboot_room takes: long enough to watch
// the progress, short enough not to bore.
const rebootStep = 150 * time.Millisecond

// Run serves the named example on this process's stdin and stdout until the
// other side closes stdin or ctx ends. What it does is told on stderr.
func Run(ctx context.Context, name string) error {
	server, err := New(name, os.Stderr)
	if err != nil {
		return err
	}
	err = server.Run(ctx, &mcp.StdioTransport{})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// New returns the named server with fresh data; it writes one line to trace
// when a client is ready and one for each call.
func New(name string, trace io.Writer) (*mcp.Server, error) {
	t := &tracer{name: name, to: trace}
	switch name {
	case "rooms":
		return newRooms(t, rebootStep), nil
	case "tickets":
		return newTickets(t), nil
	}
	return nil, fmt.Errorf("no example server %q (there are %s)", name, strings.Join(Names, ", "))
}

// tracer writes the progress lines of one server.
type tracer struct {
	name string

	mu sync.Mutex // one line at a time
	to io.Writer
}

func (t *tracer) printf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.to, t.name+": "+format+"\n", args...)
}

// ready is called when a legacy client has finished its handshake.
func (t *tracer) ready(_ context.Context, req *mcp.InitializedRequest) {
	client := "a client"
	if p := req.Session.InitializeParams(); p != nil && p.ClientInfo != nil {
		client = p.ClientInfo.Name
	}
	t.printf("ready for %s", client)
}

// calls is a middleware that tells what is asked and how it went.
func (t *tracer) calls(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		what := ""
		switch p := req.GetParams().(type) {
		case *mcp.CallToolParamsRaw:
			what = "call " + p.Name + " " + oneLine(p.Arguments)
		case *mcp.ReadResourceParams:
			what = "read " + p.URI
		case *mcp.GetPromptParams:
			what = "prompt " + p.Name
		default:
			return res, err // lists, pings and the handshake would only be noise
		}
		outcome := "ok"
		if r, ok := res.(*mcp.CallToolResult); ok && r != nil && r.IsError {
			outcome = "tool error"
		}
		if err != nil {
			outcome = err.Error()
		}
		t.printf("%s -> %s", what, outcome)
		return res, err
	}
}

// maxTrace bounds how much of a call's arguments a progress line shows.
const maxTrace = 200

func oneLine(raw json.RawMessage) string {
	s := strings.Join(strings.Fields(string(raw)), " ")
	if len(s) > maxTrace {
		s = s[:maxTrace] + "..."
	}
	return s
}

func readOnly(title string) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)}
}

func changing(title string, destructive bool) *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{Title: title, DestructiveHint: &destructive, OpenWorldHint: new(false)}
}

// maxCompletions is the protocol's limit on values in one completion.
const maxCompletions = 100

// complete offers the candidates that start with what was typed.
func complete(candidates []string, typed string) *mcp.CompleteResult {
	values := []string{}
	for _, c := range candidates {
		if strings.HasPrefix(c, strings.ToLower(typed)) {
			values = append(values, c)
		}
	}
	details := mcp.CompletionResultDetails{Values: values, Total: len(values)}
	if len(values) > maxCompletions {
		details.Values, details.HasMore = values[:maxCompletions], true
	}
	return &mcp.CompleteResult{Completion: details}
}

func textResource(uri, mime, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: text}}}
}

func userPrompt(description, text string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{
		Description: description,
		Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
	}
}
