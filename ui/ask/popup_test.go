package ask

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// Somebody who types in another window must not answer a question that comes up.
func TestNothingIsAnsweredInTheDeadTime(t *testing.T) {
	for _, id := range sampleIDs() {
		b := newBench(t, look.Light)
		p := b.fresh(sample(id))
		b.clock.pass(deadTime - time.Millisecond)
		p.key(fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter, fyne.KeyEscape, fyne.KeyTab, fyne.KeyReturn, fyne.KeyTab, fyne.KeySpace)
		if p.yes != nil {
			test.Tap(p.yes)
		}
		if p.more != nil {
			test.Tap(p.more)
		}
		if len(b.core.answers) != 0 || p.win.Canvas().Overlays().Top() != nil {
			t.Fatalf("%s: answered %v", id, b.core.answers)
		}
		b.clock.pass(time.Millisecond)
		want := fyne.Focusable(p.no)
		if p.first != nil {
			want = p.first
		}
		if got := p.win.Canvas().Focused(); got != want {
			t.Errorf("%s: the keyboard is at %T after the dead time", id, got)
		}
	}
}

func TestDenyIsAtHand(t *testing.T) {
	for key, want := range map[fyne.KeyName]string{fyne.KeyReturn: wire.ChooseDeny, fyne.KeyEnter: wire.ChooseDeny, fyne.KeySpace: wire.ChooseDeny, fyne.KeyEscape: wire.ChooseDeny} {
		b := newBench(t, look.Light)
		p := b.open(sample("call"))
		p.key(key)
		if b.core.last() != want || b.shut != 1 {
			t.Errorf("%s: answered %q, %d windows closed", key, b.core.last(), b.shut)
		}
	}
}

// Enter allows only where the keyboard was brought to Allow by hand.
func TestAllowByHand(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("call"))
	for range 20 {
		if p.yes.Focused() {
			break
		}
		p.key(fyne.KeyTab)
	}
	p.key(fyne.KeyReturn)
	if b.core.last() != wire.ChooseOnce || b.shut != 1 {
		t.Errorf("answered %q, %d windows closed", b.core.last(), b.shut)
	}
}

func TestEscapeEverywhere(t *testing.T) {
	b := newBench(t, look.Light)
	for _, id := range sampleIDs() {
		want := wire.ChooseDeny
		if slices.Contains(sample(id).Choices, wire.ChooseCancel) {
			want = wire.ChooseCancel
		}
		for n := range 40 {
			b.core.answers, b.shut = nil, 0
			p := b.open(sample(id))
			first := p.win.Canvas().Focused()
			for range n {
				p.key(fyne.KeyTab)
			}
			at := p.win.Canvas().Focused()
			if n > 0 && at == first {
				p.Leave()
				break
			}
			p.key(fyne.KeyEscape)
			if b.core.last() != want || b.shut != 1 {
				t.Errorf("%s: Escape at %T answered %q", id, at, b.core.last())
			}
		}
	}
}

func TestClosing(t *testing.T) {
	for _, id := range sampleIDs() {
		want := wire.ChooseDeny
		if slices.Contains(sample(id).Choices, wire.ChooseCancel) {
			want = wire.ChooseCancel
		}
		b := newBench(t, look.Light)
		p := b.fresh(sample(id)) // also in the dead time: closing takes no key
		p.dismiss()
		if b.core.last() != want || b.shut != 1 {
			t.Errorf("%s: closing answered %q", id, b.core.last())
		}
	}
}

func TestDeclineIsNoCancel(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("form"))
	test.Tap(button(t, p, "Decline"))
	if b.core.last() != wire.ChooseDeny {
		t.Errorf("Decline answered %q", b.core.last())
	}
	p = b.open(sample("form"))
	test.Tap(button(t, p, "Not now"))
	if b.core.last() != wire.ChooseCancel {
		t.Errorf("Not now answered %q", b.core.last())
	}
}

func TestLongerChoices(t *testing.T) {
	for i, want := range callChoices[2:] {
		b := newBench(t, look.Light)
		p := b.open(sample("call"))
		test.Tap(p.more)
		m, ok := p.win.Canvas().Focused().(*widget.PopUpMenu)
		if !ok {
			t.Fatal("no menu")
		}
		if len(m.Items) != 4 {
			t.Fatalf("%d choices", len(m.Items))
		}
		for range i + 1 {
			m.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
		}
		m.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		if b.core.last() != want {
			t.Errorf("choice %d answered %q, want %q", i, b.core.last(), want)
		}
	}
	b := newBench(t, look.Light)
	p := b.open(sample("call"))
	test.Tap(p.more)
	p.key(fyne.KeyEscape)
	if len(b.core.answers) != 0 || p.win.Canvas().Overlays().Top() != nil {
		t.Error("Escape in the menu did more than close it")
	}
}

