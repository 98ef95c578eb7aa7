package upstream

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"bridgekeeper/bridge/bridgetest"
	"bridgekeeper/bridge/rpc"
)

// heard records what a session passes up.
type heard struct {
	mu    sync.Mutex
	notes []string
	ask   func(ctx context.Context, call *Call, m *rpc.Message) ([]byte, *rpc.Error)
}

func (h *heard) Notify(_ *Session, m *rpc.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.notes = append(h.notes, m.MethodName())
}

func (h *heard) Ask(ctx context.Context, _ *Session, call *Call, m *rpc.Message) ([]byte, *rpc.Error) {
	return h.ask(ctx, call, m)
}

func (h *heard) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.notes)
}

func options(h *heard) Options {
	return Options{Era: Auto, ClientName: "test", ClientVer: "0", Capabilities: []byte(`{"roots":{}}`), Events: h, Log: slog.New(slog.DiscardHandler)}
}

// open performs a legacy handshake on fresh lines.
func open(t *testing.T, h *heard) (*Session, *bridgetest.Lines) {
	t.Helper()
	lines := bridgetest.NewLines()
	s, err := shake(t, lines, options(h), `"result":`+bridgetest.Initialized)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lines.End(); s.Close(errors.New("test ended")); s.Wait() })
	if m := lines.Next(t); !m.Is(rpc.Initialized) {
		t.Fatalf("second message: %s", m.Raw)
	}
	return s, lines
}

// shake opens a session whose requests are answered in turn: `"result":…` or
// `"error":…`.
func shake(t *testing.T, lines *bridgetest.Lines, opts Options, answers ...string) (*Session, error) {
	t.Helper()
	type opened struct {
		s   *Session
		err error
	}
	done := make(chan opened, 1)
	go func() {
		s, err := Open(t.Context(), lines, opts)
		done <- opened{s, err}
	}()
	for _, answer := range answers {
		m := lines.Next(t)
		if m.Is(rpc.Discover) && (m.Text(m.MetaVersion) != rpc.V20260728 || string(m.Bytes(m.MetaCapabilities)) != `{"roots":{}}`) {
			t.Errorf("discover without _meta: %s", m.Raw)
		}
		lines.Say(`{"jsonrpc":"2.0","id":` + string(m.Bytes(m.ID)) + "," + answer + "}")
	}
	o := wait(t, done)
	return o.s, o.err
}

type sink struct{ got chan string }

func (s sink) Notify(raw []byte) { s.got <- string(raw) }

