package directory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/bridge/rpc"
)

func TestHeldCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, a, c := holdStage(t)
		first := c.call(`"inputResponses":{"question-1":{"action":"accept"}},"x":1`)
		m := next(t, a.calls)
		if raw := string(m.Raw); strings.Contains(raw, "inputResponses") || !strings.Contains(raw, `"arguments":{"n":1.0}`) || !strings.Contains(raw, `"x":1`) {
			t.Errorf("the server got %s", raw)
		}
		a.elicit("7")
		asked := await(t, first)
		if asked.Result.ResultType != "input_required" || len(asked.keys()) != 1 {
			t.Fatalf("the host got %s", asked.raw)
		}
		q := asked.Result.InputRequests[asked.keys()[0]]
		if q.Method != rpc.Elicit || string(q.Params) != `{"message":"?","requestedSchema":{"type":"object","n":1.0}}` {
			t.Errorf("the host was asked %s %s", q.Method, q.Params)
		}
		second := c.call(replies(accepted, append(asked.keys(), "unheard-of")...), asked.state())
		if got := next(t, a.answers); string(got.Raw) != `{"jsonrpc":"2.0","id":7,"result":`+accepted+`}` {
			t.Errorf("the server got %s", got.Raw)
		}
		a.Reply(m, `{"content":[],"k":1.0}`)
		last := await(t, second)
		if last.Result.ResultType != "complete" || !strings.Contains(last.raw, `"k":1.0`) {
			t.Errorf("the host got %s", last.raw)
		}
		if used := await(t, c.call(replies(accepted, asked.keys()...), asked.state())); used.Error.Code != rpc.CodeInvalidParams {
			t.Errorf("a used-up state: %s", used.raw)
		}
		synctest.Wait()
		none(t, "the tool ran once", a.calls)
		if outcomes, begun := st.Gate.Outcomes(); begun != 1 || len(outcomes) != 1 || outcomes[0] != "ok" {
			t.Errorf("%d attempts ended as %q", begun, outcomes)
		}
	})
}

// A second question that came along with the first made the host come back for
// nothing: it was told input_required without any question.
func TestQuestionsOfOneRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, c := holdStage(t)
		first := c.call()
		m := next(t, a.calls)
		a.elicit("1")
		a.ask("2", rpc.CreateMessage, `{"maxTokens":1,"messages":[]}`)
		synctest.Wait()
		time.Sleep(100 * time.Millisecond)
		a.ask("3", rpc.ListRoots, `{}`)
		asked := await(t, first)
		if len(asked.keys()) != 3 {
			t.Fatalf("the host got %s", asked.raw)
		}
		answers := map[string]string{rpc.Elicit: accepted, rpc.CreateMessage: `{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}`, rpc.ListRoots: `{"roots":[]}`}
		var members []string
		for key, q := range asked.Result.InputRequests {
			members = append(members, fmt.Sprintf("%q:%s", key, answers[q.Method]))
		}
		second := c.call(`"inputResponses":{`+strings.Join(members, ",")+`}`, asked.state())
		got := map[string]bool{}
		for range 3 {
			got[string(next(t, a.answers).Raw)] = true
		}
		for id, method := range map[string]string{"1": rpc.Elicit, "2": rpc.CreateMessage, "3": rpc.ListRoots} {
			if !got[`{"jsonrpc":"2.0","id":`+id+`,"result":`+answers[method]+`}`] {
				t.Errorf("answers %v", got)
			}
		}
		time.Sleep(time.Second) // longer than questions are gathered
		synctest.Wait()
		select {
		case o := <-second:
			t.Fatalf("the host got %s", o.raw)
		default:
		}
		a.Reply(m, `{"content":[]}`)
		if o := await(t, second); o.Result.ResultType != "complete" {
			t.Errorf("the host got %s", o.raw)
		}
	})
}

func TestRoundsOfAHeldCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, c := holdStage(t)
		now := c.call()
		m := next(t, a.calls)
		a.elicit("1")
		synctest.Wait() // each question comes on a goroutine of its own
		a.elicit("2")
		asked := await(t, now)
		keys := asked.keys()
		// One answer is missing, and one more question comes.
		now = c.call(replies(accepted, keys[0]), asked.state())
		if got := next(t, a.answers); string(got.Bytes(got.ID)) != "1" {
			t.Errorf("the server got %s", got.Raw)
		}
		a.elicit("3")
		again := await(t, now)
		if got := again.keys(); len(got) != 2 || got[0] != keys[1] || got[1] == keys[0] {
			t.Fatalf("asked %q, then %q", keys, got)
		}
		// The server takes one back while the host thinks, and asks another.
		a.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		synctest.Wait()
		a.elicit("4")
		synctest.Wait()
		now = c.call(replies(accepted, again.keys()...), again.state())
		if got := next(t, a.answers); string(got.Bytes(got.ID)) != "3" {
			t.Errorf("the server got %s", got.Raw)
		}
		third := await(t, now)
		if got := third.keys(); len(got) != 1 || slices.Contains(again.keys(), got[0]) {
			t.Fatalf("the host got %s", third.raw)
		}
		// Nothing at all is answered: it is asked again.
		fourth := await(t, c.call(third.state()))
		if got := fourth.keys(); !slices.Equal(got, third.keys()) {
			t.Fatalf("the host got %s", fourth.raw)
		}
		now = c.call(replies(`{"action":"decline"}`, fourth.keys()...), fourth.state())
		next(t, a.answers)
		a.Say(rpc.AppendError(nil, m.Bytes(m.ID), &rpc.Error{Code: -32002, Message: "gone"}))
		if o := await(t, now); o.Error.Code != rpc.CodeInvalidParams || !strings.Contains(o.raw, "gone") {
			t.Errorf("the host got %s", o.raw)
		}
		none(t, "nothing else", a.answers)
	})
}

// A question taken back before it went out made a round without questions.
func TestQuestionTakenBackAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, c := holdStage(t)
		now := c.call()
		m := next(t, a.calls)
		a.elicit("1")
		synctest.Wait()
		a.Say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		time.Sleep(time.Second)
		a.Reply(m, `{"content":[]}`)
		if o := await(t, now); o.Result.ResultType != "complete" {
			t.Errorf("the host got %s", o.raw)
		}
	})
}

func TestBadStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, c := holdStage(t)
		now := c.call()
		m := next(t, a.calls)
		a.elicit("1")
		asked := await(t, now)
		good := replies(accepted, asked.keys()...)
		other := asked.keys()[0]
		stranger := &caller{TB: t, st: c.st, host: "lap", capabilities: askable}
		tampered := []byte(asked.Result.RequestState)
		tampered[len(tampered)/2] ^= 1
		for what, got := range map[string]<-chan outcome{
			"tampered":        c.call(good, `"requestState":`+string(rpc.Quote(string(tampered)))),
			"cut":             c.call(good, `"requestState":`+string(rpc.Quote(asked.Result.RequestState[:20]))),
			"empty":           c.call(good, `"requestState":""`),
			"no text":         c.call(good, `"requestState":5`),
			"null":            c.call(good, `"requestState":null`),
			"another host":    stranger.call(good, asked.state()),
			"other arguments": c.callContext(t.Context(), rpc.CallTool, `"name":"t","arguments":{"n":2.0},`+good+`,`+asked.state()),
			"no arguments":    c.callContext(t.Context(), rpc.CallTool, `"name":"t",`+good+`,`+asked.state()),
			"another tool":    c.callContext(t.Context(), rpc.CallTool, `"name":"u","arguments":{"n":1.0},`+good+`,`+asked.state()),
			"another method":  c.callContext(t.Context(), rpc.GetPrompt, toolCall+`,`+good+`,`+asked.state()),
			"answers a list":  c.call(`"inputResponses":[]`, asked.state()),
			"answers null":    c.call(`"inputResponses":null`, asked.state()),
			"one is a text":   c.call(replies(`"yes"`, other), asked.state()),
			"one is null":     c.call(replies(`null`, other), asked.state()),
			"no action":       c.call(replies(`{"content":{}}`, other), asked.state()),
			"odd action":      c.call(replies(`{"action":"maybe"}`, other), asked.state()),
		} {
			if o := await(t, got); o.Error.Code != rpc.CodeInvalidParams {
				t.Errorf("%s: %s", what, o.raw)
			}
		}
		none(t, "of bad states", a.answers)
		now = c.call(good, asked.state())
		next(t, a.answers)
		a.Reply(m, `{"content":[]}`)
		if o := await(t, now); o.Result.ResultType != "complete" {
			t.Errorf("the host got %s", o.raw)
		}
		synctest.Wait()
		none(t, "and nothing was called again", a.calls)
	})
}