func TestDenyAll(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("call"))
	test.Tap(button(t, p, "Deny all from rooms"))
	if !slices.Equal(b.core.denied, []string{"rooms"}) || b.shut != 1 {
		t.Errorf("denied %v", b.core.denied)
	}
}

// A double click must not answer twice, and an answer on its way can't be changed.
func TestOneAnswer(t *testing.T) {
	b := newBench(t, look.Light)
	b.core.slow = true
	p := b.open(sample("call"))
	test.Tap(p.yes)
	test.Tap(p.yes)
	test.Tap(p.no)
	p.key(fyne.KeyEscape)
	if len(b.core.answers) != 1 {
		t.Fatalf("answered %v", b.core.answers)
	}
	b.core.pending[0](nil)
	if b.shut != 1 {
		t.Error("it is still open")
	}
}

// A core that doesn't answer must not leave a window that can't be closed.
func TestClosingWhileAnAnswerIsOnItsWay(t *testing.T) {
	b := newBench(t, look.Light)
	b.core.slow = true
	p := b.open(sample("call"))
	test.Tap(p.yes)
	p.dismiss()
	if b.shut != 1 || len(b.core.answers) != 1 {
		t.Errorf("%d windows closed, answered %v", b.shut, b.core.answers)
	}
	b.core.pending[0](errors.New("too late")) // must not touch the closed window
}

func TestWrongAnswerIsTold(t *testing.T) {
	b := newBench(t, look.Light)
	b.core.err = &wire.Error{Code: wire.CodeBadAnswer, Message: "The age must be at most 120.", Hint: "Correct it."}
	p := b.open(sample("call"))
	test.Tap(p.yes)
	if !p.problem.Visible() || p.problem.String() != "The age must be at most 120. Correct it." || p.yes.Disabled() {
		t.Errorf("it says %q, and allowing again is off: %v", p.problem.String(), p.yes.Disabled())
	}
	b.core.err = nil
	test.Tap(p.yes)
	if b.shut != 1 {
		t.Error("the second try didn't close it")
	}
}

func TestAnsweredElsewhere(t *testing.T) {
	b := newBench(t, look.Light)
	b.core.err = &wire.Error{Code: wire.CodeAnswered, Message: "The terminal was first."}
	p := b.open(sample("call"))
	test.Tap(p.yes)
	if !says(p, "The terminal was first.") {
		t.Error("it doesn't say why it goes")
	}
	b.clock.pass(lastWords)
	if b.shut != 1 {
		t.Error("it stays")
	}
}

// says reports whether a text stands in the window.
func says(p *Popup, want string) bool {
	for _, o := range objects(p) {
		if s, ok := o.(fmt.Stringer); ok && strings.Contains(s.String(), want) {
			return true
		}
	}
	return false
}

func TestWithdrawn(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("call"))
	p.Withdraw("Claude Code took the call back.")
	if !says(p, "Claude Code took the call back.") {
		t.Error("it doesn't say why")
	}
	if b.shut != 0 {
		t.Error("it went before it could be read")
	}
	b.clock.pass(lastWords)
	if b.shut != 1 || len(b.core.answers) != 0 {
		t.Errorf("%d windows closed, answered %v", b.shut, b.core.answers)
	}
}

func TestCountdown(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("call"))
	b.clock.pass(2*time.Minute + 300*time.Millisecond)
	if got := p.status.String(); got != "2:51 left" {
		t.Errorf("%q", got)
	}
	p.Update(sample("call"), 3)
	if got := p.status.String(); got != "2:51 left · 3 more waiting" {
		t.Errorf("%q", got)
	}
	q := sample("call")
	q.Waiting = 1
	p.Update(q, 1)
	if got := p.hint.String(); got != "1 identical call waits for this answer, too" {
		t.Errorf("%q", got)
	}
	b.clock.pass(10 * time.Minute)
	if got := p.status.String(); got != "0:00 left · 1 more waiting" {
		t.Errorf("%q", got)
	}
}

