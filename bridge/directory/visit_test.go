package directory_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/bridge/rpc"
)

const pagesWanted = `{"elicitations":[{"mode":"url","elicitationId":"e","url":"https://x.example/1","message":"go"},` +
	`{"url":"https://x.example/2","mode":"url","elicitationId":"f","message":"there"},{"mode":"form"},5]}`

// refuse answers a call with -32042.
func (a *asking) refuse(m *rpc.Message, data string) {
	a.Say(rpc.AppendError(nil, m.Bytes(m.ID), &rpc.Error{Code: rpc.CodeURLElicitation, Message: "pages", Data: []byte(data)}))
}

func TestPagesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, a, c := holdStage(t)
		now := c.call()
		a.refuse(next(t, a.calls), pagesWanted)
		asked := await(t, now)
		keys := asked.keys()
		if asked.Result.ResultType != "input_required" || len(keys) != 2 {
			t.Fatalf("the host got %s", asked.raw)
		}
		for i, want := range []string{`{"mode":"url","url":"https://x.example/1","message":"go"}`, `{"url":"https://x.example/2","mode":"url","message":"there"}`} {
			if q := asked.Result.InputRequests[keys[i]]; q.Method != rpc.Elicit || string(q.Params) != want {
				t.Errorf("the host was asked %s %s", q.Method, q.Params)
			}
		}
		yes := `{"action":"accept"}`
		if o := await(t, c.call(replies(`[]`, keys...), asked.state())); o.Error.Code != rpc.CodeInvalidParams {
			t.Errorf("malformed: %s", o.raw)
		}
		stranger := &caller{TB: t, st: st, host: "lap", capabilities: askable}
		if o := await(t, stranger.call(replies(yes, keys...), asked.state())); o.Error.Code != rpc.CodeInvalidParams {
			t.Errorf("a stranger: %s", o.raw)
		}
		rest := await(t, c.call(replies(yes, keys[0], "other"), asked.state()))
		if got := rest.keys(); len(got) != 1 || got[0] != keys[1] {
			t.Fatalf("one is missing: %s", rest.raw)
		}
		if o := await(t, c.call(replies(yes, keys...), asked.state())); o.Error.Code != rpc.CodeInvalidParams {
			t.Errorf("used up: %s", o.raw)
		}
		none(t, "nobody has been there", a.calls)
		now = c.call(replies(yes, keys[1]), rest.state())
		m := next(t, a.calls)
		if raw := string(m.Raw); strings.Contains(raw, "inputResponses") || strings.Contains(raw, "requestState") || !strings.Contains(raw, `"arguments":{"n":1.0}`) {
			t.Errorf("the server got %s", raw)
		}
		// It waits still; another person's decision, another question.
		a.refuse(m, pagesWanted)
		asked = await(t, now)
		now = c.call(replies(yes, asked.keys()...), asked.state())
		m = next(t, a.calls)
		a.elicit("1")
		held := await(t, now)
		now = c.call(replies(accepted, held.keys()...), held.state())
		next(t, a.answers)
		a.Reply(m, `{"content":[],"k":1}`)
		if o := await(t, now); o.Result.ResultType != "complete" || !strings.Contains(o.raw, `"k":1`) {
			t.Errorf("the host got %s", o.raw)
		}
		if o := await(t, c.call(replies(yes, asked.keys()...), asked.state())); o.Error.Code != rpc.CodeInvalidParams {
			t.Errorf("used up: %s", o.raw)
		}
		synctest.Wait()
		none(t, "nobody decided that", a.calls)
		if outcomes, begun := st.Gate.Outcomes(); begun != 3 || !slices.Equal(outcomes, []string{"error", "error", "ok"}) {
			t.Errorf("%d attempts ended as %q", begun, outcomes)
		}
	})
}

func TestPagesDeclined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, a, c := holdStage(t)
		for _, action := range []string{"decline", "cancel"} {
			now := c.call()
			a.refuse(next(t, a.calls), pagesWanted)
			asked := await(t, now)
			o := await(t, c.call(replies(`{"action":"`+action+`"}`, asked.keys()[0]), asked.state()))
			if !o.Result.IsError || !strings.Contains(o.raw, "didn't want to open") {
				t.Errorf("%s: %s", action, o.raw)
			}
			if o := await(t, c.call(replies(`{"action":"accept"}`, asked.keys()...), asked.state())); o.Error.Code != rpc.CodeInvalidParams {
				t.Errorf("used up: %s", o.raw)
			}
		}
		prompts := collect(a.Actor, rpc.GetPrompt, "")
		now := c.callContext(t.Context(), rpc.GetPrompt, `"name":"p"`)
		a.refuse(next(t, prompts), pagesWanted)
		asked := await(t, now)
		o := await(t, c.callContext(t.Context(), rpc.GetPrompt, `"name":"p",`+replies(`{"action":"decline"}`, asked.keys()...)+`,`+asked.state()))
		if o.Error.Code != rpc.CodeInternal {
			t.Errorf("a prompt: %s", o.raw)
		}
		if _, begun := st.Gate.Outcomes(); begun != 2 {
			t.Errorf("%d attempts", begun)
		}
	})
}

// The gate says no to the second attempt.
func TestPagesThenRefusedByTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, a, c := holdStage(t)
		now := c.call()
		a.refuse(next(t, a.calls), pagesWanted)
		asked := await(t, now)
		st.Gate.Refuse = map[string]string{"t": "not any more"}
		if o := await(t, c.call(replies(`{"action":"accept"}`, asked.keys()...), asked.state())); !o.Result.IsError || !strings.Contains(o.raw, "not any more") {
			t.Errorf("the host got %s", o.raw)
		}
		none(t, "refused", a.calls)
	})
}

func TestPagesExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, c := holdStage(t)
		now := c.call()
		a.refuse(next(t, a.calls), pagesWanted)
		asked := await(t, now)
		time.Sleep(11 * time.Minute)
		if o := await(t, c.call(replies(`{"action":"accept"}`, asked.keys()...), asked.state())); o.Error.Code != rpc.CodeInvalidParams {
			t.Errorf("the host got %s", o.raw)
		}
		none(t, "expired", a.calls)
	})
}

// -32042 came to modern hosts, which don't have it.
func TestPagesThatCantBeAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, a, c := holdStage(t)
		for data, code := range map[string]int{pagesWanted: rpc.CodeMissingCapability, `{"elicitations":5}`: rpc.CodeInternal, `{"elicitations":[]}`: rpc.CodeInternal,
			`{"elicitations":[{"mode":"url"}]}`: rpc.CodeInternal, `null`: rpc.CodeInternal} {
			c.capabilities = `{"elicitation":{"form":{}}}`
			now := c.call()
			a.refuse(next(t, a.calls), data)
			if o := await(t, now); o.Error.Code != code || code == rpc.CodeMissingCapability && string(o.Error.Data) != `{"requiredCapabilities":{"elicitation":{"url":{}}}}` {
				t.Errorf("%s: %s", data, o.raw)
			}
		}
		// A legacy host gets it as it is.
		h := sit(t, st, "a")
		h.Version = rpc.V20251125
		got := make(chan string, 1)
		go func() { got <- h.ask(rpc.CallTool, toolCall) }()
		a.refuse(next(t, a.calls), pagesWanted)
		h.want("legacy", await(t, got), `"error":{"code":-32042,"message":"pages","data":`+pagesWanted+`}`)
		st.Leave(t.Context(), h.Seat)
	})
}
