package directory_test

import (
	"strings"
	"sync"
	"testing"

	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// A tool that a person turned off stood in the list of the server's own endpoint.
func TestScreenedToolsAreInNoList(t *testing.T) {
	dir := stage.New(t, nil, "a")
	dir.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"one"},{"name":"two","x":1},{"name":"three"}],"nextCursor":"c"}`})
	merged, alone := sit(t, dir, ""), sit(t, dir, "a")
	dir.Hide("two", "a person turned it off")
	merged.told("list_changed")
	alone.told("list_changed")
	merged.want("merged", merged.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"a__one"},{"name":"a__three"}]}`)
	alone.want("alone", alone.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"one"},{"name":"three"}],"nextCursor":"c"}`)
	if answer := merged.ask(rpc.CallTool, `"name":"a__two"`); !strings.Contains(answer, "Unknown tool") {
		t.Errorf("called: %s", answer)
	}
	tool := dir.View().Server("a").Tool("two")
	if tool == nil || !tool.Off || tool.Hidden != "a person turned it off" {
		t.Errorf("the tool is %+v", tool)
	}
	if w := dir.View().Warnings; len(w) > 0 {
		t.Errorf("warnings %q: turning a tool off is no problem", w)
	}
	dir.Hide("two", "")
	merged.told("list_changed")
	alone.want("shown again", alone.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"one"},{"name":"two","x":1},{"name":"three"}],"nextCursor":"c"}`)
}

// A host lost patience and sent its call again while a person was thinking: after
// one yes it ran twice.
func TestJoinedCallsRunOnce(t *testing.T) {
	dir := stage.New(t, nil, "a")
	server := dir.Up("a", map[string]string{
		rpc.ListTools: `{"tools":[{"name":"one"}]}`,
		rpc.CallTool:  `{"content":[{"type":"text","text":"did it"}],"big":12345678901234567890}`})
	joint := directory.NewJoint()
	dir.Gate.Joined = func(pass uint64) directory.Pass {
		if pass == 1 {
			return directory.Pass{ID: pass, Lead: joint}
		}
		return directory.Pass{Follow: joint}
	}
	h := sit(t, dir, "")
	answers := make([]string, 3)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = h.ask(rpc.CallTool, `"name":"a__one"`) })
	}
	wg.Wait()
	for _, a := range answers {
		h.want("answer", a, `"result":{"content":[{"type":"text","text":"did it"}],"big":12345678901234567890}`)
	}
	if n := server.Got(rpc.CallTool); n != 1 {
		t.Errorf("the server was called %d times", n)
	}
	if outcomes, _ := dir.Gate.Outcomes(); len(outcomes) != 1 {
		t.Errorf("outcomes %q", outcomes)
	}
}

// Those who joined a call that couldn't run waited for ever.
func TestJoinedCallsHearOfARefusal(t *testing.T) {
	dir := stage.New(t, nil, "a")
	dir.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"one"}]}`})
	joint := directory.NewJoint()
	dir.Gate.Joined = func(pass uint64) directory.Pass {
		if pass == 1 {
			return directory.Pass{Lead: joint, Refusal: "no"}
		}
		return directory.Pass{Follow: joint}
	}
	h := sit(t, dir, "")
	for range 2 {
		h.want("answer", h.ask(rpc.CallTool, `"name":"a__one"`), `"result":{"content":[{"type":"text","text":"no"}],"isError":true}`)
	}
}
