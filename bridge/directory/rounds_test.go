package directory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// asked is a legacy host's end of a call: it declares capabilities and answers
// questions by the table.
type asked struct {
	noted
	declared []string
	answers  map[string]string // by method; "!…" is an error with that message
	hold     chan struct{}     // when set, questions wait for it

	mu        sync.Mutex
	questions []string
	now, most int // questions open
}

func (a *asked) Declares(capability string) bool { return slices.Contains(a.declared, capability) }

func (a *asked) Ask(ctx context.Context, m *rpc.Message) ([]byte, *rpc.Error) {
	a.mu.Lock()
	a.questions = append(a.questions, string(m.Raw))
	a.now++
	a.most = max(a.most, a.now)
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.now--
		a.mu.Unlock()
	}()
	if a.hold != nil {
		select {
		case <-a.hold:
		case <-ctx.Done():
			return nil, &rpc.Error{Code: -1, Message: "gone"}
		}
	}
	answer := a.answers[m.MethodName()]
	if why, refused := strings.CutPrefix(answer, "!"); refused {
		return nil, &rpc.Error{Code: -1, Message: why}
	}
	return []byte(answer), nil
}

const elicitParams = `{"message":"?","requestedSchema":{"type":"object","n":1.0}}`

// need is an input_required result; state is raw JSON or "".
func need(state string, requests ...string) string {
	out := `{"resultType":"input_required"`
	if requests != nil {
		out += `,"inputRequests":{` + strings.Join(requests, ",") + `}`
	}
	if state != "" {
		out += `,"requestState":` + state
	}
	return out + "}"
}

func request(key, method, params string) string {
	return fmt.Sprintf(`%q:{"method":%q,"params":%s}`, key, method, params)
}

// modernStage has a modern server a, which answers its calls by turns; what it was
// sent is kept.
type modernStage struct {
	*stage.Stage
	testing.TB
	a     *stage.Actor
	turns []string // results
	got   []string
}

func newModernStage(t testing.TB, turns ...string) *modernStage {
	s := &modernStage{Stage: stage.New(t, nil, "a"), TB: t, turns: turns}
	s.a = s.Open("a", map[string]string{rpc.Discover: `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{},"resources":{}}}`,
		rpc.ListTools: `{"tools":[{"name":"t"}]}`}, upstream.Modern)
	answer := func(m *rpc.Message) {
		s.got = append(s.got, string(m.Raw))
		turn := s.turns[min(len(s.got), len(s.turns))-1]
		if why, refused := strings.CutPrefix(turn, "!"); refused {
			s.a.Say(rpc.AppendError(nil, m.Bytes(m.ID), &rpc.Error{Code: 7, Message: why}))
			return
		}
		s.a.Reply(m, turn)
	}
	for _, method := range []string{rpc.CallTool, rpc.GetPrompt, rpc.ReadResource} {
		s.a.Handle(method, answer)
	}
	s.Ready("a", s.a.Session)
	s.Until(toolCount("a", 1))
	return s
}

func (s *modernStage) call(ctx context.Context, host *asked, method, params string) string {
	s.Helper()
	m, err := rpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params))
	if err != nil {
		s.Fatal(err)
	}
	r := &directory.Request{Seat: &directory.Seat{Endpoint: "a", Host: "desk", Session: "s", Version: rpc.V20251125}, Message: &m}
	if host != nil {
		r.Sink = host
	}
	answer := s.Handle(ctx, r)
	defer answer.Free()
	out := string(answer.Append(nil, []byte("1")))
	return strings.TrimSuffix(strings.TrimPrefix(out, `{"jsonrpc":"2.0","id":1,`), "}")
}

