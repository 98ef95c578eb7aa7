package app

import (
	"bufio"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bridgekeeper/app/ask"
	"bridgekeeper/app/policy"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
)

const patience = 10 * time.Second

// desk is a terminal with a person the test plays.
type desk struct {
	*terminal
	t      *testing.T
	typing *io.PipeWriter
	shown  *bufio.Reader
}

func newDesk(t *testing.T) *desk {
	in, typing := io.Pipe()
	shown, out := io.Pipe()
	d := &desk{newTerminal(in, out, ask.New(ask.Options{})), t, typing, bufio.NewReader(shown)}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = d.run(ctx) }) // never fails
	for !d.queue.Attended() {
		runtime.Gosched()
	}
	t.Cleanup(func() {
		stop()
		typing.Close()
		shown.CloseWithError(errors.New("test ended"))
		running.Wait()
	})
	return d
}

// asked waits for a whole question and returns it.
func (d *desk) asked() string {
	d.t.Helper()
	text, err := d.shown.ReadString(']')
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

func (d *desk) types(line string) {
	d.t.Helper()
	if _, err := io.WriteString(d.typing, line+"\n"); err != nil {
		d.t.Fatal(err)
	}
}

func attempt(args string) *directory.Attempt {
	return &directory.Attempt{Host: "cursor", Server: "rooms", Tool: "reboot_room", Arguments: []byte(args)}
}

func callAsk(args string) *ask.Ask {
	return callQuestion(attempt(args), &policy.Facts{ArgsDigest: policy.ArgsDigest([]byte(args))}, policy.Decision{Because: "It may change something."}, nil)
}

func (d *desk) ask(ctx context.Context, args string) <-chan bool {
	answer := make(chan bool, 1)
	go func() { o := d.queue.Ask(ctx, callAsk(args)); answer <- o.Yes() }()
	return answer
}

// outcome is ask for other questions.
func (d *desk) outcome(a *ask.Ask) <-chan ask.Outcome {
	out := make(chan ask.Outcome, 1)
	go func() { out <- d.queue.Ask(d.t.Context(), a) }()
	return out
}

// until reads what is shown up to a text.
func (d *desk) until(want string) string {
	d.t.Helper()
	var all strings.Builder
	for !strings.HasSuffix(all.String(), want) {
		b, err := d.shown.ReadByte()
		if err != nil {
			d.t.Fatalf("%v after %q, want %q", err, all.String(), want)
		}
		all.WriteByte(b)
	}
	return all.String()
}

func wait(t *testing.T, c <-chan bool) bool {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatal("no answer")
		return false
	}
}

func TestTerminalAnswers(t *testing.T) {
	d := newDesk(t)
	for typed, want := range map[string]bool{"y": true, "YES ": true, "n": false, "": false} {
		answer := d.ask(t.Context(), `{"room_id":"cedar"}`)
		if text := d.asked(); !strings.Contains(text, "cursor wants to run reboot_room on the server rooms") || !strings.Contains(text, `{"room_id":"cedar"}`) {
			t.Errorf("the question: %s", text)
		}
		d.types(typed)
		if wait(t, answer) != want {
			t.Errorf("%q: not %v", typed, want)
		}
	}
	// Anything else is no answer: the question is put again.
	answer := d.ask(t.Context(), "{}")
	d.asked()
	d.types("maybe")
	d.asked()
	d.types("y")
	if !wait(t, answer) {
		t.Error("yes after maybe is no")
	}
}

func TestTerminalWithdrawsAndTypedAheadIsNoAnswer(t *testing.T) {
	// A late "y" allowed the next call, which nobody had looked at.
	d := newDesk(t)
	ctx, cancel := context.WithCancel(t.Context())
	answer := d.ask(ctx, "{}")
	d.asked()
	cancel()
	if wait(t, answer) {
		t.Error("a withdrawn call was allowed")
	}
	if line, err := d.shown.ReadString(')'); err != nil || !strings.Contains(line, "no longer needed") {
		t.Errorf("%q, %v", line, err)
	}
	d.types("y")  // meant for the one that is gone
	d.types("hm") // is read only after that was taken
	next := d.ask(t.Context(), "{}")
	go func() { // ends with the test's pipe
		for {
			// "hm" may be looked at late, and then it is no answer: the question is put again.
			if _, err := d.shown.ReadString(']'); err != nil {
				return
			}
			io.WriteString(d.typing, "n\n")
		}
	}()
	if wait(t, next) {
		t.Error("an answer typed for one call allowed another")
	}
}

func TestOnePasteAnswersOneQuestion(t *testing.T) {
	// A second "y" in the same paste allowed the next call before it was read.
	for range 50 {
		d := newDesk(t)
		first, second := d.ask(t.Context(), `{"n":1}`), d.ask(t.Context(), `{"n":2}`)
		d.asked()
		d.types("y\ny\ny")
		d.asked()
		go io.Copy(io.Discard, d.shown) // ends with the test's pipe
		d.types("n")
		if one, other := wait(t, first), wait(t, second); one == other {
			t.Fatalf("one paste of yes, then a no: %v and %v", one, other)
		}
	}
}

