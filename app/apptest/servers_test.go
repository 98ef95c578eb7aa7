package apptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/supervisor"
	"bridgekeeper/test/misbehave"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestOrdersRightAfterAChangeFindTheServer(t *testing.T) {
	// `server add x && call x echo` said that there is no server x.
	c := Start(t, Options{})
	for i := range 10 {
		name := fmt.Sprintf("s%d", i)
		c.Add(name, misbehave.Good)
		if _, err := c.Call(t.Context(), name, wire.CallTool{Tool: "echo", Arguments: json.RawMessage(`{"n":1.0}`)}); err != nil {
			t.Fatalf("right after it was added: %v", err)
		}
		if err := c.Act(t.Context(), name, "restart"); err != nil {
			t.Fatal(err)
		}
		if err := c.RemoveServer(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		if err := c.Act(t.Context(), name, "start"); codeOf(err) != wire.CodeNoSuchServer {
			t.Fatalf("right after it was removed: %v", err)
		}
	}
}

func codeOf(err error) wire.Code {
	if err == nil {
		return ""
	}
	return wire.AsError(err).Code
}

func TestChangedToolsReachAClientOfTheSDK(t *testing.T) {
	c := Start(t, Options{})
	c.Add("c", misbehave.Changing, func(e *wire.Entry) { e.Changes = wire.ChangesAccept })
	c.UntilListed("c")
	changed := make(chan struct{}, 100)
	session := c.Connect("sdk", &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
	names := func() string {
		var all []string
		for tool, err := range session.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, tool.Name)
		}
		return strings.Join(all, " ")
	}
	if got := names(); !strings.Contains(got, "c__change") || strings.Contains(got, "added") {
		t.Fatalf("tools: %s", got)
	}
	for n := 1; n <= 3; n++ {
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "c__change"}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-changed:
		case <-time.After(Patience):
			t.Fatal("the client hears nothing")
		}
		if got := names(); !strings.Contains(got, fmt.Sprintf("c__added-%d", n)) {
			t.Errorf("told of a change, the client then lists %s", got)
		}
	}
}

func TestCrashFailsTheCallAtOnceAndTheServerComesBack(t *testing.T) {
	// A grandchild keeps the pipe: reading to its end would never notice the death.
	quick := Quick
	quick.CrashMost = 100
	c := Start(t, Options{Timings: quick})
	c.Add("g", misbehave.Grandchild)
	c.UntilListed("g")
	h := c.Host("h")
	var worst time.Duration
	for round := 1; round <= 5; round++ {
		pid := Server(c.UntilListed("g"), "g").PID
		answer := make(chan string, 1)
		go func() {
			body, err := h.Call("g__hang", "{}")
			answer <- fmt.Sprint(body, err)
		}()
		c.untilCalled("g", "hang", round)
		process, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		killed := time.Now()
		if err := process.Kill(); err != nil {
			t.Fatal(err)
		}
		got := <-answer
		worst = max(worst, time.Since(killed))
		if !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "not known whether") {
			t.Fatalf("the model is told %s", got)
		}
		c.Until("g is back", func(s *wire.Snapshot) bool {
			g := Server(s, "g")
			return g.State == "ready" && g.PID != pid && g.Restarts == round
		})
	}
	t.Logf("calls in flight failed within %v of the death", worst)
	if worst > time.Second { // 100 ms are promised on a machine that isn't busy
		t.Errorf("the call failed only after %v", worst)
	}
	// While it is down a call is told so, and the tools stay listed.
	if !strings.Contains(h.Tools(), "g__echo") {
		t.Error("a restart lost the tools")
	}
}

// untilCalled waits until the record has n calls of a tool: it is written
// before the call is sent.
func (c *Core) untilCalled(server, tool string, n int) {
	c.tb.Helper()
	want := fmt.Sprintf(`"server":%q,"tool":%q`, server, tool)
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); {
		if strings.Count(c.record(), want) >= n {
			return
		}
		<-time.After(2 * time.Millisecond)
	}
	c.tb.Fatalf("the record never had %d times %s:\n%s", n, want, c.record())
}

