package httpd

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

const metaMembers = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`

// stateless builds a 2026-07-28 message; params are members.
func stateless(method, params string) string {
	if params != "" {
		params = "," + params
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"_meta":{%s}%s}}`, method, metaMembers, params)
}

// modern posts a 2026-07-28 message with the headers it needs, except where
// lines say otherwise.
func (d *door) modern(body string, lines ...string) reply {
	d.Helper()
	return d.do(d.modernRequest(body, lines...))
}

func (d *door) modernRequest(body string, lines ...string) *http.Request {
	d.Helper()
	m, _ := rpc.Scan([]byte(body))
	r := d.request("POST", "/mcp", body)
	r.Header.Set("MCP-Protocol-Version", "2026-07-28")
	r.Header.Set("mcp-method", m.MethodName())
	if name, named := nameOf(&m); named {
		r.Header.Set("Mcp-Name", name)
	}
	seen := map[string]bool{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(name, "-"):
			r.Header.Del(name[1:])
		case seen[name]:
			r.Header.Add(name, value)
		default:
			r.Header.Set(name, value)
		}
		seen[name] = true
	}
	return r
}

const status = `"name":"rooms__status","arguments":{}`

// Each request breaks one rule and all that come after it, so that the order
// of the checks shows.
func TestModernOrder(t *testing.T) {
	d := open(t)
	bad := []string{"Mcp-Protocol-Version: 2025-06-18", "Mcp-Method: x", "Mcp-Name: y"}
	for _, one := range []struct {
		what   string
		body   string
		lines  []string
		status int
		code   int
	}{
		{"no _meta", `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{}}`, []string{"Mcp-Method: x"}, 400, -32602},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, []string{"Mcp-Method: x"}, 400, -32602},
		{"no capabilities", `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2027-01-01"}}}`, bad, 400, -32602},
		{"capabilities no object", strings.Replace(stateless("no/such", ""), ":{}", ":null", 1), bad, 400, -32602},
		{"version no string", strings.Replace(stateless("no/such", ""), `"2026-07-28"`, "5", 1), bad, 400, -32602},
		{"no version header", strings.Replace(stateless("no/such", ""), "2026-07-28", "2027-01-01", 1), []string{"-Mcp-Protocol-Version", "Mcp-Method: x"}, 400, -32020},
		{"another version header", strings.Replace(stateless("no/such", ""), "2026-07-28", "2027-01-01", 1), bad, 400, -32020},
		{"two version headers", stateless("no/such", ""), []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Protocol-Version: 2026-07-28"}, 400, -32020},
		{"unknown version", strings.Replace(stateless("no/such", ""), "2026-07-28", "2027-01-01", 1), []string{"Mcp-Protocol-Version: 2027-01-01", "Mcp-Method: x"}, 400, -32022},
		{"legacy version", strings.Replace(stateless("no/such", ""), "2026-07-28", "2025-11-25", 1), []string{"Mcp-Protocol-Version: 2025-11-25", "Mcp-Method: x"}, 400, -32022},
		{"no method header", stateless("tools/call", `"name":"none"`), []string{"-Mcp-Method", "Mcp-Name: y"}, 400, -32020},
		{"another method", stateless("tools/call", `"name":"none"`), []string{"Mcp-Method: tools/list", "Mcp-Name: y"}, 400, -32020},
		{"method of other case", stateless("tools/call", `"name":"none"`), []string{"Mcp-Method: Tools/call", "Mcp-Name: y"}, 400, -32020},
		{"two methods", stateless("tools/call", status), []string{"Mcp-Method: tools/call", "Mcp-Method: tools/list"}, 400, -32020},
		{"no name header", stateless("tools/call", `"name":"none"`), []string{"-Mcp-Name"}, 400, -32020},
		{"another name", stateless("tools/call", `"name":"none"`), []string{"Mcp-Name: y"}, 400, -32020},
		{"the server's own name", stateless("tools/call", status), []string{"Mcp-Name: status"}, 400, -32020},
		{"no name at all", stateless("tools/call", ""), nil, 400, -32020},
		{"another uri", stateless("resources/read", `"uri":"rooms://1/status"`), []string{"Mcp-Name: rooms://2/status"}, 400, -32020},
		{"another prompt", stateless("prompts/get", `"name":"rooms__triage"`), []string{"Mcp-Name: triage"}, 400, -32020},
		{"unknown method", stateless("no/such", ""), nil, 404, -32601},
		{"unknown tool", stateless("tools/call", `"name":"none"`), nil, 400, -32602},
		{"unknown prompt", stateless("prompts/get", `"name":"none"`), nil, 400, -32602},
		{"initialize", stateless("initialize", `"protocolVersion":"2025-06-18"`), nil, 404, -32601},
		{"ping", stateless("ping", ""), nil, 404, -32601},
		{"setLevel", stateless("logging/setLevel", `"level":"info"`), nil, 404, -32601},
		{"subscribe", stateless("resources/subscribe", `"uri":"rooms://1/status"`), nil, 404, -32601},
		{"unsubscribe", stateless("resources/unsubscribe", `"uri":"rooms://1/status"`), nil, 404, -32601},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 400, -32600},
		{"good", stateless("tools/call", status), nil, 200, 0},
		{"good, blanks around", stateless("tools/call", status), []string{"Mcp-Name: \trooms__status ", "Mcp-Method:  tools/call\t"}, 200, 0},
		{"a session id is ignored", stateless("tools/call", status), []string{"Mcp-Session-Id: nobody", "Last-Event-Id: x"}, 200, 0},
		{"told by _meta", `{"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":{` + metaMembers + `}}}`, []string{"-Mcp-Protocol-Version"}, 202, 0},
		{"told by the header", `{"jsonrpc":"2.0","method":"notifications/x"}`, nil, 202, 0},
	} {
		got := d.modern(one.body, one.lines...)
		part := `"result"`
		switch {
		case one.code != 0:
			part = fmt.Sprintf(`"error":{"code":%d,`, one.code)
		case one.status == 202:
			part = ""
		}
		d.want(one.what, got, one.status, part)
		if one.code != 0 && one.what != "response" && !strings.Contains(got.body, `"id":1`) {
			t.Errorf("%s: the id is not in %s", one.what, got.body)
		}
		if got.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: a session was made", one.what)
		}
	}
	got := d.modern(strings.Replace(stateless("no/such", ""), "2026-07-28", "2027-01-01", 1), "Mcp-Protocol-Version: 2027-01-01")
	d.want("supported versions", got, 400, `"data":{"supported":["2026-07-28"],"requested":"2027-01-01"}`)
	for _, method := range []string{"GET", "DELETE"} {
		got := d.do(d.request(method, "/mcp", "", "Mcp-Protocol-Version: 2026-07-28"))
		if got.status != 405 || got.header.Get("Allow") != "POST" {
			t.Errorf("%s: HTTP %d, Allow %q", method, got.status, got.header.Get("Allow"))
		}
	}
	if n := len(d.Sessions()); n != 0 {
		t.Errorf("%d sessions", n)
	}
}

