package directory_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
	"bridgekeeper/test/misbehave"
)

func toolCount(name string, n int) (string, func(v *directory.View) bool) {
	return fmt.Sprintf("%d tools of %s", n, name), func(v *directory.View) bool { return len(v.Server(name).Tools) == n }
}

func TestMergedLists(t *testing.T) {
	st := stage.New(t, nil, "b", "a", "down")
	h := sit(t, st, "")
	h.want("no server yet", h.ask(rpc.ListTools, ""), `"result":{"tools":[]}`)
	st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"description":"x" , "name" : "one","n":1.0},{"name":"two"}]}`,
		rpc.ListPrompts: `{"prompts":[{"name":"p","title":"P"}]}`})
	st.Up("b", map[string]string{rpc.ListTools: `{"tools":[{"name":"one"}],"x":1}`, rpc.ListResources: `{"resources":[{"uri":"r://1","name":"one"}]}`,
		rpc.ListTemplates: `{"resourceTemplates":[{"uriTemplate":"r://{x}"}]}`})
	h.want("tools", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"b__one"},{"description":"x" , "name" : "a__one","n":1.0},{"name":"a__two"}]}`)
	h.want("prompts", h.ask(rpc.ListPrompts, ""), `"result":{"prompts":[{"name":"a__p","title":"P"}]}`)
	h.want("resources", h.ask(rpc.ListResources, ""), `"result":{"resources":[{"uri":"r://1","name":"one"}]}`)
	h.want("templates", h.ask(rpc.ListTemplates, ""), `"result":{"resourceTemplates":[{"uriTemplate":"r://{x}"}]}`)
	alone := sit(t, st, "b")
	h.want("alone", alone.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"one"}],"x":1}`)
	st.Configure([]string{"a"}, func(string) bool { return false })
	h.want("one removed", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"description":"x" , "name" : "a__one","n":1.0},{"name":"a__two"}]}`)
}

func TestOddListEntries(t *testing.T) {
	st := stage.New(t, nil, "a")
	h := sit(t, st, "")
	a := st.Open("a", map[string]string{rpc.ListTools: `{"tools":[5,null,{},{"name":5},{"name":""},"x",{"name":"good"},[],{"name":"gr\u00fcn \"q\"","name2":"grün"},{"name":"\ud83d\ude00"},{"name":"\ud800"},{"name":"a__b"}]}`}, upstream.Auto)
	st.Ready("a", a.Session)
	st.Until(toolCount("a", 5))
	h.want("tools", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"a__good"},{"name":"a__gr_n_q_c47f27e394","name2":"grün"},{"name":"a__25e6e60254"},{"name":"a__1586c38c88"},{"name":"a__a__b"}]}`)
	var got []string
	a.Handle(rpc.CallTool, func(m *rpc.Message) {
		got = append(got, string(m.Bytes(m.Name)))
		a.Reply(m, "{}")
	})
	for _, name := range []string{`"a__good"`, `"a__gr_n_q_c47f27e394"`, `"a__25e6e60254"`, `"\u0061__25e6e60254"`, `"a__1586c38c88"`, `"a__a__b"`} {
		h.want(name, h.ask(rpc.CallTool, `"name":`+name), `"result":{}`)
	}
	want := `"good" "gr\u00fcn \"q\"" "\ud83d\ude00" "\ud83d\ude00" "\ud800" "a__b"`
	h.want("the server's own spelling", strings.Join(got, " "), want)
}

func TestPages(t *testing.T) {
	page := func(cursor string) string {
		if cursor != "" {
			cursor = `,"nextCursor":` + cursor
		}
		return cursor
	}
	for _, one := range []struct {
		what  string
		pages map[string]string // by the cursor asked for
		names string
		asked int
	}{
		{"one page", map[string]string{"": `{"name":"a"}`}, "a", 1},
		{"null is the end", map[string]string{"": `{"name":"a"}` + page("null")}, "a", 1},
		{"two", map[string]string{"": `{"name":"a"}` + page(`"n\u0065xt \"1\""`), `"n\u0065xt \"1\""`: `{"name":"b"}`}, "ab", 2},
		{"an empty cursor is one", map[string]string{"": `{"name":"a"}` + page(`""`), `""`: `{"name":"b"}`}, "ab", 2},
		{"an empty page", map[string]string{"": page(`"x"`), `"x"`: `{"name":"b"}`}, "b", 2},
		// Servers that write an empty cursor on their only page lost it.
		{"a cursor that stays", map[string]string{"": `{"name":"a"}` + page(`""`), `""`: `{"name":"a"}` + page(`""`)}, "a", 2},
		{"a cursor that stays while the pages move", map[string]string{"": `{"name":"a"}` + page(`"c"`), `"c"`: `{"name":"b"}` + page(`"c"`)}, "ab", 3},
	} {
		t.Run(one.what, func(t *testing.T) {
			st := stage.New(t, nil, "a")
			a := st.Open("a", nil, upstream.Auto)
			a.Handle(rpc.ListTools, func(m *rpc.Message) {
				text := one.pages[string(m.Bytes(m.Cursor))]
				items, next := text, ""
				if i := strings.Index(text, `,"nextCursor"`); i >= 0 {
					items, next = text[:i], text[i:]
				}
				a.Reply(m, `{"tools":[`+items+`]`+next+`}`)
			})
			st.Ready("a", a.Session)
			st.Until(toolCount("a", len(one.names)))
			got := ""
			for _, tool := range st.View().Server("a").Tools {
				got += tool.Name
			}
			if got != one.names || a.Got(rpc.ListTools) != one.asked {
				t.Errorf("tools %q in %d pages", got, a.Got(rpc.ListTools))
			}
		})
	}
}

func TestListsWithoutEnd(t *testing.T) {
	st := stage.New(t, nil, "endless", "large", "good")
	endless := st.Open("endless", nil, upstream.Auto)
	n := 0
	endless.Handle(rpc.ListTools, func(m *rpc.Message) {
		n++
		endless.Reply(m, fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, n))
	})
	large := st.Open("large", map[string]string{rpc.ListTools: `{"tools":[` + strings.Repeat(`{"name":"x"},`, 30_000) + `{"name":"x"}]}`}, upstream.Auto)
	st.Ready("endless", endless.Session)
	st.Ready("large", large.Session)
	st.Up("good", map[string]string{rpc.ListTools: `{"tools":[{"name":"x"}]}`})
	st.Until("two warnings", func(v *directory.View) bool {
		all := strings.Join(v.Warnings, "\n")
		return strings.Contains(all, "endless") && strings.Contains(all, "large")
	})
	h := sit(t, st, "")
	h.want("tools", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"good__x"}]}`)
	if n > 1000 {
		t.Errorf("%d pages were asked for", n)
	}
}

