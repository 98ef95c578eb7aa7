package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/app/wire"
)

func question(server, key string) *Ask {
	return &Ask{Key: key, Question: wire.Question{Kind: wire.AskCall, Host: "h", Server: server, Tool: "t",
		Choices: []string{wire.ChooseDeny, wire.ChooseOnce, wire.ChooseTool}}}
}

// asked starts a question and returns it once it is open.
func asked(t *testing.T, q *Queue, ctx context.Context, a *Ask) <-chan Outcome {
	t.Helper()
	out := make(chan Outcome, 1)
	go func() { out <- q.Ask(ctx, a) }()
	synctest.Wait()
	return out
}

func TestFirstAnswerWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{})
		defer q.Attend()()
		out := asked(t, q, t.Context(), question("s", ""))
		id := q.Open()[0].ID
		var wg sync.WaitGroup
		errs := make([]*wire.Error, 2)
		for i, choice := range []string{wire.ChooseOnce, wire.ChooseTool} {
			wg.Go(func() { errs[i] = q.Answer(id, wire.Answer{Choice: choice}, "window") })
		}
		wg.Wait()
		o := <-out
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("errors %v: want exactly one winner", errs)
		}
		late := errs[0]
		if late == nil {
			late = errs[1]
		}
		if late.Code != wire.CodeAnswered || !strings.Contains(late.Message, o.Choice) {
			t.Errorf("the later one hears %v: want who was first (%s)", late, o.Choice)
		}
		if !o.Yes() || o.By != "window" || !o.First || o.Group != nil {
			t.Errorf("outcome %+v", o)
		}
	})
}

func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ends []string
		q := New(Options{Deadline: func(string) time.Duration { return time.Minute }, Settled: func(s *wire.Settled) { ends = append(ends, s.End) }})
		defer q.Attend()()
		out := asked(t, q, t.Context(), question("s", ""))
		time.Sleep(time.Minute)
		o := <-out
		if o.End != Expired || o.Yes() || len(q.Open()) != 0 {
			t.Errorf("outcome %+v, open %v", o, q.Open())
		}
		id := q.Past()[0].ID
		if err := q.Answer(id, wire.Answer{Choice: wire.ChooseOnce}, "window"); err == nil || err.Code != wire.CodeAnswered {
			t.Errorf("a late answer gives %v", err)
		}
		if fmt.Sprint(ends) != "[expired]" {
			t.Errorf("recorded %v", ends)
		}
	})
}

func TestNobodyThere(t *testing.T) {
	q := New(Options{})
	if o := q.Ask(t.Context(), question("s", "")); o.End != Denied || o.Reason != nobodyThere {
		t.Errorf("outcome %+v", o)
	}
}

// The window was killed while a question was open: the call hung until its
// deadline although nobody could answer any more.
func TestLastAnswererLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{})
		one, two := q.Attend(), q.Attend()
		out := asked(t, q, t.Context(), question("s", ""))
		one()
		one() // a second time counts for nothing
		if len(q.Open()) != 1 {
			t.Fatal("ended although somebody is left")
		}
		two()
		if o := <-out; o.End != Denied || o.Reason != nobodyLeft {
			t.Errorf("outcome %+v", o)
		}
	})
}

func TestWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{})
		defer q.Attend()()
		ctx, cancel := context.WithCancelCause(t.Context())
		out := asked(t, q, ctx, question("s", ""))
		id := q.Open()[0].ID
		cancel(errors.New("the application cancelled the call"))
		if o := <-out; o.End != Withdrawn || o.Reason != "the application cancelled the call" {
			t.Errorf("outcome %+v", o)
		}
		if err := q.Answer(id, wire.Answer{Choice: wire.ChooseOnce}, "window"); err == nil || !strings.Contains(err.Message, "cancelled") {
			t.Errorf("a late answer gives %v", err)
		}
	})
}

// A host that lost patience sent the same call again: it ran twice.
func TestIdenticalCallsShareOneAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{})
		defer q.Attend()()
		ctx, cancel := context.WithCancel(t.Context())
		first := asked(t, q, ctx, question("s", "k"))
		second := asked(t, q, t.Context(), question("s", "k"))
		third := asked(t, q, t.Context(), question("s", "k"))
		if open := q.Open(); len(open) != 1 || open[0].Waiting != 2 {
			t.Fatalf("open %+v", open)
		}
		cancel() // the first one gives up: the question stays for the others
		if o := <-first; o.End != Withdrawn {
			t.Errorf("first %+v", o)
		}
		synctest.Wait()
		if err := q.Answer(q.Open()[0].ID, wire.Answer{Choice: wire.ChooseOnce}, "terminal"); err != nil {
			t.Fatal(err)
		}
		a, b := <-second, <-third
		if !a.First || b.First || a.Group == nil || a.Group != b.Group {
			t.Errorf("second %+v, third %+v: want one that acts, in one group", a, b)
		}
		one := a.Group.Value(func() any { return new(int) })
		if b.Group.Value(func() any { return new(int) }) != one {
			t.Error("the group has two values")
		}
	})
}

