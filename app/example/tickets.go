package example

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const ticketTemplate = "tickets://{id}"

// maxTickets bounds what callers can make the server keep.
const maxTickets = 1000

// Ticket is one report about a room.
type Ticket struct {
	ID      string   `json:"id"`
	RoomID  string   `json:"room_id"`
	Title   string   `json:"title"`
	State   string   `json:"state" jsonschema:"open or closed"`
	Notes   []string `json:"notes"`
	Outcome string   `json:"outcome,omitempty" jsonschema:"why it was closed"`
}

// ticketsServer is what the handlers of the tickets server share.
type ticketsServer struct {
	mu      sync.Mutex // guards tickets
	tickets []Ticket
}

func newTickets(t *tracer) *mcp.Server {
	s := &ticketsServer{tickets: firstTickets()}
	server := mcp.NewServer(&mcp.Implementation{Name: "tickets", Title: "Room tickets", Version: Version}, &mcp.ServerOptions{
		Instructions:       "Reports about meeting rooms. Search before you create: the fault may be known.",
		InitializedHandler: t.ready,
		CompletionHandler:  s.complete,
	})
	server.AddReceivingMiddleware(t.calls)
	mcp.AddTool(server, &mcp.Tool{
		Name: "list_tickets", Description: "List tickets, newest last.", Annotations: readOnly("List tickets"),
	}, s.list)
	mcp.AddTool(server, &mcp.Tool{
		Name: "get_ticket", Description: "One ticket with all its notes.", Annotations: readOnly("Ticket"),
	}, s.get)
	mcp.AddTool(server, &mcp.Tool{
		Name: "search", Description: "Find tickets by words in their title, room or notes.", Annotations: readOnly("Search tickets"),
	}, s.search)
	mcp.AddTool(server, &mcp.Tool{
		Name: "create_ticket", Description: "Write a new ticket about a room.", Annotations: changing("Create a ticket", false),
	}, s.create)
	mcp.AddTool(server, &mcp.Tool{
		Name: "close_ticket", Description: "Close a ticket. It can't be opened again.", Annotations: changing("Close a ticket", true),
	}, s.close)
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "ticket", Title: "A ticket", URITemplate: ticketTemplate, MIMEType: "application/json", Description: "One ticket with all its notes.",
	}, s.read)
	server.AddPrompt(&mcp.Prompt{
		Name: "summarise-ticket", Title: "Summarise a ticket", Description: "Sum up a ticket for the person who will fix it.",
		Arguments: []*mcp.PromptArgument{{Name: "ticket_id", Description: "such as T-1002", Required: true}},
	}, s.summarise)
	t.printf("ready, %d tickets", len(s.tickets))
	return server
}

type ticketArg struct {
	TicketID string `json:"ticket_id" jsonschema:"such as T-1002"`
}

type listTicketsArgs struct {
	State  string `json:"state,omitempty" jsonschema:"only open or only closed ones"`
	RoomID string `json:"room_id,omitempty" jsonschema:"only those about this room"`
}

type createArgs struct {
	RoomID string `json:"room_id"`
	Title  string `json:"title"`
	Note   string `json:"note,omitempty"`
}

type closeArgs struct {
	TicketID string `json:"ticket_id"`
	Outcome  string `json:"outcome" jsonschema:"what was done"`
}

type ticketList struct {
	Tickets []Ticket `json:"tickets"`
}

// pick returns copies of the tickets that want accepts.
func (s *ticketsServer) pick(want func(Ticket) bool) *ticketList {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := &ticketList{Tickets: []Ticket{}}
	for _, t := range s.tickets {
		if want(t) {
			t.Notes = slices.Clone(t.Notes)
			out.Tickets = append(out.Tickets, t)
		}
	}
	return out
}

func (s *ticketsServer) ticket(id string) (*Ticket, error) {
	found := s.pick(func(t Ticket) bool { return strings.EqualFold(t.ID, id) })
	if len(found.Tickets) == 0 {
		return nil, fmt.Errorf("no ticket %q; list_tickets shows the ids", id)
	}
	return &found.Tickets[0], nil
}

func (s *ticketsServer) list(_ context.Context, _ *mcp.CallToolRequest, in listTicketsArgs) (*mcp.CallToolResult, *ticketList, error) {
	return nil, s.pick(func(t Ticket) bool {
		return (in.State == "" || t.State == in.State) && (in.RoomID == "" || t.RoomID == in.RoomID)
	}), nil
}

