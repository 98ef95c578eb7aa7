package example

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const legacyEra = "2025-11-25"

// connect serves the example in this process and returns a client's session.
func connect(t testing.TB, server *mcp.Server, era string, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	theirs, ours := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Run(ctx, theirs) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, opts)
	client.AddRoots(&mcp.Root{URI: "file:///home/ann/logs", Name: "logs"})
	session, err := client.Connect(ctx, ours, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() {
		session.Close()
		cancel()
		<-served
	})
	return session
}

func newServer(t testing.TB, name string, trace io.Writer) *mcp.Server {
	t.Helper()
	if name == "rooms" {
		return newRooms(&tracer{name: name, to: trace}, 0)
	}
	s, err := New(name, trace)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// call decodes the structured content of a successful call into out.
func call(t testing.TB, s *mcp.ClientSession, tool string, args map[string]any, out any) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if res.IsError {
		t.Fatalf("%s: tool error: %s", tool, text(res))
	}
	b, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, out); err != nil {
		t.Fatalf("%s: structured content %s: %v", tool, b, err)
	}
}

func text(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

func TestToolsSayWhatTheyDo(t *testing.T) {
	// kind of each tool: r read-only, d destructive, w neither
	want := map[string]map[string]byte{
		"rooms":   {"list_rooms": 'r', "get_room_status": 'r', "search": 'r', "reboot_room": 'd', "collect_logs": 'w'},
		"tickets": {"list_tickets": 'r', "get_ticket": 'r', "search": 'r', "create_ticket": 'w', "close_ticket": 'd'},
	}
	for _, name := range Names {
		s := connect(t, newServer(t, name, io.Discard), legacyEra, nil)
		res, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]byte{}
		for _, tool := range res.Tools {
			kind := byte('w')
			switch a := tool.Annotations; {
			case a.ReadOnlyHint:
				kind = 'r'
			case a.DestructiveHint == nil || *a.DestructiveHint:
				kind = 'd'
			}
			got[tool.Name] = kind
			if tool.Description == "" || tool.OutputSchema == nil {
				t.Errorf("%s %s lacks a description or an output schema", name, tool.Name)
			}
		}
		for tool, kind := range want[name] {
			if got[tool] != kind {
				t.Errorf("%s %s is %q, want %q", name, tool, got[tool], kind)
			}
		}
		if len(got) != len(want[name]) {
			t.Errorf("%s lists %d tools, want %d", name, len(got), len(want[name]))
		}
	}
}

func TestRebootIsReportedAfterwards(t *testing.T) {
	var mu sync.Mutex
	var steps []string
	updated := make(chan string, 1)
	s := connect(t, newServer(t, "rooms", io.Discard), legacyEra, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			steps = append(steps, req.Params.Message)
		},
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) { updated <- req.Params.URI },
	})
	var before, after Room
	call(t, s, "get_room_status", map[string]any{"room_id": "maple"}, &before)
	if before.State != "offline" || before.Reboots != 0 {
		t.Fatalf("maple begins %s with %d reboots", before.State, before.Reboots)
	}
	if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "rooms://maple/status"}); err != nil {
		t.Fatal(err)
	}
	params := &mcp.CallToolParams{Name: "reboot_room", Arguments: map[string]any{"room_id": "maple"}}
	params.SetProgressToken("p1")
	res, err := s.CallTool(t.Context(), params)
	if err != nil || res.IsError {
		t.Fatalf("reboot: %v %v", err, res)
	}
	if uri := <-updated; uri != "rooms://maple/status" {
		t.Errorf("update of %q", uri)
	}
	call(t, s, "get_room_status", map[string]any{"room_id": "maple"}, &after)
	if after.State != "ok" || after.Reboots != 1 || after.UptimeHours != 0 {
		t.Errorf("after a reboot maple is %s, %d reboots, up %d h", after.State, after.Reboots, after.UptimeHours)
	}
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(steps, rebootSteps) {
		t.Errorf("progress %q, want %q", steps, rebootSteps)
	}
}

