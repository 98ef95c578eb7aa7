package directory_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

var oneTool = map[string]string{rpc.ListTools: `{"tools":[{"name":"t","annotations":{"readOnlyHint":true}}]}`, rpc.ListPrompts: `{"prompts":[{"name":"p"}]}`, rpc.CallTool: `{"ok":1}`}

// kept runs servers once, so that their lists are kept in the folder.
func kept(t *testing.T, folder string, names ...string) {
	t.Helper()
	st := stage.Kept(t, folder, nil, names, names...)
	for _, name := range names {
		st.Up(name, oneTool)
	}
	for k := range 4 { // all lists of all servers have been read
		sit(t, st, "").ask([]string{rpc.ListTools, rpc.ListPrompts, rpc.ListResources, rpc.ListTemplates}[k], "")
	}
	st.Close()
}

// After a start hosts saw no tools until the slowest server was ready, or 5 s.
func TestListsAreInstant(t *testing.T) {
	bubble(t, func(t *testing.T) {
		folder := t.TempDir()
		var names []string
		want := ""
		for i := range 20 {
			names = append(names, fmt.Sprintf("slow%d", i))
			want += fmt.Sprintf(`,{"name":"slow%d__t","annotations":{"readOnlyHint":true}}`, i)
		}
		kept(t, folder, names...)
		st := stage.Kept(t, folder, nil, names, names...) // all about to start, none ever ready
		h := sit(t, st, "")
		began := time.Now()
		h.want("tools", h.ask(rpc.ListTools, ""), `"result":{"tools":[`+want[1:]+`]}`)
		h.ask(rpc.ListPrompts, "")
		h.ask(rpc.ListResources, "")
		h.want("unknown", h.ask(rpc.CallTool, `"name":"slow0__u"`), `"error":{"code":-32602,"message":"Unknown tool: slow0__u"}`)
		if took := time.Since(began); took != 0 {
			t.Errorf("it waited %v", took)
		}
		st.Forget(names[0])
		h.told(rpc.ToolsChanged)
		if got := h.ask(rpc.ListTools, ""); strings.Contains(got, "slow0__") {
			t.Error("a server that a person stopped is still listed")
		}
		st.Close()
		if n := files(t, folder); n != 20 { // what a person stopped may be started again
			t.Errorf("%d files are left", n)
		}
		st = stage.Kept(t, folder, nil, nil, names[:5]...)
		st.Configure(names[:3], func(string) bool { return false })
		st.Close()
		if n := files(t, folder); n != 3 {
			t.Errorf("%d files are left", n)
		}
	})
}

func files(t *testing.T, folder string) int {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestTruthReplacesKeptLists(t *testing.T) {
	folder := t.TempDir()
	kept(t, folder, "same", "other")
	st := stage.Kept(t, folder, nil, []string{"same", "other"}, "same", "other")
	h := sit(t, st, "")
	h.want("before", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"same__t","annotations":{"readOnlyHint":true}},{"name":"other__t","annotations":{"readOnlyHint":true}}]}`)
	st.Up("same", oneTool)
	h.silent()
	st.Up("other", map[string]string{rpc.ListTools: `{"tools":[{"name":"t","n":2}]}`, rpc.ListPrompts: oneTool[rpc.ListPrompts]})
	h.told(rpc.ToolsChanged)
	h.want("after", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"same__t","annotations":{"readOnlyHint":true}},{"name":"other__t","n":2}]}`)
	st.Close()
	st = stage.Kept(t, folder, nil, []string{"other"}, "other")
	h = sit(t, st, "")
	h.want("after a restart", h.ask(rpc.ListTools, ""), `"result":{"tools":[{"name":"other__t","n":2}]}`)
	st.Close()
	// Lists of another command don't count, nor those of what won't start.
	st = stage.Kept(t, folder, func(string) string { return "new" }, []string{"other"}, "other", "same")
	if v := st.View(); len(v.Server("other").Tools)+len(v.Server("same").Tools) != 0 {
		t.Error("lists that don't count are seen")
	}
}

// A tool that said it only reads, before the server was updated, ran unasked.
func TestGateWaitsForTheTruth(t *testing.T) {
	bubble(t, func(t *testing.T) {
		folder := t.TempDir()
		kept(t, folder, "a")
		st := stage.Kept(t, folder, nil, []string{"a"}, "a")
		a := st.Open("a", map[string]string{rpc.CallTool: `{"ok":1}`}, upstream.Auto)
		a.Handle(rpc.ListTools, func(m *rpc.Message) {
			time.AfterFunc(time.Second, func() { a.Reply(m, `{"tools":[{"name":"t"}]}`) })
		})
		h := sit(t, st, "")
		st.Ready("a", a.Session)
		began := time.Now()
		h.want("call", h.ask(rpc.CallTool, `"name":"a__t"`), `"result":{"ok":1}`)
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
		if attempt, _ := st.Gate.Last(); attempt.ReadOnly || string(attempt.Definition) != `{"name":"t"}` {
			t.Errorf("the gate saw %+v", attempt)
		}
		synctest.Wait()
	})
}

// A server whose lists can't be kept is served as any other.
func TestFolderThatCantBeWritten(t *testing.T) {
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	st := stage.Kept(t, file, nil, []string{"a"}, "a")
	st.Up("a", oneTool)
	st.Until("a tool", func(v *directory.View) bool { return len(v.Server("a").Tools) == 1 })
}