// Arguments too long for a list are fetched, and nothing is allowed unseen.
func TestLongArgumentsAreFetched(t *testing.T) {
	b := newBench(t, look.Light)
	var done func(*wire.Question, error)
	b.core.fetched = func(_ string, f func(*wire.Question, error)) { done = f }
	q := sample("call")
	whole := *q.Call
	q.Call = &wire.CallDetail{Cut: true, ArgBytes: 1 << 20}
	p := b.open(q)
	test.Tap(p.yes)
	if len(b.core.answers) != 0 || !p.yes.Disabled() {
		t.Fatal("allowed before the arguments were there")
	}
	whole.Arguments = json.RawMessage(`{"found":"me"}`)
	full := sample("call")
	full.Call = &whole
	done(full, nil)
	if !strings.Contains(sheetOf(t, p).paper.text, "me") {
		t.Error("the arguments aren't shown")
	}
	test.Tap(p.yes)
	if b.core.last() != wire.ChooseOnce {
		t.Error("it can't be allowed now")
	}
}

func sheetOf(t testing.TB, p *Popup) *sheet {
	t.Helper()
	for _, o := range objects(p) {
		if s, ok := o.(*sheet); ok {
			return s
		}
	}
	t.Fatal("no sheet")
	return nil
}

// A megabyte of arguments must not make the window stall.
func TestMegabyte(t *testing.T) {
	size := 1 << 20
	if raced {
		size >>= 5 // it is the memory that is looked at then, not the time
	}
	for name, raw := range map[string]string{
		"one line":   `{"data":"` + strings.Repeat("0123456789abcdef", size/16) + `"}`,
		"many lines": `{"data":"` + strings.Repeat(`a line of text\n`, size/16) + `"}`,
		"many items": `{"list":[` + strings.Repeat("12345,", size/8) + `0]}`,
		"no JSON":    strings.Repeat("[", size),
		"deep":       strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000),
		"hidden":     `{"data":"` + strings.Repeat("\u200b\u200e", size/6) + `"}`,
		"tabs":       `{"data":"` + strings.Repeat(`\t`, size/2) + `"}`,
		"empty":      `{"data":"` + strings.Repeat(`\n`, size/2) + `"}`,
		"no letters": strings.Repeat("\xff\xfe", size/2),
	} {
		b := newBench(t, look.Light)
		q := sample("call")
		q.Call.Arguments = json.RawMessage(raw)
		began := time.Now()
		p := b.open(q)
		s := sheetOf(t, p)
		opened := time.Since(began)
		began = time.Now()
		s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnd})
		s.TypedKey(&fyne.KeyEvent{Name: fyne.KeyPageUp})
		s.search("f0123")
		scrolled := time.Since(began)
		if n := len(test.LaidOutObjects(s)); n > 400 {
			t.Errorf("%s: %d objects for what can be seen", name, n)
		}
		// Generous: the machine may be busy. A stall is worse.
		if opened > 10*time.Second || scrolled > 3*time.Second {
			t.Errorf("%s: open after %v, scrolled and searched in %v", name, opened, scrolled)
		}
		t.Logf("%s: %d rows, open after %v, scrolled and searched in %v", name, len(s.paper.rows), opened.Round(time.Millisecond), scrolled.Round(time.Millisecond))
	}
}

func TestSearch(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("call-long"))
	s := sheetOf(t, p)
	if n := s.search("LINE OF THE FILE"); n != 12 {
		t.Errorf("found %d times", n)
	}
	top := s.scroll.Offset.Y
	for range 9 {
		s.next(1)
	}
	if s.scroll.Offset.Y <= top {
		t.Error("the tenth place isn't shown")
	}
	s.next(3)
	if s.current != 0 {
		t.Errorf("after the last comes %d", s.current)
	}
	if n := s.search("not in it"); n != 0 {
		t.Errorf("found %d times", n)
	}
}

func TestCopy(t *testing.T) {
	b := newBench(t, look.Light)
	q := sample("call")
	p := b.open(q)
	for _, o := range objects(p) {
		if i, ok := o.(*look.Button); ok && strings.HasPrefix(i.Tip, "Copy") {
			test.Tap(i)
		}
	}
	if got := b.app.Clipboard().Content(); got != string(q.Call.Arguments) {
		t.Errorf("copied %q", got)
	}
}

// browserApp is an app that keeps what it is to open.
type browserApp struct {
	fyne.App
	opened []string
	note   *fyne.Notification
}

