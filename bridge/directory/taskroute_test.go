package directory_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

const withTasks = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"x","version":"1"}}`

// taskStage has servers a and b, both with tasks of 2025-11-25, and c without.
func taskStage(t testing.TB) *stage.Stage {
	st := stage.New(t, nil, "a", "b", "c")
	for _, name := range []string{"a", "b"} {
		st.Up(name, map[string]string{rpc.Initialize: withTasks, rpc.ListTools: `{"tools":[{"name":"t"}]}`,
			rpc.CallTool: `{"task":{"taskId":"` + name + `-1","status":"working","ttl":60000}}`,
			rpc.GetTask:  `{"taskId":"` + name + `-1","n":1.0}`, rpc.TaskResult: `{"content":[],"of":"` + name + `"}`, rpc.CancelTask: `{"status":"cancelled"}`,
			rpc.ListTasks: `{"tasks":[{"taskId":"other","n":0}, {"taskId":"` + name + `-1","n":1.0}]}`})
	}
	st.Up("c", map[string]string{rpc.ListTools: `{"tools":[]}`, rpc.GetTask: `{"own":"business"}`})
	return st
}

// sitWith gives a host of that name a seat.
func sitWith(t testing.TB, st *stage.Stage, endpoint, name, session, version, capabilities string) *host {
	h := &host{TB: t, dir: st, heard: make(chan struct{}, 1)}
	h.Seat = &directory.Seat{Endpoint: endpoint, Host: name, Session: session, Version: version, Capabilities: []byte(capabilities), Listener: h}
	st.Sit(h.Seat)
	return h
}

const unknownTask = `"error":{"code":-32602,"message":"Unknown task: `

// Tasks made on the merged endpoint could never be asked for again, and any host
// could use those of another at the server's own.
func TestTasksHaveOneHost(t *testing.T) {
	st := taskStage(t)
	desk, lap := sitWith(t, st, "", "desk", "1", rpc.V20251125, "{}"), sitWith(t, st, "", "lap", "2", rpc.V20251125, "{}")
	deskA, lapA, deskB := sitWith(t, st, "a", "desk", "3", rpc.V20251125, "{}"), sitWith(t, st, "a", "lap", "4", rpc.V20251125, "{}"), sitWith(t, st, "b", "desk", "5", rpc.V20251125, "{}")
	desk.want("before", desk.ask(rpc.GetTask, `"taskId":"a-1"`), unknownTask+`a-1"}`)
	desk.want("none yet", desk.ask(rpc.ListTasks, ""), `"result":{"tasks":[]}`)
	for _, name := range []string{"a", "b"} {
		desk.want("call", desk.ask(rpc.CallTool, `"name":"`+name+`__t","task":{"ttl":60000}`), `"result":{"task":{"taskId":"`+name+`-1","status":"working","ttl":60000}}`)
		desk.want("get", desk.ask(rpc.GetTask, `"taskId":"`+name+`-1"`), `"result":{"taskId":"`+name+`-1","n":1.0}`)
		desk.want("result", desk.ask(rpc.TaskResult, `"taskId":"`+name+`-1"`), `"result":{"content":[],"of":"`+name+`"}`)
		desk.want("cancel", desk.ask(rpc.CancelTask, `"taskId":"`+name+`-1"`), `"result":{"status":"cancelled"}`)
	}
	for _, method := range []string{rpc.GetTask, rpc.TaskResult, rpc.CancelTask} {
		for _, h := range []*host{lap, lapA, deskB} {
			h.want("not its own", h.ask(method, `"taskId":"a-1"`), unknownTask+`a-1"}`)
		}
	}
	deskA.want("the same host", deskA.ask(rpc.GetTask, `"taskId":"a-1"`), `"result":{"taskId":"a-1","n":1.0}`)
	deskA.want("no name", deskA.ask(rpc.GetTask, ""), unknownTask+`"}`)
	deskA.want("its list", deskA.ask(rpc.ListTasks, ""), `"result":{"tasks":[{"taskId":"a-1","n":1.0}]}`)
	lapA.want("another's", lapA.ask(rpc.ListTasks, ""), `"result":{"tasks":[]}`)
	desk.want("all", desk.ask(rpc.ListTasks, ""), `"result":{"tasks":[{"taskId":"a-1","n":1.0},{"taskId":"b-1","n":1.0}]}`)
	onC := sitWith(t, st, "c", "desk", "6", rpc.V20251125, "{}")
	onC.want("a server without tasks speaks for itself", onC.ask(rpc.GetTask, `"taskId":"x"`), `"result":{"own":"business"}`)
	st.ForgetHost("desk")
	desk.want("another host of its name", desk.ask(rpc.GetTask, `"taskId":"a-1"`), unknownTask+`a-1"}`)
	desk.ask(rpc.CallTool, `"name":"a__t","task":{}`)
	st.Configure([]string{"b", "c"}, func(string) bool { return false })
	desk.want("its server is gone", desk.ask(rpc.GetTask, `"taskId":"a-1"`), unknownTask+`a-1"}`)
}

// Two servers that count their tasks gave one host the same id: the wrong one's
// task was cancelled.
func TestTasksOfOneID(t *testing.T) {
	st := stage.New(t, nil, "a", "b")
	for _, name := range []string{"a", "b"} {
		st.Up(name, map[string]string{rpc.Initialize: withTasks, rpc.ListTools: `{"tools":[{"name":"t"}]}`, rpc.CallTool: `{"task":{"taskId":"1"}}`, rpc.GetTask: `{"of":"` + name + `"}`})
	}
	desk, onA := sitWith(t, st, "", "desk", "1", rpc.V20251125, "{}"), sitWith(t, st, "a", "desk", "2", rpc.V20251125, "{}")
	desk.ask(rpc.CallTool, `"name":"a__t","task":{}`)
	desk.ask(rpc.CallTool, `"name":"a__t","task":{}`) // the same once more: a new task
	desk.want("one", desk.ask(rpc.GetTask, `"taskId":"1"`), `"result":{"of":"a"}`)
	desk.ask(rpc.CallTool, `"name":"b__t","task":{}`)
	desk.want("two", desk.ask(rpc.GetTask, `"taskId":"1"`), `"error":{"code":-32602,"message":"Two servers have a task 1; use the endpoint of the one that is meant."}`)
	onA.want("alone", onA.ask(rpc.GetTask, `"taskId":"1"`), `"result":{"of":"a"}`)
}

func TestNewsOfTasks(t *testing.T) { synctest.Test(t, newsOfTasks) }

func newsOfTasks(t *testing.T) {
	st := stage.New(t, nil, "b")
	b := st.Up("b", map[string]string{rpc.Initialize: withTasks, rpc.ListTools: `{"tools":[{"name":"t"}]}`})
	synctest.Wait() // the first lists are news, too
	desk, again, lap := sitWith(t, st, "", "desk", "1", rpc.V20251125, "{}"), sitWith(t, st, "", "desk", "2", rpc.V20251125, "{}"), sitWith(t, st, "", "lap", "3", rpc.V20251125, "{}")
	calls := collect(b, rpc.CallTool, "")
	status := func(id string) string {
		return `{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"` + id + `","n":1.0}}`
	}
	done := make(chan string, 1)
	go func() { done <- desk.ask(rpc.CallTool, `"name":"b__t","task":{}`) }()
	m := next(t, calls)
	b.Say(status("early")) // before the answer: it isn't known yet whose it is
	b.Say(status("nobody's"))
	b.Reply(m, `{"task":{"taskId":"early"}}`)
	<-done
	if got := desk.told("early"); len(got) != 1 || got[0] != status("early") {
		t.Errorf("told %q", got)
	}
	b.Say(status("early"))
	desk.told("early")
	again.silent()
	lap.silent()
	st.Leave(context.Background(), desk.Seat) // the host's other session is what is left of it
	b.Say(status("early"))
	again.told("early")
	lap.silent()
}

// A task of a session's own instance is that session's alone.
func TestTasksOfOwnInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := stage.New(t, nil, "a")
		table := map[string]string{rpc.Initialize: withTasks, rpc.ListTools: `{"tools":[{"name":"t"}]}`, rpc.CallTool: `{"task":{"taskId":"1"}}`, rpc.GetTask: `{"ok":1}`}
		st.Up("a", table)
		st.Share("a", directory.PerSession, table)
		one, two := sitAs(t, st, "desk", "1", `{}`), sitAs(t, st, "desk", "2", `{}`)
		one.ask(rpc.CallTool, `"name":"t","task":{}`)
		one.want("its own", one.ask(rpc.GetTask, `"taskId":"1"`), `"result":{"ok":1}`)
		two.want("the other's", two.ask(rpc.GetTask, `"taskId":"1"`), unknownTask+`1"}`)
		if got := st.Scopes(); len(got) != 1 {
			t.Errorf("instances %q", got)
		}
		st.Leave(t.Context(), one.Seat)
		one.want("after its end", one.ask(rpc.GetTask, `"taskId":"1"`), unknownTask+`1"}`)
	})
}