// The result of a call that went on without its answers was thrown away.
func TestHeldCallEndsWithoutAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, c := holdStage(t)
		now := c.call()
		m := next(t, a.calls)
		a.elicit("1")
		asked := await(t, now)
		a.Reply(m, `{"content":[],"k":1}`)
		if got := next(t, a.answers); !got.Error.Ok() {
			t.Errorf("the server got %s", got.Raw)
		}
		time.Sleep(5 * time.Minute)
		o := await(t, c.call(replies(accepted, asked.keys()...), asked.state()))
		if o.Result.ResultType != "complete" || !strings.Contains(o.raw, `"k":1`) {
			t.Errorf("the host got %s", o.raw)
		}
	})
}

func TestServerDiesWhileParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, a, c := holdStage(t)
		now := c.call()
		next(t, a.calls)
		a.elicit("1")
		asked := await(t, now)
		st.Kill("a")
		b := st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`, rpc.CallTool: `{}`})
		o := await(t, c.call(replies(accepted, asked.keys()...), asked.state()))
		if !o.Result.IsError || !strings.Contains(o.raw, "not known whether the call took effect") {
			t.Errorf("the host got %s", o.raw)
		}
		if n := b.Got(rpc.CallTool); n != 0 {
			t.Errorf("the tool was called %d times more", n)
		}
		if outcomes, begun := st.Gate.Outcomes(); begun != 1 || !slices.Equal(outcomes, []string{"unknown"}) {
			t.Errorf("%d attempts ended as %q", begun, outcomes)
		}
	})
}

func TestHostLeavesAHeldCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, a, c := holdStage(t)
		ctx, hangUp := context.WithCancelCause(context.Background())
		now := c.callContext(ctx, rpc.CallTool, toolCall)
		next(t, a.calls)
		hangUp(errors.New("it left"))
		if got := next(t, a.cancelled); !strings.Contains(string(got.Raw), "it left") {
			t.Errorf("the server got %s", got.Raw)
		}
		await(t, now)
		// While questions are gathered, and in the second round.
		for round := range 2 {
			ctx, hangUp := context.WithCancelCause(context.Background())
			now := c.callContext(ctx, rpc.CallTool, toolCall)
			next(t, a.calls)
			a.elicit(fmt.Sprint(round))
			if round == 1 {
				asked := await(t, now)
				now = c.callContext(ctx, rpc.CallTool, toolCall+`,`+replies(accepted, asked.keys()...)+`,`+asked.state())
				next(t, a.answers)
			}
			synctest.Wait()
			hangUp(nil)
			next(t, a.cancelled)
			await(t, now)
		}
		synctest.Wait()
		if outcomes, begun := st.Gate.Outcomes(); begun != 3 || !slices.Equal(outcomes, []string{"cancelled", "cancelled", "cancelled"}) {
			t.Errorf("%d attempts ended as %q", begun, outcomes)
		}
	})
}

// Progress of the second round went out under the token of the first.
func TestProgressOfAHeldCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, c := holdStage(t)
		c.meta = `"progressToken":"one"`
		now := c.call()
		m := next(t, a.calls)
		progress := func(n int) {
			a.Say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d,"progressToken":%s}}`, n, m.Bytes(m.MetaProgressToken)))
			synctest.Wait()
		}
		told := func(want ...string) {
			t.Helper()
			if got := c.sink.take(); !slices.Equal(got, want) {
				t.Errorf("the host was told %q, want %q", got, want)
			}
		}
		progress(1)
		told(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":"one"}}`)
		a.elicit("1")
		asked := await(t, now)
		progress(2)
		told()
		c.meta = `"progressToken":22`
		a.elicit("2")
		now = c.call(replies(accepted, asked.keys()...), asked.state())
		next(t, a.answers)
		progress(3)
		told(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":3,"progressToken":22}}`)
		asked = await(t, now)
		c.meta = ""
		now = c.call(replies(accepted, asked.keys()...), asked.state())
		next(t, a.answers)
		progress(4)
		a.Reply(m, `{}`)
		await(t, now)
		told()
	})
}

func TestHeldPromptAndResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, a, c := holdStage(t)
		for method, params := range map[string]string{rpc.GetPrompt: `"name":"p"`, rpc.ReadResource: `"uri":"r://1"`} {
			calls := collect(a.Actor, method, "")
			now := c.callContext(t.Context(), method, params)
			m := next(t, calls)
			a.elicit("1")
			asked := await(t, now)
			now = c.callContext(t.Context(), method, params+`,`+replies(accepted, asked.keys()...)+`,`+asked.state())
			next(t, a.answers)
			a.Reply(m, `{"k":1}`)
			if o := await(t, now); o.Result.ResultType != "complete" || !strings.Contains(o.raw, `"k":1`) {
				t.Errorf("%s: %s", method, o.raw)
			}
		}
		// A server's death is an error here, no result.
		now := c.callContext(t.Context(), rpc.ReadResource, `"uri":"r://1"`)
		synctest.Wait()
		st.Kill("a")
		if o := await(t, now); o.Error.Code != rpc.CodeInternal {
			t.Errorf("the host got %s", o.raw)
		}
		if _, begun := st.Gate.Outcomes(); begun != 0 {
			t.Errorf("the gate was asked %d times", begun)
		}
	})
}

// What the host declares with the request that waits counts.
func TestUndeclaredQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, c := holdStage(t)
		c.capabilities = `{"roots":{}}`
		now := c.call()
		m := next(t, a.calls)
		a.elicit("1")
		if got := next(t, a.answers); !strings.Contains(string(got.Raw), `"action":"decline"`) {
			t.Errorf("the server got %s", got.Raw)
		}
		a.ask("2", rpc.ListRoots, `{}`)
		asked := await(t, now)
		c.capabilities = `{"elicitation":{}}`
		now = c.call(replies(`{"roots":[]}`, asked.keys()...), asked.state())
		next(t, a.answers)
		a.elicit("3")
		if asked = await(t, now); len(asked.keys()) != 1 {
			t.Fatalf("the host got %s", asked.raw)
		}
		now = c.call(replies(accepted, asked.keys()...), asked.state())
		next(t, a.answers)
		a.Reply(m, "{}")
		await(t, now)
	})
}

// Web pages: the id of a visit is no more in 2026-07-28, and nor is the word that it is over.
func TestHeldURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, c := holdStage(t)
		now := c.call()
		m := next(t, a.calls)
		a.ask("1", rpc.Elicit, `{"mode":"url","elicitationId":"e","url":"https://x.example/","message":"go"}`)
		asked := await(t, now)
		for _, q := range asked.Result.InputRequests {
			if string(q.Params) != `{"mode":"url","url":"https://x.example/","message":"go"}` {
				t.Errorf("the host was asked %s", q.Params)
			}
		}
		now = c.call(replies(`{"action":"accept"}`, asked.keys()...), asked.state())
		next(t, a.answers)
		a.Say(`{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e"}}`)
		a.Reply(m, "{}")
		await(t, now)
		if got := c.sink.take(); got != nil {
			t.Errorf("the host was told %q", got)
		}
	})
}