func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{})
		defer q.Attend()()
		for range maxOfServer {
			asked(t, q, t.Context(), question("s", ""))
		}
		if o := q.Ask(t.Context(), question("s", "")); o.End != Denied {
			t.Errorf("one more of the server: %+v", o)
		}
		if asked(t, q, t.Context(), question("other", "")); len(q.Open()) != maxOfServer+1 {
			t.Errorf("%d open: a flood of one server keeps another out", len(q.Open()))
		}
		if n := q.DenyServer("s", "window"); n != maxOfServer {
			t.Errorf("denied %d", n)
		}
		for range maxPerMinute - maxOfServer {
			asked(t, q, t.Context(), question("s", ""))
			q.DenyServer("s", "window")
		}
		if o := q.Ask(t.Context(), question("s", "")); o.End != Denied || !strings.Contains(o.Reason, "within a minute") {
			t.Errorf("too many in a minute: %+v", o)
		}
		time.Sleep(time.Minute)
		if asked(t, q, t.Context(), question("s", "")); len(q.Open()) != 2 {
			t.Error("a minute later it may not ask")
		}
		q.Withdraw("end", func(*wire.Question) bool { return true })
	})
}

func TestHalt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{})
		defer q.Attend()()
		out := asked(t, q, t.Context(), question("s", ""))
		q.Halt("everything is held")
		if o := <-out; o.End != Denied || o.Reason != "everything is held" {
			t.Errorf("outcome %+v", o)
		}
		if o := q.Ask(t.Context(), question("s", "")); o.End != Denied || q.Attended() {
			t.Errorf("while halted: %+v", o)
		}
		q.Resume()
		asked(t, q, t.Context(), question("s", ""))
		if len(q.Open()) != 1 {
			t.Error("not asked after Resume")
		}
		q.Withdraw("end", func(*wire.Question) bool { return true })
	})
}

func TestAnswersAreChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{})
		defer q.Attend()()
		a := question("s", "")
		a.Check = func(a wire.Answer) *wire.Error {
			if string(a.Content) != "{}" {
				return &wire.Error{Code: wire.CodeBadAnswer, Message: "no"}
			}
			return nil
		}
		out := asked(t, q, t.Context(), a)
		id := q.Open()[0].ID
		for _, bad := range []wire.Answer{{}, {Choice: "minutes"}, {Choice: wire.ChooseOnce}} {
			if err := q.Answer(id, bad, "window"); err == nil || err.Code != wire.CodeBadAnswer {
				t.Errorf("%+v gives %v", bad, err)
			}
		}
		if err := q.Answer("nonsense", wire.Answer{Choice: wire.ChooseOnce}, "window"); err == nil || err.Code != wire.CodeNoSuchQuestion {
			t.Errorf("an unknown question gives %v", err)
		}
		if err := q.Answer(id, wire.Answer{Choice: wire.ChooseOnce, Content: []byte("{}")}, "window"); err != nil {
			t.Fatal(err)
		}
		<-out
	})
}

func TestLongArgumentsStayOutOfLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{})
		defer q.Attend()()
		a := question("s", "")
		a.Call = &wire.CallDetail{Arguments: []byte(`"` + strings.Repeat("x", briefBytes) + `"`)}
		asked(t, q, t.Context(), a)
		one := q.Open()[0]
		if !one.Call.Cut || one.Call.Arguments != nil {
			t.Error("the list has them")
		}
		if whole, err := q.Find(one.ID); err != nil || len(whole.Call.Arguments) != briefBytes+2 {
			t.Errorf("the question alone has %d bytes, %v", len(whole.Call.Arguments), err)
		}
		q.Withdraw("end", func(*wire.Question) bool { return true })
		if past := q.Past(); !past[0].Call.Cut {
			t.Error("the past has them")
		}
	})
}

// The window that was to show a question never opened, and the call hung.
func TestSummoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		summoned := 0
		q := New(Options{Summon: func() bool { summoned++; return summoned < 4 }, Able: func() bool { return summoned < 3 }})
		if !q.Attended() {
			t.Error("nobody could come")
		}
		out := asked(t, q, t.Context(), question("s", ""))
		time.Sleep(summonTime)
		if o := <-out; o.End != Denied || o.Reason != nobodyCame {
			t.Errorf("nobody came: %+v", o)
		}
		out = asked(t, q, t.Context(), question("s", ""))
		leave := q.Attend()
		time.Sleep(summonTime)
		if len(q.Open()) != 1 {
			t.Error("denied although somebody came")
		}
		q.GiveUp("no") // somebody is there: it counts for nothing
		leave()
		if o := <-out; o.Reason != nobodyLeft {
			t.Errorf("they left: %+v", o)
		}
		out = asked(t, q, t.Context(), question("s", ""))
		q.GiveUp("it can't be opened")
		if o := <-out; o.End != Denied || o.Reason != "it can't be opened" {
			t.Errorf("given up: %+v", o)
		}
		if o := q.Ask(t.Context(), question("s", "")); o.Reason != nobodyThere || q.Attended() {
			t.Errorf("nobody can come any more: %+v", o)
		}
	})
}
