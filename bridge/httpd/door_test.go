package httpd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"bridgekeeper/bridge/bridgetest"
	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/rpc"
)

// tokens are the hosts of the tests by token.
type tokens map[string]string

func (t tokens) Identify(token string) (string, bool) {
	host, ok := t[token]
	return host, ok
}

// roomsTable is the server that most tests talk to.
var roomsTable = map[string]string{
	rpc.ListTools:     `{"tools":[{"name":"status","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}},{"name":"wait","inputSchema":{"type":"object"}}]}`,
	rpc.ListPrompts:   `{"prompts":[{"name":"triage"}]}`,
	rpc.ListResources: `{"resources":[{"uri":"rooms://1/status","name":"one"}]}`,
	rpc.ListTemplates: `{"resourceTemplates":[{"uriTemplate":"rooms://{id}/status","name":"status"}]}`,
	rpc.CallTool:      `{"content":[{"type":"text","text":"free"}]}`,
	rpc.GetPrompt:     `{"messages":[]}`,
	rpc.ReadResource:  `{"contents":[]}`,
}

// door is a server under test on a real listener.
type door struct {
	testing.TB
	*Server
	stage *stage.Stage
	rooms *stage.Actor
	base  string // http://127.0.0.1:port
	http  *http.Client
	stop  func() // ends Run and waits for it
}

// open starts a door with the rooms server behind it. adjust may change it
// before it serves.
func open(t testing.TB, adjust ...func(*Server)) *door {
	t.Helper()
	d := &door{TB: t, stage: stage.New(t, nil, "rooms")}
	d.rooms = d.stage.Up("rooms", roomsTable)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	d.base = "http://127.0.0.1:" + port
	d.Server = New(port, Options{Directory: d.stage.Directory, Tokens: tokens{"good": "desk", "other": "lap"}, Log: slog.New(slog.DiscardHandler)})
	for _, f := range adjust {
		f(d.Server)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := d.Run(ctx, ln); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	d.http = &http.Client{Transport: transport}
	d.stop = sync.OnceFunc(func() {
		transport.CloseIdleConnections()
		stop()
		running.Wait()
	})
	t.Cleanup(d.stop)
	return d
}

// request builds a request with what every good host sends. Lines are header
// lines, "Name: value"; "-Name" takes a default one out.
func (d *door) request(method, path, body string, lines ...string) *http.Request {
	d.Helper()
	r, err := http.NewRequest(method, d.base+path, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer good")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	seen := map[string]bool{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case strings.HasPrefix(name, "-"):
			r.Header.Del(name[1:])
		case name == "Host":
			r.Host = value
		case seen[name]:
			r.Header.Add(name, value)
		default:
			r.Header.Set(name, value)
			seen[name] = true
		}
	}
	return r
}

// reply is a whole answer.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends a request and reads the whole answer.
func (d *door) do(r *http.Request) reply {
	d.Helper()
	ctx, stop := context.WithTimeout(r.Context(), bridgetest.Patience)
	defer stop()
	res, err := d.http.Do(r.WithContext(ctx))
	if err != nil {
		d.Errorf("%s %s: %v", r.Method, r.URL, err)
		return reply{}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		d.Errorf("%s %s: read the answer: %v", r.Method, r.URL, err)
	}
	return reply{res.StatusCode, res.Header, string(body)}
}

// post sends a message to the merged endpoint.
func (d *door) post(body string, lines ...string) reply {
	d.Helper()
	return d.do(d.request(http.MethodPost, "/mcp", body, lines...))
}

// want checks the status and that the body holds each of the parts.
func (d *door) want(what string, got reply, status int, parts ...string) {
	d.Helper()
	if got.status != status {
		d.Errorf("%s: HTTP %d, want %d; body %s", what, got.status, status, got.body)
	}
	for _, part := range parts {
		if !strings.Contains(got.body, part) {
			d.Errorf("%s: %q is not in %s", what, part, got.body)
		}
	}
	if got.header.Get("Content-Type") == "application/json" && !json.Valid([]byte(got.body)) {
		d.Errorf("%s: the body is no JSON: %q", what, got.body)
	}
}