func scan(t *testing.T, raw string) *rpc.Message {
	t.Helper()
	m, err := rpc.Scan([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

type outcome struct {
	reply Reply
	err   error
}

func start(ctx context.Context, s *Session, req *Request) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		reply, err := s.Do(ctx, req)
		done <- outcome{reply, err}
	}()
	return done
}

func wait[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(bridgetest.Patience):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

func TestCallKeepsEveryByteButIdAndToken(t *testing.T) {
	s, lines := open(t, &heard{})
	notes := sink{make(chan string, 4)}
	m := scan(t, `{"id":"höst","x-odd":1.0e400,"method":"tools/call","params":{"_meta":{"progressToken":"tök","z":1},"arguments":{"n":12345678901234567890,"s":"\ud800"},"name":"a"}}`)
	done := start(t.Context(), s, &Request{Message: m, Sink: notes, Owner: "h"})
	sent := lines.Next(t)
	id := string(sent.Bytes(sent.ID))
	want := `{"id":` + id + `,"x-odd":1.0e400,"method":"tools/call","params":{"_meta":{"progressToken":` + id + `,"z":1},"arguments":{"n":12345678901234567890,"s":"\ud800"},"name":"a"}}`
	if string(sent.Raw) != want {
		t.Errorf("sent %s\nwant %s", sent.Raw, want)
	}
	lines.Say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":` + id + `,"message":"half"}}`)
	if got := wait(t, notes.got); got != `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":"tök","message":"half"}}` {
		t.Errorf("progress: %s", got)
	}
	lines.Say(`{"result":{"b":1,"a":[1.50]},"jsonrpc":"2.0","id":` + id + `,"extra":null}`)
	o := wait(t, done)
	if o.err != nil || string(o.reply.Raw) != `{"result":{"b":1,"a":[1.50]},"jsonrpc":"2.0","id":`+id+`,"extra":null}` {
		t.Errorf("reply %s, %v", o.reply.Raw, o.err)
	}
	o.reply.Free()
}

func TestCancelReachesTheServerWithItsOwnIdAndLateRepliesAreIgnored(t *testing.T) {
	// A slow call was cancelled under the host's id, which meant another call at
	// the server, and ran on.
	s, lines := open(t, &heard{})
	ctx, cancel := context.WithCancelCause(t.Context())
	done := start(ctx, s, &Request{Message: scan(t, `{"id":77,"method":"tools/call","params":{"name":"slow"}}`)})
	sent := lines.Next(t)
	why := errors.New("the person said stop")
	cancel(why)
	if o := wait(t, done); o.err != why {
		t.Errorf("error %v", o.err)
	}
	told := lines.Next(t)
	if !told.Is(rpc.Cancelled) || string(told.Bytes(told.RequestID)) != string(sent.Bytes(sent.ID)) {
		t.Errorf("the server was told %s", told.Raw)
	}
	lines.Reply(sent, `{"late":true}`)
	next := start(t.Context(), s, &Request{Message: scan(t, `{"id":78,"method":"tools/call","params":{"name":"quick"}}`)})
	lines.Reply(lines.Next(t), `{"quick":true}`)
	o := wait(t, next)
	if o.err != nil || !strings.Contains(string(o.reply.Raw), "quick") {
		t.Errorf("reply %s, %v", o.reply.Raw, o.err)
	}
	if n, _, _ := s.Load(); n != 0 {
		t.Errorf("%d calls left in flight", n)
	}
}

func TestCallsFailAtOnceWhenTheServerDies(t *testing.T) {
	// Calls to a dead server hung until the host's timeout of 30 minutes.
	s, lines := open(t, &heard{})
	done := start(t.Context(), s, &Request{Message: scan(t, `{"id":1,"method":"tools/call","params":{}}`)})
	lines.Next(t)
	cause := errors.New("killed")
	s.Close(cause)
	if o := wait(t, done); o.err != cause {
		t.Errorf("error %v", o.err)
	}
	if _, err := s.Request(t.Context(), rpc.ListTools, nil); err != cause {
		t.Errorf("a later call: %v", err)
	}
	<-s.Done()
}

func TestHandshakeFallsBackToModern(t *testing.T) {
	for _, refusal := range []string{
		`{"code":-32601,"message":"Method not found"}`,
		`{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"]}}`,
		`{"code":0,"message":"no"}`,
	} {
		lines := bridgetest.NewLines()
		s, err := shake(t, lines, options(&heard{}), `"error":`+refusal,
			`"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"3"}}}`)
		if err != nil {
			t.Fatalf("%s: %v", refusal, err)
		}
		if i := s.Info(); i.Era != Modern || i.Version != rpc.V20260728 || i.Text("name") != "new" || !i.Has("tools") || i.Has("prompts") {
			t.Errorf("info %+v", i)
		}
		for raw, want := range map[string]string{
			`{"id":"h","method":"tools/list"}`:                              `"params":{"_meta":{`,
			`{"id":"h","method":"tools/list","params":{}}`:                  `"params":{"_meta":{`,
			`{"id":"h","method":"tools/list","params":{"_meta":{"own":1}}}`: `,"own":1}`,
		} {
			done := start(t.Context(), s, &Request{Message: scan(t, raw), Capabilities: []byte(`{"sampling":{}}`)})
			sent := lines.Next(t)
			if !strings.Contains(string(sent.Raw), want) || string(sent.Bytes(sent.MetaCapabilities)) != `{"sampling":{}}` {
				t.Errorf("%s was sent as %s", raw, sent.Raw)
			}
			lines.Reply(sent, `{}`)
			wait(t, done)
		}
		lines.End()
		s.Wait()
	}
}

func TestHandshakeRefusesWhatItCannotSpeak(t *testing.T) {
	for answer, want := range map[string]string{
		`"result":{"protocolVersion":"1999-01-01","capabilities":{}}`: "1999-01-01",
		`"result":[]`: "no object",
		`"error":{"code":-32000,"message":"no key set"}`: "no key set",
	} {
		lines := bridgetest.NewLines()
		opts := options(&heard{})
		opts.Era = Legacy
		if _, err := shake(t, lines, opts, answer); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", answer, err)
		}
		lines.End()
	}
}

func TestServersQuestions(t *testing.T) {
	release := make(chan struct{})
	h := &heard{ask: func(ctx context.Context, call *Call, m *rpc.Message) ([]byte, *rpc.Error) {
		switch {
		case m.Is(rpc.ListRoots):
			return []byte(`{"roots":[]}`), nil
		case m.Is(rpc.Elicit):
			select {
			case <-release:
			case <-ctx.Done():
			}
			return []byte(`{"action":"cancel"}`), nil
		}
		return nil, &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "no"}
	}}
	_, lines := open(t, h)
	for _, c := range []struct{ said, want string }{
		{`{"jsonrpc":"2.0","id":0,"method":"ping"}`, `{"jsonrpc":"2.0","id":0,"result":{}}`},
		{`{"jsonrpc":"2.0","id":0,"method":"roots/list"}`, `{"jsonrpc":"2.0","id":0,"result":{"roots":[]}}`},
		{`{"jsonrpc":"2.0","id":"0","method":"roots/list"}`, `{"jsonrpc":"2.0","id":"0","result":{"roots":[]}}`},
		{`{"jsonrpc":"2.0","id":98765432109876543210,"method":"roots/list"}`, `{"jsonrpc":"2.0","id":98765432109876543210,"result":{"roots":[]}}`},
		{`{"jsonrpc":"2.0","id":2,"method":"x/y"}`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}`},
	} {
		lines.Say(c.said)
		if got := string(lines.Next(t).Raw); got != c.want {
			t.Errorf("%s was answered %s", c.said, got)
		}
	}
	// One that the server takes back is not answered; the next one is.
	lines.Say(`{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{}}`)
	lines.Say(`{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{}}`)
	if got := string(lines.Next(t).Raw); !strings.Contains(got, "in use") {
		t.Errorf("an id used twice: %s", got)
	}
	lines.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
	lines.Say(`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
	if got := string(lines.Next(t).Raw); got != `{"jsonrpc":"2.0","id":6,"result":{}}` {
		t.Errorf("after a withdrawn question: %s", got)
	}
	close(release)
}

func TestJunkHarmsNobody(t *testing.T) {
	// One console.log at boot ended the session for good.
	h := &heard{}
	s, lines := open(t, h)
	done := start(t.Context(), s, &Request{Message: scan(t, `{"id":1,"method":"tools/call","params":{}}`)})
	sent := lines.Next(t)
	for _, junk := range []string{"Server listening…", "{", "\xff\xfe", `"text"`, `{"jsonrpc":"2.0"}`, `{"id":null,"result":{}}`, `{"id":1,"result":{},"error":{}}`, "[1,2", `{"id":12345678901234567890123,"result":{}}`} {
		lines.Say(junk)
	}
	id := string(sent.Bytes(sent.ID))
	lines.Say(`[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"},{"jsonrpc":"2.0","id":"` + id + `","result":{"ok":1}}]`)
	o := wait(t, done)
	if o.err != nil || !strings.Contains(string(o.reply.Raw), `"ok":1`) {
		t.Errorf("reply %s, %v", o.reply.Raw, o.err)
	}
	o.reply.Free()
	if lines.Strays() != 9 {
		t.Errorf("%d strays, want 9", lines.Strays())
	}
	if h.count() != 1 {
		t.Errorf("%d notifications", h.count())
	}
}

type long struct{ head, tail string }

func (l long) Error() string                  { return "too long" }
func (l long) Parts() ([]byte, []byte, int64) { return []byte(l.head), []byte(l.tail), 1 << 30 }

func TestLineOverTheCapFailsThatCallOnly(t *testing.T) {
	s, lines := open(t, &heard{})
	first := start(t.Context(), s, &Request{Message: scan(t, `{"id":1,"method":"a"}`)})
	firstID := lines.Next(t)
	second := start(t.Context(), s, &Request{Message: scan(t, `{"id":2,"method":"b"}`)})
	secondID := lines.Next(t)
	third := start(t.Context(), s, &Request{Message: scan(t, `{"id":3,"method":"c"}`)})
	thirdID := lines.Next(t)
	lines.Say(error(long{`{"result":{"content":[{"id":` + string(firstID.Bytes(firstID.ID)) + `}`, `xxx"}]},"id":` + string(secondID.Bytes(secondID.ID)) + `}`}))
	if o := wait(t, second); o.err != ErrTooLarge {
		t.Errorf("second: %v", o.err)
	}
	lines.Say(error(long{`{"jsonrpc":"2.0","id":` + string(firstID.Bytes(firstID.ID)) + `,"result":{`, `}}`}))
	if o := wait(t, first); o.err != ErrTooLarge {
		t.Errorf("first: %v", o.err)
	}
	lines.Reply(thirdID, `{}`)
	if o := wait(t, third); o.err != nil {
		t.Errorf("third: %v", o.err)
	}
}

func TestQuestionBelongsToTheOneCallInFlight(t *testing.T) {
	calls := make(chan *Call, 4)
	h := &heard{ask: func(_ context.Context, call *Call, _ *rpc.Message) ([]byte, *rpc.Error) {
		calls <- call
		return []byte(`{}`), nil
	}}
	s, lines := open(t, h)
	ask := func() *Call {
		lines.Say(`{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{}}`)
		for !strings.Contains(string(lines.Next(t).Raw), `"id":9`) {
		}
		return wait(t, calls)
	}
	if c := ask(); c != nil {
		t.Error("a question with no call in flight was given one")
	}
	one := start(t.Context(), s, &Request{Message: scan(t, `{"id":1,"method":"a"}`), Owner: "cursor"})
	oneID := lines.Next(t)
	if c := ask(); c == nil || c.Owner != "cursor" {
		t.Errorf("one call in flight: %+v", c)
	}
	two := start(t.Context(), s, &Request{Message: scan(t, `{"id":1,"method":"a"}`), Owner: "claude"})
	twoID := lines.Next(t)
	if c := ask(); c != nil {
		t.Errorf("two calls in flight: guessed %s", c.Owner)
	}
	lines.Reply(oneID, "{}")
	lines.Reply(twoID, "{}")
	wait(t, one)
	wait(t, two)
}

// FuzzReader feeds one arbitrary line to a session with a call in flight: the
// session must go on and answer the call.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{`{"id":2,"result":{}}`, `[{"id":2,"error":{}}]`, `{"method":"notifications/progress","params":{"progressToken":2}}`, `{"method":"ping","id":{}}`, "[]", "["} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(line) == 0 || strings.ContainsAny(string(line), "\n\r") {
			return
		}
		h := &heard{ask: func(context.Context, *Call, *rpc.Message) ([]byte, *rpc.Error) { return []byte("{}"), nil }}
		s, lines := open(t, h)
		done := start(t.Context(), s, &Request{Message: scan(t, `{"id":1,"method":"a","params":{"_meta":{"progressToken":1}}}`), Sink: sink{make(chan string, 100)}})
		sent := lines.Next(t)
		lines.Say(append([]byte(nil), line...))
		lines.Reply(sent, `{}`)
		if o := wait(t, done); o.err != nil {
			t.Fatal(o.err)
		}
	})
}
