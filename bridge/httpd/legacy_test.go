package httpd

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bridgekeeper/bridge/rpc"
)

func TestInitialize(t *testing.T) {
	var seen []string
	d := open(t, func(s *Server) {
		s.opts.Seen = func(host, client, protocol string) { seen = append(seen, host+"/"+client+"/"+protocol) }
	})
	for asked, spoken := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25", "draft": "2025-11-25",
	} {
		got := d.post(initialize(asked, "{}"))
		d.want(asked, got, 200, `"protocolVersion":"`+spoken+`"`, `"id":0`, `"listChanged":true`, "Be gentle.")
		id := got.header.Get("Mcp-Session-Id")
		if len(id) < 20 || strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Errorf("session id %q", id)
		}
	}
	d.want("no version", d.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`), 200, "-32602")
	d.want("no params", d.post(`{"jsonrpc":"2.0","id":0,"method":"initialize"}`), 200, "-32602")
	d.want("a stale session id", d.post(initialize("2025-06-18", "{}"), "Mcp-Session-Id: long-gone"), 200, "2025-06-18")
	if got := d.Sessions()["desk"]; got != 8 {
		t.Errorf("%d sessions", got)
	}
	if len(seen) != 8 || !strings.HasPrefix(seen[0], "desk/host 9/20") {
		t.Errorf("seen %q", seen)
	}
	got := d.do(d.request("POST", "/servers/rooms/mcp", initialize("2025-06-18", "{}")))
	d.want("one server alone", got, 200, `"serverInfo":{"name":"fake","version":"1"}`, `"prompts":{"listChanged":true}`, `"instructions":"Be gentle."`)
}

func TestSessionRules(t *testing.T) {
	d := open(t)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	s := d.begin("2025-06-18")
	d.want("ping", d.post(ping, s), 200, `"result":{}`)
	d.want("with the version", d.post(ping, s, "Mcp-Protocol-Version: 2025-06-18"), 200)
	d.want("unknown version", d.post(ping, s, "Mcp-Protocol-Version: 2025-06-19"), 400)
	d.want("odd version", d.post(ping, s, "Mcp-Protocol-Version: 1"), 400)
	d.want("no session", d.post(ping), 400)
	d.want("unknown session", d.post(ping, "Mcp-Session-Id: nobody"), 404)
	d.want("another host's session", d.post(ping, s, "Authorization: Bearer other"), 404)
	d.want("another endpoint's session", d.do(d.request("POST", "/servers/rooms/mcp", ping, s)), 404)
	d.want("GET without a session", d.do(d.request("GET", "/mcp", "")), 400)
	d.want("GET of another host's", d.do(d.request("GET", "/mcp", "", s, "Authorization: Bearer other")), 404)
	d.want("DELETE of another host's", d.do(d.request("DELETE", "/mcp", "", s, "Authorization: Bearer other")), 404)
	d.want("still there", d.post(ping, s), 200)
	d.want("DELETE", d.do(d.request("DELETE", "/mcp", "", s)), 204)
	d.want("gone", d.post(ping, s), 404)
	d.want("DELETE again", d.do(d.request("DELETE", "/mcp", "", s)), 404)
}

func TestEndHost(t *testing.T) {
	d := open(t)
	mine, mine2, others := d.begin("2025-06-18"), d.begin("2025-06-18"), d.begin("2025-06-18", "Authorization: Bearer other")
	h := d.hold(rpc.CallTool)
	stream := d.get(mine2)
	answer := d.later(d.request("POST", "/mcp", call("1", "rooms__wait", ""), mine))
	h.next(t)
	d.EndHost("desk")
	d.want("a call in flight", await(t, answer), 200, "-32603", "session ended")
	stream.end()
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	d.want("mine", d.post(ping, mine), 404)
	d.want("the other's", d.post(ping, others, "Authorization: Bearer other"), 200)
	if got := d.Sessions(); got["desk"] != 0 || got["lap"] != 1 {
		t.Errorf("sessions %v", got)
	}
}

// Over the bound sessions that are in use were taken without end.
func TestTooManySessions(t *testing.T) {
	d := open(t)
	busy := d.begin("2025-06-18")
	stream := d.get(busy)
	seats := make([]*session, 0, maxSessions)
	for range maxSessions - 1 {
		one := newSession("lap", "", time.Hour)
		one.seat.Version = rpc.V20250618
		seats = append(seats, one)
		if why := d.enter(one); why != nil {
			t.Fatal(why)
		}
	}
	last := d.begin("2025-06-18")
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	d.want("the busy one", d.post(ping, busy), 200)
	d.want("the new one", d.post(ping, last), 200)
	if n := d.Sessions(); n["desk"]+n["lap"] != maxSessions || n["desk"] != 2 {
		t.Errorf("sessions %v", n)
	}
	if !seats[0].ended || seats[1].ended {
		t.Errorf("not the one that was idle longest made room")
	}
	d.do(d.request("DELETE", "/mcp", "", last))
	last = d.begin("2025-06-18") // there is room now
	for _, one := range seats[1:] {
		one.standing.attach()
	}
	got := d.get(last)
	d.want("one more than can be", d.post(initialize("2025-06-18", "{}")), 503, "too many")
	got.close()
	stream.close()
}

func TestCallsAreJSONUnlessMoreMustBeSaid(t *testing.T) {
	d := open(t)
	s := d.begin("2025-06-18")
	got := d.post(call("1", "rooms__status", `,"_meta":{"progressToken":"p"}`), s)
	d.want("quiet call", got, 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"free"}]}}`)
	if ct := got.header.Get("Content-Type"); ct != "application/json" {
		t.Errorf("Content-Type %s", ct)
	}
	h := d.hold(rpc.CallTool)
	for _, token := range []string{`"my-token"`, "7", "-1.50", `"\u0041\"😀"`} {
		stream := d.open(s, call("2", "rooms__wait", `,"_meta":{"x":1,"progressToken":`+token+`}`), func() {
			m := h.next(t)
			if m.Text(m.Name) != "wait" || m.Text(m.MetaProgressToken) == token {
				t.Errorf("the server got %s", m.Raw)
			}
			h.progress(m, 1)
			h.progress(m, 2)
			h.Reply(m, `{"content":[]}`)
		})
		for n := 1; n <= 2; n++ {
			if got := stream.message(); got.data != fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, token, n) {
				t.Errorf("progress %s", got.data)
			}
		}
		if got := stream.message(); got.data != `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}` {
			t.Errorf("result %s", got.data)
		}
		stream.end()
	}
}