func (s *modernStage) want(what, got, want string) {
	s.Helper()
	if got != want {
		s.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

const finished = `{"resultType":"complete","content":[],"k":1.0}`

func TestModernServerAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newModernStage(t, need(`"st\u0061te \"1\""`, request("a b", rpc.Elicit, elicitParams), request(`l`, rpc.ListRoots, `{}`),
			request("s", rpc.CreateMessage, `{"maxTokens":1}`)), need("", request("again", rpc.Elicit, elicitParams)), finished)
		host := &asked{declared: []string{"elicitation", "roots", "sampling"}, hold: make(chan struct{}), answers: map[string]string{
			rpc.Elicit: accepted, rpc.ListRoots: `{"roots":[{"uri":"file:///x"}]}`, rpc.CreateMessage: `{"role":"assistant","n":1.0}`}}
		got := make(chan string, 1)
		go func() { got <- s.call(t.Context(), host, rpc.CallTool, toolCall) }()
		synctest.Wait()
		if host.most != 3 { // at once
			t.Errorf("%d questions at once", host.most)
		}
		close(host.hold)
		s.want("the host", await(t, got), `"result":{"content":[],"k":1.0}`)
		if len(s.got) != 3 {
			t.Fatalf("the server got %q", s.got)
		}
		for i, parts := range [][]string{
			{`"name":"t","arguments":{"n":1.0}`},
			{`"inputResponses":{"a b":` + accepted + `,"l":{"roots":[{"uri":"file:///x"}]},"s":{"role":"assistant","n":1.0}}`, `"requestState":"st\u0061te \"1\""`, `"name":"t","arguments":{"n":1.0}`, rpc.MetaProtocolVersion},
			{`"inputResponses":{"again":` + accepted + `}`, `"name":"t","arguments":{"n":1.0}`},
		} {
			for _, part := range parts {
				if !strings.Contains(s.got[i], part) {
					t.Errorf("round %d: %s is not in %s", i, part, s.got[i])
				}
			}
		}
		for _, i := range []int{0, 2} {
			if strings.Contains(s.got[i], "requestState") {
				t.Errorf("round %d: %s", i, s.got[i])
			}
		}
		slices.Sort(host.questions)
		if len(host.questions) != 4 || host.questions[0] != `{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":`+elicitParams+`}` {
			t.Errorf("the host was asked %q", host.questions)
		}
		if outcomes, begun := s.Gate.Outcomes(); begun != 1 || !slices.Equal(outcomes, []string{"ok"}) {
			t.Errorf("%d attempts ended as %q", begun, outcomes)
		}
	})
}

func TestModernServerAsksInVain(t *testing.T) {
	elicitation := need("", request("e", rpc.Elicit, elicitParams))
	sampling := need("", request("s", rpc.CreateMessage, `{}`), request("e", rpc.Elicit, elicitParams))
	roots := need("", request("r", rpc.ListRoots, `{}`))
	for _, one := range []struct {
		what, turn string
		host       *asked
		sent       string // to the server; "" when it isn't asked again
		method     string
		want       string
	}{
		{"nothing declared", elicitation, &asked{}, `"inputResponses":{"e":{"action":"decline"}}`, rpc.CallTool, `"result":{"content":[],"k":1.0}`},
		{"nobody there", elicitation, nil, `"inputResponses":{"e":{"action":"decline"}}`, rpc.CallTool, `"result":{"content":[],"k":1.0}`},
		{"decline", elicitation, &asked{declared: []string{"elicitation"}, answers: map[string]string{rpc.Elicit: `{"action":"decline"}`}},
			`"inputResponses":{"e":{"action":"decline"}}`, rpc.CallTool, `"result":{"content":[],"k":1.0}`},
		// A host that answered an elicitation with an error lost its whole call.
		{"an error", elicitation, &asked{declared: []string{"elicitation"}, answers: map[string]string{rpc.Elicit: `!no window`}},
			`"inputResponses":{"e":{"action":"cancel"}}`, rpc.CallTool, `"result":{"content":[],"k":1.0}`},
		{"no folders", roots, &asked{declared: []string{"roots"}, answers: map[string]string{rpc.ListRoots: `!no such method`}},
			`"inputResponses":{"r":{"roots":[]}}`, rpc.CallTool, `"result":{"content":[],"k":1.0}`},
		{"sampling refused", sampling, &asked{declared: []string{"sampling"}, answers: map[string]string{rpc.CreateMessage: `!not now`}},
			"", rpc.CallTool, `"result":{"content":[{"type":"text","text":"The call needs an answer that was refused: not now"}],"isError":true}`},
		{"sampling refused for a prompt", sampling, &asked{}, "", rpc.GetPrompt, `"error":{"code":-32603,"message":"The call needs an answer that was refused: no model"}`},
		{"an unknown question", need("", request("x", "acme/ask", `{}`)), &asked{}, `"inputResponses":{"x":{"action":"decline"}}`, rpc.CallTool, `"result":{"content":[],"k":1.0}`},
		{"no question and no state", need(""), &asked{}, "", rpc.CallTool,
			`"result":{"content":[{"type":"text","text":"The server wants input and doesn't say which."}],"isError":true}`},
		{"not that kind of result", `{"inputRequests":{},"requestState":"x"}`, &asked{}, "", rpc.CallTool, `"result":{"inputRequests":{},"requestState":"x"}`},
		{"questions of odd form", `{"resultType":"input_required","inputRequests":5,"requestState":5}`, &asked{}, "", rpc.CallTool,
			`"result":{"content":[{"type":"text","text":"The server wants input and doesn't say which."}],"isError":true}`},
	} {
		t.Run(one.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newModernStage(t, one.turn, finished)
				s.want("the host", s.call(t.Context(), one.host, one.method, toolCall), one.want)
				switch {
				case one.sent == "" && len(s.got) != 1:
					t.Errorf("the server got %q", s.got)
				case one.sent != "" && (len(s.got) != 2 || !strings.Contains(s.got[1], one.sent)):
					t.Errorf("the server got %q", s.got)
				}
			})
		})
	}
}

func TestModernServerAsksWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newModernStage(t, need(`"s"`, request("e", rpc.Elicit, elicitParams)))
		host := &asked{declared: []string{"elicitation"}, answers: map[string]string{rpc.Elicit: accepted}}
		s.want("tool", s.call(t.Context(), host, rpc.CallTool, toolCall), `"result":{"content":[{"type":"text","text":"The server asked more than 10 times."}],"isError":true}`)
		if len(host.questions) != 10 || len(s.got) != 11 {
			t.Errorf("%d questions in %d calls", len(host.questions), len(s.got))
		}
		s.want("resource", s.call(t.Context(), host, rpc.ReadResource, `"uri":"r://1"`), `"error":{"code":-32603,"message":"The server asked more than 10 times."}`)
	})
}

// A server that sheds load says "not yet": a state without questions.
func TestModernServerIsNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newModernStage(t, need(`"1"`), need(`"2"`), need(`"3"`), finished)
		began := time.Now()
		s.want("the host", s.call(t.Context(), &asked{}, rpc.CallTool, toolCall), `"result":{"content":[],"k":1.0}`)
		if took := time.Since(began); took != 7*time.Second {
			t.Errorf("it took %v", took)
		}
		if len(s.got) != 4 || !strings.Contains(s.got[3], `"inputResponses":{},"requestState":"3"`) {
			t.Errorf("the server got %q", s.got)
		}
		// For ever.
		s.turns = []string{need(`"x"`)}
		began = time.Now()
		if got := s.call(t.Context(), &asked{}, rpc.CallTool, toolCall); !strings.Contains(got, "kept the call waiting") {
			t.Errorf("the host got %s", got)
		}
		if took := time.Since(began); took < 9*time.Minute || took > 10*time.Minute {
			t.Errorf("it took %v", took)
		}
		ctx, stop := context.WithTimeoutCause(t.Context(), 5*time.Second, errors.New("it left"))
		defer stop()
		s.want("the host left", s.call(ctx, &asked{}, rpc.CallTool, toolCall), `"error":{"code":-32603,"message":"it left"}`)
		if _, outcome := s.Gate.Last(); outcome != "cancelled" {
			t.Errorf("it ended as %s", outcome)
		}
	})
}

const pageParams = `{"mode":"url","url":"https://x.example/","message":"go"}`

