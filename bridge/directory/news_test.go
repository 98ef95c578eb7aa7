package directory_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/bridge/bridgetest"
	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// collect gathers the messages of one method that come to a server.
func collect(a *stage.Actor, method, result string) <-chan *rpc.Message {
	got := make(chan *rpc.Message, 100)
	a.Handle(method, func(m *rpc.Message) {
		if result != "" {
			a.Reply(m, result)
		}
		got <- m
	})
	return got
}

func next(t testing.TB, from <-chan *rpc.Message) *rpc.Message {
	t.Helper()
	select {
	case m := <-from:
		return m
	case <-time.After(bridgetest.Patience):
		t.Fatal("the server got nothing")
	}
	return nil
}

func none(t testing.TB, what string, from <-chan *rpc.Message) {
	t.Helper()
	select {
	case m := <-from:
		t.Errorf("%s: the server got %s", what, m.Raw)
	default:
	}
}

// bubble runs f on a clock of its own. The session keeps channels for reuse in
// a pool of the package; one of another clock would stop f's, so two collections
// empty the pool before and after.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	empty := func() { runtime.GC(); runtime.GC() }
	empty()
	defer empty()
	synctest.Test(t, f)
}

const rooms = `{"resources":[{"uri":"r://1"},{"uri":"r://2"}]}`

func TestListChanges(t *testing.T) {
	st := stage.New(t, nil, "a", "b")
	a := st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`})
	st.Up("b", nil)
	all, onA, onB := sit(t, st, ""), sit(t, st, "a"), sit(t, st, "b")
	a.Set(rpc.ListTools, `{"tools":[{"name":"t"},{"name":"u"}]}`)
	a.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	for _, h := range []*host{all, onA} {
		if got := h.told(rpc.ToolsChanged); len(got) != 1 {
			t.Errorf("told %q", got)
		}
	}
	onB.silent()
	a.Set(rpc.ListResources, rooms)
	a.Say(`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`)
	all.told(rpc.ResourcesChanged)
	onA.told(rpc.ResourcesChanged)
	st.Kill("a")
	all.silent()
	st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"},{"name":"u"}]}`, rpc.ListResources: rooms})
	st.Kill("a")
	st.Forget("a")
	all.told(rpc.ToolsChanged)
	onB.silent()
	st.Leave(context.Background(), onB.Seat)
}

// A change during a reading is seen by one more reading afterwards, never by
// one beside it whose older answer could win.
func TestChangeDuringRead(t *testing.T) {
	st := stage.New(t, []string{"a"}, "a")
	a := st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`})
	sit(t, st, "").ask(rpc.ListPrompts, "") // waits for the first reading
	reads, others := collect(a, rpc.ListTools, ""), collect(a, rpc.ListPrompts, `{"prompts":[]}`)
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	a.Say(changed)
	first := next(t, reads)
	for range 5 {
		a.Say(changed)
	}
	a.Say(`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
	next(t, others) // so what was said before has been taken
	none(t, "while one reading runs", reads)
	a.Reply(first, `{"tools":[]}`)
	a.Reply(next(t, reads), `{"tools":[{"name":"new"},{"name":"newer"}]}`)
	st.Until(toolCount("a", 2))
	none(t, "afterwards", reads)
}

func TestSubscriptions(t *testing.T) {
	st := stage.New(t, nil, "a")
	table := map[string]string{rpc.ListResources: rooms, rpc.Subscribe: "{}", rpc.Unsubscribe: "{}"}
	a := st.Up("a", table)
	subscribed, unsubscribed := collect(a, rpc.Subscribe, "{}"), collect(a, rpc.Unsubscribe, "{}")
	one, two, idle, alone := sit(t, st, ""), sit(t, st, ""), sit(t, st, ""), sit(t, st, "a")
	for _, h := range []*host{one, one, two, alone} {
		h.want("subscribe", h.ask(rpc.Subscribe, `"uri":"r:\/\/1"`), `"result":{}`)
	}
	if m := next(t, subscribed); m.Text(m.URI) != "r://1" {
		t.Errorf("the server got %s", m.Raw)
	}
	none(t, "the second host", subscribed)
	update := `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"r://1","x":1.0}}`
	a.Say(update)
	for _, h := range []*host{one, two, alone} {
		if got := h.told("updated"); len(got) != 1 || got[0] != update {
			t.Errorf("told %q", got)
		}
	}
	a.Say(strings.Replace(update, "r://1", "r://2", 1))
	one.ask(rpc.Unsubscribe, `"uri":"r://1"`)
	one.ask(rpc.Unsubscribe, `"uri":"r://1"`)
	none(t, "others still want it", unsubscribed)
	a.Say(update)
	two.told("updated")
	one.silent()
	idle.silent()

	// A restart.
	st.Kill("a")
	a = st.Open("a", table, upstream.Auto)
	subscribed, unsubscribed = collect(a, rpc.Subscribe, "{}"), collect(a, rpc.Unsubscribe, "{}")
	st.Ready("a", a.Session)
	if m := next(t, subscribed); m.Text(m.URI) != "r://1" {
		t.Errorf("the server got %s", m.Raw)
	}
	// Every list change made the subscriptions again.
	a.Set(rpc.ListResources, `{"resources":[{"uri":"r://1"}]}`)
	a.Say(`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`)
	st.Until("one resource", func(v *directory.View) bool { return v.Server("a").Resources == 1 })
	st.Leave(context.Background(), two.Seat)
	none(t, "one host is left", unsubscribed)
	st.Leave(context.Background(), alone.Seat)
	if m := next(t, unsubscribed); m.Text(m.URI) != "r://1" {
		t.Errorf("the server got %s", m.Raw)
	}
	none(t, "no restart", subscribed)
}

