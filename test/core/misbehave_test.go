//go:build unix

package core

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/misbehave"
	"bridgekeeper/test/shipped"
)

func TestOddResultsPassByteForByte(t *testing.T) {
	core := start(t, newHome(t), map[string]string{"odd": misbehave.OddResults}, "--answers", "allow")
	ready(t, core, "odd")
	merged := connect(t, core, "merged", "/mcp")
	alone := connect(t, core, "alone", "/servers/odd/mcp")
	_, list := merged.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	for _, name := range misbehave.OddNames() {
		if got := result(t, merged.call("odd__"+name, "{}")); got != misbehave.Odd[name] {
			t.Errorf("merged %s:\n got %.300s\nwant %.300s", name, got, misbehave.Odd[name])
		}
		if got := result(t, alone.call(name, "{}")); got != misbehave.Odd[name] {
			t.Errorf("alone %s:\n got %.300s\nwant %.300s", name, got, misbehave.Odd[name])
		}
		want := strings.Replace(misbehave.OddDefinition(name), fmt.Sprintf(`"name":%q`, name), fmt.Sprintf(`"name":"odd__%s"`, name), 1)
		want = strings.Replace(want, `{"type":"object"}`, `{"type":"object","properties":{}}`, 1) // the one repair for hosts
		if !strings.Contains(list, want) {
			t.Errorf("the list doesn't have %s as it was defined", name)
		}
	}
}

func TestServersThatMisbehaveStillServe(t *testing.T) {
	modes := map[string]string{"junk": misbehave.Junk, "bom": misbehave.BOM, "split": misbehave.Split, "merged": misbehave.Merged,
		"oddids": misbehave.OddIDs, "zero": misbehave.ErrorZero, "stderr": misbehave.Stderr, "noline": misbehave.StderrNoLine, "big": misbehave.Big}
	core := start(t, newHome(t), modes, "--answers", "allow")
	names := make([]string, 0, len(modes))
	for name := range modes {
		names = append(names, name)
	}
	ready(t, core, names...)
	h := connect(t, core, "h", "/mcp")
	for _, name := range []string{"junk", "bom", "split", "merged", "stderr", "noline"} {
		if got := h.call(name+"__echo", `{"text":"häl\u0000lo"}`); !strings.Contains(got, `häl\\u0000lo`) {
			t.Errorf("%s: %.300s", name, got)
		}
	}
	snap, err := core.Status(limit(t))
	if err != nil {
		t.Fatal(err)
	}
	if s := shipped.Server(snap, "junk"); s.Strays == 0 {
		t.Error("stray lines aren't counted")
	}
	if log := cli(t, core, "server", "logs", "junk"); !strings.Contains(log, "Welcome to the Acme server!") || strings.Contains(log, "\x1b") {
		t.Errorf("stray output isn't shown, or moves the cursor:\n%q", log)
	}
	if got := result(t, h.call("oddids__ask", "{}")); got != misbehave.IDsSeen(misbehave.OwnIDs) {
		t.Errorf("the server's own ids: %s", got)
	}
	if got := h.call("zero__echo", `{}`); got != `{"jsonrpc":"2.0","id":"c","error":`+misbehave.ErrorZeroBody+`}` {
		t.Errorf("error code 0: %s", got)
	}
	if got := h.call("big__big", `{}`); len(got) < misbehave.DefaultBig {
		t.Errorf("50 MB came as %d bytes: %.200s", len(got), got)
	}
}

func TestChangedToolsAreSeen(t *testing.T) {
	core := start(t, newHome(t), map[string]string{"c": misbehave.Changing}, "--answers", "allow")
	ready(t, core, "c")
	h := connect(t, core, "h", "/mcp")
	result(t, h.call("c__change", "{}"))
	ctx := limit(t)
	err := shipped.Poll(ctx, func() (bool, error) {
		_, list := h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		return strings.Contains(list, "c__added-1"), nil
	})
	if err != nil {
		t.Fatalf("the new tool never came: %v", err)
	}
	result(t, h.call("c__echo", `{"text":"x"}`))
}

