package directory

import (
	"context"
	"strings"
	"testing"
	"time"

	"bridgekeeper/bridge/rpc"
)

func scan(t *testing.T, raw string) *rpc.Message {
	t.Helper()
	m, err := rpc.Scan([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

func TestSeal(t *testing.T) {
	s, now := newSeal(), time.Unix(1000, 0)
	call := scan(t, `{"method":"tools/call","params":{"name":"t","arguments":{"n":1}}}`)
	state := s.close("ticket 1", "desk", binding("a", call), now.Add(time.Minute))
	for _, at := range []time.Time{now, now.Add(time.Minute)} {
		if got, err := s.open(state, "desk", binding("a", call), at); got != "ticket 1" || err != nil {
			t.Errorf("at %v: %q, %v", at, got, err)
		}
	}
	if state == s.close("ticket 1", "desk", binding("a", call), now.Add(time.Minute)) {
		t.Error("two states are the same")
	}
	for what, got := range map[string]func() (string, error){
		"expired":        func() (string, error) { return s.open(state, "desk", binding("a", call), now.Add(61*time.Second)) },
		"another host":   func() (string, error) { return s.open(state, "lap", binding("a", call), now) },
		"another server": func() (string, error) { return s.open(state, "desk", binding("b", call), now) },
		"another key":    func() (string, error) { return newSeal().open(state, "desk", binding("a", call), now) },
		"longer":         func() (string, error) { return s.open(state+"AA", "desk", binding("a", call), now) },
		"nothing":        func() (string, error) { return s.open("", "desk", binding("a", call), now) },
		"no base64":      func() (string, error) { return s.open("!"+state, "desk", binding("a", call), now) },
	} {
		if text, err := got(); err == nil {
			t.Errorf("%s: opened as %q", what, text)
		}
	}
	// What stands where two parts meet can't be moved from one to the other.
	one := scan(t, `{"method":"m","params":{"name":"ab","arguments":"c"}}`)
	two := scan(t, `{"method":"m","params":{"name":"a","arguments":"bc"}}`)
	if string(binding("a", one)) == string(binding("a", two)) {
		t.Error("two calls are bound alike")
	}
}

// A call that came while we stopped was never ended in the record.
func TestNoHoldAfterTheEnd(t *testing.T) {
	d := New(Options{})
	d.held.end()
	r := &Request{Seat: &Seat{Version: rpc.V20260728}, Message: scan(t, `{"id":1,"method":"tools/call","params":{}}`)}
	ended := ""
	answer := d.hold(context.Background(), r, "a", nil, nil, func(_ *Answer, outcome string) { ended += outcome })
	if answer.Error == nil || ended != "error" {
		t.Errorf("answer %+v, ended as %q", answer, ended)
	}
}

// Nobody is there to be told that a page was visited.
func TestPageOfNobody(t *testing.T) {
	c := &conversation{request: &Request{}, pages: map[string]page{"https://x.example/": {}}}
	c.close(nil)
	if len(c.pages) != 0 {
		t.Error("it is still open")
	}
}

func TestWithoutAnswers(t *testing.T) {
	for in, want := range map[string]string{
		`{"name":"seen","arguments":{"inputResponses":1}}`:                    `{"name":"own","arguments":{"inputResponses":1}}`,
		`{"inputResponses":{},"requestState":"x","name":"seen"}`:              `{"name":"own"}`,
		`{"name":"seen" , "requestState":"x","inputResponses":{} , "k":1.0 }`: `{"name":"own" , "k":1.0 }`,
		`{"requestState":"x","name":"seen","inputResponses":{}}`:              `{"name":"own"}`,
		`{"name":"seen","task":{"ttl":1},"arguments":{"task":1}}`:             `{"name":"own","arguments":{"task":1}}`,
	} {
		m := scan(t, `{"id":1,"method":"tools/call","params":`+in+`}`)
		sent, edits := withoutAnswers(*m, []rpc.Edit{{Span: m.Name, With: []byte(`"own"`)}})
		got := string(rpc.Splice(nil, sent.Raw, edits...))
		if got = strings.TrimSuffix(strings.TrimPrefix(got, `{"id":1,"method":"tools/call","params":`), "}"); got != want {
			t.Errorf("%s became %s", in, got)
		}
	}
}