func TestDecodeHeader(t *testing.T) {
	encoded := func(s string) string { return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?=" }
	for in, want := range map[string]string{
		"plain": "plain", encoded("grüße"): "grüße", encoded(" x "): " x ", encoded(""): "",
		"=?BASE64?eA==?=": "=?BASE64?eA==?=", "=?base64?eA==": "=?base64?eA==", "=?base64?!?=": "=?base64?!?=", "=?base64?=": "=?base64?=",
		encoded(encoded("x")): encoded("x"),
	} {
		if got := decodeHeader(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	d := open(t)
	got := d.modern(stateless(rpc.CallTool, status), "Mcp-Name: "+encoded("rooms__status"))
	d.want("encoded name", got, 200, "free")
}

func TestModernResults(t *testing.T) {
	d := open(t)
	const complete, serverInfo = `"resultType":"complete"`, `"io.modelcontextprotocol/serverInfo":{"name":"bridgekeeper","version":"1"}`
	const life, private = `"ttlMs":0`, `"cacheScope":"private"`
	for method, params := range map[string]string{
		rpc.Discover: "", rpc.ListTools: "", rpc.ListPrompts: "", rpc.ListResources: "", rpc.ListTemplates: "",
		rpc.ReadResource: `"uri":"rooms://1/status"`,
	} {
		got := d.modern(stateless(method, params))
		d.want(method, got, 200, complete, serverInfo, life, private)
	}
	for method, params := range map[string]string{rpc.CallTool: status, rpc.GetPrompt: `"name":"rooms__triage"`} {
		got := d.modern(stateless(method, params))
		d.want(method, got, 200, complete, serverInfo)
		if strings.Contains(got.body, "ttlMs") {
			t.Errorf("%s: not cacheable: %s", method, got.body)
		}
	}
	d.rooms.Set(rpc.CallTool, `{"_meta":{"k":1.0},"content":[],"resultType":"complete","n":12345678901234567890}`)
	d.want("what is there stays", d.modern(stateless(rpc.CallTool, status)), 200,
		`"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"bridgekeeper","version":"1"},"k":1.0},"content":[],"resultType":"complete","n":12345678901234567890}`)
	// What a listener can get is promised.
	got := d.modern(stateless(rpc.Discover, ""))
	for _, promise := range []string{`"listChanged":true`, `"subscribe":true`} {
		if !strings.Contains(got.body, promise) {
			t.Errorf("discover doesn't promise %s: %s", promise, got.body)
		}
	}
	legacy := d.begin("2025-11-25")
	d.want("discover in a session", d.post(`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, legacy), 200, "-32601")
	d.want("legacy tool call", d.post(call("1", "rooms__status", ""), legacy), 200,
		`"result":{"_meta":{"k":1.0},"content":[],"resultType":"complete","n":12345678901234567890}}`)
}

func TestModernErrors(t *testing.T) {
	d := open(t)
	legacy := d.begin("2025-11-25")
	for code, want := range map[int]struct{ code, status int }{
		-32601: {-32601, 404}, -32602: {-32602, 400}, -32603: {-32603, 200}, -32002: {-32602, 400}, -32042: {-32603, 200},
		0: {-32603, 200}, -32020: {-32603, 200}, -32021: {-32021, 400}, -32099: {-32603, 200}, -32000: {-32000, 200}, 404: {404, 200}, -1: {-1, 200},
	} {
		d.rooms.Handle(rpc.CallTool, func(m *rpc.Message) {
			d.rooms.Say(rpc.AppendError(nil, m.Bytes(m.ID), &rpc.Error{Code: code, Message: "x\ny", Data: []byte(`{"d":1.0}`)}))
		})
		got := d.modern(stateless(rpc.CallTool, status))
		d.want(fmt.Sprint(code), got, want.status, fmt.Sprintf(`"error":{"code":%d,"message":"x\ny","data":{"d":1.0}}`, want.code))
		d.want(fmt.Sprint("legacy ", code), d.post(call("1", "rooms__status", ""), legacy), 200, fmt.Sprintf(`"code":%d,`, code))
	}
}

func TestModernProgressAndLogs(t *testing.T) {
	d := open(t)
	h := d.hold(rpc.CallTool)
	logs := func() {
		m := h.next(t)
		h.Say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
		h.Say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":2}}`)
		if m.MetaProgressToken.Ok() {
			h.progress(m, 1)
		}
		h.Reply(m, "{}")
	}
	answer := d.later(d.modernRequest(stateless(rpc.CallTool, status)))
	logs()
	got := await(t, answer)
	if got.header.Get("Content-Type") != "application/json" {
		t.Errorf("a request that didn't ask for logs got %s", got.body)
	}
	body := strings.Replace(stateless(rpc.CallTool, status), `"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"warning","progressToken":"mine",`, 1)
	out := make(chan *events, 1)
	go func() { out <- d.stream(d.modernRequest(body)) }()
	logs()
	stream := await(t, out)
	for _, part := range []string{`"data":2`, `"progressToken":"mine","progress":1`, `"id":1,"result":{`} {
		one := stream.message()
		if one.id != "" || !strings.Contains(one.data, part) {
			t.Errorf("got %+v, want %s", one, part)
		}
	}
	stream.end()
	if stream.res.Header.Get("X-Accel-Buffering") != "no" {
		t.Error("proxies may buffer the stream")
	}
}

// On the stateless wire a closed connection is the host's cancel.
func TestModernDisconnectCancels(t *testing.T) {
	d := open(t)
	h := d.hold(rpc.CallTool)
	cancelled := d.hold(rpc.Cancelled)
	ctx, hangUp := context.WithCancel(t.Context())
	go func() {
		if res, err := d.http.Do(d.modernRequest(stateless(rpc.CallTool, status)).WithContext(ctx)); err == nil {
			res.Body.Close()
			t.Error("it was answered")
		}
	}()
	m := h.next(t)
	hangUp()
	if c := cancelled.next(t); string(c.Bytes(c.RequestID)) != string(m.Bytes(m.ID)) {
		t.Errorf("the server was told %s", c.Raw)
	}
}

// On the legacy wire it isn't.
func TestLegacyDisconnectCancelsNothing(t *testing.T) {
	d := open(t)
	h := d.hold(rpc.CallTool)
	s := d.begin("2025-06-18")
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan bool, 1)
	go func() {
		_, err := d.http.Do(d.request("POST", "/mcp", call("1", "rooms__wait", ""), s).WithContext(ctx))
		gone <- err != nil
	}()
	m := h.next(t)
	hangUp()
	await(t, gone)
	d.want("the call is still in flight", d.post(call("1", "rooms__wait", ""), s), 200, "in use")
	h.Reply(m, "{}")
	for { // its id is free once the reply went through
		got := d.later(d.request("POST", "/mcp", call("1", "rooms__wait", ""), s))
		select {
		case m := <-h.calls:
			h.Reply(m, "{}")
			d.want("the next call", await(t, got), 200, `"result":{}`)
			if n := d.rooms.Got(rpc.Cancelled); n != 0 {
				t.Errorf("the server was told to cancel %d calls", n)
			}
			return
		case <-got:
		}
	}
}

// A server of the new revision speaks for itself; its "Method not found" came
// with HTTP 200.
func TestModernServer(t *testing.T) {
	d := open(t)
	d.stage.Configure([]string{"rooms", "new"}, func(string) bool { return false })
	a := d.stage.Open("new", map[string]string{
		rpc.Discover:     `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","ttlMs":0,"cacheScope":"private"}`,
		rpc.ListTools:    `{"tools":[{"name":"t"}],"resultType":"complete","ttlMs":5,"cacheScope":"public"}`,
		rpc.CallTool:     `{"content":[],"resultType":"complete","_meta":{}}`,
		"odd/unheard-of": "",
	}, upstream.Modern)
	d.stage.Ready("new", a.Session)
	d.retoolOnly("t")
	got := d.modern(stateless(rpc.CallTool, `"name":"new__t"`))
	d.want("as it came", got, 200, `"result":{"content":[],"resultType":"complete","_meta":{}}}`)
	s := d.begin("2025-06-18")
	d.want("for a legacy host", d.post(call("1", "new__t", ""), s), 200, `"result":{"content":[],"_meta":{}}}`)
	for code, want := range map[int]struct{ status, legacy int }{-32601: {404, -32601}, -32602: {400, -32602}, -32021: {400, -32603}, 7: {200, 7}} {
		a.Handle(rpc.CallTool, func(m *rpc.Message) {
			a.Say(rpc.AppendError(nil, m.Bytes(m.ID), &rpc.Error{Code: code, Message: "x"}))
		})
		d.want("error", d.modern(stateless(rpc.CallTool, `"name":"new__t"`)), want.status, fmt.Sprintf(`"code":%d`, code))
		d.want("legacy error", d.post(call("1", "new__t", ""), s), 200, fmt.Sprintf(`"code":%d`, want.legacy))
	}
}
