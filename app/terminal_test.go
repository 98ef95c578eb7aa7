package app

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bridgekeeper/app/activity"
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
	d := &desk{newTerminal(in, out), t, typing, bufio.NewReader(shown)}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = d.run(ctx) }) // never fails
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

func (d *desk) ask(ctx context.Context, a *directory.Attempt) <-chan bool {
	answer := make(chan bool, 1)
	go func() { answer <- d.terminal.ask(ctx, a) }()
	return answer
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
		answer := d.ask(t.Context(), attempt(`{"room_id":"cedar"}`))
		if text := d.asked(); !strings.Contains(text, "cursor wants to run reboot_room on the server rooms") || !strings.Contains(text, `{"room_id":"cedar"}`) {
			t.Errorf("the question: %s", text)
		}
		d.types(typed)
		if wait(t, answer) != want {
			t.Errorf("%q: not %v", typed, want)
		}
	}
	// Anything else is no answer: the question is put again.
	answer := d.ask(t.Context(), attempt("{}"))
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
	answer := d.ask(ctx, attempt("{}"))
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
	next := d.ask(t.Context(), attempt("{}"))
	d.asked()
	go io.Copy(io.Discard, d.shown) // ends with the test's pipe
	d.types("n")
	if wait(t, next) {
		t.Error("an answer typed for one call allowed another")
	}
}

func TestOnePasteAnswersOneQuestion(t *testing.T) {
	// A second "y" in the same paste allowed the next call before it was read.
	for range 50 {
		d := newDesk(t)
		first, second := d.ask(t.Context(), attempt(`{"n":1}`)), d.ask(t.Context(), attempt(`{"n":2}`))
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
	text := describe(attempt("{\"a\":\"\x1b[2J\u202egpj\u200b\"}"))
	for _, hidden := range []string{"\x1b", "\u202e", "\u200b"} {
		if strings.Contains(text, hidden) {
			t.Errorf("%q reaches the terminal", hidden)
		}
	}
	if !strings.Contains(text, `\u{202e}`) {
		t.Error(text)
	}
	if long := describe(attempt(strings.Repeat("é", 10_000))); len(long) > 2*maxShown || !strings.Contains(long, "20000 bytes in all") {
		t.Errorf("a long argument: %d bytes", len(long))
	}
}

func TestFloodOfQuestionsIsDenied(t *testing.T) {
	// Nobody reads: the queue must not grow.
	term := newTerminal(strings.NewReader(""), io.Discard)
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for range maxWaitingAsks {
		term.questions <- question{ctx, "", make(chan bool, 1)}
	}
	wait.Go(func() {
		if term.ask(ctx, attempt("{}")) {
			t.Error("allowed")
		}
	})
	wait.Wait()
	cancel()
}

func TestGateDeniesWhileTheRecordCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "activity")
	record, err := activity.Open(dir, activity.Options{MaxBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	g := &gate{answers: AnswerDeny, record: record, seen: newSightings(), log: slog.New(slog.DiscardHandler)}
	read := &directory.Attempt{Host: "h", Server: "s", Tool: "t", ReadOnly: true}
	if _, refusal := g.Begin(t.Context(), read); refusal != "" {
		t.Fatalf("a read-only tool: %s", refusal)
	}
	if _, refusal := g.Begin(t.Context(), attempt("{}")); refusal != refusedDeny {
		t.Errorf("another: %q", refusal)
	}
	// Every line rotates; with a file in the folder's place there is no next one.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, refusal := g.Begin(t.Context(), read); refusal != refusedRecord {
		t.Errorf("without a record: %q", refusal)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, refusal := g.Begin(t.Context(), read); refusal != "" {
		t.Errorf("the folder is back: %s", refusal)
	}
}