// Four servers that don't answer kept the lists of all others waiting.
func TestSilentServersHoldUpNobody(t *testing.T) {
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprint("silent", i))
	}
	st := stage.New(t, nil, append(names, "good")...)
	for _, name := range names {
		a := st.Open(name, nil, upstream.Auto)
		for _, method := range []string{rpc.ListTools, rpc.ListPrompts, rpc.ListResources, rpc.ListTemplates} {
			a.Handle(method, func(*rpc.Message) {})
		}
		st.Ready(name, a.Session)
	}
	st.Up("good", map[string]string{rpc.ListTools: `{"tools":[{"name":"x"}]}`})
}

func TestCollisions(t *testing.T) {
	st := stage.New(t, nil, "first", "second")
	st.Up("second", map[string]string{rpc.ListResources: `{"resources":[{"uri":"r://1","from":"second"},{"uri":"r://2"}]}`, rpc.ListTemplates: `{"resourceTemplates":[{"uriTemplate":"r://{x}","from":2}]}`,
		rpc.ListTools: `{"tools":[{"name":"t","annotations":{"readOnlyHint":false}},{"name":"t","annotations":{"readOnlyHint":true}}]}`, rpc.ReadResource: `{"contents":["second"]}`})
	st.Up("first", map[string]string{rpc.ListResources: `{"resources":[{"uri":"r://1","from":"first"}]}`, rpc.ListTemplates: `{"resourceTemplates":[{"uriTemplate":"r://{x}","from":1}]}`,
		rpc.ReadResource: `{"contents":["first"]}`})
	h := sit(t, st, "")
	h.want("resources", h.ask(rpc.ListResources, ""), `"result":{"resources":[{"uri":"r://1","from":"first"},{"uri":"r://2"}]}`)
	h.want("templates", h.ask(rpc.ListTemplates, ""), `"result":{"resourceTemplates":[{"uriTemplate":"r://{x}","from":1}]}`)
	h.want("read", h.ask(rpc.ReadResource, `"uri":"r://1"`), `"result":{"contents":["first"]}`)
	h.want("read the other's", h.ask(rpc.ReadResource, `"uri":"r:\/\/2"`), `"result":{"contents":["second"]}`)
	all := strings.Join(st.View().Warnings, "\n")
	for _, part := range []string{`"r://1" of server second is hidden by that of first`, `"r://{x}" of server second`, `"second__t" of server second`} {
		if !strings.Contains(all, part) {
			t.Errorf("no warning %s in\n%s", part, all)
		}
	}
	// Of two tools of one name hosts saw the first, and the gate the second.
	if st.View().Server("second").Tool("t").ReadOnly {
		t.Error("the gate sees the tool that hosts don't")
	}
}

