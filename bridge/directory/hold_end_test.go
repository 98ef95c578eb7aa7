package directory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// A host that never comes back: the call is given up, and the gate told once.
func TestHeldCallExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, a, c := holdStage(t)
		now := c.call()
		next(t, a.calls)
		a.elicit("1")
		asked := await(t, now)
		time.Sleep(9*time.Minute + 59*time.Second)
		synctest.Wait()
		none(t, "in time", a.cancelled)
		time.Sleep(2 * time.Second)
		next(t, a.cancelled)
		if o := await(t, c.call(replies(accepted, asked.keys()...), asked.state())); o.Error.Code != rpc.CodeInvalidParams {
			t.Errorf("the host got %s", o.raw)
		}
		synctest.Wait()
		if outcomes, begun := st.Gate.Outcomes(); begun != 1 || !slices.Equal(outcomes, []string{"cancelled"}) {
			t.Errorf("%d attempts ended as %q", begun, outcomes)
		}
	})
}

// A call that ran for ten minutes was cancelled, though its host waited.
func TestLongCallIsNotHeldToTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, c := holdStage(t)
		now := c.call()
		m := next(t, a.calls)
		time.Sleep(time.Hour)
		a.elicit("1")
		asked := await(t, now)
		time.Sleep(9 * time.Minute)
		now = c.call(replies(accepted, asked.keys()...), asked.state())
		next(t, a.answers)
		a.elicit("2") // the next round has its own time
		asked = await(t, now)
		time.Sleep(9 * time.Minute)
		now = c.call(replies(accepted, asked.keys()...), asked.state())
		next(t, a.answers)
		time.Sleep(50 * time.Minute)
		a.Reply(m, `{"content":[]}`)
		if o := await(t, now); o.Result.ResultType != "complete" {
			t.Errorf("the host got %s", o.raw)
		}
		none(t, "it was wanted all the time", a.cancelled)
	})
}

// Run waited for nothing, or for ever, when calls were held.
func TestStopWithHeldCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, a, c := holdStage(t)
		now := c.call()
		next(t, a.calls)
		a.elicit("1")
		asked := await(t, now)
		waiting := c.call()
		next(t, a.calls)
		st.Close()
		await(t, waiting)
		for _, call := range []<-chan outcome{c.call(replies(accepted, asked.keys()...), asked.state()), c.call()} {
			if o := await(t, call); o.Error.Code == 0 && !o.Result.IsError {
				t.Errorf("the host got %s", o.raw)
			}
		}
		outcomes, begun := st.Gate.Outcomes()
		if begun != len(outcomes) {
			t.Errorf("%d attempts ended as %q", begun, outcomes)
		}
	}) // and no goroutine is left: the bubble would say so
}

func TestTooManyParked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := stage.New(t, nil, "a")
		st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`})
		st.Share("a", directory.PerHost, nil)
		var last *caller
		var calls <-chan *rpc.Message
		var asked outcome
		for n := range 513 {
			if n%64 == 0 { // a server may ask no more at once
				last = &caller{TB: t, st: st, host: fmt.Sprint("host", n), capabilities: askable}
				last.send(t.Context(), rpc.Complete, `"x":1`)
				calls = nil
			}
			var own *stage.Actor
			for _, scope := range st.Scopes() {
				if strings.HasPrefix(scope, "a "+last.host+" ") {
					own = st.Own("a", strings.TrimPrefix(scope, "a "))
				}
			}
			if calls == nil {
				calls = collect(own, rpc.CallTool, "")
			}
			now := last.call()
			next(t, calls)
			(&asking{Actor: own}).elicit(fmt.Sprint(n))
			o := await(t, now)
			if n == 512 {
				if !strings.Contains(o.raw, "too many calls wait for answers") {
					t.Errorf("the host got %s", o.raw)
				}
				break
			}
			if asked = o; o.Result.ResultType != "input_required" {
				t.Fatalf("call %d: %s", n, o.raw)
			}
		}
		time.Sleep(11 * time.Minute)
		if o := await(t, last.call(replies(accepted, "question-1"), asked.state())); o.Error.Code != rpc.CodeInvalidParams {
			t.Errorf("the host got %s", o.raw)
		}
		now := last.call() // the places are free again
		next(t, calls)
		for _, scope := range st.Scopes() {
			if strings.HasPrefix(scope, "a "+last.host+" ") {
				(&asking{Actor: st.Own("a", strings.TrimPrefix(scope, "a "))}).elicit("1")
			}
		}
		if o := await(t, now); o.Result.ResultType != "input_required" {
			t.Errorf("the host got %s", o.raw)
		}
		time.Sleep(11 * time.Minute)
		synctest.Wait()
		if outcomes, begun := st.Gate.Outcomes(); begun != 514 || len(outcomes) != 514 {
			t.Errorf("%d attempts, %d ended", begun, len(outcomes))
		}
	})
}
