package httpd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"bridgekeeper/bridge/bridgetest"
	"bridgekeeper/bridge/rpc"
)

// lineHost is a host whose messages are lines.
type lineHost struct {
	d    *door
	pipe net.Conn
	in   *bufio.Reader
	done chan error // of ServeLines
}

func (d *door) connectLines(endpoint string) *lineHost {
	d.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0") // a pipe in memory would hide what buffers do
	if err != nil {
		d.Fatal(err)
	}
	defer ln.Close()
	far, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		d.Fatal(err)
	}
	near, err := ln.Accept()
	if err != nil {
		d.Fatal(err)
	}
	h := &lineHost{d: d, pipe: far, in: bufio.NewReader(far), done: make(chan error, 1)}
	go func() { h.done <- d.ServeLines(context.Background(), near, near, "desk", endpoint) }()
	d.Cleanup(func() { far.Close() })
	return h
}

func (h *lineHost) say(lines ...string) {
	h.d.Helper()
	if _, err := io.WriteString(h.pipe, strings.Join(lines, "\n")+"\n"); err != nil {
		h.d.Fatal(err)
	}
}

func (h *lineHost) next() string {
	h.d.Helper()
	h.pipe.SetReadDeadline(time.Now().Add(bridgetest.Patience))
	text, err := h.in.ReadString('\n')
	if err != nil {
		h.d.Fatalf("the connection: %v after %q", err, text)
	}
	return strings.TrimSuffix(text, "\n")
}

func (h *lineHost) wants(want string) {
	h.d.Helper()
	if got := h.next(); got != want {
		h.d.Errorf("the host got %s\nwant         %s", got, want)
	}
}

func (h *lineHost) begin(version string) string {
	h.d.Helper()
	h.say(initialize(version, `{"elicitation":{},"sampling":{}}`), `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return h.next()
}

// ended waits until nothing of the connection is left.
func (h *lineHost) ended() {
	h.d.Helper()
	if err := await(h.d, h.done); err != nil {
		h.d.Error(err)
	}
}

func TestLinesLegacy(t *testing.T) {
	d := open(t)
	for version, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-11-25": "2025-11-25", "2099-01-01": "2025-11-25"} {
		h := d.connectLines("")
		// All at once, as from a file: what follows initialize is its session's.
		h.say("", initialize(version, "{}"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, " "+call("1", "rooms__status", "")+"\r")
		if got := h.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"`+want+`"`) {
			t.Errorf("%s: %s", version, got)
		}
		h.wants(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"free"}]}}`)
		h.pipe.Close()
		h.ended()
	}
	if n := d.Sessions()["desk"]; n != 0 {
		t.Errorf("%d sessions are left", n)
	}
	alone := d.connectLines("rooms")
	alone.begin("2025-06-18")
	alone.say(call(`"x"`, "status", ""))
	alone.wants(`{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"free"}]}}`)
	d.retool(3)
	alone.wants(toolsChanged)
}

func TestLinesQuestionsAndCancel(t *testing.T) {
	d := open(t)
	answers := d.answers()
	h, calls := d.connectLines(""), d.hold(rpc.CallTool)
	h.begin("2025-06-18")
	h.say(call("1", "rooms__wait", `,"_meta":{"progressToken":"p"}`))
	m := calls.next(t)
	calls.progress(m, 1)
	h.wants(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`)
	calls.question(`"q"`)
	first := idOf(t, h.next())
	h.say(`{"jsonrpc":"2.0","id":` + first + `,"result":{"action":"accept","content":{"n":1.0}}}`)
	if a := await(t, answers); string(a.Raw) != `{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"n":1.0}}}` {
		t.Errorf("the server got %s", a.Raw)
	}
	cancelled := make(chan string, 1)
	d.rooms.Handle(rpc.Cancelled, func(m *rpc.Message) { cancelled <- string(m.Bytes(m.RequestID)) })
	h.say(call("2", "rooms__wait", ""))
	second := calls.next(t)
	h.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if got := await(t, cancelled); got != string(second.Bytes(second.ID)) {
		t.Errorf("the server was told to cancel %s", got)
	}
	calls.Reply(m, `{"ok":1.0}`)
	h.wants(`{"jsonrpc":"2.0","id":1,"result":{"ok":1.0}}`)
	h.say(call("3", "rooms__wait", ""))
	third := calls.next(t)
	h.pipe.Close() // the host is gone, and its calls with it
	if got := await(t, cancelled); got != string(third.Bytes(third.ID)) {
		t.Errorf("the server was told to cancel %s", got)
	}
	h.ended()

	// The answer to a question of a former connection answered the next one's.
	again := d.connectLines("")
	again.begin("2025-06-18")
	again.say(call("4", "rooms__wait", ""))
	m = calls.next(t)
	calls.question("5")
	now := idOf(t, again.next())
	if now == first {
		t.Errorf("the question has the id %s again", now)
	}
	calls.Reply(m, `{}`)
	again.wants(`{"jsonrpc":"2.0","id":4,"result":{}}`)
}