func initialize(version, capabilities string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"host","version":"9"}}}`, version, capabilities)
}

// begin opens a legacy session and says initialized; the result is its header
// line.
func (d *door) begin(version string, lines ...string) (session string) {
	d.Helper()
	got := d.post(initialize(version, `{"elicitation":{},"sampling":{}}`), lines...)
	d.want("initialize", got, 200)
	session = "Mcp-Session-Id: " + got.header.Get("Mcp-Session-Id")
	d.want("initialized", d.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, append(lines, session)...), 202)
	return session
}

func call(id, tool, extra string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{}%s}}`, id, tool, extra)
}

// events is an open event stream.
type events struct {
	d     *door
	lines *bufio.Reader
	res   *http.Response
	close context.CancelFunc
}

// heard is one server-sent event, or a comment.
type heard struct{ id, data, comment, retry string }

// stream sends a request and leaves its answer open.
func (d *door) stream(r *http.Request) *events {
	d.Helper()
	ctx, stop := context.WithTimeout(r.Context(), 3*bridgetest.Patience)
	res, err := d.http.Do(r.WithContext(ctx))
	if err != nil {
		stop()
		d.Fatalf("%s %s: %v", r.Method, r.URL, err)
	}
	e := &events{d: d, lines: bufio.NewReader(res.Body), res: res, close: func() { stop(); res.Body.Close() }}
	d.Cleanup(e.close)
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		body, _ := io.ReadAll(res.Body)
		d.Fatalf("%s: HTTP %d, no event stream: %s", r.Method, res.StatusCode, body)
	}
	return e
}

func (d *door) get(session string, lines ...string) *events {
	d.Helper()
	return d.stream(d.request(http.MethodGet, "/mcp", "", append(lines, session)...))
}

// next reads one event; ok is false at the end of the stream.
func (e *events) next() (one heard, ok bool) {
	e.d.Helper()
	for {
		line, err := e.lines.ReadString('\n')
		if err != nil {
			return one, false
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			return one, true
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "":
			one.comment = value
		case "id":
			one.id = value
		case "data":
			one.data += value
		case "retry":
			one.retry = value
		case "event":
		default:
			e.d.Errorf("odd line in an event stream: %q", line)
		}
	}
}

// message reads the next event that is no comment and has data.
func (e *events) message() heard {
	e.d.Helper()
	for {
		one, ok := e.next()
		if !ok {
			e.d.Fatal("the stream ended where a message was expected")
		}
		if one.data != "" {
			if !json.Valid([]byte(one.data)) {
				e.d.Errorf("an event is no JSON: %q", one.data)
			}
			return one
		}
	}
}

// end checks that nothing but the end comes.
func (e *events) end() {
	e.d.Helper()
	if one, ok := e.next(); ok {
		e.d.Errorf("an event where the stream should end: %+v", one)
	}
}

// held takes the calls of one method from a server and keeps them.
type held struct {
	*stage.Actor
	calls chan *rpc.Message
}

func (d *door) hold(method string) held {
	h := held{d.rooms, make(chan *rpc.Message, 1024)}
	d.rooms.Handle(method, func(m *rpc.Message) { h.calls <- m })
	return h
}

func (h held) next(t testing.TB) *rpc.Message {
	t.Helper()
	select {
	case m := <-h.calls:
		return m
	case <-time.After(bridgetest.Patience):
		t.Fatal("the server got no call")
	}
	return nil
}

// progress reports progress on a call as its server.
func (h held) progress(m *rpc.Message, n int) {
	h.Say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, m.Bytes(m.MetaProgressToken), n))
}

// later runs a request and hands its answer over when it is there.
func (d *door) later(r *http.Request) <-chan reply {
	out := make(chan reply, 1)
	go func() { out <- d.do(r) }()
	return out
}

func await[T any](t testing.TB, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(bridgetest.Patience):
		t.Fatal("nothing came in time")
	}
	return v
}

// idOf is the JSON-RPC id of a message.
func idOf(t testing.TB, raw string) string {
	t.Helper()
	m, err := rpc.Scan(bytes.TrimSpace([]byte(raw)))
	if err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return string(m.Bytes(m.ID))
}
