package httpd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"bridgekeeper/bridge/bridgetest"
	"bridgekeeper/bridge/rpc"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func openOld(t testing.TB, adjust ...func(*Server)) *door {
	return open(t, append(adjust, func(s *Server) { s.opts.LegacySSE = func() bool { return true } })...)
}

// oldHost is a host on the old transport.
type oldHost struct {
	*events
	path string
}

// connectOld opens a stream at a path and reads the address.
func (d *door) connectOld(path string, lines ...string) *oldHost {
	d.Helper()
	e := d.stream(d.request("GET", path, "", lines...))
	name, err := e.lines.ReadString('\n')
	data, err2 := e.lines.ReadString('\n')
	if _, err3 := e.lines.ReadString('\n'); err != nil || err2 != nil || err3 != nil || name != "event: endpoint\n" {
		d.Fatalf("the stream began with %q %q", name, data)
	}
	return &oldHost{e, strings.TrimSpace(strings.TrimPrefix(data, "data: "))}
}

func (h *oldHost) post(body string, lines ...string) reply {
	h.d.Helper()
	return h.d.do(h.d.request("POST", h.path, body, lines...))
}

// say posts a message that is taken.
func (h *oldHost) say(body string) {
	h.d.Helper()
	got := h.post(body)
	if h.d.want(body, got, 202); got.body != "" {
		h.d.Errorf("%s: body %s", body, got.body)
	}
}

func (h *oldHost) begin(version string) (result string) {
	h.d.Helper()
	h.say(initialize(version, `{"elicitation":{},"sampling":{}}`))
	result = h.message().data
	h.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return result
}

func (h *oldHost) wants(want string) {
	h.d.Helper()
	if got := h.message().data; got != want {
		h.d.Errorf("the host got %s, want %s", got, want)
	}
}

func TestOldTransport(t *testing.T) {
	d := openOld(t)
	for version, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "2026-07-28": "2025-11-25"} {
		h := d.connectOld("/sse")
		if result := h.begin(version); !strings.HasPrefix(result, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"`+want+`"`) {
			t.Errorf("%s: %s", version, result)
		}
		h.say(call("1", "rooms__status", ""))
		h.wants(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"free"}]}}`)
		h.say(initialize(version, `{}`))
		if got := h.message().data; !strings.Contains(got, "-32600") {
			t.Errorf("a second initialize: %s", got)
		}
		h.close()
	}
	alone := d.connectOld("/servers/rooms/sse")
	alone.begin("2024-11-05")
	if !strings.HasPrefix(alone.path, "/servers/rooms/sse?sessionId=") {
		t.Errorf("the address is %s", alone.path)
	}
	alone.say(call(`"x"`, "status", ""))
	alone.wants(`{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"free"}]}}`)
	d.retool(3)
	alone.wants(toolsChanged)
}

func TestOldTransportIsOff(t *testing.T) {
	d := open(t)
	for _, path := range []string{"/sse", "/servers/rooms/sse"} {
		for _, method := range []string{"GET", "POST"} {
			d.want(method+path, d.do(d.request(method, path, "{}")), 404, "serve --legacy-sse")
		}
	}
}

