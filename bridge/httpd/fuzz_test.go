package httpd

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bridgekeeper/bridge/rpc"
)

// FuzzPost: whatever a host with a token sends is answered with valid HTTP, and
// a good request with a response that has its id.
func FuzzPost(f *testing.F) {
	d := open(f)
	session := newSession("desk", "", keepAlive)
	session.seat.Version, session.id = rpc.V20250326, "fuzz"
	if why := d.enter(session); why != nil {
		f.Fatal(why)
	}
	for _, body := range []string{
		"", "{}", "[]", "[1]", "5", `"x"`, "\xef\xbb\xbf{}", `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"[" + `{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":"2","method":"tools/list"}` + "]",
		call(`"\u0000"`, "rooms__status", `,"_meta":{"progressToken":1.0}`), stateless("tools/call", status), stateless("server/discover", ""),
		initialize("2025-11-25", "{}"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":"bk-1","result":{}}`, `{"jsonrpc":"2.0","id":"bk-1","error":1}`,
		`{"id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"rooms__triage"}}}`,
		`{"id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"rooms://{id}/status"}}}`,
		`{"id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, `{"id":1,"method":"resources/read","params":{"uri":"rooms://1/status"}}`,
		`{"id":-0.5e9,"method":"prompts/get","params":{"name":"rooms__tri\u0061ge"}}`,
	} {
		f.Add([]byte(body), "application/json", "application/json, text/event-stream", "fuzz", "", "", "")
		f.Add([]byte(body), "application/json;x=1", "*/*", "", "2026-07-28", "tools/call", "=?base64?cm9vbXNfX3N0YXR1cw==?=")
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType, accept, sessionID, version, method, name string) {
		r := httptest.NewRequest(http.MethodPost, "/mcp", bytes.NewReader(body))
		r.Host = "127.0.0.1:" + d.port
		set := func(name, value string) {
			if value = strings.Map(visible, value); value != "" {
				r.Header.Set(name, value)
			}
		}
		r.Header.Set("Authorization", "Bearer good")
		set("Content-Type", contentType)
		set("Accept", accept)
		set("Mcp-Session-Id", sessionID)
		set("Mcp-Protocol-Version", version)
		set("Mcp-Method", method)
		set("Mcp-Name", name)
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		checkAnswer(t, w, body)
	})
}

// visible drops what net/http lets into no header value.
func visible(c rune) rune {
	if c < ' ' && c != '\t' || c == 0x7f {
		return -1
	}
	return c
}

func checkAnswer(t *testing.T, w *httptest.ResponseRecorder, body []byte) {
	t.Helper()
	switch w.Code {
	case 202:
		if w.Body.Len() != 0 {
			t.Errorf("202 with a body: %q", w.Body)
		}
		return
	case 200, 400, 404, 406, 415, 503:
	default:
		t.Errorf("HTTP %d", w.Code)
	}
	if w.Header().Get("Content-Type") != "application/json" || !json.Valid(w.Body.Bytes()) {
		t.Fatalf("HTTP %d, %s: %q", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	if w.Code != 200 || w.Body.Bytes()[0] == '[' {
		return
	}
	asked, _ := rpc.Scan(bytes.TrimPrefix(bytes.Clone(body), bom))
	answer, err := rpc.Scan(w.Body.Bytes())
	if err != nil || answer.Kind() != rpc.Response || !bytes.Equal(answer.Bytes(answer.ID), asked.Bytes(asked.ID)) {
		t.Errorf("%q was answered with %q (%v)", body, w.Body, err)
	}
}

// FuzzLastEventID: no event id of a host breaks a stream.
func FuzzLastEventID(f *testing.F) {
	s := newSession("desk", "", keepAlive)
	st := newStream(keepAlive)
	s.keep(st)
	for range 3 {
		st.add([]byte("{}"))
	}
	st.close()
	for _, id := range []string{"", "-", "c1-0", "c1-3", "c1-4", "g-0", "g-1", "c1-18446744073709551615", "c1--1", "c1-+1", "c1-01"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		st, from, ok := s.resumable(id)
		if !ok {
			return
		}
		w := httptest.NewRecorder()
		if st == s.standing {
			return // it has no end to wait for
		}
		if err := st.follow(t.Context(), w, st.attach(), from, false); err != nil {
			t.Errorf("%q: %v", id, err)
		}
		if n := strings.Count(w.Body.String(), "data: "); n != 3-int(from) {
			t.Errorf("%q: %d events after %d", id, n, from)
		}
	})
}

// FuzzOrigin: what passes for this computer names this computer.
func FuzzOrigin(f *testing.F) {
	for _, origin := range []string{"http://localhost", "null", "https://127.0.0.1:80", "http://[::1]", "http://localhost.evil", "http://a@localhost", "http://localhost:1@evil"} {
		f.Add(origin)
	}
	f.Fuzz(func(t *testing.T, origin string) {
		if !loopbackOrigin(origin) {
			return
		}
		_, rest, _ := strings.Cut(strings.ToLower(origin), "://")
		if !strings.HasPrefix(rest, "localhost") && !strings.HasPrefix(rest, "127.0.0.1") && !strings.HasPrefix(rest, "[::1]") || strings.ContainsAny(rest, "@/\\#") {
			t.Errorf("%q passes", origin)
		}
	})
}
