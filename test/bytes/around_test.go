package bytes

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Notifications of a host's extensions never reached the server.
func TestNotificationsOfHostsKeepTheirBytes(t *testing.T) {
	s := newStage(t)
	for _, c := range []struct{ server, version, meta string }{{legacy, "2025-11-25", ""}, {modern, "2026-07-28", meta}} {
		h := s.connect(t, c.server, c.version)
		note := `{"params":{"_meta":{` + c.meta + `"k":"case:note-` + c.server + `"},"n":1.0,"s":"\ud800"},"acme":1e400,"method":"notifications\/acme\/h\u00f6st","jsonrpc":"2.0"}`
		if resp, body := h.post(note, &entry{method: "notifications/acme/höst"}); resp.StatusCode != http.StatusAccepted || body != "" {
			t.Errorf("%s: HTTP %d %s, want 202 and nothing", c.version, resp.StatusCode, body)
		}
		// The call comes behind it, so what the server read before is all there is.
		e := find("case:id-zero")
		h.exchange(h.fill(e), e)
		if got := s.got(t, c.server, &entry{name: "note-" + c.server}); !slices.Equal(got, []string{note}) {
			t.Errorf("%s: the server got %q, want %q", c.version, got, note)
		}
	}
}

// News that belong to no call.
func TestNotificationsOfServersKeepTheirBytes(t *testing.T) {
	s := newStage(t)
	h := s.connect(t, legacy, "2025-11-25")
	resp := h.request(http.MethodGet, "", nil)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET: HTTP %d", resp.StatusCode)
	}
	e := find("case:late-news")
	h.exchange(h.fill(e), e)
	r := bufio.NewReader(resp.Body)
	for _, want := range e.answer[1:] {
		got, err := nextEvent(r)
		if err != nil {
			t.Fatalf("the stream ended before %s: %v", want, err)
		}
		if got != want {
			t.Errorf("the host got other bytes:\n got %s\nwant %s", got, want)
		}
	}
}

// A body may be written with line breaks; a server's pipe has one line for it.
func TestLineBreaksBecomeBlanks(t *testing.T) {
	s := newStage(t)
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		h := s.connect(t, legacy, version)
		if h.era == modern {
			h = s.connect(t, modern, version)
		}
		e := find("case:id-text")
		sent := h.fill(e)
		broken := strings.ReplaceAll(strings.Replace(sent, `{"_meta"`, "\r\n{\n\t\"_meta\"", 1), `,"name"`, ",\n\"name\"")
		h.exchange(broken, e)
		arrived := s.got(t, h.era, e)
		want := strings.NewReplacer("\r", " ", "\n", " ", e.id, "@ID@").Replace(broken)
		if len(arrived) != 1 {
			t.Fatalf("%s: it arrived %d times", version, len(arrived))
		}
		if why := match(want, arrived[0]); why != "" {
			t.Errorf("%s (%s):\n got %s\nwant %s", version, why, arrived[0], want)
		}
	}
}

// An array of 2025-03-26 is taken apart for the server and put together for the
// host.
func TestBatchesKeepTheirBytes(t *testing.T) {
	s := newStage(t)
	h := s.connect(t, legacy, "2025-03-26")
	var sent, want []string
	entries := []*entry{find("case:up-numbers"), find("case:keys-unordered"), find("case:data-escapes"), find("case:id-huge")}
	for _, e := range entries {
		message := h.fill(e)
		sent = append(sent, message)
		want = append(want, straight(t, legacy, e, message)...)
	}
	_, body := h.post("[ "+strings.Join(sent, " ,\t")+" ]", nil)
	var got []json.RawMessage
	if err := json.Unmarshal([]byte(body), &got); err != nil || len(got) != len(want) {
		t.Fatalf("%d answers (%v): %s", len(got), err, body)
	}
	for _, w := range want {
		if !slices.ContainsFunc(got, func(g json.RawMessage) bool { return string(g) == w }) {
			t.Errorf("nowhere is %s\nin %s", w, body)
		}
	}
	for _, e := range entries {
		arrived := s.got(t, legacy, e)
		if len(arrived) != 1 {
			t.Fatalf("%s arrived %d times", e.name, len(arrived))
		}
		up(t, legacy, legacy, e, arrived[0])
	}
}

// A question changes its form between the eras, never its content.
func TestQuestionsKeepTheirBytesAcrossTheEras(t *testing.T) {
	s := newStage(t)
	t.Run("modern host, legacy server", func(t *testing.T) { s.held(t, find("case:question")) })
	t.Run("legacy host, modern server", func(t *testing.T) { s.rounds(t, find("case:rounds")) })
	t.Run("modern host, modern server", func(t *testing.T) { s.states(t, find("case:rounds")) })
}