func TestLinesModern(t *testing.T) {
	d := open(t)
	h := d.connectLines("")
	h.say(stateless("server/discover", ""))
	if got := h.next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"result":{`) || !strings.Contains(got, `"supportedVersions":["2026-07-28"]`) {
		t.Errorf("discover: %s", got)
	}
	h.say(stateless(rpc.CallTool, status))
	if got := h.next(); !strings.Contains(got, `"content":[{"type":"text","text":"free"}]`) {
		t.Errorf("a call: %s", got)
	}
	for body, want := range map[string]string{
		strings.Replace(stateless(rpc.ListTools, ""), "2026-07-28", "2027-01-01", 1): `"code":-32022`,
		stateless(rpc.Ping, ""):       `"code":-32601`,
		stateless(rpc.Initialize, ""): `"code":-32601`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`: `"code":-32602`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:                       noSession,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}`: `"code":-32600`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`:                           `"code":-32600`,
		`{"id":`:                  `"code":-32700`,
		`5`:                       `"code":-32600`,
		`{"jsonrpc":"2.0"}`:       `"code":-32600`,
		stateless(rpc.Listen, ""): `"code":-32602`,
	} {
		h.say(body)
		if got := h.next(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", body, got)
		}
	}

	// A subscription beside calls: each says its id, and ends alone.
	h.say(strings.Replace(stateless(rpc.Listen, `"notifications":{"toolsListChanged":true}`), `"id":1`, `"id":"l"`, 1))
	h.wants(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` + mark + `"l"},"notifications":{"toolsListChanged":true}}}`)
	d.retool(2)
	h.wants(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{` + mark + `"l"}}}`)
	calls := d.hold(rpc.CallTool)
	cancelled := make(chan string, 1)
	d.rooms.Handle(rpc.Cancelled, func(m *rpc.Message) { cancelled <- string(m.Bytes(m.RequestID)) })
	d.rooms.Set(rpc.ListTools, roomsTable[rpc.ListTools])
	d.retoolOnly("wait")
	h.wants(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{` + mark + `"l"}}}`)
	h.say(strings.Replace(stateless(rpc.CallTool, `"name":"rooms__wait"`), `"id":1`, `"id":7`, 1))
	m := calls.next(t)
	h.say(strings.Replace(stateless(rpc.ListTools, ""), `"id":1`, `"id":7`, 1))
	if got := h.next(); !strings.Contains(got, "already in use") {
		t.Errorf("an id twice: %s", got)
	}
	h.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	if got := await(t, cancelled); got != string(m.Bytes(m.ID)) {
		t.Errorf("the server was told to cancel %s", got)
	}
	h.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l"}}`)
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for late := time.After(bridgetest.Patience); d.listening() > 0; {
		select {
		case <-late:
			t.Fatal("the subscription is still there")
		case <-look.C:
		}
	}
	h.pipe.Close()
	h.ended()
}

func (d *door) listening() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.listens)
}

// A host that sends ten thousand messages before it reads one gets every answer.
func TestLinesMany(t *testing.T) {
	d := open(t)
	h := d.connectLines("")
	h.begin("2025-06-18")
	const n = 10_000
	go func() {
		var all strings.Builder
		for i := range n {
			fmt.Fprintf(&all, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i)
		}
		_, _ = io.WriteString(h.pipe, all.String()) // what is missing is missed below
	}()
	seen := make(map[string]bool)
	for range n {
		seen[idOf(t, h.next())] = true
	}
	if len(seen) != n {
		t.Errorf("%d of %d are answered", len(seen), n)
	}
}

func TestLinesEnd(t *testing.T) {
	d := open(t)
	early, late := d.connectLines(""), d.connectLines("rooms")
	early.begin("2025-06-18")
	late.begin("2025-06-18")
	d.EndServers(nil)
	late.wants(Goodbye)
	late.ended()
	d.EndHost("desk")
	early.wants(Goodbye)
	early.ended()

	last := d.connectLines("")
	last.begin("2025-06-18")
	last.say(strings.Replace(stateless(rpc.Listen, `"notifications":{}`), `"id":1`, `"id":"l"`, 1))
	last.next()
	d.stop()
	if got := last.next(); !strings.Contains(got, `"resultType":"complete"`) {
		t.Errorf("the subscription ended with %s", got)
	}
	last.wants(Goodbye)
	last.ended()
	if err := await(t, d.connectLines("").done); err == nil {
		t.Error("a connection was taken after the end")
	}
}

// Whatever a host sends, each line has at most one answer and the connection
// stays.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"id":{}}`, "\xef\xbb\xbf[", stateless(rpc.ListTools, ""),
		`{"jsonrpc":"2.0","id":"bk-1","result":{}}`, Goodbye, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`} {
		f.Add(seed)
	}
	d := open(f)
	h := d.connectLines("")
	h.begin("2025-03-26")
	h.d = &door{TB: quiet{f}, Server: d.Server}
	f.Fuzz(func(t *testing.T, body string) {
		h.say(strings.ReplaceAll(body, "\n", " "), `{"jsonrpc":"2.0","id":"the end","method":"ping"}`)
		for range maxBatch + 1 {
			if strings.Contains(h.next(), `"the end"`) {
				return
			}
		}
		t.Errorf("%q: no end of answers", body)
	})
}