func TestRefusedSubscriptions(t *testing.T) {
	st := stage.New(t, nil, "a")
	a := st.Up("a", map[string]string{rpc.ListResources: rooms})
	h := sit(t, st, "")
	a.Handle(rpc.Subscribe, func(m *rpc.Message) {
		a.Say(rpc.AppendError(nil, m.Bytes(m.ID), &rpc.Error{Code: -7, Message: "no"}))
	})
	for range 2 { // a refusal leaves nothing behind
		h.want("refused", h.ask(rpc.Subscribe, `"uri":"r://1"`), `"error":{"code":-7,"message":"no"}`)
	}
	if n := a.Got(rpc.Subscribe); n != 2 {
		t.Errorf("the server was asked %d times", n)
	}
	subscribed := collect(a, rpc.Subscribe, "{}")
	for n := range 1001 {
		got := h.ask(rpc.Subscribe, fmt.Sprintf(`"uri":"r://%d"`, n))
		if ok := got == `"result":{}`; ok != (n < 1000) {
			t.Fatalf("subscription %d: %s", n, got)
		}
		if n < 1000 {
			next(t, subscribed)
		}
	}
	// A server removed and added again was never subscribed to again.
	st.Configure(nil, nil)
	st.Kill("a")
	st.Configure([]string{"a"}, func(string) bool { return false })
	a = st.Up("a", map[string]string{rpc.ListResources: rooms})
	subscribed = collect(a, rpc.Subscribe, "{}")
	h.want("again", h.ask(rpc.Subscribe, `"uri":"r://1"`), `"result":{}`)
	next(t, subscribed)
}