func TestOwners(t *testing.T) {
	st := stage.New(t, nil, "files", "rooms", "none")
	st.Up("files", map[string]string{rpc.ListResources: `{"resources":[{"uri":"file:///a"}]}`, rpc.ReadResource: `{"from":"files"}`})
	st.Up("rooms", map[string]string{rpc.ListTemplates: `{"resourceTemplates":[{"uriTemplate":"rooms://{id}/status"},{"uriTemplate":"docs://{+path}{?page,size}"}]}`, rpc.ReadResource: `{"from":"rooms"}`,
		rpc.Complete: `{"completion":{"values":["7"]}}`})
	h := sit(t, st, "")
	for uri, want := range map[string]string{"file:///a": "files", "file:///b": "files", "rooms://1/status": "rooms", "rooms:///status": "rooms", "rooms://1/other": "rooms",
		"docs://a/b?page=1": "rooms", "other://x": "", "": ""} {
		got := h.ask(rpc.ReadResource, `"uri":"`+uri+`"`)
		if want == "" && got != `"error":{"code":-32002,"message":"Resource not found","data":{"uri":"`+uri+`"}}` || want != "" && got != `"result":{"from":"`+want+`"}` {
			t.Errorf("%q: %s", uri, got)
		}
	}
	h.want("complete", h.ask(rpc.Complete, `"ref":{"type":"ref/resource","uri":"rooms://{id}/status"},"argument":{"name":"id","value":""}`), `"result":{"completion":{"values":["7"]}}`)
	st.Kill("files")
	st.Configure([]string{"rooms"}, func(string) bool { return false })
	h.want("the only one with resources", h.ask(rpc.ReadResource, `"uri":"other://x"`), `"result":{"from":"rooms"}`)
}

func TestPromptsAndCompletion(t *testing.T) {
	st := stage.New(t, nil, "a")
	a := st.Up("a", map[string]string{rpc.ListPrompts: `{"prompts":[{"name":"tri\u0061ge"},{"name":"\u00fcber.all"}]}`})
	var got *rpc.Message
	echo := func(m *rpc.Message) { got = m; a.Reply(m, `{"ok":1.0}`) }
	a.Handle(rpc.GetPrompt, echo)
	a.Handle(rpc.Complete, echo)
	h := sit(t, st, "")
	h.want("get", h.ask(rpc.GetPrompt, `"arguments":{"x":"1.0"}, "name" : "a__triage"`), `"result":{"ok":1.0}`)
	h.want("params", string(got.Bytes(got.Params)), `{"arguments":{"x":"1.0"}, "name" : "tri\u0061ge"}`)
	h.want("complete", h.ask(rpc.Complete, `"ref":{"name":"a__triage","type":"ref/prompt","title":"a__triage"},"argument":{}`), `"result":{"ok":1.0}`)
	h.want("params", string(got.Bytes(got.Params)), `{"ref":{"name":"tri\u0061ge","type":"ref/prompt","title":"a__triage"},"argument":{}}`)
	h.want("list", h.ask(rpc.ListPrompts, ""), `"result":{"prompts":[{"name":"a__triage"},{"name":"a__ber_all_f2b7f757df"}]}`)
	h.want("get by alias", h.ask(rpc.GetPrompt, `"name":"a__ber_all_f2b7f757df"`), `"result":{"ok":1.0}`)
	h.want("params", string(got.Bytes(got.Params)), `{"name":"\u00fcber.all"}`)
	h.want("complete by alias", h.ask(rpc.Complete, `"ref":{"type":"ref/prompt","name":"a__ber_all_f2b7f757df"}`), `"result":{"ok":1.0}`)
	h.want("params", string(got.Bytes(got.Params)), `{"ref":{"type":"ref/prompt","name":"\u00fcber.all"}}`)
	h.want("unknown prompt", h.ask(rpc.GetPrompt, `"name":"triage"`), `"error":{"code":-32602,"message":"Unknown prompt: triage"}`)
	for _, ref := range []string{`"x":1`, `"ref":5`, `"ref":{}`, `"ref":{"type":"ref/x"}`, `"ref":{"type":"ref/prompt"}`, `"ref":{"type":"ref/prompt","name":"x"}`} {
		if got := h.ask(rpc.Complete, ref); !strings.Contains(got, `"code":-32602`) {
			t.Errorf("complete %s: %s", ref, got)
		}
	}
}

