package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bridgekeeper/test/shipped"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// legacyEra is the newest revision that begins with initialize: what today's
// hosts speak.
const legacyEra = "2025-11-25"

// bearer adds the host's token to each request.
type bearer struct{ token string }

func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(req)
}

func (d *demo) dial(ctx context.Context, url, era string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "demo", Version: "1"}, nil)
	// The session outlives the step that opened it.
	ctx = context.WithoutCancel(ctx)
	return client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   url,
		HTTPClient: &http.Client{Transport: bearer{d.token}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: era})
}

func (d *demo) connect(ctx context.Context) error {
	d.out.sent("POST %s  initialize, without the token", d.core.URL)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.core.URL, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"nobody","version":"1"}}}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	res.Body.Close()
	d.out.got("%s", res.Status)
	if res.StatusCode != http.StatusUnauthorized {
		return fmt.Errorf("without a token the answer is %s, want 401", res.Status)
	}
	d.out.sent("the same with the header Authorization: Bearer %s…", d.token[:6])
	if d.client, err = d.dial(ctx, d.core.URL, legacyEra); err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	init := d.client.InitializeResult()
	if init.ServerInfo == nil || init.Capabilities.Tools == nil {
		return fmt.Errorf("initialize answered %s", compact(init))
	}
	d.out.got("server %s %s, protocol %s, capabilities %s", init.ServerInfo.Name, init.ServerInfo.Version, init.ProtocolVersion, compact(init.Capabilities))
	d.out.done("connected")
	return nil
}

func (d *demo) listTools(ctx context.Context) error {
	d.out.sent("tools/list")
	names, err := d.toolNames(ctx, d.client)
	if err != nil {
		return err
	}
	for _, server := range []string{"rooms", "tickets"} {
		var of []string
		for _, n := range names {
			if strings.HasPrefix(n, server+"__") {
				of = append(of, n)
			}
		}
		d.out.got("%s", words(of))
	}
	for _, want := range []string{"rooms__list_rooms", "rooms__reboot_room", "rooms__search", "tickets__search", "tickets__close_ticket"} {
		if !slices.Contains(names, want) {
			return fmt.Errorf("%s is not listed in %v", want, names)
		}
	}
	d.out.done("%d tools; both servers have a `search`, and the names tell them apart", len(names))
	return nil
}

func (d *demo) toolNames(ctx context.Context, s *mcp.ClientSession) ([]string, error) {
	var names []string
	for tool, err := range s.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list tools: %w", err)
		}
		names = append(names, tool.Name)
	}
	return names, nil
}

func (d *demo) listRest(ctx context.Context) error {
	var resources, templates, prompts []string
	for r, err := range d.client.Resources(ctx, nil) {
		if err != nil {
			return fmt.Errorf("list resources: %w", err)
		}
		resources = append(resources, r.URI)
	}
	for r, err := range d.client.ResourceTemplates(ctx, nil) {
		if err != nil {
			return fmt.Errorf("list templates: %w", err)
		}
		templates = append(templates, r.URITemplate)
	}
	for p, err := range d.client.Prompts(ctx, nil) {
		if err != nil {
			return fmt.Errorf("list prompts: %w", err)
		}
		prompts = append(prompts, p.Name)
	}
	d.out.sent("resources/list, resources/templates/list, prompts/list")
	d.out.got("resources: %s\ntemplates: %s\nprompts:   %s", words(resources), words(templates), words(prompts))
	if !slices.Contains(resources, "docs://runbooks/no-audio") || !slices.Contains(templates, "rooms://{id}/status") ||
		!slices.Contains(templates, "tickets://{id}") || !slices.Contains(prompts, "rooms__triage-room") {
		return errors.New("something that the servers offer is not listed")
	}
	d.out.done("resource URIs are untouched, prompts are named like tools")
	return nil
}

func (d *demo) complete(ctx context.Context) error {
	d.out.sent(`completion/complete  prompt rooms__triage-room, room_id = "l"`)
	res, err := d.client.Complete(ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "rooms__triage-room"},
		Argument: mcp.CompleteParamsArgument{Name: "room_id", Value: "l"},
	})
	if err != nil {
		return err
	}
	d.out.got("%s", words(res.Completion.Values))
	if !slices.Equal(res.Completion.Values, []string{"larch", "linden"}) {
		return fmt.Errorf("completed to %v, want larch and linden", res.Completion.Values)
	}
	d.out.done("the rooms server itself completed it")
	return nil
}

func (d *demo) call(ctx context.Context, tool string, args map[string]any) (*mcp.CallToolResult, error) {
	d.out.sent("tools/call  %s %s", tool, compact(args))
	res, err := d.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", tool, err)
	}
	mark := ""
	if res.IsError {
		mark = "isError: "
	}
	d.out.got("%s%s", mark, text(res))
	return res, nil
}