// open starts a call that becomes an event stream; meanwhile runs while it is
// on its way.
func (d *door) open(session, body string, meanwhile func(), lines ...string) *events {
	d.Helper()
	out := make(chan *events, 1)
	go func() { out <- d.stream(d.request("POST", "/mcp", body, append(lines, session)...)) }()
	meanwhile()
	return await(d, out)
}

// A host that reads JSON only must get its result, progress or not.
func TestJSONOnlyHost(t *testing.T) {
	d := open(t, func(s *Server) { s.keepAlive = time.Millisecond })
	s := d.begin("2025-06-18")
	h := d.hold(rpc.CallTool)
	answer := d.later(d.request("POST", "/mcp", call("1", "rooms__wait", `,"_meta":{"progressToken":1}`), s, "Accept: application/json"))
	m := h.next(t)
	h.progress(m, 1)
	h.Reply(m, `{"content":[]}`)
	d.want("call", await(t, answer), 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
}

func TestSignsOfLife(t *testing.T) {
	d := open(t, func(s *Server) { s.keepAlive = 5 * time.Millisecond })
	s := d.begin("2025-06-18")
	h := d.hold(rpc.CallTool)
	var m *rpc.Message
	stream := d.open(s, call("1", "rooms__wait", ""), func() { m = h.next(t) })
	standing := d.get(s)
	for range 3 {
		for _, e := range []*events{stream, standing} {
			if one, ok := e.next(); !ok || one.comment == "" || one.data != "" {
				t.Errorf("no sign of life: %+v", one)
			}
		}
	}
	h.Reply(m, `{}`)
	if got := stream.message(); got.data != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("result %s", got.data)
	}
}

