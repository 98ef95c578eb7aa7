package httpd

import (
	"context"
	"strings"
	"testing"

	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// listenFor opens a subscriptions/listen with that id and filter.
func (d *door) listenFor(id, filter string) *events {
	d.Helper()
	body := strings.Replace(stateless(rpc.Listen, `"notifications":`+filter), `"id":1`, `"id":`+id, 1)
	return d.stream(d.modernRequest(body))
}

const mark = `"_meta":{"io.modelcontextprotocol/subscriptionId":`

func wantEvent(t testing.TB, e *events, want string) {
	t.Helper()
	if got := e.message(); got.data != want || got.id != "" {
		t.Errorf("the host got %+v, want %s", got, want)
	}
}

func TestListen(t *testing.T) {
	d := open(t)
	subscribed, unsubscribed := d.hold(rpc.Subscribe), d.hold(rpc.Unsubscribe)
	out := make(chan *events, 1)
	go func() {
		out <- d.listenFor(`"l \u0031"`, `{"toolsListChanged":true,"promptsListChanged":false,"acme":true,"resourceSubscriptions":["rooms://1/status","rooms://1/status","none://x",5]}`)
	}()
	m := subscribed.next(t)
	// Nothing that comes meanwhile is said before the acknowledgement.
	const updated = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"x":1.0,"uri":"rooms://1/status"}}`
	d.rooms.Say(updated)
	d.retool(1)
	d.rooms.Reply(m, "{}")
	d.rooms.Reply(subscribed.next(t), "{}") // the only one with resources is asked for others, too
	one := await(t, out)
	id := `"l \u0031"`
	wantEvent(t, one, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+mark+id+`},"notifications":{"toolsListChanged":true,"resourceSubscriptions":["rooms://1/status","none://x"]}}}`)
	two := d.listenFor("0", `{"promptsListChanged":true,"resourcesListChanged":true}`)
	wantEvent(t, two, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+mark+`0},"notifications":{"promptsListChanged":true,"resourcesListChanged":true}}}`)

	d.retool(2)
	wantEvent(t, one, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{`+mark+id+`}}}`)
	d.rooms.Say(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"rooms://2/status"}}`)
	d.rooms.Say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"emergency","data":1}}`)
	d.rooms.Say(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e"}}`)
	d.rooms.Say(updated)
	wantEvent(t, one, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{`+mark+id+`},"x":1.0,"uri":"rooms://1/status"}}`)
	d.rooms.Say(strings.Replace(updated, `{"x"`, `{"_meta":{"k":1.0},"x"`, 1))
	wantEvent(t, one, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":`+id+`,"k":1.0},"x":1.0,"uri":"rooms://1/status"}}`)
	d.rooms.Set(rpc.ListPrompts, `{"prompts":[]}`)
	d.rooms.Say(`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
	wantEvent(t, two, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{`+mark+`0}}}`)

	// A host that closed its connection kept its subscriptions at the server.
	one.close()
	for range 2 {
		d.rooms.Reply(unsubscribed.next(t), "{}")
	}
	// We stop.
	stopped := make(chan struct{})
	go func() { d.stop(); close(stopped) }()
	wantEvent(t, two, `{"jsonrpc":"2.0","id":0,"result":{`+mark+`0},"resultType":"complete"}}`)
	two.end()
	await(t, stopped)
}

// The goodbye of a stream was lost as often as not: what ends us ended it first.
func TestListenEndsInOrder(t *testing.T) {
	for range 20 {
		d := open(t)
		all := []*events{d.listenFor("1", `{}`), d.listenFor("2", `{"toolsListChanged":true}`)}
		for _, e := range all {
			e.message()
		}
		go d.stop()
		for _, e := range all {
			if got := e.message().data; !strings.Contains(got, `"resultType":"complete"`) {
				t.Fatalf("the host got %s", got)
			}
			e.end()
		}
	}
}