func TestDeadServersAreNoticedAndComeBack(t *testing.T) {
	// A call to a server that died hung until the host's own timeout.
	core := start(t, newHome(t), map[string]string{"g": misbehave.Grandchild, "e": misbehave.ExitEach}, "--answers", "allow")
	snap := ready(t, core, "g", "e")
	h := connect(t, core, "h", "/mcp")
	pid := shipped.Server(snap, "g").PID
	done := make(chan string, 1)
	go func() { done <- h.call("g__hang", "{}") }()
	until(t, core, "the call is in flight", func(s *wire.Snapshot) bool { return len(s.Hosts) > 0 && s.Hosts[0].Calls > 0 })
	killed := time.Now()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-done:
		// 100 ms are wished for; the test allows a busy machine more.
		if took := time.Since(killed); took > 2*time.Second {
			t.Errorf("the call failed after %v", took)
		}
		if !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "not known whether") {
			t.Errorf("the model is told %s", got)
		}
	case <-time.After(patience):
		t.Fatal("the call hangs: a grandchild holds the pipe")
	}
	back := until(t, core, "g is back", func(s *wire.Snapshot) bool {
		g := shipped.Server(s, "g")
		return g.State == "ready" && g.PID != pid && g.Restarts == 1
	})
	if x := shipped.Server(back, "g").LastExit; x == nil || x.Signal != "SIGKILL" {
		t.Errorf("last exit %+v", x)
	}
	result(t, h.call("g__echo", `{"text":"x"}`))
	h.call("e__echo", `{"text":"x"}`)
	until(t, core, "e is back", func(s *wire.Snapshot) bool {
		e := shipped.Server(s, "e")
		return e.State == "ready" && e.Restarts >= 1
	})
}

func TestCrashLoopEndsWithEvidence(t *testing.T) {
	t.Parallel() // it waits most of the time
	core := start(t, newHome(t), map[string]string{"x": misbehave.Exit, "ok": misbehave.Good})
	snap := until(t, core, "x has failed", func(s *wire.Snapshot) bool { return shipped.Server(s, "x").State == "failed" })
	x := shipped.Server(snap, "x").LastExit
	if x == nil || x.Code != 3 || !strings.Contains(x.Reason, "before it answered initialize") || !strings.Contains(strings.Join(x.Stderr, "\n"), "the license has expired") {
		t.Errorf("evidence: %+v", x)
	}
	if shipped.Server(snap, "ok").State != "ready" {
		t.Error("one server's crash loop harmed another")
	}
	cli(t, core, "server", "add", "nope", "--", "no-such-program-anywhere")
	snap = until(t, core, "nope has failed", func(s *wire.Snapshot) bool {
		n := shipped.Server(s, "nope")
		return n != nil && n.State == "failed"
	})
	if x := shipped.Server(snap, "nope").LastExit; x == nil || !strings.Contains(x.Reason, "`no-such-program-anywhere` is not on the PATH") {
		t.Errorf("the sentence: %+v", x)
	}
}

func TestCancelReachesTheServer(t *testing.T) {
	core := start(t, newHome(t), map[string]string{"s": misbehave.Good}, "--answers", "allow")
	ready(t, core, "s")
	h := connect(t, core, "h", "/mcp")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		resp, err := h.request(context.Background(), `{"jsonrpc":"2.0","id":"slow","method":"tools/call","params":{"name":"s__hang","arguments":{}}}`)
		if err == nil {
			resp.Body.Close()
		}
	}()
	until(t, core, "the call is in flight", func(s *wire.Snapshot) bool { return len(s.Hosts) > 0 && s.Hosts[0].Calls > 0 })
	h.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}`)
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("the cancelled call hangs")
	}
	err := shipped.Poll(limit(t), func() (bool, error) {
		return !strings.Contains(h.call("s__cancelled", "{}"), "[]"), nil
	})
	if err != nil {
		t.Fatalf("the server never heard of it: %v", err)
	}
}