func TestCalls(t *testing.T) {
	st := stage.New(t, nil, "a")
	a := st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"look","annotations":{"readOnlyHint":true}},{"name":"do"}]}`, rpc.CallTool: `{"content":[]}`})
	st.Gate.Refuse = map[string]string{"do": "Not \"now\"."}
	h, alone := sit(t, st, ""), sit(t, st, "a")
	h.want("a tool", h.ask(rpc.CallTool, `"name":"a__look","arguments":{"n":1.0}`), `"result":{"content":[]}`)
	attempt, outcome := st.Gate.Last()
	if attempt.Host != "desk" || attempt.Server != "a" || attempt.Tool != "look" || !attempt.ReadOnly || !attempt.Known || outcome != "ok" ||
		string(attempt.Arguments) != `{"n":1.0}` || string(attempt.Definition) != `{"name":"look","annotations":{"readOnlyHint":true}}` {
		t.Errorf("the gate saw %+v, %s", attempt, outcome)
	}
	h.want("unknown", h.ask(rpc.CallTool, `"name":"look"`), `"error":{"code":-32602,"message":"Unknown tool: look"}`)
	h.want("refused", h.ask(rpc.CallTool, `"name":"a__do"`), `"result":{"content":[{"type":"text","text":"Not \"now\"."}],"isError":true}`)
	if n := a.Got(rpc.CallTool); n != 1 {
		t.Errorf("%d calls came to the server", n)
	}
	h.want("alone", alone.ask(rpc.CallTool, `"name":"hidden"`), `"result":{"content":[]}`)
	if attempt, _ := st.Gate.Last(); attempt.Known || attempt.ReadOnly || attempt.Tool != "hidden" {
		t.Errorf("the gate saw %+v", attempt)
	}
	for result, want := range map[string]string{
		`{"isError":true}`: "tool_error", `{"content":[],"isError" : true}`: "tool_error", `{"isError":false}`: "ok", `{"isError":"true"}`: "ok",
		`{"content":[{"text":"\"isError\":true"}]}`: "ok", `{"x":{"isError":true}}`: "ok", `{"isError":false,"x":{"isError":true}}`: "ok",
		`{"x":{"isError":false},"isError":true}`: "tool_error", `{}`: "ok",
	} {
		a.Set(rpc.CallTool, result)
		h.want(result, h.ask(rpc.CallTool, `"name":"a__look"`), `"result":`+result)
		if _, outcome := st.Gate.Last(); outcome != want {
			t.Errorf("%s: outcome %s", result, outcome)
		}
	}
	a.Handle(rpc.CallTool, func(m *rpc.Message) {
		a.Say(`{"id":` + string(m.Bytes(m.ID)) + `,"jsonrpc":"2.0","error":{"message":"x","code":-32050.0}}`)
	})
	m, _ := rpc.Scan([]byte(`{"id":1,"method":"tools/call","params":{"name":"a__look"}}`))
	answer := st.Handle(context.Background(), &directory.Request{Seat: h.Seat, Message: &m})
	h.want("error", string(answer.Append(nil, []byte("1"))), `{"id":1,"jsonrpc":"2.0","error":{"message":"x","code":-32050.0}}`)
	if _, outcome := st.Gate.Last(); outcome != "error" {
		t.Errorf("outcome %s", outcome)
	}
	st.Kill("a")
	h.want("down", h.ask(rpc.CallTool, `"name":"a__look"`), `"result":{"content":[{"type":"text","text":"The server a is down."}],"isError":true}`)
	h.want("down, prompt", alone.ask(rpc.GetPrompt, `"name":"x"`), `"error":{"code":-32603,"message":"The server a is down."}`)
	h.want("lists stay", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"a__look","annotations":{"readOnlyHint":true}},{"name":"a__do"}]}`)
	st.Forget("a")
	h.want("until a person stops it", h.ask(rpc.ListTools, ""), `"result":{"tools":[]}`)
}