func (a *browserApp) OpenURL(u *url.URL) error {
	a.opened = append(a.opened, u.String())
	return nil
}

func (a *browserApp) SendNotification(n *fyne.Notification) { a.note = n }

// The browser opens after the core took the yes, never before, never otherwise.
func TestPageOpensAfterConsent(t *testing.T) {
	b := newBench(t, look.Light)
	browser := &browserApp{App: b.app}
	b.app = browser
	b.core.slow = true
	p := b.open(sample("url"))
	test.Tap(p.yes)
	if len(browser.opened) != 0 {
		t.Fatal("opened before the core knew")
	}
	b.core.pending[0](nil)
	if !slices.Equal(browser.opened, []string{sample("url").URL.URL}) || b.shut != 1 {
		t.Errorf("opened %v", browser.opened)
	}
	for name, act := range map[string]func(*Popup){
		"decline": func(p *Popup) { test.Tap(p.no) }, "close": (*Popup).dismiss,
		"answered elsewhere": func(p *Popup) {
			test.Tap(p.yes)
			b.core.pending[len(b.core.pending)-1](&wire.Error{Code: wire.CodeAnswered, Message: "Too late."})
		},
	} {
		browser.opened = nil
		act(b.open(sample("url")))
		if browser.opened != nil {
			t.Errorf("%s opened %v", name, browser.opened)
		}
	}
	q := sample("url")
	q.URL.URL = "file:///etc/passwd"
	p = b.open(q)
	test.Tap(p.yes)
	b.core.pending[len(b.core.pending)-1](nil)
	if browser.opened != nil || !says(p, "file:///etc/passwd") {
		t.Errorf("opened %v", browser.opened)
	}
}

func TestNotification(t *testing.T) {
	b := newBench(t, look.Light)
	browser := &browserApp{App: b.app}
	q := sample("call")
	q.Tool = "$(calc)\"`<b>"
	p := New(browser, q, b.core, Options{Clock: b.clock})
	p.Show()
	defer p.Leave()
	if browser.note == nil || browser.note.Content != "Claude Code wants to run __calc____b_ of rooms" {
		t.Errorf("%+v", browser.note)
	}
}

// A notification goes when its question does, and a click on it brings the window up.
func TestNotificationGoes(t *testing.T) {
	b := newBench(t, look.Light)
	var click func()
	gone := 0
	p := New(b.app, sample("call"), b.core, Options{Clock: b.clock, Notify: func(_ *fyne.Notification, clicked func()) func() {
		click = clicked
		return func() { gone++ }
	}})
	p.Show()
	click()
	p.dismiss()
	click() // too late: nothing is there to be raised
	if gone != 1 {
		t.Errorf("taken away %d times", gone)
	}
}

func TestSamplingEdits(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(sample("sampling"))
	test.Tap(p.yes)
	if a := b.core.answers[0]; a.Choice != wire.ChooseOnce || a.Sampling != nil {
		t.Errorf("unchanged it answered %+v", a)
	}
	p = b.open(sample("sampling"))
	test.Tap(button(t, p, "Edit"))
	e := p.win.Canvas().Focused().(*entry)
	e.SetText("You are brief.")
	test.Tap(p.yes)
	if a := b.core.answers[1]; a.Sampling == nil || a.Sampling.System == nil || *a.Sampling.System != "You are brief." || a.Sampling.Texts != nil {
		t.Errorf("answered %+v", a.Sampling)
	}
	p = b.open(sample("sampling_result"))
	test.Tap(button(t, p, "Edit"))
	p.win.Canvas().Focused().(*entry).SetText("Nothing.")
	test.Tap(p.yes)
	if a := b.core.answers[2]; a.Sampling == nil || !slices.Equal(a.Sampling.Texts, []string{"Nothing."}) {
		t.Errorf("answered %+v", a.Sampling)
	}
}

// A kind that this window doesn't know can be read and denied, never allowed.
func TestUnknownKind(t *testing.T) {
	b := newBench(t, look.Light)
	p := b.open(&wire.Question{ID: "x", Kind: "of the future", Choices: []string{wire.ChooseDeny, wire.ChooseOnce}})
	test.Tap(p.yes)
	if len(b.core.answers) != 0 {
		t.Error("it was allowed")
	}
	test.Tap(p.no)
	if b.core.last() != wire.ChooseDeny {
		t.Error("it can't be denied")
	}
}