func (s *ticketsServer) search(_ context.Context, _ *mcp.CallToolRequest, in searchArgs) (*mcp.CallToolResult, *ticketList, error) {
	words := strings.Fields(strings.ToLower(in.Query))
	return nil, s.pick(func(t Ticket) bool {
		text := strings.ToLower(fmt.Sprint(t))
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	}), nil
}

func (s *ticketsServer) get(_ context.Context, _ *mcp.CallToolRequest, in ticketArg) (*mcp.CallToolResult, *Ticket, error) {
	t, err := s.ticket(in.TicketID)
	return nil, t, err
}

func (s *ticketsServer) create(_ context.Context, _ *mcp.CallToolRequest, in createArgs) (*mcp.CallToolResult, *Ticket, error) {
	if strings.TrimSpace(in.Title) == "" {
		return nil, nil, fmt.Errorf("a ticket needs a title")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tickets) >= maxTickets {
		return nil, nil, fmt.Errorf("there are %d tickets already; restart the example to begin again", maxTickets)
	}
	t := Ticket{ID: fmt.Sprintf("T-%d", firstTicket+len(s.tickets)), RoomID: in.RoomID, Title: in.Title, State: "open", Notes: []string{}}
	if in.Note != "" {
		t.Notes = append(t.Notes, in.Note)
	}
	s.tickets = append(s.tickets, t)
	return nil, &t, nil
}

func (s *ticketsServer) close(_ context.Context, _ *mcp.CallToolRequest, in closeArgs) (*mcp.CallToolResult, *Ticket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.tickets, func(t Ticket) bool { return strings.EqualFold(t.ID, in.TicketID) })
	if i < 0 {
		return nil, nil, fmt.Errorf("no ticket %q; list_tickets shows the ids", in.TicketID)
	}
	if s.tickets[i].State == "closed" {
		return nil, nil, fmt.Errorf("ticket %s is closed already", s.tickets[i].ID)
	}
	s.tickets[i].State, s.tickets[i].Outcome = "closed", in.Outcome
	t := s.tickets[i]
	t.Notes = slices.Clone(t.Notes)
	return nil, &t, nil
}

func (s *ticketsServer) read(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	t, err := s.ticket(strings.TrimPrefix(uri, "tickets://"))
	if err != nil {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	text, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode ticket %s: %w", t.ID, err)
	}
	return textResource(uri, "application/json", string(text)), nil
}

func (s *ticketsServer) summarise(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	t, err := s.ticket(req.Params.Arguments["ticket_id"])
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("Sum up ticket %s (%s, room %s, %s) in three lines for the person who will fix it.\nNotes:\n- %s",
		t.ID, t.Title, t.RoomID, t.State, strings.Join(t.Notes, "\n- "))
	return userPrompt("Summary of "+t.ID, text), nil
}

// complete offers ticket ids for the prompt's argument and for the template's.
func (s *ticketsServer) complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	ref, arg := req.Params.Ref, req.Params.Argument
	forPrompt := ref != nil && ref.Type == "ref/prompt" && ref.Name == "summarise-ticket" && arg.Name == "ticket_id"
	forTemplate := ref != nil && ref.Type == "ref/resource" && ref.URI == ticketTemplate && arg.Name == "id"
	if !forPrompt && !forTemplate {
		return complete(nil, ""), nil
	}
	ids := []string{}
	typed := strings.ToUpper(arg.Value)
	for _, t := range s.pick(func(t Ticket) bool { return strings.HasPrefix(t.ID, typed) }).Tickets {
		ids = append(ids, t.ID)
	}
	return complete(ids, ""), nil
}

// firstTicket is the number of the oldest ticket; none is ever removed.
const firstTicket = 1001

// firstTickets are the tickets as every start finds them.
func firstTickets() []Ticket {
	return []Ticket{
		{ID: "T-1001", RoomID: "cedar", Title: "Far end can't hear us in Cedar", State: "open", Notes: []string{
			"Reported by two meetings in a row.", "The ceiling microphone shows no signal since 07:40."}},
		{ID: "T-1002", RoomID: "juniper", Title: "Camera in Juniper looks at the wall", State: "open", Notes: []string{
			"Tracking lost its calibration after the move of the table."}},
		{ID: "T-1003", RoomID: "maple", Title: "Maple is dark", State: "open", Notes: []string{
			"Codec does not answer on the network.", "Switch port 3/17 is up."}},
		{ID: "T-1004", RoomID: "willow", Title: "Second display flickers in the boardroom", State: "closed", Notes: []string{
			"Only with the old dock."}, Outcome: "Cable replaced."},
		{ID: "T-1005", RoomID: "aspen", Title: "Touch panel asks for a sign-in", State: "closed", Notes: []string{}, Outcome: "Signed in again."},
	}
}