func TestLevels(t *testing.T) {
	st := stage.New(t, nil, "a", "b")
	table := map[string]string{rpc.SetLevel: "{}"}
	a, b := st.Up("a", table), st.Up("b", table)
	atA, atB := collect(a, rpc.SetLevel, "{}"), collect(b, rpc.SetLevel, "{}")
	level := func(from <-chan *rpc.Message) string { m := next(t, from); return m.Text(m.Level) }
	all, onB := sit(t, st, ""), sit(t, st, "b")
	all.want("set", all.ask(rpc.SetLevel, `"level":"error"`), `"result":{}`)
	if x, y := level(atA), level(atB); x != "error" || y != "error" {
		t.Errorf("levels %s, %s", x, y)
	}
	onB.ask(rpc.SetLevel, `"level":"debug"`)
	if got := level(atB); got != "debug" {
		t.Errorf("level %s", got)
	}
	all.ask(rpc.SetLevel, `"level":"alert"`) // b goes on for the other
	if got := level(atA); got != "alert" {
		t.Errorf("level %s", got)
	}
	none(t, "a host on b wants more", atB)
	none(t, "a is none of its business", atA)
	b.Say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	onB.told(`"data":1`)
	all.silent()
	b.Say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"emergency","data":2}}`)
	all.told(`"data":2`)
	onB.told(`"data":2`)
	for _, odd := range []string{`"level":"ERROR"`, `"level":5`, `"x":1`} {
		if got := all.ask(rpc.SetLevel, odd); !strings.Contains(got, "-32602") {
			t.Errorf("%s: %s", odd, got)
		}
	}
	// The level a host wanted stayed when the host was gone.
	st.Leave(context.Background(), onB.Seat)
	if got := level(atB); got != "alert" {
		t.Errorf("level %s", got)
	}
	// A restarted server is told again.
	st.Kill("a")
	a = st.Open("a", table, upstream.Auto)
	atA = collect(a, rpc.SetLevel, "{}")
	st.Ready("a", a.Session)
	if got := level(atA); got != "alert" {
		t.Errorf("level %s", got)
	}
}

// A host that set its level waited for a server that doesn't answer.
func TestLevelAtASilentServer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		st := stage.New(t, nil, "silent", "good")
		silent, good := st.Up("silent", nil), st.Up("good", nil)
		silent.Handle(rpc.SetLevel, func(*rpc.Message) {})
		at := collect(good, rpc.SetLevel, "{}")
		h := sit(t, st, "")
		began := time.Now()
		h.want("set", h.ask(rpc.SetLevel, `"level":"error"`), `"result":{}`)
		next(t, at)
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestFirstListWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		st := stage.New(t, []string{"slow", "never"}, "slow", "never")
		h := sit(t, st, "")
		slow := st.Open("slow", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`, rpc.CallTool: `{"ok":1}`}, upstream.Auto)
		began := time.Now()
		go func() {
			time.Sleep(time.Second) // of the bubble's clock
			st.Ready("slow", slow.Session)
			time.Sleep(time.Second)
			st.Settled("never")
		}()
		// A tool known from yesterday's list came to be "Unknown tool".
		h.want("a call", h.ask(rpc.CallTool, `"name":"slow__t"`), `"result":{"ok":1}`)
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
		h.want("a list", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"slow__t"}]}`)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("it took %v", took)
		}
		h.want("a list again", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"slow__t"}]}`)
		h.want("unknown", h.ask(rpc.CallTool, `"name":"slow__u"`), `"error":{"code":-32602,"message":"Unknown tool: slow__u"}`)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestFirstListWaitsNotForEver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		st := stage.New(t, []string{"never"}, "never", "up")
		st.Up("up", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`})
		h := sit(t, st, "")
		began := time.Now()
		h.want("a list", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"up__t"}]}`)
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("it took %v", took)
		}
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		h.askContext(ctx, rpc.ListTools, "")
		if took := time.Since(began); took != 6*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// prompts/list came back empty when a server's tools were read before its prompts.
func TestEachListWaitsForItself(t *testing.T) {
	bubble(t, func(t *testing.T) {
		st := stage.New(t, []string{"a"}, "a")
		a := st.Open("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`}, upstream.Auto)
		a.Handle(rpc.ListPrompts, func(m *rpc.Message) {
			time.AfterFunc(time.Second, func() { a.Reply(m, `{"prompts":[{"name":"p"}]}`) })
		})
		st.Ready("a", a.Session)
		h := sit(t, st, "")
		began := time.Now()
		h.want("tools", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"a__t"}]}`)
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v", took)
		}
		h.want("prompts", h.ask(rpc.ListPrompts, ""), `"result":{"prompts":[{"name":"a__p"}]}`)
	})
}

// A list whose reading failed is tried again when somebody asks for it.
func TestFailedListIsReadAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		st := stage.New(t, nil, "a")
		a := st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`})
		a.Set(rpc.ListTools, `{"fools":[]}`)
		a.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		st.Until("a warning", func(v *directory.View) bool {
			return len(v.Warnings) == 1 && strings.Contains(v.Warnings[0], "the answer has no tools")
		})
		h := sit(t, st, "")
		h.want("the last good list", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"a__t"}]}`)
		synctest.Wait()
		if n := a.Got(rpc.ListTools); n != 2 {
			t.Errorf("asked %d times", n)
		}
		a.Set(rpc.ListTools, `{"tools":[{"name":"t"},{"name":"u"}]}`)
		time.Sleep(11 * time.Second) // of the bubble's clock
		h.ask(rpc.ListTools, "")
		h.told(rpc.ToolsChanged)
		if n := len(st.View().Warnings); n != 0 {
			t.Errorf("%d warnings are left", n)
		}
	})
}

func TestLateEndOfAnOldSession(t *testing.T) {
	// A server that had just come back was listed as gone: the end of the session
	// before was told late, and took the new one with it.
	st := stage.New(t, nil, "a")
	old := st.Open("a", nil, upstream.Auto)
	st.Ready("a", old.Session)
	a := st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`})
	st.Down("a", old.Session)
	st.Settled("a")
	st.Forget("a")
	a.Set(rpc.ListTools, `{"tools":[{"name":"t"},{"name":"u"}]}`)
	a.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	st.Until(toolCount("a", 2)) // the new session is still asked
	old.End()
	old.Session.Close(errors.New("test ended"))
	old.Session.Wait()
	old.Wait()
}
