package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/app/activity"
	"bridgekeeper/app/ask"
	"bridgekeeper/app/policy"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
)

// bench is a gate with all that it needs, and a person who answers.
type bench struct {
	*gate
	t     testing.TB
	rules *policy.Rules
	held  bool
	kept  []wire.Rule
	tools map[string]string
}

func newBench(t testing.TB, s policy.Settings) *bench {
	t.Helper()
	record, err := activity.Open(t.TempDir(), activity.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { record.Close() })
	pins, err := policy.OpenPins(t.TempDir(), slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, tools: map[string]string{
		"read":  `{"name":"read","annotations":{"readOnlyHint":true}}`,
		"write": `{"name":"write"}`,
	}}
	if s.Servers == nil {
		s.Servers = map[string]policy.Server{"s": {Trusted: true}}
	}
	if b.rules, err = policy.Compile(s); err != nil {
		t.Fatal(err)
	}
	b.gate = &gate{answers: AnswerDeny, rules: func() *policy.Rules { return b.rules }, shelf: newShelf(pins), meter: policy.NewMeter(time.Now()),
		queue: ask.New(ask.Options{}), record: record, seen: newSightings(), metrics: newMetrics(), grants: newGrants(), lost: newLostCalls(),
		listed:   func(_, tool string) []byte { return []byte(b.tools[tool]) },
		remember: func(r wire.Rule) error { b.kept = append(b.kept, r); return nil },
		log:      slog.New(slog.DiscardHandler)}
	b.gate.held = func() bool { return b.held }
	return b
}

func (b *bench) call(tool, args string) *directory.Attempt {
	return &directory.Attempt{Host: "h", Session: "session", Server: "s", Tool: tool, Known: true, Definition: []byte(b.tools[tool]), Arguments: []byte(args)}
}

// begin starts a call; in a bubble it has then been decided, or waits.
func (b *bench) begin(ctx context.Context, a *directory.Attempt) <-chan directory.Pass {
	out := make(chan directory.Pass, 1)
	go func() { out <- b.Begin(ctx, a) }()
	synctest.Wait()
	return out
}

func (b *bench) answer(choice string) {
	b.t.Helper()
	open := b.queue.Open()
	if len(open) == 0 {
		b.t.Fatal("nothing is asked")
	}
	if err := b.queue.Answer(open[0].ID, wire.Answer{Choice: choice}, "window"); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) wantRefused(what string, p directory.Pass, part string) {
	b.t.Helper()
	if !strings.Contains(p.Refusal, part) || p.Refusal == "" {
		b.t.Errorf("%s: %q, want %q in it", what, p.Refusal, part)
	}
}

func TestGateFollowsThePolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, policy.Settings{Rules: []wire.Rule{{Server: "s", Tool: "never", Do: wire.VerdictDeny}}})
		defer b.record.Close()
		if p := b.Begin(t.Context(), b.call("read", "{}")); p.Refusal != "" {
			t.Errorf("a read-only tool of a trusted server: %s", p.Refusal)
		}
		b.wantRefused("nobody there", b.Begin(t.Context(), b.call("write", "{}")), "nobody here")
		b.wantRefused("a rule", b.Begin(t.Context(), b.call("never", "{}")), "did not run")
		b.held = true
		b.wantRefused("on hold", b.Begin(t.Context(), b.call("read", "{}")), "on hold")
	})
}

func TestAnswersCountForWhatTheySay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, policy.Settings{})
		defer b.record.Close()
		defer b.queue.Attend()()
		run := func(choice string) {
			t.Helper()
			p := b.begin(t.Context(), b.call("write", "{}"))
			b.answer(choice)
			if got := <-p; got.Refusal != "" {
				t.Errorf("%s: %s", choice, got.Refusal)
			}
		}
		run(wire.ChooseOnce)
		p := b.begin(t.Context(), b.call("write", "{}"))
		b.answer(wire.ChooseDeny)
		b.wantRefused("no", <-p, "said no")
		run(wire.ChooseMinutes)
		if p := b.Begin(t.Context(), b.call("write", `{"other":1}`)); p.Refusal != "" {
			t.Errorf("within 15 minutes: %s", p.Refusal)
		}
		time.Sleep(grantTime + time.Second)
		run(wire.ChooseSession)
		time.Sleep(24 * time.Hour)
		if p := b.Begin(t.Context(), b.call("write", `{"other":2}`)); p.Refusal != "" {
			t.Errorf("in the same session: %s", p.Refusal)
		}
		other := b.call("write", "{}")
		other.Session = "another"
		p = b.begin(t.Context(), other)
		b.answer(wire.ChooseTool)
		<-p
		other.Session = "third"
		p = b.begin(t.Context(), other)
		b.answer(wire.ChooseArgs)
		<-p
		if len(b.kept) != 2 || b.kept[0] != (wire.Rule{Host: "h", Server: "s", Tool: "write", Do: "allow"}) || b.kept[1].Args != policy.ArgsDigest([]byte("{}")) {
			t.Errorf("rules %+v", b.kept)
		}
	})
}

func TestAskedCallsEndWithWhatTheyWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, policy.Settings{})
		defer b.record.Close()
		defer b.queue.Attend()()

		gone := make(chan struct{})
		a := b.call("write", "{}")
		a.Gone = gone
		p := b.begin(t.Context(), a)
		close(gone)
		b.wantRefused("the server died", <-p, "the server ended")

		ctx, cancel := context.WithCancelCause(t.Context())
		p = b.begin(ctx, b.call("write", "{}"))
		cancel(errors.New("the application cancelled the call"))
		b.wantRefused("cancelled", <-p, "the application cancelled")

		p = b.begin(t.Context(), b.call("write", "{}"))
		time.Sleep(ask.DefaultDeadline)
		b.wantRefused("no answer", <-p, "didn't answer in time")

		// The tool changed between question and answer: a yes to one thing ran another.
		p = b.begin(t.Context(), b.call("write", "{}"))
		b.tools["write"] = `{"name":"write","description":"now it deletes"}`
		b.answer(wire.ChooseOnce)
		b.wantRefused("the tool changed", <-p, "changed while")

		p = b.begin(t.Context(), b.call("write", "{}"))
		b.held = true
		b.answer(wire.ChooseOnce)
		b.wantRefused("held meanwhile", <-p, "on hold")
	})
}

func TestIdenticalCallsWaitTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, policy.Settings{})
		defer b.record.Close()
		defer b.queue.Attend()()
		first, second := b.begin(t.Context(), b.call("write", `{"a":1,"b":2}`)), b.begin(t.Context(), b.call("write", `{"b": 2, "a": 1}`))
		b.answer(wire.ChooseOnce)
		one, two := <-first, <-second
		if one.Lead == nil || one.Follow != nil || two.Follow != one.Lead || one.Refusal != "" {
			t.Errorf("first %+v, second %+v: want one that runs and one that gets its answer", one, two)
		}
	})
}

// A call whose server died half-way was made again without a word, and the money was sent twice.
func TestRetryAfterAnUnknownEndIsAskedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, policy.Settings{Rules: []wire.Rule{{Tool: "write", Do: wire.VerdictAllow}}})
		defer b.record.Close()
		defer b.queue.Attend()()
		p := b.Begin(t.Context(), b.call("write", "{}"))
		b.End(p.ID, "unknown", 0, 0)
		again := b.begin(t.Context(), b.call("write", "{}"))
		open := b.queue.Open()
		if len(open) != 1 || len(open[0].Notes) != 1 || !strings.Contains(open[0].Notes[0], "isn't known") || len(open[0].Choices) != 2 {
			t.Fatalf("asked: %+v", open)
		}
		b.answer(wire.ChooseOnce)
		if got := <-again; got.Refusal != "" {
			t.Errorf("allowed: %s", got.Refusal)
		}
		if got := b.Begin(t.Context(), b.call("write", "{}")); got.Refusal != "" {
			t.Errorf("and then it is forgotten: %s", got.Refusal)
		}
		read := b.Begin(t.Context(), b.call("read", "{}"))
		b.End(read.ID, "unknown", 0, 0)
		if got := b.Begin(t.Context(), b.call("read", "{}")); got.Refusal != "" {
			t.Errorf("a read-only tool: %s", got.Refusal)
		}
	})
}

func TestLimits(t *testing.T) {
	b := newBench(t, policy.Settings{Servers: map[string]policy.Server{"s": {Trusted: true, Limits: wire.Limits{AtOnce: 1}}}})
	first := b.Begin(t.Context(), b.call("read", `{"n":1}`))
	b.wantRefused("a second at once", b.Begin(t.Context(), b.call("read", `{"n":2}`)), "Wait before")
	b.End(first.ID, "ok", 1, time.Millisecond)
	if p := b.Begin(t.Context(), b.call("read", `{"n":3}`)); p.Refusal != "" {
		t.Errorf("after the first: %s", p.Refusal)
	}
}

func TestGateDeniesWhileTheRecordCannotBeWritten(t *testing.T) {
	b := newBench(t, policy.Settings{})
	dir := filepath.Join(t.TempDir(), "activity")
	record, err := activity.Open(dir, activity.Options{MaxBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	b.record = record
	call := func() directory.Pass { return b.Begin(t.Context(), b.call("read", "{}")) }
	if p := call(); p.Refusal != "" {
		t.Fatalf("a read-only tool: %s", p.Refusal)
	}
	// Every line rotates; with a file in the folder's place there is no next one.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if p := call(); p.Refusal != refusedRecord {
		t.Errorf("without a record: %q", p.Refusal)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if p := call(); p.Refusal != "" {
		t.Errorf("the folder is back: %s", p.Refusal)
	}
}

func BenchmarkGate(b *testing.B) {
	bench := newBench(b, policy.Settings{})
	for name, size := range map[string]int{"100B": 100, "1MB": 1 << 20} {
		args := `{"text":"` + strings.Repeat("x", size) + `"}`
		b.Run(name, func(b *testing.B) {
			n := 0
			var mu sync.Mutex
			for b.Loop() {
				mu.Lock()
				n++
				mu.Unlock()
				a := bench.call("read", args)
				if n%5 == 0 { // no loop
					a = bench.call("read", "{}")
				}
				p := bench.Begin(b.Context(), a)
				bench.End(p.ID, "ok", 100, time.Millisecond)
			}
		})
	}
}
