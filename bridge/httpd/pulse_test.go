package httpd

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"bridgekeeper/bridge/rpc"
)

// progressOf reads a notification of progress.
func progressOf(t testing.TB, raw string) (token, message string, value float64) {
	t.Helper()
	var m struct {
		Method string
		Params struct {
			ProgressToken json.RawMessage
			Progress      float64
			Message       string
		}
	}
	if err := json.Unmarshal([]byte(raw), &m); err != nil || m.Method != rpc.Progress {
		t.Fatalf("no progress: %s", raw)
	}
	return string(m.Params.ProgressToken), m.Params.Message, m.Params.Progress
}

// quick makes the sign of life come often; comments come never.
func quick(s *Server) { s.beat, s.keepAlive = 5*time.Millisecond, time.Hour }

// A host that had asked for progress gave a long call up, as its server said nothing.
func TestSignsOfLifeAsProgress(t *testing.T) {
	d := open(t, quick)
	h := d.hold(rpc.CallTool)
	session := d.begin("2025-06-18")
	modern := strings.Replace(stateless(rpc.CallTool, status), `"_meta":{`, `"_meta":{"progressToken":7,`, 1)
	for what, one := range map[string]struct {
		token string
		open  func() *events
	}{
		"legacy": {`"tök"`, func() *events {
			return d.stream(d.request("POST", "/mcp", call("1", "rooms__status", `,"_meta":{"progressToken":"tök"}`), session))
		}},
		"modern": {"7", func() *events { return d.stream(d.modernRequest(modern)) }},
	} {
		out := make(chan *events, 1)
		go func() { out <- one.open() }()
		m := h.next(t)
		stream := await(t, out)
		last := -1.0
		heard := func(want string) float64 {
			t.Helper()
			for {
				got := stream.message().data
				token, message, value := progressOf(t, got)
				if token != one.token || value <= last {
					t.Fatalf("%s: %s after %v", what, got, last)
				}
				last = value
				if message == want {
					return value
				}
				if message != "still running" {
					t.Fatalf("%s: %s", what, got)
				}
			}
		}
		say := func(progress, message string) {
			d.rooms.Say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%s,"message":%q}}`, m.Bytes(m.MetaProgressToken), progress, message))
		}
		for range 3 {
			heard("still running")
		}
		say("0", "begun") // not above what was said already
		if v := heard("begun"); v > 0.001 {
			t.Errorf("%s: begun at %v", what, v)
		}
		say("5", "five")
		if v := heard("five"); v != 5 {
			t.Errorf("%s: five at %v", what, v)
		}
		heard("still running")
		say("5", "five again")
		heard("five again")
		say("5.5", "more")
		if v := heard("more"); v != 5.5 {
			t.Errorf("%s: more at %v", what, v)
		}
		say("9007199254740992", "large")
		heard("large")
		heard("still running")
		h.Reply(m, `{"content":[]}`)
		for {
			got := stream.message().data
			if strings.Contains(got, `"result"`) {
				break
			}
			if _, _, v := progressOf(t, got); v <= last {
				t.Errorf("%s: %s after %v", what, got, last)
			} else {
				last = v
			}
		}
		stream.end()
	}
}

// Silence is measured from the server's own progress.
func TestNoSignOfLifeBesideProgress(t *testing.T) {
	p := newPulse([]byte("1"))
	x := &exchange{server: &Server{beat: time.Hour, keepAlive: time.Hour}, pulse: p, stream: newStream(time.Hour)}
	p.next = time.AfterFunc(time.Hour, func() {})
	p.at = time.Now().Add(-2 * time.Hour)
	x.accept.sse = true
	x.m = &rpc.Message{}
	x.session = nil
	x.Notify([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.50}}`))
	x.beat()
	if n := x.stream.waiting(); n != 1 {
		t.Errorf("%d events", n)
	}
	p.at = time.Now().Add(-2 * time.Hour)
	x.beat()
	if n := x.stream.waiting(); n != 2 {
		t.Errorf("%d events", n)
	}
	x.closed = true
	p.at = time.Now().Add(-2 * time.Hour)
	x.beat()
	x.Notify([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}`))
	if n := x.stream.waiting(); n != 2 {
		t.Errorf("%d events after the end", n)
	}
}

func TestNoSignOfLifeUnasked(t *testing.T) {
	d := open(t, quick)
	h := d.hold(rpc.CallTool)
	s := d.begin("2025-06-18")
	for what, lines := range map[string][]string{"no token": {call("1", "rooms__wait", ""), "Accept: */*"}, "JSON only": {call("1", "rooms__wait", `,"_meta":{"progressToken":1}`), "Accept: application/json"}} {
		answer := d.later(d.request("POST", "/mcp", lines[0], s, lines[1]))
		m := h.next(t)
		// Another call's signs of life show that the time has passed.
		stream := make(chan *events, 1)
		go func() {
			stream <- d.stream(d.request("POST", "/mcp", call("2", "rooms__wait", `,"_meta":{"progressToken":2}`), s))
		}()
		other := h.next(t)
		e := await(t, stream)
		for range 3 {
			e.message()
		}
		h.Reply(m, `{"content":[]}`)
		d.want(what, await(t, answer), 200, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
		h.Reply(other, "{}")
		for {
			if _, ok := e.next(); !ok {
				break
			}
		}
	}
}

func TestProgressValues(t *testing.T) {
	p := newPulse([]byte("1"))
	for _, one := range []struct{ value, want string }{
		{"1", "1"}, {"1.50", "1.50"}, {"1.5", "1.500001"}, {"-3", "1.5000019999999998"}, {"1e1", "1e1"}, {"1e400", "1e400"}, {`"x"`, `"x"`}, {"null", "null"}, {"1e17", "1e17"}, {"5", "100000000000000020"},
	} {
		raw := `{"method":"notifications/progress","params":{"a":1.0,"progress":` + one.value + `,"z":[1.0]},"jsonrpc":"2.0"}`
		m, err := rpc.Scan([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(p.heard(&m)), strings.Replace(raw, `"progress":`+one.value, `"progress":`+one.want, 1); got != want {
			t.Errorf("%s: %s", one.value, got)
		}
	}
	m, _ := rpc.Scan([]byte(`{"method":"notifications/progress","params":5}`))
	if got := string(p.heard(&m)); got != string(m.Raw) {
		t.Error(got)
	}
}