func TestCancel(t *testing.T) {
	d := open(t)
	s := d.begin("2025-06-18")
	h := d.hold(rpc.CallTool)
	cancelled := d.hold(rpc.Cancelled)
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"call","reason":"x"}}`
	d.want("nothing to cancel", d.post(cancel, s), 202)
	answer := d.later(d.request("POST", "/mcp", call(`"call"`, "rooms__wait", ""), s))
	m := h.next(t)
	d.want("another session's cancel", d.post(cancel, d.begin("2025-06-18")), 202)
	d.want("same id again", d.post(call(`"call"`, "rooms__wait", ""), s), 200, "-32600", "in use")
	d.want("same id, other session", d.post(`{"jsonrpc":"2.0","id":"call","method":"ping"}`, d.begin("2025-06-18")), 200, "result")
	d.want("cancel", d.post(cancel, s), 202)
	if got := await(t, answer); got.status != 202 || got.body != "" {
		t.Errorf("a cancelled call was answered: %d %s", got.status, got.body)
	}
	if c := cancelled.next(t); string(c.Bytes(c.RequestID)) != string(m.Bytes(m.ID)) {
		t.Errorf("the server was told %s for call %s", c.Raw, m.Raw)
	}
	if n := d.rooms.Got(rpc.Cancelled); n != 1 {
		t.Errorf("%d cancels", n)
	}
	_, outcome := d.stage.Gate.Last()
	if outcome != "cancelled" {
		t.Errorf("outcome %q", outcome)
	}
	// The id is free again, and a late reply of the server harms nobody.
	h.Reply(m, `{"content":["late"]}`)
	answer = d.later(d.request("POST", "/mcp", call(`"call"`, "rooms__wait", ""), s))
	h.Reply(h.next(t), `{"content":["new"]}`)
	d.want("again", await(t, answer), 200, "new")
}

// A host that cancels a call whose answer is an event stream gets its end.
func TestCancelStream(t *testing.T) {
	d := open(t)
	s := d.begin("2025-06-18")
	h := d.hold(rpc.CallTool)
	stream := d.open(s, call("5", "rooms__wait", `,"_meta":{"progressToken":1}`), func() { h.progress(h.next(t), 1) })
	stream.message()
	d.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`, s)
	stream.end()
}

// Logs of a call went to its host whatever level it had set.
func TestLogLevelDuringCalls(t *testing.T) {
	d := open(t)
	quiet, loud := d.begin("2025-06-18"), d.begin("2025-06-18")
	level := func(s, l string) {
		d.want("setLevel", d.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"`+l+`"}}`, s), 200, `"result":{}`)
	}
	level(quiet, "error")
	level(loud, "debug")
	d.want("odd level", d.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}`, quiet), 200, "-32602")
	h := d.hold(rpc.CallTool)
	for _, one := range []struct {
		session string
		levels  string
	}{{quiet, "error alert "}, {loud, "debug info error alert "}} {
		stream := d.open(one.session, call("1", "rooms__wait", ""), func() {
			m := h.next(t)
			for _, l := range []string{"debug", "info", "error", "alert"} {
				h.Say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"` + l + `","data":1}}`)
			}
			h.Reply(m, `{}`)
		})
		got := ""
		for range strings.Fields(one.levels) {
			m, _ := rpc.Scan([]byte(stream.message().data))
			got += m.Text(m.Level) + " "
		}
		if got != one.levels {
			t.Errorf("heard %q, want %q", got, one.levels)
		}
		if got := idOf(t, stream.message().data); got != "1" {
			t.Errorf("no result after the logs")
		}
	}
}

func TestSessionsLeaveTheDirectory(t *testing.T) {
	d := open(t)
	s := d.begin("2025-06-18")
	unsubscribed := d.hold(rpc.Unsubscribe)
	d.rooms.Set(rpc.Subscribe, "{}")
	d.want("subscribe", d.post(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"rooms://1/status"}}`, s), 200, `"result":{}`)
	go d.do(d.request("DELETE", "/mcp", "", s))
	m := unsubscribed.next(t)
	if m.Text(m.URI) != "rooms://1/status" {
		t.Errorf("got %s", m.Raw)
	}
	unsubscribed.Reply(m, "{}")
}