const extended = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`

func TestTasksExtension(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := stage.New(t, nil, "a", "old")
		a := st.Open("a", map[string]string{rpc.Discover: `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`,
			rpc.ListTools: `{"tools":[{"name":"t"}]}`, rpc.CallTool: `{"resultType":"task","taskId":"x","ttlMs":60000}`, rpc.GetTask: `{"resultType":"complete","n":1.0}`, rpc.UpdateTask: `{"resultType":"complete"}`}, upstream.Modern)
		listens := collect(a, rpc.Listen, "")
		desk, lap := sitWith(t, st, "", "desk", "", rpc.V20260728, extended), sitWith(t, st, "", "lap", "", rpc.V20260728, extended)
		plain := sitWith(t, st, "", "desk", "", rpc.V20260728, "{}")
		if got := desk.ask(rpc.Discover, ""); strings.Contains(got, "extensions") {
			t.Errorf("declared before there is a server: %s", got)
		}
		st.Ready("a", a.Session)
		st.Until(toolCount("a", 1))
		next(t, listens)
		if got := desk.ask(rpc.Discover, ""); !strings.Contains(got, `"extensions":{"io.modelcontextprotocol/tasks":{}}`) {
			t.Errorf("not declared: %s", got)
		}
		ask := func(h *host, method, params string) string {
			return h.ask(method, params+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`+string(h.Capabilities)+`}`)
		}
		if got := ask(desk, rpc.CallTool, `"name":"a__t"`); !strings.Contains(got, `"taskId":"x"`) {
			t.Fatalf("called: %s", got)
		}
		for _, method := range []string{rpc.GetTask, rpc.UpdateTask} {
			if got := ask(desk, method, `"taskId":"x"`); !strings.Contains(got, `"resultType":"complete"`) {
				t.Errorf("%s: %s", method, got)
			}
			desk.want("another host", ask(lap, method, `"taskId":"x"`), unknownTask+`x"}`)
			if got := ask(plain, method, `"taskId":"x"`); !strings.Contains(got, "-32021") {
				t.Errorf("undeclared: %s", got)
			}
		}
		for _, method := range []string{rpc.TaskResult, rpc.ListTasks} {
			if got := ask(desk, method, `"taskId":"x"`); !strings.Contains(got, "-32601") {
				t.Errorf("%s: %s", method, got)
			}
		}
		// News go to who asked for them, and the server is asked for them.
		if got := st.SubscribeTasks(lap.Seat, []string{"x", "y"}); len(got) != 0 {
			t.Errorf("another's: %q", got)
		}
		if got := st.SubscribeTasks(desk.Seat, []string{"x", "y", "x"}); fmt.Sprint(got) != "[x]" {
			t.Errorf("accepted %q", got)
		}
		m := next(t, listens)
		if raw := string(m.Raw); !strings.Contains(raw, `"taskIds":["x"]`) || !strings.Contains(raw, `"io.modelcontextprotocol/clientCapabilities":`+extended) {
			t.Errorf("the server was asked %s", raw)
		}
		a.Say(`{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"x","_meta":{"io.modelcontextprotocol/subscriptionId":5}}}`)
		if got := desk.told("notifications/tasks"); strings.Contains(got[len(got)-1], "subscriptionId") {
			t.Errorf("told %q", got)
		}
		synctest.Wait()
		for _, news := range lap.news {
			if strings.Contains(news, "taskId") {
				t.Errorf("another host was told %s", news)
			}
		}
		st.Leave(t.Context(), desk.Seat)
		if raw := string(next(t, listens).Raw); strings.Contains(raw, "taskIds") {
			t.Errorf("the server was asked %s", raw)
		}
	})
}