func TestBadListen(t *testing.T) {
	d := open(t)
	for _, params := range []string{"", `"notifications":5`, `"notifications":[]`, `"notifications":null`} {
		d.want(params, d.modern(stateless(rpc.Listen, params)), 400, `"code":-32602`, `"id":1`)
	}
	d.want("JSON only", d.modern(stateless(rpc.Listen, `"notifications":{}`), "Accept: application/json"), 406)
	s := d.begin("2025-11-25")
	d.want("in a session", d.post(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}`, s), 200, "-32601")
	d.listenFor("1", `{"resourceSubscriptions":"rooms://1/status"}`).message()
	if n := d.rooms.Got(rpc.Subscribe); n != 0 {
		t.Errorf("%d subscriptions", n)
	}
}

// A server that can't be subscribed to is left out of what is promised.
func TestListenWithoutSubscriptions(t *testing.T) {
	d := open(t)
	d.stage.Configure([]string{"rooms", "plain"}, func(string) bool { return false })
	d.stage.Up("plain", map[string]string{rpc.Initialize: `{"protocolVersion":"2025-11-25","capabilities":{"resources":{}},"serverInfo":{"name":"p","version":"1"}}`,
		rpc.ListResources: `{"resources":[{"uri":"plain://1"}]}`})
	e := d.listenFor("1", `{"resourceSubscriptions":["plain://1"]}`)
	wantEvent(t, e, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+mark+`1},"notifications":{}}}`)
	r := d.modernRequest(stateless(rpc.Listen, `"notifications":{"toolsListChanged":true,"resourcesListChanged":true}`))
	r.URL.Path = "/servers/plain/mcp"
	wantEvent(t, d.stream(r), `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+mark+`1},"notifications":{"resourcesListChanged":true}}}`)
}

func TestManyListens(t *testing.T) {
	s := New("1", Options{})
	for range maxListens {
		if !s.openListen(&listener{}) {
			t.Fatal("refused")
		}
	}
	one := &listener{}
	if s.openListen(one) {
		t.Error("one too many")
	}
	for l := range s.listens {
		s.closeListen(l)
		break
	}
	if !s.openListen(one) {
		t.Error("refused where there is room")
	}
}

// A seat whose connection is gone gave nothing up.
func TestLeaveOfAHostThatIsGone(t *testing.T) {
	d := open(t)
	d.rooms.Set(rpc.Subscribe, "{}")
	unsubscribed := d.hold(rpc.Unsubscribe)
	seat := &directory.Seat{Endpoint: "rooms", Host: "desk", Version: rpc.V20260728, Listener: &listener{}}
	if got := d.stage.Subscribe(t.Context(), seat, []string{"rooms://1/status"}); len(got) != 1 {
		t.Fatalf("subscribed to %q", got)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	left := make(chan struct{})
	go func() { d.leave(gone, seat); close(left) }()
	d.rooms.Reply(unsubscribed.next(t), "{}")
	await(t, left)
}

// News of a task are told to the host that asked for them, if the task is its own.
func TestListenForTasks(t *testing.T) {
	d := open(t)
	d.modernRooms(`{"resultType":"task","taskId":"t-1","ttlMs":60000}`)
	const extension = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	declared := func(body string) string {
		return strings.Replace(body, `"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":`+extension, 1)
	}
	d.want("call", d.do(d.modernRequest(declared(stateless(rpc.CallTool, `"name":"new__t"`)))), 200, `"taskId":"t-1"`)
	none := d.listenFor("1", `{"taskIds":["other"]}`)
	wantEvent(t, none, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+mark+`1},"notifications":{}}}`)
	one := d.listenFor("2", `{"taskIds":["t-1",5,"other"]}`)
	wantEvent(t, one, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+mark+`2},"notifications":{"taskIds":["t-1"]}}}`)
	m, err := rpc.Scan([]byte(`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"t-1","n":1.0}}`))
	if err != nil {
		t.Fatal(err)
	}
	d.stage.Notify("new", "", &m)
	wantEvent(t, one, `{"jsonrpc":"2.0","method":"notifications/tasks","params":{`+mark+`2},"taskId":"t-1","n":1.0}}`)
	got := d.do(d.modernRequest(declared(stateless(rpc.GetTask, `"taskId":"t-1"`)), "Authorization: Bearer other"))
	d.want("another host", got, 400, "Unknown task")
}