func (d *demo) callReadOnly(ctx context.Context) error {
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"rooms__get_room_status", map[string]any{"room_id": "maple"}, `"state":"offline"`},
		{"rooms__search", map[string]any{"query": "no signal"}, `"id":"cedar"`},
		{"tickets__search", map[string]any{"query": "no signal"}, `"id":"T-1001"`},
	} {
		res, err := d.call(ctx, c.tool, c.args)
		if err != nil {
			return err
		}
		if res.IsError || !strings.Contains(text(res), c.want) {
			return fmt.Errorf("%s answered without %s", c.tool, c.want)
		}
	}
	d.out.done("three answers; the two searches went to different servers")
	return nil
}

func (d *demo) readResources(ctx context.Context) error {
	for _, r := range [][2]string{{"docs://runbooks/no-audio", "No audio"}, {"rooms://cedar/status", `"degraded"`}} {
		uri, want := r[0], r[1]
		d.out.sent("resources/read  %s", uri)
		res, err := d.client.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return fmt.Errorf("read %s: %w", uri, err)
		}
		if len(res.Contents) != 1 || !strings.Contains(res.Contents[0].Text, want) {
			return fmt.Errorf("%s holds no %q", uri, want)
		}
		lines := strings.Split(res.Contents[0].Text, "\n")
		d.out.got("%s, %d lines: %s …", res.Contents[0].MIMEType, len(lines), strings.Join(lines[:2], " "))
	}
	d.out.done("one is a fixed document, the other was made from the template rooms://{id}/status")
	return nil
}

func (d *demo) getPrompt(ctx context.Context) error {
	d.out.sent(`prompts/get  rooms__triage-room {"room_id":"cedar"}`)
	res, err := d.client.GetPrompt(ctx, &mcp.GetPromptParams{Name: "rooms__triage-room", Arguments: map[string]string{"room_id": "cedar"}})
	if err != nil {
		return err
	}
	if len(res.Messages) != 1 {
		return fmt.Errorf("the prompt has %d messages, want 1", len(res.Messages))
	}
	content, ok := res.Messages[0].Content.(*mcp.TextContent)
	if !ok || !strings.Contains(content.Text, "Cedar") {
		return fmt.Errorf("the prompt is %s", compact(res.Messages[0]))
	}
	d.out.got("%s", content.Text)
	d.out.done("a host can offer this to its person as a command")
	return nil
}

func (d *demo) callDeclined(ctx context.Context) error {
	res, err := d.call(ctx, "rooms__reboot_room", map[string]any{"room_id": "linden"})
	if err != nil {
		return err
	}
	if !res.IsError || len(text(res)) < 20 {
		return fmt.Errorf("want an isError result that says why, got isError %v: %q", res.IsError, text(res))
	}
	after, err := d.call(ctx, "rooms__get_room_status", map[string]any{"room_id": "linden"})
	if err != nil {
		return err
	}
	if !strings.Contains(text(after), `"reboots":0`) {
		return errors.New("the room was rebooted although the call was declined")
	}
	d.out.done("the model is told why, and the room was not rebooted")
	return nil
}

func (d *demo) alone(ctx context.Context) error {
	s, err := d.core.Status(ctx)
	if err != nil {
		return err
	}
	url := shipped.Server(s, "tickets").URL
	d.out.sent("connect to %s, tools/list", url)
	session, err := d.dial(ctx, url, legacyEra)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", url, err)
	}
	defer session.Close()
	names, err := d.toolNames(ctx, session)
	if err != nil {
		return err
	}
	d.out.got("%s", words(names))
	if !slices.Contains(names, "search") || slices.Contains(names, "list_rooms") || len(names) != 5 {
		return fmt.Errorf("tickets alone lists %v", names)
	}
	d.out.done("tickets only, names as the server wrote them")
	return nil
}

func (d *demo) modern(ctx context.Context) error {
	d.out.sent("server/discover, tools/list and a call, without a session")
	session, err := d.dial(ctx, d.core.URL, "2026-07-28")
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer session.Close()
	if got := session.InitializeResult().ProtocolVersion; got != "2026-07-28" || session.ID() != "" {
		return fmt.Errorf("negotiated %s with session %q, want 2026-07-28 without one", got, session.ID())
	}
	names, err := d.toolNames(ctx, session)
	if err != nil {
		return err
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "tickets__get_ticket", Arguments: map[string]any{"ticket_id": "T-1004"}})
	if err != nil {
		return fmt.Errorf("call: %w", err)
	}
	d.out.got("%d tools; %s", len(names), text(res))
	if res.IsError || !strings.Contains(text(res), "Cable replaced.") {
		return errors.New("that is not ticket T-1004")
	}
	d.out.done("hosts of both eras share the same servers")
	return nil
}