func TestOldTransportGuards(t *testing.T) {
	d := openOld(t)
	d.want("no token", d.do(d.request("GET", "/sse", "", "-Authorization")), 401)
	d.want("a page", d.do(d.request("GET", "/sse", "", "Origin: https://evil.example")), 403)
	d.want("another name", d.do(d.request("GET", "/sse", "", "Host: evil.example")), 403)
	d.want("no such server", d.do(d.request("GET", "/servers/none/sse", "")), 404)
	d.want("no stream", d.do(d.request("GET", "/sse", "", "Accept: application/json")), 406)
	d.want("newer transport first", d.do(d.request("POST", "/sse", initialize("2025-11-25", "{}"))), 405)
	d.want("another verb", d.do(d.request("DELETE", "/sse", "")), 405)
	d.want("modern", d.do(d.request("GET", "/sse", "", "Mcp-Protocol-Version: 2026-07-28")), 405)
	h := d.connectOld("/sse")
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	d.want("before initialize", h.post(ping), 400)
	d.want("another's", h.post(ping, "Authorization: Bearer other"), 404)
	d.want("another endpoint", d.do(d.request("POST", strings.Replace(h.path, "/sse", "/servers/rooms/sse", 1), ping)), 404)
	d.want("no connection", d.do(d.request("POST", "/sse?sessionId=x", ping)), 404)
	h.begin("2025-03-26")
	d.want("a page posts", h.post(ping, "Origin: https://evil.example"), 403)
	d.want("no JSON", h.post("{"), 400)
	d.want("no type", h.post(ping, "Content-Type: text/plain"), 415)
	d.want("stateless", h.post(ping, "Mcp-Protocol-Version: 2026-07-28"), 202)
	h.wants(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Revision 2026-07-28 is spoken at /mcp only."}}`)
	h.say("[" + ping + "]")
	h.wants(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	newer := d.connectOld("/sse")
	newer.begin("2025-06-18")
	d.want("an array", newer.post("["+ping+"]"), 400, "2025-03-26 only")
	if n := d.Sessions()["desk"]; n != 2 {
		t.Errorf("%d sessions", n)
	}
}

func TestOldTransportWhileACallRuns(t *testing.T) {
	d := openOld(t, func(s *Server) { s.keepAlive = 50 * time.Millisecond })
	h := d.connectOld("/sse")
	h.begin("2025-06-18")
	calls := d.hold(rpc.CallTool)
	h.say(call("1", "rooms__wait", `,"_meta":{"progressToken":7}`))
	m := calls.next(t)
	calls.progress(m, 3)
	h.wants(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":3}}`)
	calls.Say(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?"}}`)
	question := h.message().data
	if !strings.Contains(question, `"method":"elicitation/create"`) {
		t.Fatalf("the host got %s", question)
	}
	answered := make(chan string, 1)
	calls.Handle("", func(m *rpc.Message) { answered <- string(m.Raw) })
	h.say(`{"jsonrpc":"2.0","id":` + idOf(t, question) + `,"result":{"action":"accept","content":{}}}`)
	if got := await(t, answered); got != `{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{}}}` {
		t.Errorf("the server got %s", got)
	}
	for {
		if one, ok := h.next(); !ok || one.comment != "" {
			break // a sign of life
		}
	}
	// A second call is cancelled at once, beside the first.
	cancelled := make(chan string, 1)
	calls.Handle(rpc.Cancelled, func(m *rpc.Message) { cancelled <- string(m.Bytes(m.RequestID)) })
	h.say(call("2", "rooms__wait", ""))
	second := calls.next(t)
	h.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if got := await(t, cancelled); got != string(second.Bytes(second.ID)) {
		t.Errorf("the server was told to cancel %s", got)
	}
	h.say(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if got := h.message().data; !strings.Contains(got, "already in use") {
		t.Errorf("an id twice: %s", got)
	}
	calls.Reply(m, `{"ok":1.0}`)
	h.wants(`{"jsonrpc":"2.0","id":1,"result":{"ok":1.0}}`)

	// The session ends with the stream, and the call with the session.
	h.say(call("3", "rooms__wait", ""))
	third := calls.next(t)
	h.close()
	if got := await(t, cancelled); got != string(third.Bytes(third.ID)) {
		t.Errorf("the server was told to cancel %s", got)
	}
	d.goneOld(h)
}

// goneOld waits until a connection has ended, and its session with it.
func (d *door) goneOld(h *oldHost) {
	d.Helper()
	late := time.After(bridgetest.Patience)
	for {
		got := h.post(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		if got.status == 404 && d.Sessions()["desk"] == 0 {
			return
		}
		select {
		case <-late:
			d.Fatalf("the session is still there: %d", got.status)
		default:
		}
	}
}

func TestOldTransportEnds(t *testing.T) {
	d := openOld(t)
	early, late := d.connectOld("/sse"), d.connectOld("/servers/rooms/sse")
	late.begin("2024-11-05")
	d.EndHost("lap")
	late.say(call("1", "status", ""))
	late.message()
	d.EndHost("desk")
	early.end()
	late.end()
	d.goneOld(late)
	alone, all := d.connectOld("/servers/rooms/sse"), d.connectOld("/sse")
	alone.begin("2024-11-05")
	d.EndServers(nil)
	alone.end()
	all.begin("2024-11-05")
	done := make(chan bool, 1)
	go func() { d.stop(); done <- true }()
	all.end()
	await(t, done)
}

// A host that doesn't read costs a bounded amount of memory, and harms nobody.
func TestOldTransportSlowReader(t *testing.T) {
	d := openOld(t)
	h := d.connectOld("/sse")
	h.begin("2025-06-18")
	d.rooms.Set(rpc.CallTool, fmt.Sprintf(`{"content":[{"type":"text","text":"%s"}]}`, strings.Repeat("x", 16<<20)))
	good := d.begin("2025-06-18")
	_, id, _ := strings.Cut(h.path, "=")
	d.mu.Lock()
	st := d.old[id].stream
	d.mu.Unlock()
	for n := range 8 {
		h.say(call(fmt.Sprint(n), "rooms__status", ""))
	}
	eventually(t, st, func() bool {
		st.mu.Lock()
		defer st.mu.Unlock()
		if st.size > maxConnKept {
			t.Fatalf("%d bytes are kept", st.size)
		}
		return st.last == 9
	})
	d.want("others", d.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, good), 200)
	h.close()
	d.want("its session", d.do(d.request("DELETE", "/mcp", "", good)), 204)
	d.goneOld(h)
}

// bearer adds the token to every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// A client written by others.
func TestOldTransportWithTheSDK(t *testing.T) {
	d := openOld(t)
	d.rooms.Set(rpc.ListTools, `{"tools":[{"name":"status","inputSchema":{"type":"object"}}]}`)
	ctx, stop := context.WithTimeout(t.Context(), 2*bridgetest.Patience)
	defer stop()
	client := mcp.NewClient(&mcp.Implementation{Name: "old", Version: "1"}, nil)
	for _, path := range []string{"/sse", "/servers/rooms/sse"} {
		session, err := client.Connect(ctx, &mcp.SSEClientTransport{Endpoint: d.base + path, HTTPClient: &http.Client{Transport: bearer("good")}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tools, err := session.ListTools(ctx, nil)
		if err != nil || len(tools.Tools) == 0 {
			t.Fatalf("%s: %v", path, err)
		}
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tools.Tools[0].Name})
		if err != nil || len(result.Content) != 1 || result.Content[0].(*mcp.TextContent).Text != "free" {
			t.Errorf("%s: %+v, %v", path, result, err)
		}
		if err := session.Ping(ctx, nil); err != nil {
			t.Error(err)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := client.Connect(ctx, &mcp.SSEClientTransport{Endpoint: d.base + "/sse", HTTPClient: &http.Client{Transport: bearer("wrong")}}, nil); err == nil {
		t.Error("a wrong token was taken")
	}
}

// quiet is a fuzz test's TB without what may not be called inside its target.
type quiet struct{ testing.TB }

func (quiet) Helper() {}

// Whatever a host posts, the answer is one of ours and the door stays open.
func FuzzOldTransport(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"id":{}}`, initialize("2025-03-26", "{}"), "\xef\xbb\xbf[", `{"jsonrpc":"2.0","id":"bk-1","result":{}}`} {
		f.Add(seed)
	}
	d := openOld(f)
	h := d.connectOld("/sse")
	h.begin("2025-03-26")
	h.d = &door{TB: quiet{f}, Server: d.Server, http: d.http, base: d.base}
	go io.Copy(io.Discard, bufio.NewReader(h.res.Body)) // ends with the stream
	f.Fuzz(func(t *testing.T, body string) {
		switch got := h.post(body); got.status {
		case 202, 400:
		default:
			t.Errorf("%q: HTTP %d %s", body, got.status, got.body)
		}
	})
}
