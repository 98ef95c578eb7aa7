package httpd

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"bridgekeeper/bridge/rpc"
)

func TestBatch(t *testing.T) {
	d := open(t)
	s := d.begin("2025-03-26")
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	note := `{"jsonrpc":"2.0","method":"notifications/x"}`
	late := `{"jsonrpc":"2.0","id":"bk-1","result":{}}`
	many := "[" + strings.TrimSuffix(strings.Repeat(note+",", maxBatch+1), ",") + "]"
	for _, one := range []struct {
		what, body string
		status     int
		want       string
	}{
		{"requests", "[" + ping("1") + "," + note + ",\n " + ping(`"a"`) + " , " + call("2", "rooms__status", "") + "]", 200,
			`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"a","result":{}},{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"free"}]}}]`},
		{"one", "[" + ping("1") + "]", 200, `[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		{"BOM and blanks", "\xef\xbb\xbf \r\n[" + ping("1") + "]\n", 200, `[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		{"notifications", "[" + note + "," + note + "]", 202, ""},
		{"responses", "[" + late + "]", 202, ""},
		{"empty", "[]", 400, ""},
		{"initialize", "[" + initialize("2025-03-26", "{}") + "]", 400, ""},
		{"the same id twice", "[" + ping("1") + "," + ping("1") + "]", 400, ""},
		{"a number", "[1]", 400, ""},
		{"an array", "[[" + ping("1") + "]]", 400, ""},
		{"method twice", `[{"id":1,"method":"ping","method":"x"}]`, 400, ""},
		{"too many", many, 400, ""},
		{"broken", "[" + ping("1"), 400, ""},
	} {
		got := d.post(one.body, s)
		d.want(one.what, got, one.status)
		if one.status != 400 && got.body != one.want {
			t.Errorf("%s: %s", one.what, got.body)
		}
	}
	d.want("another revision", d.post("["+ping("1")+"]", d.begin("2025-06-18")), 400, "2025-03-26 only")
	d.want("no session", d.post("["+ping("1")+"]"), 400)
	d.want("stateless", d.post("["+ping("1")+"]", "Mcp-Protocol-Version: 2026-07-28"), 400)
}

func TestBatchRunsSideBySide(t *testing.T) {
	d := open(t)
	s := d.begin("2025-03-26")
	h := d.hold(rpc.CallTool)
	var calls []string
	for i := range 10 {
		calls = append(calls, call(fmt.Sprint(i), "rooms__wait", ""))
	}
	answer := d.later(d.request("POST", "/mcp", "["+strings.Join(calls, ",")+"]", s))
	var got []*rpc.Message
	for range calls {
		got = append(got, h.next(t))
	}
	d.want("cancel", d.post(`[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}]`, s), 202)
	for i := len(got) - 1; i >= 0; i-- {
		h.Reply(got[i], "{}")
	}
	r := await(t, answer)
	var list []struct{ ID int }
	if err := json.Unmarshal([]byte(r.body), &list); err != nil || len(list) != 9 || list[3].ID != 4 {
		t.Errorf("%v: %s", err, r.body)
	}
}

// A host that sent an array heard nothing until all of it was done, and gave up.
func TestBatchShowsSignsOfLife(t *testing.T) {
	d := open(t, func(s *Server) { s.keepAlive, s.beat = 20*time.Millisecond, 20*time.Millisecond })
	s := d.begin("2025-03-26")
	h := d.hold(rpc.CallTool)
	quiet := d.stream(d.request("POST", "/mcp", "["+call("1", "rooms__wait", "")+`,{"jsonrpc":"2.0","id":2,"method":"ping"}]`, s))
	m := h.next(t)
	if got := quiet.message(); got.data != `{"jsonrpc":"2.0","id":2,"result":{}}` {
		t.Errorf("got %s", got.data)
	}
	for {
		if one, ok := quiet.next(); !ok || one.comment != "" {
			break // alive, without anybody saying a word
		}
	}
	h.Reply(m, `{"x":1.0}`)
	if got := quiet.message(); got.data != `{"jsonrpc":"2.0","id":1,"result":{"x":1.0}}` {
		t.Errorf("got %s", got.data)
	}
	quiet.end()
	loud := d.stream(d.request("POST", "/mcp", "["+call("3", "rooms__wait", `,"_meta":{"progressToken":"t"}`)+"]", s))
	m = h.next(t)
	h.progress(m, 5)
	for {
		if token, _, value := progressOf(t, loud.message().data); token != `"t"` {
			t.Fatalf("progress for %s", token)
		} else if value > 5 {
			break // the server's, then ours
		}
	}
	h.Reply(m, `{}`)
	for {
		if got := loud.message().data; !strings.Contains(got, "progress") {
			if got != `{"jsonrpc":"2.0","id":3,"result":{}}` {
				t.Errorf("got %s", got)
			}
			break
		}
	}
	loud.end()
}