func TestTerminalShowsWhatIsHidden(t *testing.T) {
	text := describe(&callAsk("{\"a\":\"\x1b[2J\u202egpj\u200b\"}").Question)
	for _, hidden := range []string{"\x1b", "\u202e", "\u200b"} {
		if strings.Contains(text, hidden) {
			t.Errorf("%q reaches the terminal", hidden)
		}
	}
	if !strings.Contains(text, `\u{202e}`) {
		t.Error(text)
	}
	if long := describe(&callAsk(strings.Repeat("é", 10_000)).Question); len(long) > 2*maxShown || !strings.Contains(long, "20000 bytes in all") {
		t.Errorf("a long argument: %d bytes", len(long))
	}
}

func TestTerminalChoices(t *testing.T) {
	d := newDesk(t)
	for typed, want := range map[string]string{"s": wire.ChooseSession, "m": wire.ChooseMinutes, "t": wire.ChooseTool, "a": wire.ChooseArgs, "y": wire.ChooseOnce} {
		out := d.outcome(callAsk("{}"))
		d.asked()
		d.types(typed)
		if o := <-out; o.Choice != want || o.By != "terminal" {
			t.Errorf("%q: %+v", typed, o)
		}
	}
}

func TestTerminalFillsInAForm(t *testing.T) {
	d := newDesk(t)
	form := &wire.FormDetail{Message: "Which room?", Fields: []wire.FormField{
		{Name: "room", Type: "string", Required: true}, {Name: "seats", Type: "integer", Default: []byte("4")},
		{Name: "with", Type: "choices", Options: []wire.FormOption{{Value: "tea"}, {Value: "pie"}}}}}
	one := &ask.Ask{Question: wire.Question{Kind: wire.AskForm, Server: "rooms", Form: form, Choices: []string{wire.ChooseDeny, wire.ChooseCancel, wire.ChooseOnce}},
		Check: func(a wire.Answer) *wire.Error { return checkForm(form, a) }}
	out := d.outcome(one)
	d.until("closes it] ")
	d.types("y")
	d.until("> ")
	d.types("cedar")
	d.until("Enter takes 4; - leaves it out\n  > ")
	d.types("many") // no number: this field alone is asked again
	d.until("> ")
	d.types("tea, pie")
	d.until("seats: ")
	d.until("> ")
	d.types("12")
	text := d.until("closes it] ")
	if !strings.Contains(text, `{"room":"cedar","seats":12,"with":["tea","pie"]}`) {
		t.Errorf("shown before it is sent: %s", text)
	}
	d.types("y")
	if o := <-out; !o.Yes() || string(o.Content) != `{"room":"cedar","seats":12,"with":["tea","pie"]}` {
		t.Errorf("%+v, %s", o, o.Content)
	}
	for typed, want := range map[string]string{"n": wire.ChooseDeny, "": wire.ChooseCancel} {
		out := d.outcome(one)
		d.until("closes it] ")
		d.types(typed)
		if o := <-out; o.Choice != want {
			t.Errorf("%q: %+v", typed, o)
		}
	}
}

func TestTerminalOpensAPageAfterConsentOnly(t *testing.T) {
	d := newDesk(t)
	opened := make(chan string, 2)
	d.open = func(_ context.Context, url string) error { opened <- url; return nil }
	one := &ask.Ask{Question: wire.Question{Kind: wire.AskURL, Server: "s", URL: &wire.URLDetail{URL: "https://example.com/x", Host: "example.com"},
		Choices: []string{wire.ChooseDeny, wire.ChooseCancel, wire.ChooseOnce}}}
	out := d.outcome(one)
	if text := d.until("closes it] "); !strings.Contains(text, "that is at: example.com") {
		t.Errorf("shown: %s", text)
	}
	d.types("n")
	if o := <-out; o.Choice != wire.ChooseDeny || len(opened) > 0 {
		t.Errorf("declined: %+v, %d opened", o, len(opened))
	}
	out = d.outcome(one)
	d.until("closes it] ")
	d.types("y")
	if o := <-out; !o.Yes() || <-opened != "https://example.com/x" {
		t.Errorf("accepted: %+v", o)
	}
}

// The terminal's input ended, and every call hung until its deadline.
func TestNobodyIsThereAfterTheInputEnds(t *testing.T) {
	d := newDesk(t)
	out := d.outcome(callAsk("{}"))
	d.asked()
	d.typing.Close()
	if o := <-out; o.End != ask.Denied {
		t.Errorf("%+v", o)
	}
	if d.queue.Attended() {
		t.Error("somebody is there")
	}
}