func TestCollectLogsAsksForWhatTheClientHas(t *testing.T) {
	form := func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"level": "debug", "hours": 2}}, nil
	}
	refuse := func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	model := func(_ context.Context, req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
		return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "all quiet"}}, nil
	}
	tests := []struct {
		name    string
		opts    *mcp.ClientOptions
		want    collected
		failure string
	}{
		{"everything", &mcp.ClientOptions{ElicitationHandler: form, CreateMessageHandler: model},
			collected{"cedar", "debug", 2, "file:///home/ann/logs", 2*logLinesAnHour + 1, "all quiet"}, ""},
		{"nothing", &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}},
			collected{"cedar", "warning", 24, "nowhere (this client offers no folder)", 24*logLinesAnHour + 1, "No summary: this client offers no model"}, ""},
		{"a no", &mcp.ClientOptions{ElicitationHandler: refuse}, collected{}, `the person chose "decline"`},
	}
	for _, era := range []string{legacyEra, modernEra} {
		for _, tt := range tests {
			t.Run(era+" "+tt.name, func(t *testing.T) {
				s := connect(t, newServer(t, "rooms", io.Discard), era, tt.opts)
				if tt.failure != "" {
					res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "collect_logs", Arguments: map[string]any{"room_id": "cedar"}})
					if err != nil || !res.IsError || !strings.Contains(text(res), tt.failure) {
						t.Fatalf("got %v, %v; want a tool error with %q", res, err, tt.failure)
					}
					return
				}
				var got collected
				call(t, s, "collect_logs", map[string]any{"room_id": "cedar"}, &got)
				if strings.HasPrefix(got.Summary, tt.want.Summary) {
					got.Summary = tt.want.Summary
				}
				if got != tt.want {
					t.Errorf("got  %+v\nwant %+v", got, tt.want)
				}
			})
		}
	}
}

func TestResourcesPromptsAndCompletion(t *testing.T) {
	s := connect(t, newServer(t, "rooms", io.Discard), legacyEra, nil)
	ctx := t.Context()
	for uri, want := range map[string]string{runbookURI: "No audio", "rooms://cedar/status": `"state": "degraded"`} {
		res, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(res.Contents[0].Text, want) {
			t.Errorf("read %s: %v, want %q in it", uri, err, want)
		}
	}
	if _, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "rooms://attic/status"}); err == nil {
		t.Error("an unknown room was read")
	}
	prompt, err := s.GetPrompt(ctx, &mcp.GetPromptParams{Name: "triage-room", Arguments: map[string]string{"room_id": "cedar"}})
	if err != nil || !strings.Contains(prompt.Messages[0].Content.(*mcp.TextContent).Text, "no signal") {
		t.Errorf("triage-room: %v, want the fault in it", err)
	}
	refs := []struct {
		ref *mcp.CompleteReference
		arg string
	}{
		{&mcp.CompleteReference{Type: "ref/prompt", Name: "triage-room"}, "room_id"},
		{&mcp.CompleteReference{Type: "ref/resource", URI: statusTemplate}, "id"},
	}
	for _, r := range refs {
		res, err := s.Complete(ctx, &mcp.CompleteParams{Ref: r.ref, Argument: mcp.CompleteParamsArgument{Name: r.arg, Value: "l"}})
		if err != nil || !slices.Equal(res.Completion.Values, []string{"larch", "linden"}) {
			t.Errorf("complete %s: %v %v", r.ref.Type, res, err)
		}
	}
}

func TestTicketsLiveFromOpenToClosed(t *testing.T) {
	s := connect(t, newServer(t, "tickets", io.Discard), modernEra, nil)
	var made, closed Ticket
	call(t, s, "create_ticket", map[string]any{"room_id": "larch", "title": "Dock is loose"}, &made)
	if made.ID != "T-1006" || made.State != "open" {
		t.Fatalf("made %+v", made)
	}
	var found ticketList
	call(t, s, "search", map[string]any{"query": "LOOSE dock"}, &found)
	if len(found.Tickets) != 1 || found.Tickets[0].ID != made.ID {
		t.Errorf("search found %+v", found)
	}
	call(t, s, "close_ticket", map[string]any{"ticket_id": "t-1006", "outcome": "tightened"}, &closed)
	if closed.State != "closed" || closed.Outcome != "tightened" {
		t.Errorf("closed %+v", closed)
	}
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "close_ticket", Arguments: map[string]any{"ticket_id": "T-1006", "outcome": "again"}})
	if err != nil || !res.IsError {
		t.Errorf("closing twice: %v %v, want a tool error", res, err)
	}
	comp, err := s.Complete(t.Context(), &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: ticketTemplate},
		Argument: mcp.CompleteParamsArgument{Name: "id", Value: "t-1006"},
	})
	if err != nil || !slices.Equal(comp.Completion.Values, []string{"T-1006"}) {
		t.Errorf("complete: %v %v", comp, err)
	}
}

func TestTraceTellsCallsOnStderr(t *testing.T) {
	var trace syncBuffer
	s := connect(t, newServer(t, "rooms", &trace), legacyEra, nil)
	var r Room
	call(t, s, "get_room_status", map[string]any{"room_id": "aspen"}, &r)
	got := trace.String()
	for _, want := range []string{"rooms: ready, 10 rooms\n", `rooms: call get_room_status {"room_id":"aspen"} -> ok`} {
		if !strings.Contains(got, want) {
			t.Errorf("trace %q lacks %q", got, want)
		}
	}
}

func TestUnknownNameIsRefused(t *testing.T) {
	if _, err := New("attic", io.Discard); err == nil || !strings.Contains(err.Error(), "rooms, tickets") {
		t.Errorf("got %v, want an error that names the servers there are", err)
	}
}

// syncBuffer is a buffer that the server writes while the test reads.
type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
