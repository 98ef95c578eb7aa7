package ask

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// queue is questions of one kind with names.
func queue(ids ...string) (out []wire.Question) {
	for _, id := range ids {
		q := sample("call")
		q.ID = id
		out = append(out, *q)
	}
	return out
}

func newDesk(t *testing.T) (*bench, *Desk) {
	b := newBench(t, look.Light)
	d := NewDesk(b.app, b.core, Options{Clock: b.clock, Notify: silent})
	t.Cleanup(d.Close)
	return b, d
}

func (d *Desk) shown() string {
	if d.open == nil {
		return ""
	}
	return d.open.ID()
}

func TestDeskShowsOneAfterTheOther(t *testing.T) {
	b, d := newDesk(t)
	d.Update(queue("a", "b", "c"))
	for i, id := range []string{"a", "b", "c"} {
		if d.shown() != id || d.open.other != 2-i || d.Waiting() != 3-i {
			t.Fatalf("shown is %q with %d behind, %d in all", d.shown(), d.open.other, d.Waiting())
		}
		// What allowed the last question must not allow the next.
		test.Tap(d.open.yes)
		if n := len(b.core.answers); n != i {
			t.Fatalf("%d answers before the dead time of %s", n, id)
		}
		b.clock.pass(deadTime)
		test.Tap(d.open.yes)
	}
	if d.shown() != "" || d.Waiting() != 0 {
		t.Errorf("shown is %q", d.shown())
	}
	d.Update(queue("c")) // the core hasn't taken it off yet
	if d.shown() != "" {
		t.Error("an answered question comes up again")
	}
	d.Update(nil)
	d.Update(queue("d"))
	if d.shown() != "d" {
		t.Error("the next one doesn't come up")
	}
}

func TestDeskWithdraws(t *testing.T) {
	b, d := newDesk(t)
	b.core.past = map[string]*wire.Settled{"a": {End: "withdrawn", Reason: "Claude Code took the call back."}}
	d.Update(queue("a", "b"))
	b.clock.pass(deadTime)
	d.Update(queue("b"))
	if d.shown() != "a" || !says(d.open, "Claude Code took the call back.") {
		t.Fatalf("shown is %q", d.shown())
	}
	b.clock.pass(lastWords)
	if d.shown() != "b" {
		t.Errorf("then comes %q", d.shown())
	}
	d.Update(nil)
	if !says(d.open, "Nobody waits for the answer any more.") {
		t.Error("a question whose end isn't known goes without a word")
	}
}

// One behind that is withdrawn never comes up.
func TestDeskForgetsTheOnesBehind(t *testing.T) {
	b, d := newDesk(t)
	d.Update(queue("a", "b", "c"))
	d.Update(queue("a", "c"))
	if d.open.other != 1 {
		t.Errorf("%d behind", d.open.other)
	}
	b.clock.pass(deadTime)
	test.Tap(d.open.no)
	if d.shown() != "c" {
		t.Errorf("shown is %q", d.shown())
	}
}

func TestDeskDenyAll(t *testing.T) {
	b, d := newDesk(t)
	list := queue("a", "b", "c")
	list[2].Server = "tickets"
	d.Update(list)
	b.clock.pass(deadTime)
	test.Tap(button(t, d.open, "Deny all from rooms"))
	if d.shown() != "c" || !slices.Equal(b.core.denied, []string{"rooms"}) {
		t.Errorf("shown is %q", d.shown())
	}
}

func TestDeskShowsOneBeforeItsTurn(t *testing.T) {
	b, d := newDesk(t)
	d.Update(queue("a", "b"))
	if !d.Show("b") || d.shown() != "b" || len(b.core.answers) != 0 {
		t.Fatalf("shown is %q, answered %v", d.shown(), b.core.answers)
	}
	if d.Show("x") {
		t.Error("one that isn't there was shown")
	}
	b.clock.pass(deadTime)
	test.Tap(d.open.no)
	if d.shown() != "a" {
		t.Errorf("then comes %q", d.shown())
	}
}

// A no that didn't reach the core must not look like one that did.
func TestDeskBringsBackWhatWasntSent(t *testing.T) {
	b, d := newDesk(t)
	d.Update(queue("a"))
	b.clock.pass(deadTime)
	b.core.slow = true
	d.open.dismiss()
	if d.shown() != "" {
		t.Fatal("closing left it open")
	}
	b.core.pending[0](errors.New("no core answers"))
	if d.shown() != "a" {
		t.Error("it doesn't come back")
	}
}

// Sixty-four questions cost one window.
func TestDeskManyQuestions(t *testing.T) {
	b, d := newDesk(t)
	var ids []string
	for i := range 64 {
		ids = append(ids, fmt.Sprint(i))
	}
	before := len(b.app.Driver().AllWindows())
	d.Update(queue(ids...))
	if n := len(b.app.Driver().AllWindows()) - before; n != 1 || d.open.other != 63 {
		t.Errorf("%d windows, %d behind", n, d.open.other)
	}
}

// The next question comes in the window of the last, and nothing of that one is
// left in it.
func TestDeskUsesItsWindowAgain(t *testing.T) {
	b, d := newDesk(t)
	list := queue("a")
	page := *sample("url")
	d.Update(append(list, page))
	first := d.open.win
	b.clock.pass(deadTime)
	test.Tap(d.open.no)
	if d.open.win != first || !says(d.open, "wants you to open a page") || says(d.open, "reboot_room") {
		t.Error("another window, or the old words")
	}
	b.clock.pass(deadTime)
	d.open.key(fyne.KeyEscape)
	if b.core.last() != wire.ChooseCancel {
		t.Errorf("Escape answered %q", b.core.last())
	}
	if d.kept.win == nil || len(d.kept.win.Content().(*fyne.Container).Objects) != 0 {
		t.Error("the window isn't kept empty")
	}
}

func TestWarm(t *testing.T) {
	newBench(t, look.Dark)
	Warm() // it must not need a window
}