// A host was asked to open the same page again and again while the person was there.
func TestModernServerWantsAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := need(`"s"`, request("p", rpc.Elicit, pageParams))
		s := newModernStage(t, page, page, need(`"t"`, request("q", rpc.Elicit, pageParams), request("e", rpc.Elicit, elicitParams)), finished)
		host := &asked{declared: []string{"elicitation"}, answers: map[string]string{rpc.Elicit: `{"action":"accept"}`}}
		s.want("the host", s.call(t.Context(), host, rpc.CallTool, toolCall), `"result":{"content":[],"k":1.0}`)
		if len(host.questions) != 2 || len(s.got) != 4 {
			t.Fatalf("asked %q, and the server %q", host.questions, s.got)
		}
		_, rest, _ := strings.Cut(host.questions[0], `"elicitationId":`)
		id, rest, _ := strings.Cut(rest, ",")
		if rest != `"mode":"url","url":"https://x.example/","message":"go"}}` {
			t.Errorf("the host was asked %s", host.questions[0])
		}
		if got := host.take(); !slices.Equal(got, []string{`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":` + id + `}}`}) {
			t.Errorf("the host was told %q", got)
		}
		if !strings.Contains(s.got[3], `"inputResponses":{"q":{"action":"accept"},"e":{"action":"accept"}}`) || strings.Contains(s.got[1], "elicitationId") {
			t.Errorf("the server got %q", s.got)
		}
		// Not visited: nothing is over, and it may be asked again.
		s.got, s.turns = nil, []string{page, page, finished}
		host.questions, host.answers = nil, map[string]string{rpc.Elicit: `{"action":"cancel"}`}
		s.call(t.Context(), host, rpc.CallTool, toolCall)
		if got := host.take(); got != nil || len(host.questions) != 2 {
			t.Errorf("the host was told %q, asked %d times", got, len(host.questions))
		}
		// Done with an error.
		s.got, s.turns = nil, []string{page, "!no"}
		host.answers = map[string]string{rpc.Elicit: `{"action":"accept"}`}
		s.want("error", s.call(t.Context(), host, rpc.CallTool, toolCall), `"error":{"code":7,"message":"no"}`)
		if got := host.take(); len(got) != 1 {
			t.Errorf("the host was told %q", got)
		}
	})
}

// A page wanted from a call that nobody can be asked about (an array of calls, the
// command line) ended the whole program.
func TestModernServerWantsAPageOfNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newModernStage(t, need(`"s"`, request("p", rpc.Elicit, pageParams)), finished)
		s.want("the answer", s.call(t.Context(), nil, rpc.CallTool, toolCall), `"result":{"content":[],"k":1.0}`)
	})
}

func TestHostLeavesWhileAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newModernStage(t, need("", request("e", rpc.Elicit, elicitParams)), finished)
		host := &asked{declared: []string{"elicitation"}, hold: make(chan struct{})}
		ctx, hangUp := context.WithCancelCause(t.Context())
		got := make(chan string, 1)
		go func() { got <- s.call(ctx, host, rpc.CallTool, toolCall) }()
		synctest.Wait()
		hangUp(errors.New("it left"))
		s.want("the answer", await(t, got), `"error":{"code":-32603,"message":"it left"}`)
		if outcomes, _ := s.Gate.Outcomes(); len(s.got) != 1 || !slices.Equal(outcomes, []string{"cancelled"}) {
			t.Errorf("the server got %q; ended as %q", s.got, outcomes)
		}
	})
}

// The server dies between two rounds.
func TestModernServerDiesWhileItsHostIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newModernStage(t, need("", request("e", rpc.Elicit, elicitParams)), finished)
		host := &asked{declared: []string{"elicitation"}, hold: make(chan struct{}), answers: map[string]string{rpc.Elicit: accepted}}
		got := make(chan string, 1)
		go func() { got <- s.call(t.Context(), host, rpc.CallTool, toolCall) }()
		synctest.Wait()
		s.Kill("a")
		close(host.hold)
		if answer := await(t, got); !strings.Contains(answer, `"isError":true`) {
			t.Errorf("the host got %s", answer)
		}
	})
}
