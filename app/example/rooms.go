package example

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	statusTemplate = "rooms://{id}/status"
	runbookURI     = "docs://runbooks/no-audio"
)

// roomsServer is what the handlers of the rooms server share.
type roomsServer struct {
	server   *mcp.Server
	trace    *tracer
	building *building
	step     time.Duration // of a reboot
}

func newRooms(t *tracer, step time.Duration) *mcp.Server {
	s := &roomsServer{trace: t, building: newBuilding(), step: step}
	subscribe := func(context.Context, *mcp.SubscribeRequest) error { return nil }
	unsubscribe := func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	s.server = mcp.NewServer(&mcp.Implementation{Name: "rooms", Title: "Meeting rooms", Version: Version}, &mcp.ServerOptions{
		Instructions:       "State of the meeting rooms of one building, and a way to reboot them. Look before you reboot: a room may be in a call.",
		InitializedHandler: t.ready,
		CompletionHandler:  s.complete,
		SubscribeHandler:   subscribe,
		UnsubscribeHandler: unsubscribe,
	})
	s.server.AddReceivingMiddleware(t.calls)
	s.addTools()
	s.addResources()
	s.server.AddPrompt(&mcp.Prompt{
		Name:        "triage-room",
		Title:       "Triage a room",
		Description: "Find out what is wrong with a meeting room and what to do about it.",
		Arguments:   []*mcp.PromptArgument{{Name: "room_id", Description: "the room's id, such as cedar", Required: true}},
	}, s.triage)
	t.printf("ready, %d rooms", len(s.building.ids()))
	return s.server
}

type roomArg struct {
	RoomID string `json:"room_id" jsonschema:"the room's id, such as cedar"`
}

type listArgs struct {
	State string `json:"state,omitempty" jsonschema:"only rooms in this state: ok, degraded or offline"`
}

type searchArgs struct {
	Query string `json:"query" jsonschema:"words that must all occur"`
}

// roomLine is a room in a list.
type roomLine struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Floor    string   `json:"floor"`
	Seats    int      `json:"seats"`
	State    string   `json:"state"`
	Problems []string `json:"problems,omitempty"`
}

type roomList struct {
	Rooms []roomLine `json:"rooms"`
}

func (s *roomsServer) addTools() {
	mcp.AddTool(s.server, &mcp.Tool{
		Name: "list_rooms", Description: "List the meeting rooms with their state.", Annotations: readOnly("List rooms"),
	}, s.list)
	mcp.AddTool(s.server, &mcp.Tool{
		Name: "get_room_status", Description: "One room with all its devices and what is wrong with them.", Annotations: readOnly("Room status"),
	}, s.status)
	mcp.AddTool(s.server, &mcp.Tool{
		Name: "search", Description: "Find rooms by words in their name, floor, state, devices or faults.", Annotations: readOnly("Search rooms"),
	}, s.search)
	mcp.AddTool(s.server, &mcp.Tool{
		Name: "reboot_room", Description: "Reboot every device of a room. A call in that room is cut off.", Annotations: changing("Reboot a room", true),
	}, s.reboot)
	mcp.AddTool(s.server, &mcp.Tool{
		Name:        "collect_logs",
		Description: "Collect the logs of a room's devices. Asks the client for its folders (roots), the person for the log level (elicitation) and the model for a summary (sampling).",
		Annotations: changing("Collect logs", false),
	}, s.collect)
}

func (s *roomsServer) list(_ context.Context, _ *mcp.CallToolRequest, in listArgs) (*mcp.CallToolResult, *roomList, error) {
	return nil, lines(s.building.list(in.State)), nil
}

func (s *roomsServer) search(_ context.Context, _ *mcp.CallToolRequest, in searchArgs) (*mcp.CallToolResult, *roomList, error) {
	var found []Room
	for _, r := range s.building.list("") {
		if r.matches(in.Query) {
			found = append(found, r)
		}
	}
	return nil, lines(found), nil
}

func lines(rooms []Room) *roomList {
	out := &roomList{Rooms: []roomLine{}}
	for _, r := range rooms {
		out.Rooms = append(out.Rooms, roomLine{r.ID, r.Name, r.Floor, r.Seats, r.State, r.problems()})
	}
	return out
}

