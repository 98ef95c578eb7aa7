package directory_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

const oddState = `"s \ud800 \/ \u0073"`

// One host could go on with another's call at a modern server, or with its own
// under other arguments: the server's state works for whoever brings it.
func TestStateOfAModernServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newModernStage(t, need(oddState, request("q", rpc.Elicit, elicitParams)), `{"resultType":"complete","content":[]}`)
		c := &caller{TB: t, st: s.Stage, host: "desk", capabilities: askable}
		asked := await(t, c.call())
		if asked.Result.ResultType != "input_required" || len(asked.keys()) != 1 || strings.Contains(asked.raw, "ud800") {
			t.Fatalf("the host got %s", asked.raw)
		}
		refused := func(what string, o outcome) {
			t.Helper()
			if o.Error.Code != rpc.CodeInvalidParams || len(s.got) != 1 {
				t.Errorf("%s: the host got %s, the server %q", what, o.raw, s.got)
			}
		}
		lap := &caller{TB: t, st: s.Stage, host: "lap", capabilities: askable}
		refused("another host", await(t, lap.call(asked.state())))
		refused("other arguments", await(t, c.callContext(t.Context(), rpc.CallTool, `"name":"t","arguments":{"n":2},`+asked.state())))
		refused("another tool", await(t, c.callContext(t.Context(), rpc.CallTool, `"name":"u","arguments":{"n":1.0},`+asked.state())))
		refused("another method", await(t, c.callContext(t.Context(), rpc.GetPrompt, toolCall+","+asked.state())))
		for _, state := range []string{`"its own"`, oddState, `""`, `5`, `null`, `"` + asked.Result.RequestState[1:] + `"`} {
			refused(state, await(t, c.call(`"requestState":`+state)))
		}
		last := await(t, c.call(replies(accepted, "q"), asked.state()))
		if last.Result.ResultType != "complete" || len(s.got) != 2 || !strings.Contains(s.got[1], `"requestState":`+oddState) || !strings.Contains(s.got[1], replies(accepted, "q")) {
			t.Errorf("the host got %s, the server %q", last.raw, s.got)
		}
		// None given, none there.
		s.turns, s.got = []string{need("", request("q", rpc.Elicit, elicitParams))}, nil
		if o := await(t, c.call()); strings.Contains(o.raw, "requestState") || o.Result.ResultType != "input_required" {
			t.Errorf("the host got %s", o.raw)
		}
		await(t, c.call(replies(accepted, "q")))
		if len(s.got) != 2 || strings.Contains(s.got[1], "requestState") {
			t.Errorf("the server got %q", s.got)
		}
		// Of another kind of result it is nobody's business, and an old one is old.
		s.turns = []string{`{"requestState":"x","content":[]}`}
		if o := await(t, c.call()); !strings.Contains(o.raw, `"requestState":"x"`) {
			t.Errorf("the host got %s", o.raw)
		}
		s.got = s.got[:1]
		time.Sleep(61 * time.Minute)
		refused("too late", await(t, c.call(asked.state())))
	})
}

// On the merged endpoint the name differs from the server's.
func TestStateOnTheMergedEndpoint(t *testing.T) {
	s := newModernStage(t, need(`"one"`), `{"resultType":"complete","content":[]}`)
	seat := &directory.Seat{Host: "desk", Version: rpc.V20260728, Capabilities: []byte(askable)}
	ask := func(state string) string {
		m, err := rpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a__t"%s,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, state))
		if err != nil {
			t.Fatal(err)
		}
		answer := s.Handle(t.Context(), &directory.Request{Seat: seat, Message: &m})
		defer answer.Free()
		return string(answer.Append(nil, []byte("1")))
	}
	m, err := rpc.Scan([]byte(ask("")))
	if err != nil {
		t.Fatal(err)
	}
	result := m.Bytes(m.Result)
	at := rpc.Find(result, "requestState")
	if got := ask(`,"requestState":` + string(result[at.Start:at.End])); !strings.Contains(got, "complete") || !strings.Contains(s.got[1], `"name":"t","requestState":"one"`) {
		t.Errorf("the host got %s, the server %q", got, s.got)
	}
}

// A state that isn't ours is refused also where the server must first come up.
func TestStateOfAServerThatIsNotUpYet(t *testing.T) {
	st := stage.New(t, nil, "a")
	a := st.Open("a", map[string]string{rpc.Discover: `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`, rpc.CallTool: `{"resultType":"complete","content":[]}`}, upstream.Modern)
	c := &caller{TB: t, st: st, host: "desk", capabilities: "{}"}
	if o := <-c.call(`"requestState":"its own"`); o.Error.Code != rpc.CodeInvalidParams || a.Got(rpc.CallTool) != 0 {
		t.Errorf("the host got %s", o.raw)
	}
}