func (c *Core) record() string {
	raw, err := os.ReadFile(filepath.Join(c.Home, "logs", "activity", "activity.jsonl"))
	if err != nil {
		c.tb.Fatal(err)
	}
	return string(raw)
}

func TestServerThatNeverAnswersFailsAloneAndInWords(t *testing.T) {
	quick := Quick
	quick.Handshake, quick.CrashMost = 3*time.Second, 2
	c := Start(t, Options{Timings: quick})
	c.Add("never", misbehave.Never)
	c.Add("good", misbehave.Good)
	c.UntilListed("good")
	h := c.Host("h")
	began := time.Now()
	if list := h.Tools(); !strings.Contains(list, "good__echo") {
		t.Errorf("the list: %s", list)
	}
	t.Logf("the list beside a server that never answers took %v", time.Since(began))
	failed := Server(c.UntilState("failed", "never"), "never")
	if failed.LastExit == nil || !strings.Contains(failed.LastExit.Reason, "initialize") {
		t.Errorf("last exit: %+v", failed.LastExit)
	}
	_, err := c.Call(t.Context(), "never", wire.CallTool{Tool: "echo"})
	if codeOf(err) != wire.CodeServerFailed {
		t.Errorf("a call to it: %v", err)
	}
	began = time.Now()
	h.Tools()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("a list still waits %v for a server that has failed", took)
	}
}

func TestServerThatStopsReadingIsEnded(t *testing.T) {
	// A server that doesn't read any more took a thread and the memory of every
	// call to it.
	quick := Quick
	quick.WriteTimeout = 300 * time.Millisecond
	c := Start(t, Options{Timings: quick})
	c.Add("deaf", misbehave.Deaf)
	pid := Server(c.UntilState("ready", "deaf"), "deaf").PID
	large := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 4<<20))
	c.UntilListed("deaf")
	result, err := c.Call(t.Context(), "deaf", wire.CallTool{Tool: "echo", Arguments: json.RawMessage(large)})
	if err != nil || !strings.Contains(string(result), `"isError":true`) || !strings.Contains(string(result), "stopped reading") {
		t.Errorf("a call that nobody read: %v %.300s", err, result)
	}
	c.Until("it was ended and started again", func(s *wire.Snapshot) bool {
		d := Server(s, "deaf")
		return d.PID != 0 && d.PID != pid
	})
}

