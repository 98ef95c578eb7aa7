package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A pending restart undid a person's stop.
func TestStopBeatsPendingRestart(t *testing.T) {
	timings := quick
	timings.BackoffFirst, timings.BackoffMost = time.Hour, time.Hour
	h := start(t, Options{Timings: timings})
	h.Apply([]Spec{testSpec(t, "a", "normal")})
	kill(h.reach("a", Ready).PID)
	st := h.reach("a", Backoff)
	h.until("next try", func() bool { st = h.get("a"); return !st.NextTry.IsZero() })
	if err := h.Stop("a"); err != nil {
		t.Fatal(err)
	}
	h.reach("a", Stopped)
	// Using it doesn't bring it back either, nor does an equal configuration.
	if _, err := h.Acquire(t.Context(), Key{Server: "a"}); err == nil {
		t.Error("acquired")
	}
	i := (*h.table.Load())[Key{Server: "a"}]
	i.kicks <- struct{}{}
	i.send(order{kind: orderDemand})
	if st := h.get("a"); st.State != Stopped || st.Gen != 1 {
		t.Errorf("status %+v", st)
	}
}

// The backoff had grown long, the server was fine again, and calls still failed.
func TestUseBringsNextTryForward(t *testing.T) {
	timings := quick
	timings.BackoffFirst, timings.BackoffMost = time.Hour, time.Hour
	timings.Kick = time.Hour
	h := start(t, Options{Timings: timings})
	h.Apply([]Spec{testSpec(t, "a", "normal")})
	crash := func() {
		gen := h.reach("a", Ready).Gen
		kill(h.get("a").PID)
		h.until("backoff", func() bool { st := h.get("a"); return st.Gen == gen && !st.NextTry.IsZero() })
	}
	crash()
	_, err := h.Acquire(t.Context(), Key{Server: "a"})
	down, ok := errors.AsType[*DownError](err)
	if !ok || down.State != Backoff || down.NextTry.IsZero() || !strings.Contains(down.Reason, "being restarted") {
		t.Fatalf("error %v", err)
	}
	crash() // reached Ready again without waiting an hour
	if _, err = h.Acquire(t.Context(), Key{Server: "a"}); err == nil {
		t.Fatal("acquired")
	}
	i := (*h.table.Load())[Key{Server: "a"}]
	if len(i.kicks) != 0 {
		t.Error("a second kick within the pause")
	}
}

// Changing one server's entry restarted all of them.
func TestApply(t *testing.T) {
	h := start(t, Options{})
	a, b, c := testSpec(t, "a", "normal"), testSpec(t, "b", "normal"), testSpec(t, "c", "normal")
	c.Disabled = true
	h.Apply([]Spec{a, b, c})
	h.reach("a", Ready)
	bpid := h.reach("b", Ready).PID
	h.reach("c", Disabled)

	a.Env = append(a.Env, "X=1")
	b.Env = append([]string{b.Env[len(b.Env)-1]}, b.Env[:len(b.Env)-1]...) // another order is no change
	c.Disabled = false
	h.Apply([]Spec{b, a, c})
	h.until("a anew", func() bool { st := h.get("a"); return st.State == Ready && st.Gen == 2 })
	h.reach("c", Ready)
	if st := h.get("b"); st.PID != bpid {
		t.Error("b was touched")
	}
	if got := h.Statuses(); got[0].Key.Server != "b" || got[1].Key.Server != "a" {
		t.Error("not in config order")
	}

	h.Apply([]Spec{a})
	h.until("b and c forgotten", func() bool { return len(h.Statuses()) == 1 })
	if !gone(bpid) {
		t.Error("a removed server still runs")
	}
	if h.Logs("b") != nil {
		t.Error("its log is still there")
	}
	// Back under the same name: no generation is used twice.
	h.Apply([]Spec{a, b})
	if st := h.reach("b", Ready); st.Gen != 2 {
		t.Errorf("generation %d", st.Gen)
	}
	// Removed and back before it was gone.
	h.Apply([]Spec{a})
	h.Apply([]Spec{a, b})
	h.until("b again", func() bool { st := h.get("b"); return st.State == Ready && st.Gen >= 3 })
}

// A command that nobody had looked at was started by the first use of it.
func TestHeldServerIsNotStarted(t *testing.T) {
	h := start(t, Options{})
	a := testSpec(t, "a", "normal")
	a.Held = true
	h.Apply([]Spec{a})
	h.reach("a", Held)
	if err := h.Start("a"); err == nil || !strings.Contains(err.Error(), "look at what would run") {
		t.Errorf("a person's start: %v", err)
	}
	for _, scope := range []string{"", "host"} {
		_, err := h.Acquire(t.Context(), Key{Server: "a", Scope: scope})
		if down, ok := errors.AsType[*DownError](err); !ok || down.State != Held {
			t.Errorf("used for %q: %v", scope, err)
		}
	}
	a.Held = false
	h.Apply([]Spec{a})
	pid := h.reach("a", Ready).PID
	a.Held = true // what runs is not what was looked at any more
	h.Apply([]Spec{a})
	h.reach("a", Held)
	if !gone(pid) {
		t.Error("it still runs")
	}
}

