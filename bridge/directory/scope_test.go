package directory_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// sitAs gives a legacy host of that name and session a seat at server a.
func sitAs(t testing.TB, st *stage.Stage, name, session, capabilities string) *host {
	h := &host{TB: t, dir: st, heard: make(chan struct{}, 1)}
	h.Seat = &directory.Seat{Endpoint: "a", Host: name, Session: session, Version: rpc.V20251125, Capabilities: []byte(capabilities), Listener: h}
	st.Sit(h.Seat)
	return h
}

func scopeStage(t testing.TB, how directory.Sharing) *stage.Stage {
	st := stage.New(t, nil, "a")
	table := map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`, rpc.CallTool: `{}`, rpc.SetLevel: `{}`, rpc.Subscribe: `{}`, rpc.Unsubscribe: `{}`, rpc.ListResources: rooms}
	st.Up("a", table)
	synctest.Wait() // the first lists are news, too
	st.Share("a", how, table)
	return st
}

func TestInstanceForEachHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := scopeStage(t, directory.PerHost)
		desk, again := sitAs(t, st, "desk", "1", `{"roots":{"listChanged":true},"x":1.0}`), sitAs(t, st, "desk", "2", `{"roots":{"listChanged":true},"x":1.0}`)
		more, lap := sitAs(t, st, "desk", "3", `{"sampling":{}}`), sitAs(t, st, "lap", "4", `{"sampling":{}}`)
		for _, h := range []*host{desk, again, more, lap} {
			h.want("call", h.ask(rpc.CallTool, toolCall), `"result":{}`)
		}
		scopes := st.Scopes()
		if len(scopes) != 3 || !strings.HasPrefix(scopes[0], "a desk ") || !strings.HasPrefix(scopes[1], "a desk ") || !strings.HasPrefix(scopes[2], "a lap ") {
			t.Fatalf("instances %q", scopes)
		}
		var told []string
		for _, scope := range scopes {
			told = append(told, st.Own("a", strings.TrimPrefix(scope, "a ")).Capabilities)
		}
		slices.Sort(told)
		if !slices.Equal(told, []string{`{"roots":{"listChanged":true},"x":1.0}`, `{"sampling":{}}`, `{"sampling":{}}`}) {
			t.Errorf("servers were told %q", told)
		}
		for _, h := range []*host{desk, again, more, lap} {
			st.Leave(t.Context(), h.Seat)
		}
		if got := st.Released(); got != nil {
			t.Errorf("ended: %q", got)
		}
	})
}

func TestInstanceForEachSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := scopeStage(t, directory.PerSession)
		one, two := sitAs(t, st, "desk", "1", `{}`), sitAs(t, st, "desk", "2", `{}`)
		modern := &caller{TB: t, st: st, host: "desk", capabilities: `{"roots":{}}`}
		one.want("call", one.ask(rpc.CallTool, toolCall), `"result":{}`)
		two.want("call", two.ask(rpc.CallTool, toolCall), `"result":{}`)
		await(t, modern.call())
		await(t, modern.call())
		scopes := st.Scopes()
		if len(scopes) != 3 || !strings.HasPrefix(scopes[0], "a desk ") || scopes[1] != "a session:1" || scopes[2] != "a session:2" {
			t.Fatalf("instances %q", scopes)
		}
		// News reach their own session only.
		one.ask(rpc.SetLevel, `"level":"debug"`)
		st.Own("a", "session:1").Say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
		one.told(`"data":1`)
		st.Own("a", "session:1").Say(toolsChanged)
		one.told(rpc.ToolsChanged)
		two.silent()
		if n := st.Own("a", "session:2").Got(rpc.SetLevel); n != 0 {
			t.Errorf("the other's level was set %d times", n)
		}
		one.want("subscribe", one.ask(rpc.Subscribe, `"uri":"r://1"`), `"result":{}`)
		update := `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"r://1"}}`
		st.Own("a", "session:2").Say(update)
		synctest.Wait()
		one.silent()
		st.Own("a", "session:1").Say(update)
		one.told("updated")
		st.Leave(t.Context(), one.Seat)
		if got := st.Released(); !slices.Equal(got, []string{"a session:1"}) {
			t.Errorf("ended: %q", got)
		}
		two.want("call", two.ask(rpc.CallTool, toolCall), `"result":{}`)
		st.Leave(t.Context(), two.Seat)
		if got := st.Scopes(); len(got) != 1 {
			t.Errorf("left: %q", got)
		}
	})
}

const toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// Two hosts call at once: the question of each instance goes to its own host.
func TestQuestionsStayWithTheirHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := scopeStage(t, directory.PerHost)
		desk, lap := &caller{TB: t, st: st, host: "desk", capabilities: askable}, &caller{TB: t, st: st, host: "lap", capabilities: askable}
		await(t, desk.call()) // so that both are there
		await(t, lap.call())
		own := func(host string) *asking {
			for _, scope := range st.Scopes() {
				if strings.HasPrefix(scope, "a "+host) {
					a := st.Own("a", strings.TrimPrefix(scope, "a "))
					return &asking{a, collect(a, rpc.CallTool, ""), collect(a, "", ""), nil}
				}
			}
			t.Fatal("no instance of " + host)
			return nil
		}
		deskOwn, lapOwn := own("desk"), own("lap")
		first, second := desk.call(), lap.call()
		m := next(t, deskOwn.calls)
		next(t, lapOwn.calls)
		lapOwn.elicit("1")
		asked := await(t, second)
		if asked.Result.ResultType != "input_required" {
			t.Fatalf("lap got %s", asked.raw)
		}
		// Beside a call that is parked, the one that runs is the one that asks.
		third := lap.call()
		other := next(t, lapOwn.calls)
		lapOwn.elicit("2")
		if o := await(t, third); o.Result.ResultType != "input_required" {
			t.Errorf("lap got %s", o.raw)
		}
		lapOwn.Reply(other, "{}")
		deskOwn.Reply(m, "{}")
		if o := await(t, first); o.Result.ResultType != "complete" {
			t.Errorf("desk got %s", o.raw)
		}
	})
}

// On a shared instance a question belongs to nobody when two calls are in flight.
func TestQuestionsOfASharedInstance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, a, desk := holdStage(t)
		lap := &caller{TB: t, st: desk.st, host: "lap", capabilities: askable}
		first := desk.call()
		m := next(t, a.calls)
		second := lap.call()
		n := next(t, a.calls)
		a.elicit("1")
		if got := next(t, a.answers); !strings.Contains(string(got.Raw), "decline") {
			t.Errorf("the server got %s", got.Raw)
		}
		a.Reply(n, "{}")
		await(t, second)
		a.elicit("2")
		if o := await(t, first); o.Result.ResultType != "input_required" {
			t.Errorf("desk got %s", o.raw)
		}
		a.Reply(m, "{}")
	})
}

// A modern server's listen is opened anew when the subscriptions change, and the
// lists are read again: a change in between went unseen.
func TestListenAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := stage.New(t, nil, "a")
		a := st.Open("a", map[string]string{rpc.ListTools: `{"tools":[]}`, rpc.ListResources: rooms, rpc.Discover: `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true}}}`}, upstream.Modern)
		listens, cancelled := collect(a, rpc.Listen, ""), collect(a, rpc.Cancelled, "")
		st.Ready("a", a.Session)
		filter := func(m *rpc.Message) string {
			params := m.Bytes(m.Params)
			at := rpc.Find(params, "notifications")
			return string(params[at.Start:at.End])
		}
		first := next(t, listens)
		if got := filter(first); got != `{"toolsListChanged":true}` {
			t.Errorf("listens for %s", got)
		}
		synctest.Wait()
		h := sit(t, st, "a")
		reads := a.Got(rpc.ListTools)
		h.want("subscribe", h.ask(rpc.Subscribe, `"uri":"r://1"`), `"result":{}`)
		if got := next(t, cancelled); string(got.Bytes(got.RequestID)) != string(first.Bytes(first.ID)) {
			t.Errorf("cancelled %s", got.Raw)
		}
		second := next(t, listens)
		if got := filter(second); got != `{"toolsListChanged":true,"resourceSubscriptions":["r://1"]}` {
			t.Errorf("listens for %s", got)
		}
		synctest.Wait()
		if n := a.Got(rpc.ListTools); n != reads+1 {
			t.Errorf("tools read %d times more", n-reads)
		}
		a.Say(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":9,"k":1},"uri":"r://1"}}`)
		if got := h.told("updated"); len(got) != 1 || got[0] != `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"k":1},"uri":"r://1"}}` {
			t.Errorf("told %q", got)
		}
		h.ask(rpc.Unsubscribe, `"uri":"r://1"`)
		next(t, cancelled)
		if got := filter(next(t, listens)); got != `{"toolsListChanged":true}` {
			t.Errorf("listens for %s", got)
		}
		// Each at its own instance.
		st.Kill("a")
		b := st.Open("a", map[string]string{rpc.Discover: `{"supportedVersions":["2026-07-28"],"capabilities":{}}`}, upstream.Modern)
		listens = collect(b, rpc.Listen, "")
		st.Ready("a", b.Session)
		if got := filter(next(t, listens)); got != `{}` {
			t.Errorf("listens for %s", got)
		}
	})
}