func TestStopBeatsRestart(t *testing.T) {
	// A stop during the wait for the next try was undone by it.
	slow := supervisor.Timings{BackoffFirst: 500 * time.Millisecond, BackoffMost: 500 * time.Millisecond}
	c := Start(t, Options{Timings: slow})
	c.Add("x", misbehave.Exit)
	c.UntilState("backoff", "x")
	if err := c.Act(t.Context(), "x", "stop"); err != nil {
		t.Fatal(err)
	}
	gen := Server(c.UntilState("stopped", "x"), "x").Gen
	// The next try was due: nothing may have come of it.
	late := time.After(1500 * time.Millisecond)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { <-late; stop() }()
	err := c.Watch(ctx, func(e wire.Event) error {
		if x := Server(e.Snapshot, "x"); x.State != "stopped" || x.Gen != gen {
			return fmt.Errorf("it is %s, generation %d after %d", x.State, x.Gen, gen)
		}
		return nil
	}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := c.Call(t.Context(), "x", wire.CallTool{Tool: "echo"}); codeOf(err) != wire.CodeServerDown {
		t.Errorf("a call: %v", err)
	}
}

func TestOnDemandServersAreKnownBeforeFirstUse(t *testing.T) {
	c := Start(t, Options{})
	demand := func(e *wire.Entry) { e.Start, e.IdleStop = "on-demand", "1s" }
	c.Add("d", misbehave.Good, demand)
	learned := func(name, tool string) {
		t.Helper()
		c.Until(name+" was learned and is stopped", func(s *wire.Snapshot) bool {
			return Server(s, name).State == "stopped" && Server(s, name).Tools > 0
		})
		if list := c.Host("h" + name + tool).Tools(); !strings.Contains(list, name+"__"+tool) {
			t.Errorf("%s isn't listed: %s", tool, list)
		}
	}
	learned("d", "echo")
	// An edit of one that isn't running kept the old tools until its next use.
	mode := misbehave.Changing
	if err := c.EditServer(t.Context(), "d", wire.EditServer{Env: map[string]*string{misbehave.Env: &mode}}); err != nil {
		t.Fatal(err)
	}
	c.Until("d has the new tools", func(s *wire.Snapshot) bool { return Server(s, "d").Tools == 6 })
	learned("d", "change")
	h := c.Host("user")
	h.MustCall("d__echo", "{}") // started by the call
	if err := c.Act(t.Context(), "d", "stop"); err != nil {
		t.Fatal(err)
	}
	c.Until("a person's stop takes the tools off the list", func(s *wire.Snapshot) bool {
		return Server(s, "d").State == "stopped" && Server(s, "d").Tools == 0
	})
	if _, err := c.Call(t.Context(), "d", wire.CallTool{Tool: "echo"}); codeOf(err) != wire.CodeServerDown {
		t.Errorf("a call started what a person had stopped: %v", err)
	}
	if err := c.Act(t.Context(), "d", "start"); err != nil {
		t.Fatal(err)
	}
	c.UntilListed("d")
}

func TestEditsOfAnEntryTakeEffect(t *testing.T) {
	c := Start(t, Options{})
	c.Add("a", misbehave.Good)
	c.Add("m", misbehave.Good, func(e *wire.Entry) { e.Start = "manual" })
	pid := Server(c.UntilListed("a"), "a").PID
	if m := Server(c.Now(), "m"); m.State != "stopped" || m.PID != 0 {
		t.Errorf("manual: %+v", m)
	}
	// An era was only followed after the next crash.
	era := "legacy"
	if err := c.EditServer(t.Context(), "a", wire.EditServer{Era: &era}); err != nil {
		t.Fatal(err)
	}
	c.Until("a runs anew", func(s *wire.Snapshot) bool { a := Server(s, "a"); return a.State == "ready" && a.PID != pid })
	yes, no := true, false
	if err := c.EditServer(t.Context(), "a", wire.EditServer{Disabled: &yes}); err != nil {
		t.Fatal(err)
	}
	c.Until("a is disabled and not listed", func(s *wire.Snapshot) bool {
		a := Server(s, "a")
		return a.State == "disabled" && a.PID == 0 && a.Tools == 0
	})
	if err := c.Act(t.Context(), "a", "start"); codeOf(err) != wire.CodeServerDown {
		t.Errorf("start of a disabled server: %v", err)
	}
	if err := c.EditServer(t.Context(), "a", wire.EditServer{Disabled: &no}); err != nil {
		t.Fatal(err)
	}
	c.UntilListed("a")
	if err := c.Act(t.Context(), "m", "start"); err != nil {
		t.Fatal(err)
	}
	c.UntilListed("m")
	if a := Server(c.Now(), "a"); a.Gen < 3 || a.Restarts != 0 {
		t.Errorf("generation %d, %d restarts: orders are none", a.Gen, a.Restarts)
	}
}

// A person who hid one tool lost the session that the server had open.
func TestEditsOfProtectionRestartNothing(t *testing.T) {
	c := Start(t, Options{Answers: "allow"})
	c.Add("a", misbehave.Good)
	c.Add("d", misbehave.Good, func(e *wire.Entry) { e.Start, e.IdleStop = "on-demand", "1s" })
	before := Server(c.UntilListed("a"), "a")
	gen := Server(c.Until("d was learned and is stopped", func(s *wire.Snapshot) bool {
		return Server(s, "d").State == "stopped" && Server(s, "d").Tools > 0
	}), "d").Gen
	ask, trust, changes, off, roots := "everything", wire.TrustLimited, "accept", []string{"none_*"}, []string{"/"}
	for _, req := range []wire.EditServer{
		{Ask: &ask}, {Trust: &trust}, {Changes: &changes}, {Off: &off}, {Roots: &roots},
		{Limits: &wire.Limits{PerMinute: 1000}}, // a model is told of at the start
	} {
		for _, name := range []string{"a", "d"} {
			if err := c.EditServer(t.Context(), name, req); err != nil {
				t.Fatal(err)
			}
		}
	}
	if after := Server(c.Now(), "a"); after.PID != before.PID || after.Gen != before.Gen || after.Entry.Ask != ask || after.Entry.Limits == nil {
		t.Errorf("before %+v\nafter %+v", before, after)
	}
	// What comes after the edits in the same loop is handled after them.
	c.Add("late", misbehave.Good, func(e *wire.Entry) { e.Start, e.IdleStop = "on-demand", "1s" })
	c.Until("a later one was learned", func(s *wire.Snapshot) bool { return Server(s, "late").Tools > 0 })
	if d := Server(c.Now(), "d"); d.Gen != gen {
		t.Errorf("the on-demand server was started again: generation %d, then %d", gen, d.Gen)
	}
}

// An application that got the name of a former one inherited that nothing was asked.
func TestTermsOfAHostGoWithIt(t *testing.T) {
	c := Start(t, Options{Answers: "allow"})
	never, five := wire.PresetNever, 5
	if err := c.SetHost(t.Context(), "h", wire.EditHost{Ask: &never}); codeOf(err) != wire.CodeNoSuchHost {
		t.Errorf("a host that nobody added: %v", err)
	}
	c.Host("h")
	terms := func() wire.HostTerms {
		for _, h := range c.Now().Hosts {
			if h.Name == "h" {
				return h.Terms
			}
		}
		return wire.HostTerms{}
	}
	for _, req := range []wire.EditHost{{Ask: &never}, {PerMinute: &five}} {
		if err := c.SetHost(t.Context(), "h", req); err != nil {
			t.Fatal(err)
		}
	}
	if got := terms(); got.Ask != never || got.Limits == nil || got.Limits.PerMinute != 5 {
		t.Errorf("terms %+v", got)
	}
	maybe := "maybe"
	if err := c.SetHost(t.Context(), "h", wire.EditHost{Ask: &maybe}); codeOf(err) != wire.CodeBadSetting {
		t.Errorf("a preset that isn't one: %v", err)
	}
	if err := c.RemoveHost(t.Context(), "h"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.AddHost(t.Context(), "h"); err != nil {
		t.Fatal(err)
	}
	if got := terms(); got != (wire.HostTerms{}) {
		t.Errorf("the new host has %+v", got)
	}
}

func TestLogsOfAllServersOutliveOneAndFindTheNext(t *testing.T) {
	// Removing one server ended `server logs -f`; one added later was never shown.
	c := Start(t, Options{Timings: Quick})
	c.Add("one", misbehave.Grandchild)
	c.UntilListed("one")
	lines := make(chan wire.LogLine, 1000)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- c.Logs(ctx, "", 0, true, func(l wire.LogLine) error { lines <- l; return nil })
	}()
	until := func(server, text string) {
		t.Helper()
		for late := time.After(Patience); ; {
			select {
			case l := <-lines:
				if l.Server == server && strings.Contains(l.Text, text) {
					return
				}
			case err := <-ended:
				t.Fatalf("the stream ended: %v", err)
			case <-late:
				t.Fatalf("no line of %s with %q", server, text)
			}
		}
	}
	until("one", "grandchild")
	if err := c.RemoveServer(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	c.Add("two", misbehave.Grandchild)
	until("two", "grandchild")
	c.Add("one", misbehave.Exit)
	until("one", "license has expired")
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