// A server nobody used ran for weeks.
func TestOnDemand(t *testing.T) {
	h := start(t, Options{})
	spec := testSpec(t, "a", "normal")
	spec.Start = StartOnDemand
	spec.IdleStop = 50 * time.Millisecond
	h.Apply([]Spec{spec})
	if st := h.reach("a", Stopped); st.Gen != 0 {
		t.Errorf("status %+v", st)
	}
	s := h.session("a")
	s.load.Store(1)
	if got := s.call(t, "hi"); got != "hi" {
		t.Error(got)
	}
	select {
	case <-s.closed:
		t.Fatal("stopped in the middle of a call")
	case <-time.After(3 * spec.IdleStop):
	}
	s.used.Store(time.Now().UnixNano())
	s.load.Store(0)
	<-s.closed
	h.reach("a", Stopped)
	if h.get("a").LastExit != nil {
		t.Error("an idle stop is no crash")
	}
	h.session("a")
	if err := h.Stop("a"); err != nil {
		t.Fatal(err)
	}
	h.reach("a", Stopped)
	if _, err := h.Acquire(t.Context(), Key{Server: "a"}); err == nil {
		t.Error("use undid a person's stop")
	}
}

func TestManual(t *testing.T) {
	h := start(t, Options{})
	spec := testSpec(t, "a", "normal")
	spec.Start = StartManual
	h.Apply([]Spec{spec})
	_, err := h.Acquire(t.Context(), Key{Server: "a"})
	if down, ok := errors.AsType[*DownError](err); !ok || down.State != Stopped {
		t.Errorf("error %v", err)
	}
	if err := h.Start("a"); err != nil {
		t.Fatal(err)
	}
	h.reach("a", Ready)
	if err := h.Restart("a"); err != nil {
		t.Fatal(err)
	}
	h.until("restarted", func() bool { st := h.get("a"); return st.State == Ready && st.Gen == 2 })
	if h.Start("nobody") == nil || h.Restart("nobody") == nil || h.Stop("nobody") == nil {
		t.Error("an unknown server was accepted")
	}
}

// Two hosts shared one browser and saw each other's pages.
func TestScopedInstances(t *testing.T) {
	h := start(t, Options{})
	h.Apply([]Spec{testSpec(t, "a", "normal")})
	h.reach("a", Ready)
	get := func(scope string) *session {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		s, err := h.Acquire(ctx, Key{"a", scope})
		if err != nil {
			t.Fatal(err)
		}
		return s.(*session)
	}
	one, two := get("one"), get("two")
	if one == two || one != get("one") {
		t.Error("scopes are mixed up")
	}
	if got := h.Statuses(); len(got) != 3 || got[1].Key.Scope != "one" {
		t.Errorf("statuses %+v", got)
	}
	h.Release(Key{"a", "one"})
	<-one.closed
	h.until("released", func() bool { return len(h.Statuses()) == 2 })
	if err := h.Stop("a"); err != nil {
		t.Fatal(err)
	}
	<-two.closed
	if _, err := h.Acquire(t.Context(), Key{"a", "three"}); err == nil {
		t.Error("a stopped server was copied")
	}
}

// The bridge's own variables leaked into servers, or theirs were not whole.
func TestEnvironmentIsTheSpecs(t *testing.T) {
	t.Setenv("LEAK", "leaked")
	h := start(t, Options{})
	spec := testSpec(t, "a", "env=LEAK,env=GIVEN,normal")
	spec.Env = append(spec.Env, "GIVEN=x")
	h.Apply([]Spec{spec})
	if got := h.line("a", "LEAK="); got != "" {
		t.Errorf("leaked %q", got)
	}
	if got := h.line("a", "GIVEN="); got != "x" {
		t.Errorf("given %q", got)
	}
}

// Restarting the gateway again and again left processes, files and goroutines.
func TestManyRestartsLeaveNothing(t *testing.T) {
	before := counts(t) // other tests may still be leaving
	h := start(t, Options{LogDir: t.TempDir()})
	servers, restarts := 20, 20
	if raceEnabled { // each start of this binary takes ten times as long then
		servers, restarts = 10, 4
	}
	var specs []Spec
	for n := range servers {
		specs = append(specs, testSpec(t, fmt.Sprintf("s%d", n), "normal"))
	}
	h.Apply(specs)
	for n := range restarts {
		for _, s := range specs {
			h.until("ready", func() bool { st := h.get(s.Server); return st.State == Ready && st.Gen == uint64(n+1) })
			if n%2 == 0 {
				kill(h.get(s.Server).PID)
			} else if err := h.Restart(s.Server); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range specs {
		h.until("ready", func() bool { st := h.get(s.Server); return st.State == Ready && st.Gen == uint64(restarts+1) })
	}
	h.stop()
	// The test's own sessions end a moment after their pipes.
	after := counts(t)
	for late := time.Now().Add(patience); after.more(before) && time.Now().Before(late); after = counts(t) {
		<-time.After(time.Millisecond)
	}
	if after.more(before) {
		stacks := make([]byte, 1<<20)
		t.Errorf("before %+v, after %+v\n%s", before, after, stacks[:runtime.Stack(stacks, true)])
	}
	if files, _ := os.ReadDir(h.opts.StateDir); len(files) != 0 {
		t.Errorf("left in the state folder: %v", files)
	}
}
