package httpd

import (
	"fmt"
	"strings"
	"testing"

	"bridgekeeper/bridge/rpc"
)

// question asks the host of the one call in flight, as the server.
func (h held) question(id string) {
	h.Say(`{"jsonrpc":"2.0","id":` + id + `,"method":"elicitation/create","params":{"message":"Which \u0072oom?","requestedSchema":{"type":"object","n":1.0}}}`)
}

// answers collects what the rooms server gets as answers to its questions.
func (d *door) answers() chan *rpc.Message {
	answers := make(chan *rpc.Message, 64)
	d.rooms.Handle("", func(m *rpc.Message) { answers <- m })
	return answers
}

func TestAsk(t *testing.T) {
	d := open(t)
	answers := d.answers()
	s := d.begin("2025-06-18")
	standing := d.get(s)
	h := d.hold(rpc.CallTool)
	var m *rpc.Message
	stream := d.open(s, call("1", "rooms__wait", ""), func() {
		m = h.next(t)
		h.question(`"q"`)
	})
	got := stream.message()
	id := idOf(t, got.data)
	if got.data != `{"jsonrpc":"2.0","id":`+id+`,"method":"elicitation/create","params":{"message":"Which \u0072oom?","requestedSchema":{"type":"object","n":1.0}}}` {
		t.Errorf("the host was asked %s", got.data)
	}
	reply := `{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{"room":1.50}}}`
	d.want("another session answers", d.post(reply, d.begin("2025-06-18")), 202)
	d.want("the host answers", d.post("{\n"+reply[1:], s), 202)
	if a := await(t, answers); string(a.Raw) != `{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"room":1.50}}}` {
		t.Errorf("the server got %s", a.Raw)
	}
	d.want("the host answers again", d.post(reply, s), 202)

	h.question("7")
	id = idOf(t, stream.message().data)
	d.want("the host refuses", d.post(`{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32601,"message":"no","data":[1.0]}}`, s), 202)
	if a := await(t, answers); string(a.Raw) != `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no","data":[1.0]}}` {
		t.Errorf("the server got %s", a.Raw)
	}

	h.question("8")
	id = idOf(t, stream.message().data)
	h.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}`)
	if got := stream.message().data; got != `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}` {
		t.Errorf("the host was told %s", got)
	}
	h.Reply(m, "{}")
	if got := stream.message().data; got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("result %s", got)
	}
	d.do(d.request("DELETE", "/mcp", "", s))
	standing.end() // nothing of it came there
}

// A question that outlived its call kept its place among 64 for ever.
func TestQuestionsEndWithTheirCall(t *testing.T) {
	d := open(t)
	answers := d.answers()
	s := d.begin("2025-06-18")
	h := d.hold(rpc.CallTool)
	for n := range 2 * maxAsksAHost {
		var m *rpc.Message
		stream := d.open(s, call("1", "rooms__wait", ""), func() {
			m = h.next(t)
			h.question(fmt.Sprint(n))
		})
		if m := stream.message().data; !strings.Contains(m, "elicitation/create") {
			t.Fatalf("question %d: %s", n, m)
		}
		h.Reply(m, "{}") // without waiting for the answer
		a := await(t, answers)
		if !a.Error.Ok() || string(a.Bytes(a.ID)) != fmt.Sprint(n) {
			t.Fatalf("the server got %s", a.Raw)
		}
		for {
			if _, ok := stream.next(); !ok {
				break
			}
		}
	}
	if n := len(d.session(s).asks); n != 0 {
		t.Errorf("%d questions are still kept", n)
	}
}

func TestHostsThatCantBeAsked(t *testing.T) {
	d := open(t)
	answers := d.answers()
	h := d.hold(rpc.CallTool)
	undeclared := "Mcp-Session-Id: " + d.post(initialize("2025-06-18", `{"sampling":{}}`)).header.Get("Mcp-Session-Id")
	jsonOnly := d.begin("2025-06-18")
	for what, r := range map[string]*heldCall{
		"not declared": {undeclared, "Accept: */*"},
		"JSON only":    {jsonOnly, "Accept: application/json"},
	} {
		answer := d.later(d.request("POST", "/mcp", call("1", "rooms__wait", ""), r.session, r.accept))
		m := h.next(t)
		h.question("1")
		if a := await(t, answers); !strings.Contains(string(a.Raw), `"action":"decline"`) {
			t.Errorf("%s: the server got %s", what, a.Raw)
		}
		h.Reply(m, "{}")
		d.want(what, await(t, answer), 200, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}
	// Asked all the same, such a host lost one of its places each time.
	x := &exchange{server: d.Server, session: d.session(jsonOnly)}
	m, _ := rpc.Scan([]byte(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`))
	if _, refused := x.Ask(t.Context(), &m); refused == nil || len(x.session.asks) != 0 {
		t.Errorf("asked: %v, %d kept", refused, len(x.session.asks))
	}
	if (&exchange{server: d.Server}).Declares("elicitation") {
		t.Error("a stateless request can be asked")
	}
}

type heldCall struct{ session, accept string }

func TestDeclares(t *testing.T) {
	s := newSession("desk", "", keepAlive)
	s.seat.Capabilities = []byte(`{"elicitation":{"url":{},"form":null},"roots":1}`)
	x := &exchange{session: s, accept: acceptance{true, true}}
	for capability, want := range map[string]bool{"elicitation": true, "elicitation.url": true, "elicitation.audio": false,
		"elicitation.url.x": false, "sampling": false, "roots": true, "roots.x": false} {
		if got := x.Declares(capability); got != want {
			t.Errorf("%s: %v", capability, got)
		}
	}
	s.seat.Capabilities = nil
	if x.Declares("elicitation") {
		t.Error("declared without capabilities")
	}
}

// The server waits for an answer while the host's session is ended.
func TestSessionEndsWhileAsked(t *testing.T) {
	d := open(t)
	answers := d.answers()
	s := d.begin("2025-06-18")
	h := d.hold(rpc.CallTool)
	stream := d.open(s, call("1", "rooms__wait", ""), func() {
		h.next(t)
		h.question("1")
	})
	stream.message()
	d.want("DELETE", d.do(d.request("DELETE", "/mcp", "", s)), 204)
	if a := await(t, answers); !a.Error.Ok() {
		t.Errorf("the server got %s", a.Raw)
	}
	for {
		if _, ok := stream.next(); !ok {
			break
		}
	}
}