func TestDeathInMidCall(t *testing.T) {
	st := stage.New(t, nil, "a")
	a := st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`})
	h := sit(t, st, "")
	running := make(chan bool)
	a.Handle(rpc.CallTool, func(*rpc.Message) { close(running) })
	answer := make(chan string)
	go func() { answer <- h.ask(rpc.CallTool, `"name":"a__t"`) }()
	<-running
	st.Kill("a")
	if got := <-answer; !strings.Contains(got, "It is not known whether the call took effect") || !strings.HasSuffix(got, `"isError":true}`) {
		t.Errorf("the model reads %s", got)
	}
	if _, outcome := st.Gate.Last(); outcome != "unknown" {
		t.Errorf("outcome %s", outcome)
	}
}

// A server that restarted while a person was asked took the call down with it,
// as if it had been sent.
func TestRestartWhileAsked(t *testing.T) {
	st := stage.New(t, nil, "a")
	table := map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`, rpc.CallTool: `{"from":"new"}`}
	st.Up("a", table)
	h := sit(t, st, "")
	st.Gate.Thinking = func() { st.Kill("a"); st.Up("a", table) }
	h.want("restarted", h.ask(rpc.CallTool, `"name":"a__t"`), `"result":{"from":"new"}`)
	st.Gate.Thinking = func() { st.Kill("a") }
	h.want("gone", h.ask(rpc.CallTool, `"name":"a__t"`), `"result":{"content":[{"type":"text","text":"The server a is down."}],"isError":true}`)
	if _, outcome := st.Gate.Last(); outcome != "server_down" {
		t.Errorf("outcome %s", outcome)
	}
}

type tooLong struct{}

func (tooLong) Error() string                          { return "line over the limit" }
func (tooLong) Parts() (head, tail []byte, size int64) { return nil, nil, 1 << 30 }

// It was told as the death of the server.
func TestResultOverTheLimit(t *testing.T) {
	st := stage.New(t, nil, "a")
	a := st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`})
	a.Handle(rpc.CallTool, func(*rpc.Message) { a.Say(tooLong{}) })
	h := sit(t, st, "")
	if got := h.ask(rpc.CallTool, `"name":"a__t"`); !strings.Contains(got, "larger than the limit") || strings.Contains(got, "restarted") {
		t.Errorf("the model reads %s", got)
	}
}

// Odd results and definitions pass byte for byte.
func TestOddResults(t *testing.T) {
	st := stage.New(t, nil, "odd")
	var tools []string
	for _, name := range misbehave.OddNames() {
		tools = append(tools, misbehave.OddDefinition(name))
	}
	a := st.Up("odd", map[string]string{rpc.ListTools: `{"tools":[` + strings.Join(tools, ",") + `]}`})
	a.Handle(rpc.CallTool, func(m *rpc.Message) { a.Reply(m, misbehave.Odd[m.Text(m.Name)]) })
	h := sit(t, st, "")
	for _, name := range misbehave.OddNames() {
		h.want(name, h.ask(rpc.CallTool, `"name":"odd__`+name+`"`), `"result":`+misbehave.Odd[name])
	}
	list := h.askContext(context.Background(), rpc.ListTools, "")
	for i, name := range misbehave.OddNames() {
		want := strings.Replace(tools[i], `"name":"`+name+`"`, `"name":"odd__`+name+`"`, 1)
		want = strings.Replace(want, `{"type":"object"}`, `{"type":"object","properties":{}}`, 1)
		if !strings.Contains(list, want) {
			t.Errorf("%s is not in the list", want)
		}
	}
}

func TestCancelledCall(t *testing.T) {
	st := stage.New(t, nil, "a")
	a := st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`})
	ctx, cancel := context.WithCancel(context.Background())
	a.Handle(rpc.CallTool, func(*rpc.Message) { cancel() })
	h := sit(t, st, "")
	if got := h.askContext(ctx, rpc.CallTool, `"name":"a__t"`); !strings.Contains(got, `"code":-32603`) {
		t.Errorf("got %s", got)
	}
	if _, outcome := st.Gate.Last(); outcome != "cancelled" {
		t.Errorf("outcome %s", outcome)
	}
}
