package example

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// modernEra is the first revision in which a server can't send requests: it
// answers "input required" and is called again with what it asked for.
const modernEra = "2026-07-28"

const (
	askRoots   = "roots"
	askForm    = "form"
	askSummary = "summary"

	maxHours       = 72
	summaryTokens  = 300
	logLinesAnHour = 3
)

var logLevels = []string{"error", "warning", "info", "debug"}

// collected is the outcome of collect_logs.
type collected struct {
	RoomID  string `json:"room_id"`
	Level   string `json:"level"`
	Hours   int    `json:"hours"`
	Folder  string `json:"folder" jsonschema:"where a real tool would have written them"`
	Lines   int    `json:"lines"`
	Summary string `json:"summary"`
}

// choices is what is known after the first questions. In the modern era it
// travels through the client as requestState, so it is checked when it returns.
type choices struct {
	Level  string `json:"level"`
	Hours  int    `json:"hours"`
	Folder string `json:"folder"`
}

func (c choices) check() error {
	for _, l := range logLevels {
		if c.Level == l && c.Hours >= 1 && c.Hours <= maxHours && c.Folder != "" {
			return nil
		}
	}
	return fmt.Errorf("log level %q or %d hours is not on the form", c.Level, c.Hours)
}

// collect asks for folders, then a form, then a summary. Each thing the client
// lacks is replaced by a default, and the result says so.
func (s *roomsServer) collect(ctx context.Context, req *mcp.CallToolRequest, in roomArg) (*mcp.CallToolResult, *collected, error) {
	room, err := s.building.room(in.RoomID)
	if err != nil {
		return nil, nil, err
	}
	c := &collecting{req: req, room: room, caps: req.ClientCapabilities()}
	if c.caps == nil {
		c.caps = &mcp.ClientCapabilities{}
	}
	ask := c.askLegacy
	if req.ProtocolVersion() >= modernEra {
		ask = c.askModern
	}
	out, pending, err := c.run(ctx, ask)
	if err != nil {
		return nil, nil, err
	}
	return pending, out, nil
}

// collecting is one call of collect_logs.
type collecting struct {
	req  *mcp.CallToolRequest
	room Room
	caps *mcp.ClientCapabilities
}

// asker gets answers to the questions, or a result that asks the client for them.
type asker func(ctx context.Context, questions mcp.InputRequestMap, state string) (mcp.InputResponseMap, *mcp.CallToolResult, error)

func (c *collecting) run(ctx context.Context, ask asker) (*collected, *mcp.CallToolResult, error) {
	var chosen choices
	state := c.req.Params.RequestState
	if state == "" {
		answers, pending, err := ask(ctx, c.firstQuestions(), "")
		if err != nil || pending != nil {
			return nil, pending, err
		}
		if chosen, err = c.choose(answers); err != nil {
			return nil, nil, err
		}
		state = encode(chosen)
	} else if err := json.Unmarshal([]byte(state), &chosen); err != nil {
		return nil, nil, fmt.Errorf("read the request state: %w", err)
	}
	if err := chosen.check(); err != nil {
		return nil, nil, err
	}
	log := c.log(chosen)
	out := &collected{RoomID: c.room.ID, Level: chosen.Level, Hours: chosen.Hours, Folder: chosen.Folder, Lines: len(log)}
	if c.caps.Sampling == nil {
		out.Summary = "No summary: this client offers no model (sampling). The log's last line: " + log[len(log)-1]
		return out, nil, nil
	}
	answers, pending, err := ask(ctx, mcp.InputRequestMap{askSummary: summaryRequest(log)}, state)
	if err != nil || pending != nil {
		return nil, pending, err
	}
	out.Summary = summaryText(answers[askSummary])
	return out, nil, nil
}

// firstQuestions are those the client said it can answer.
func (c *collecting) firstQuestions() mcp.InputRequestMap {
	q := mcp.InputRequestMap{}
	if c.caps.RootsV2 != nil {
		q[askRoots] = &mcp.ListRootsParams{}
	}
	if c.caps.Elicitation != nil {
		q[askForm] = &mcp.ElicitParams{
			Mode:            "form",
			Message:         "Which log lines of " + c.room.Name + " shall be collected?",
			RequestedSchema: json.RawMessage(formSchema),
		}
	}
	return q
}