// part digs a raw value out of JSON.
func part(t *testing.T, raw string, path ...string) string {
	t.Helper()
	for _, name := range path {
		var m map[string]json.RawMessage
		if err := json.Unmarshal([]byte(raw), &m); err != nil || m[name] == nil {
			t.Fatalf("no %q of %q (%v) in %s", name, path, err, raw)
		}
		raw = string(m[name])
	}
	return raw
}

func (s *stage) held(t *testing.T, e *entry) {
	h := s.connect(t, legacy, "2026-07-28")
	message := h.fill(e)
	first := h.exchange(message, e)
	if len(first) != 1 || part(t, first[0], "result", "resultType") != `"input_required"` {
		t.Fatalf("the host got %q, want a question", first)
	}
	var asked map[string]json.RawMessage
	if err := json.Unmarshal([]byte(part(t, first[0], "result", "inputRequests")), &asked); err != nil || len(asked) != 1 {
		t.Fatalf("%d questions (%v): %s", len(asked), err, first[0])
	}
	for key, question := range asked {
		if got, want := part(t, string(question), "params"), part(t, e.question, "params"); got != want {
			t.Errorf("the host was asked with other bytes:\n got %s\nwant %s", got, want)
		}
		more := fmt.Sprintf(`,"inputResponses":{%q:%s},"requestState":%s}}`, key, e.reply, part(t, first[0], "result", "requestState"))
		last := h.exchange(strings.TrimSuffix(message, "}}")+more, e)
		if len(last) != 1 {
			t.Fatalf("the host got %q", last)
		}
		down(t, modern, legacy, e, last[0], straight(t, legacy, e, message)[1])
	}
	want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, e.questionID, e.reply)
	if !slices.Contains(s.read(t, legacy), want) {
		t.Errorf("the server never got %s", want)
	}
	if got := s.got(t, legacy, e); len(got) != 1 {
		t.Errorf("the call came %d times to the server", len(got))
	}
}

// states brings a modern server's own state back to it: sealed for the host on
// the way, and as it was when it arrives.
func (s *stage) states(t *testing.T, e *entry) {
	h := s.connect(t, modern, "2026-07-28")
	message := h.fill(e)
	before := len(s.got(t, modern, e))
	first := h.exchange(message, e)
	server := strings.Replace(e.answer[0], "@ID@", "0", 1)
	sealed, state := part(t, first[0], "result", "requestState"), part(t, server, "result", "requestState")
	if sealed == state || strings.Replace(part(t, first[0], "result"), sealed, state, 1) != part(t, server, "result") {
		t.Errorf("the host got other bytes:\n got %s\nwant %s", first[0], server)
	}
	more := fmt.Sprintf(`,"inputResponses":{"k \u0000":%s},"requestState":`, e.reply)
	h.exchange(strings.TrimSuffix(message, "}}")+more+sealed+"}}", e)
	got := s.got(t, modern, e)[before:]
	if len(got) != 2 {
		t.Fatalf("the server was called %d times, want twice: %q", len(got), got)
	}
	if want := strings.TrimSuffix(message, "}}") + more + state + "}}"; part(t, got[1], "params") != part(t, want, "params") {
		t.Errorf("the server got other bytes:\n got %s\nwant %s", got[1], want)
	}
}

func (s *stage) rounds(t *testing.T, e *entry) {
	h := s.connect(t, modern, "2025-11-25")
	got := h.exchange(h.fill(e), e)
	if len(got) != 2 {
		t.Fatalf("the host got %q, want a question and a result", got)
	}
	fill := strings.NewReplacer("@ID@", "0")
	server, last := fill.Replace(e.answer[0]), fill.Replace(e.again[0])
	if got, want := part(t, got[0], "params"), part(t, server, "result", "inputRequests", "k \x00", "params"); got != want {
		t.Errorf("the host was asked with other bytes:\n got %s\nwant %s", got, want)
	}
	if got, want := part(t, got[1], "result"), part(t, last, "result"); got != want {
		t.Errorf("the host got other bytes:\n got %s\nwant %s", got, want)
	}
	calls := s.got(t, modern, e)
	if len(calls) != 2 {
		t.Fatalf("the server was called %d times, want twice: %q", len(calls), calls)
	}
	for _, c := range []struct {
		path []string
		want string
	}{
		{[]string{"params", "inputResponses", "k \x00"}, e.reply},
		{[]string{"params", "requestState"}, part(t, server, "result", "requestState")},
		{[]string{"params", "arguments"}, part(t, calls[0], "params", "arguments")},
	} {
		if got := part(t, calls[1], c.path...); got != c.want {
			t.Errorf("the server got another %q:\n got %s\nwant %s", c.path, got, c.want)
		}
	}
}
