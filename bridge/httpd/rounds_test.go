package httpd

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// asks calls a tool as a stateless host that can be asked; more are members of
// the params, id and token its own.
func (d *door) asks(id int, token, more string) *events {
	d.Helper()
	body := strings.Replace(stateless(rpc.CallTool, `"name":"rooms__wait","arguments":{"id":1.0}`+more), `"id":1,`, fmt.Sprintf(`"id":%d,`, id), 1)
	body = strings.Replace(body, `Capabilities":{}`, `Capabilities":{"elicitation":{}},"progressToken":`+token, 1)
	return d.stream(d.modernRequest(body))
}

// A stateless host is asked and comes back; meanwhile other requests use the
// buffers that its first one came in.
func TestHeldCallOverHTTP(t *testing.T) {
	d := open(t, quick)
	answers := d.answers()
	h := d.hold(rpc.CallTool)
	out := make(chan *events, 1)
	go func() { out <- d.asks(1, `"one"`, "") }()
	m := h.next(t)
	first := await(t, out) // a sign of life has opened it
	h.question("5")
	var asked struct {
		ID     int
		Result struct {
			ResultType, RequestState string
			InputRequests            map[string]struct{ Params json.RawMessage }
		}
	}
	for asked.Result.RequestState == "" {
		got := first.message().data
		if err := json.Unmarshal([]byte(got), &asked); err != nil {
			t.Fatal(err)
		}
	}
	first.end()
	if asked.ID != 1 || asked.Result.ResultType != "input_required" || len(asked.Result.InputRequests) != 1 {
		t.Fatalf("the host got %+v", asked)
	}
	var others sync.WaitGroup
	for range 20 {
		others.Go(func() {
			d.want("another", d.modern(stateless(rpc.ReadResource, `"uri":"rooms://1/status","acme":"`+strings.Repeat("#", 500)+`"`)), 200, "result")
		})
	}
	others.Wait()
	for key, q := range asked.Result.InputRequests {
		if string(q.Params) != `{"message":"Which \u0072oom?","requestedSchema":{"type":"object","n":1.0}}` {
			t.Errorf("the host was asked %s", q.Params)
		}
		more := fmt.Sprintf(`,"inputResponses":{%q:{"action":"accept","content":{"n":1.50}}},"requestState":%q`, key, asked.Result.RequestState)
		go func() { out <- d.asks(2, "22", more) }()
	}
	if a := await(t, answers); string(a.Raw) != `{"jsonrpc":"2.0","id":5,"result":{"action":"accept","content":{"n":1.50}}}` {
		t.Errorf("the server got %s", a.Raw)
	}
	second := await(t, out)
	h.progress(m, 3)
	for {
		got := second.message().data
		if token, _, value := progressOf(t, got); token != "22" {
			t.Fatalf("the host was told %s", got)
		} else if value == 3 {
			break
		}
	}
	h.Reply(m, `{"content":[],"k":1.0}`)
	got := second.message().data
	for strings.Contains(got, "still running") {
		got = second.message().data
	}
	if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":2,"result":{`) || !strings.Contains(got, `"k":1.0`) {
		t.Errorf("the host got %s", got)
	}
	second.end()
	if _, begun := d.stage.Gate.Outcomes(); begun != 1 {
		t.Errorf("the gate was asked %d times", begun)
	}
}

// An array of calls, whose host can't be asked, at a server that wants a page visited.
func TestRoundsOfABatch(t *testing.T) {
	d := open(t)
	d.modernRooms(`{"resultType":"input_required","inputRequests":{"p":{"method":"elicitation/create","params":{"mode":"url","url":"https://x.example/","message":"go"}}}}`)
	s := d.begin("2025-03-26")
	d.want("array", d.post("["+call("1", "new__t", "")+"]", s, "Accept: application/json"), 200, `[{"jsonrpc":"2.0","id":1,"result":{"content":[]}}]`)
}

// A host that sent its calls as an array could not be asked.
func TestQuestionsOfABatch(t *testing.T) {
	d := open(t)
	d.modernRooms(`{"resultType":"input_required","inputRequests":{"p":{"method":"elicitation/create","params":{"message":"go"}}}}`)
	s := d.begin("2025-03-26")
	answer := d.stream(d.request("POST", "/mcp", "["+call("1", "new__t", "")+","+call("2", "rooms__status", "")+"]", s))
	heard := map[string]string{}
	for len(heard) < 3 {
		m := answer.message().data
		heard[idOf(t, m)] = m
		if strings.Contains(m, "elicitation/create") {
			d.want("answer", d.post(`{"jsonrpc":"2.0","id":`+idOf(t, m)+`,"result":{"action":"accept"}}`, s), 202)
		}
	}
	if heard["1"] != `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}` || !strings.Contains(heard["2"], "free") {
		t.Errorf("the host got %q", heard)
	}
	answer.end()
}

// modernRooms adds a server "new" of 2026-07-28 whose tool first gives this result,
// then an empty one.
func (d *door) modernRooms(first string) {
	d.Helper()
	d.stage.Configure([]string{"rooms", "new"}, func(string) bool { return false })
	a := d.stage.Open("new", map[string]string{
		rpc.Discover:  `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`,
		rpc.ListTools: `{"tools":[{"name":"t"}]}`,
	}, upstream.Modern)
	results := []string{first, `{"resultType":"complete","content":[]}`}
	a.Handle(rpc.CallTool, func(m *rpc.Message) {
		a.Reply(m, results[0])
		results = results[1:]
	})
	d.stage.Ready("new", a.Session)
	d.retoolOnly("t")
}