const formSchema = `{"type":"object","properties":{
"level":{"type":"string","title":"Lowest level","enum":["error","warning","info","debug"],"default":"warning"},
"hours":{"type":"integer","title":"Hours back","minimum":1,"maximum":72,"default":24}},"required":["level","hours"]}`

// choose turns the answers into choices, with a default for each missing one.
func (c *collecting) choose(answers mcp.InputResponseMap) (choices, error) {
	out := choices{Level: "warning", Hours: 24, Folder: "nowhere (this client offers no folder)"}
	if roots, ok := answers[askRoots].(*mcp.ListRootsResult); ok && len(roots.Roots) > 0 {
		out.Folder = roots.Roots[0].URI
	}
	form, ok := answers[askForm].(*mcp.ElicitResult)
	if !ok {
		return out, nil
	}
	if form.Action != "accept" {
		return out, fmt.Errorf("nothing was collected: the person chose %q on the form", form.Action)
	}
	if level, ok := form.Content["level"].(string); ok {
		out.Level = level
	}
	if hours, ok := form.Content["hours"].(float64); ok {
		out.Hours = int(hours)
	}
	return out, nil
}

// askLegacy sends the questions one after the other and waits for each.
func (c *collecting) askLegacy(ctx context.Context, questions mcp.InputRequestMap, _ string) (mcp.InputResponseMap, *mcp.CallToolResult, error) {
	answers := mcp.InputResponseMap{}
	for _, key := range []string{askRoots, askForm, askSummary} {
		var err error
		switch q := questions[key].(type) {
		case *mcp.ListRootsParams:
			answers[key], err = c.req.Session.ListRoots(ctx, q)
		case *mcp.ElicitParams:
			answers[key], err = c.req.Session.Elicit(ctx, q)
		case *mcp.CreateMessageParams:
			answers[key], err = c.req.Session.CreateMessage(ctx, q)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("ask the client for %s: %w", key, err)
		}
	}
	return answers, nil, nil
}

// askModern takes the answers that came with this call, or returns the result
// that makes the client call again.
func (c *collecting) askModern(_ context.Context, questions mcp.InputRequestMap, state string) (mcp.InputResponseMap, *mcp.CallToolResult, error) {
	for key := range questions {
		if _, ok := c.req.Params.InputResponses[key]; !ok {
			return nil, &mcp.CallToolResult{InputRequests: questions, RequestState: state}, nil
		}
	}
	return c.req.Params.InputResponses, nil, nil
}

// log is the room's log: made up, but the same for the same choices.
func (c *collecting) log(chosen choices) []string {
	out := []string{}
	for i := range chosen.Hours * logLinesAnHour {
		d := c.room.Devices[i%len(c.room.Devices)]
		out = append(out, fmt.Sprintf("-%dh %s %s: heartbeat %d", chosen.Hours-i/logLinesAnHour, d.ID, chosen.Level, i))
	}
	for _, p := range c.room.problems() {
		out = append(out, "now error "+p)
	}
	return out
}

func summaryRequest(log []string) *mcp.CreateMessageParams {
	text := "Summarise this device log in two sentences for a technician:\n" + strings.Join(log, "\n")
	return &mcp.CreateMessageParams{
		MaxTokens:    summaryTokens,
		SystemPrompt: "You are terse and never guess.",
		Messages:     []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
	}
}

func summaryText(answer mcp.InputResponse) string {
	var content mcp.Content
	switch a := answer.(type) {
	case *mcp.CreateMessageResult:
		content = a.Content
	case *mcp.CreateMessageWithToolsResult:
		if len(a.Content) > 0 {
			content = a.Content[0]
		}
	}
	if text, ok := content.(*mcp.TextContent); ok {
		return text.Text
	}
	return "No summary: the model's answer held no text."
}

func encode(c choices) string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // three plain fields
	}
	return string(b)
}
