package apptest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/misbehave"
)

func TestRestartsLeaveNothing(t *testing.T) {
	servers, rounds := 20, 20
	if raceBuild {
		servers, rounds = 8, 5
	}
	outside := Count(t)
	c := Start(t, Options{})
	var names []string
	for i := range servers {
		names = append(names, fmt.Sprintf("s%02d", i))
		c.Add(names[i], misbehave.EchoMode)
	}
	c.UntilListed(names...)
	h := c.Host("h")
	h.Tools()
	before := Count(t)
	gens := make(map[string]uint64)
	began := time.Now()
	for range rounds {
		for _, s := range c.Now().Servers {
			gens[s.Name] = s.Gen
		}
		for _, name := range names {
			if err := c.Act(t.Context(), name, "restart"); err != nil {
				t.Fatal(err)
			}
		}
		c.Until("all run anew", func(s *wire.Snapshot) bool {
			for _, name := range names {
				if one := Server(s, name); one.State != "ready" || one.Gen == gens[name] {
					return false
				}
			}
			return true
		})
	}
	took := time.Since(began)
	before.Goroutines += 8 // connections of the API that are kept
	before.Files += 8
	t.Logf("before: %s; after %d restarts in %v: %s", before, servers*rounds, took.Round(time.Millisecond), UntilAtMost(t, before))
	h.MustCall(names[0]+"__echo", `{"text":"x"}`)
	t.Logf("the core ended within %v", c.Stop())
	h.HTTP.CloseIdleConnections()
	outside.Goroutines += 2 // the HTTP client's own, on their way out
	t.Logf("outside: %s; at the end: %s", outside, UntilAtMost(t, outside))
}

func TestThousandSessions(t *testing.T) {
	sessions := 1000
	if raceBuild {
		sessions = 200
	}
	c := Start(t, Options{})
	c.Add("c", misbehave.Changing)
	c.UntilListed("c")
	first := c.Host("h")
	first.Tools()
	c.Now()
	before := Count(t)
	began := time.Now()
	all := make([]*Host, sessions)
	streams := make([]*Stream, sessions)
	inParallel(sessions, func(i int) {
		all[i] = first.Again()
		var err error
		if streams[i], err = all[i].Listen(context.Background()); err != nil {
			t.Error(err)
		}
		text := fmt.Sprintf("session %d", i)
		if body, err := all[i].Call("c__echo", fmt.Sprintf(`{"text":%q}`, text)); err != nil || !strings.Contains(body, text) {
			t.Errorf("session %d: %v %.200s", i, err, body)
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	opened := time.Since(began)
	c.Until("all sessions are counted", func(s *wire.Snapshot) bool { return s.Core.Sessions == sessions+1 })
	with := Count(t)
	began = time.Now()
	first.MustCall("c__change", "{}")
	inParallel(sessions, func(i int) {
		if note, err := streams[i].Next(); err != nil || !strings.Contains(note, "notifications/tools/list_changed") {
			t.Errorf("session %d hears %q, %v", i, note, err)
		}
	})
	t.Logf("%d sessions opened in %v (%s), all told of a change in %v", sessions, opened.Round(time.Millisecond), with, time.Since(began).Round(time.Millisecond))
	inParallel(sessions, func(i int) {
		streams[i].Close()
		resp, err := all[i].Do(context.Background(), http.MethodDelete, "")
		if err != nil {
			t.Error(err)
			return
		}
		resp.Body.Close()
	})
	first.HTTP.CloseIdleConnections()
	c.Until("all sessions are gone", func(s *wire.Snapshot) bool { return s.Core.Sessions == 1 })
	before.Goroutines += 8
	before.Files += 8
	t.Logf("before: %s; after: %s", before, UntilAtMost(t, before))
}

// atOnce bounds the requests that are on their way at the same moment.
const atOnce = 100

func inParallel(n int, do func(i int)) {
	var wait sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i := range n {
		slots <- struct{}{}
		wait.Go(func() { defer func() { <-slots }(); do(i) })
	}
	wait.Wait()
}

func TestEndWhileEverythingIsBusy(t *testing.T) {
	// A core that was told to end hung for as long as one call did.
	outside := Count(t)
	c := Start(t, Options{Answers: "tty", Stdin: closed{}, Terminal: io.Discard, Timings: Quick})
	for _, name := range []string{"a", "b"} {
		c.Add(name, misbehave.Good)
	}
	c.Add("stubborn", misbehave.Stubborn)
	c.Add("crashing", misbehave.Exit)
	c.Add("silent", misbehave.Never)
	c.UntilListed("a", "b", "stubborn")
	h := c.Host("h")
	var wait sync.WaitGroup
	hang := func(call func()) { wait.Go(call) }
	for i := range 64 {
		name := []string{"a", "b", "stubborn"}[i%3]
		hang(func() { h.Call(name+"__hang", "{}") }) // cut off: nothing to look at
	}
	for range 8 {
		hang(func() {
			c.Client.Call(context.Background(), "a", wire.CallTool{Tool: "hang", Arguments: json.RawMessage("{}")})
		})
		hang(func() { c.Client.Call(context.Background(), "silent", wire.CallTool{Tool: "echo"}) })
		hang(func() {
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			c.Watch(ctx, func(wire.Event) error { return nil }, func(error) { stop() })
		})
	}
	stream, err := h.Listen(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	c.untilCalled("stubborn", "hang", 21)
	c.untilCalled("b", "hang", 21)
	c.untilCalled("a", "hang", 22+8)
	took := c.Stop()
	t.Logf("64 calls, 16 of the local API, 8 watchers, a stubborn server: ended within %v", took)
	if took > 10*time.Second {
		t.Errorf("the end took %v", took)
	}
	if _, err := stream.Next(); err == nil {
		t.Error("the event stream outlives the core")
	}
	stream.Close()
	wait.Wait()
	h.HTTP.CloseIdleConnections()
	outside.Goroutines += 2
	t.Logf("outside: %s; at the end: %s", outside, UntilAtMost(t, outside))
}

// closed is an input that has ended.
type closed struct{}

func (closed) Read([]byte) (int, error) { return 0, io.EOF }