func (s *roomsServer) status(_ context.Context, _ *mcp.CallToolRequest, in roomArg) (*mcp.CallToolResult, *Room, error) {
	r, err := s.building.room(in.RoomID)
	if err != nil {
		return nil, nil, err
	}
	return nil, &r, nil
}

// rebootSteps are told as progress, one after the other.
var rebootSteps = []string{"ending calls", "powering off", "powering on", "checking devices"}

func (s *roomsServer) reboot(ctx context.Context, req *mcp.CallToolRequest, in roomArg) (*mcp.CallToolResult, *Room, error) {
	if _, err := s.building.room(in.RoomID); err != nil {
		return nil, nil, err
	}
	token := req.Params.GetProgressToken()
	for i, step := range rebootSteps {
		s.trace.printf("%s: %s", in.RoomID, step)
		if token != nil {
			// A progress note that can't be sent is no reason to stop a reboot half way.
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Message: step, Progress: float64(i + 1), Total: float64(len(rebootSteps)),
			})
		}
		select {
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("reboot %s: cancelled while %s", in.RoomID, step)
		case <-time.After(s.step):
		}
	}
	r, err := s.building.reboot(in.RoomID)
	if err != nil {
		return nil, nil, err
	}
	uri := strings.ReplaceAll(statusTemplate, "{id}", r.ID)
	if err := s.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
		s.trace.printf("tell subscribers of %s: %v", uri, err)
	}
	return nil, &r, nil
}

func (s *roomsServer) addResources() {
	s.server.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "room-status", Title: "Status of a room", URITemplate: statusTemplate, MIMEType: "application/json",
		Description: "One room with all its devices. Subscribe to hear of reboots.",
	}, s.readStatus)
	s.server.AddResource(&mcp.Resource{
		Name: "runbook-no-audio", Title: "Runbook: no audio", URI: runbookURI, MIMEType: "text/markdown",
		Description: "What to try when a room can't hear or can't be heard.", Size: int64(len(noAudioRunbook)),
	}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return textResource(runbookURI, "text/markdown", noAudioRunbook), nil
	})
}

func (s *roomsServer) readStatus(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	id := strings.TrimSuffix(strings.TrimPrefix(uri, "rooms://"), "/status")
	r, err := s.building.room(id)
	if err != nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode room %s: %w", id, err)
	}
	return textResource(uri, "application/json", string(text)), nil
}

func (s *roomsServer) triage(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	r, err := s.building.room(req.Params.Arguments["room_id"])
	if err != nil {
		return nil, err
	}
	problems := "No device reports a fault."
	if p := r.problems(); len(p) > 0 {
		problems = "Faults now:\n- " + strings.Join(p, "\n- ")
	}
	text := fmt.Sprintf(`The room %s (id %s, floor %s, %d seats) is %s.
%s

Find out what is wrong. Start with get_room_status and the runbook %s, search the tickets for the same fault, and say
what you would do and why. Don't reboot the room while it is in a call.`, r.Name, r.ID, r.Floor, r.Seats, r.State, problems, runbookURI)
	return userPrompt("Triage of room "+r.Name, text), nil
}

// complete offers room ids for the prompt's argument and for the template's.
func (s *roomsServer) complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	ref, arg := req.Params.Ref, req.Params.Argument
	forPrompt := ref != nil && ref.Type == "ref/prompt" && ref.Name == "triage-room" && arg.Name == "room_id"
	forTemplate := ref != nil && ref.Type == "ref/resource" && ref.URI == statusTemplate && arg.Name == "id"
	if forPrompt || forTemplate {
		return complete(s.building.ids(), arg.Value), nil
	}
	return complete(nil, ""), nil
}

const noAudioRunbook = `# No audio in a meeting room

1. **Is it muted?** Look at the touch panel, then at the ring light of the microphone. Both must be off.
2. **Right device?** In the call's settings the microphone must be "Stratus Ceiling 2" and the speaker "Stratus Bar".
3. **Signal?** get_room_status: a microphone that is online with the note "no signal" has lost its audio link. Unplug its
   network cable for ten seconds; it comes back in about a minute.
4. **Still silent?** Reboot the room, but only when nobody is in a call there. This cures nine in ten.
5. **Twice in a week?** Write a ticket with the room's id and the device's firmware. Don't reboot a third time.
`
