package ask

import (
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
	"bridgekeeper/ui/look/looktest"
)

// clock is a Clock that a test moves.
type clock struct {
	now    time.Time
	timers []*timer
}

type timer struct {
	at time.Time
	f  func()
}

func (c *clock) Now() time.Time { return c.now }

func (c *clock) After(d time.Duration, f func()) func() {
	t := &timer{c.now.Add(d), f}
	c.timers = append(c.timers, t)
	return func() { c.timers = slices.DeleteFunc(c.timers, func(o *timer) bool { return o == t }) }
}

// pass moves the clock and rings what is due, in order.
func (c *clock) pass(d time.Duration) {
	end := c.now.Add(d)
	for {
		var next *timer
		for _, t := range c.timers {
			if !t.at.After(end) && (next == nil || t.at.Before(next.at)) {
				next = t
			}
		}
		if next == nil {
			break
		}
		c.timers = slices.DeleteFunc(c.timers, func(o *timer) bool { return o == next })
		c.now = next.at
		next.f()
	}
	c.now = end
}

// core is the Actions of tests: it keeps what it is told, and answers at once
// with err unless it is told to wait.
type core struct {
	answers []answered
	denied  []string
	err     error
	slow    bool
	pending []func(error)
	fetched func(id string, done func(*wire.Question, error))
	past    map[string]*wire.Settled
}

type answered struct {
	id string
	wire.Answer
}

func (c *core) Answer(id string, a wire.Answer, done func(error)) {
	c.answers = append(c.answers, answered{id, a})
	if c.slow {
		c.pending = append(c.pending, done)
		return
	}
	done(c.err)
}

func (c *core) DenyServer(server string, done func(error)) {
	c.denied = append(c.denied, server)
	done(c.err)
}

func (c *core) Fetch(id string, done func(*wire.Question, error)) { c.fetched(id, done) }

func (c *core) Past(id string, done func(*wire.Settled)) { done(c.past[id]) }

// last is the choice that was answered last; "" when nothing was.
func (c *core) last() string {
	if len(c.answers) == 0 {
		return ""
	}
	return c.answers[len(c.answers)-1].Choice
}

type bench struct {
	t     testing.TB
	app   fyne.App
	core  *core
	clock *clock
	shut  int // windows that were closed
}

func newBench(t testing.TB, mode look.Mode) *bench {
	return &bench{t: t, app: looktest.App(t, mode), core: &core{}, clock: &clock{now: start}}
}

// open shows a question and lets the dead time pass.
func (b *bench) open(q *wire.Question) *Popup {
	p := b.fresh(q)
	b.clock.pass(deadTime)
	return p
}

// fresh shows a question.
func (b *bench) fresh(q *wire.Question) *Popup {
	p := New(b.app, q, b.core, Options{Clock: b.clock, Notify: silent, Closed: func(*Popup, bool) { b.shut++ }})
	p.Show()
	win := p.win
	b.t.Cleanup(func() {
		if p.win == win {
			p.Leave()
		}
	})
	return p
}

// key types a key as the driver does: to what has the keyboard, or to the window.
func (p *Popup) key(names ...fyne.KeyName) {
	for _, name := range names {
		if p.win == nil {
			return
		}
		c := p.win.Canvas()
		switch f := c.Focused(); {
		case name == fyne.KeyTab && !keepsTab(f):
			c.FocusNext()
		case f != nil:
			f.TypedKey(&fyne.KeyEvent{Name: name})
		case c.OnTypedKey() != nil:
			c.OnTypedKey()(&fyne.KeyEvent{Name: name})
		}
	}
}

func objects(p *Popup) []fyne.CanvasObject { return test.LaidOutObjects(p.win.Content()) }

// button is the one with a text.
func button(t testing.TB, p *Popup, text string) *look.Button {
	t.Helper()
	for _, o := range objects(p) {
		if b, ok := o.(*look.Button); ok && b.Text() == text {
			return b
		}
	}
	t.Fatalf("there is no button %q", text)
	return nil
}

// textOf is the first text within an object.
func textOf(o fyne.CanvasObject) string {
	switch o := o.(type) {
	case *look.Text:
		return o.String()
	case *fyne.Container:
		for _, c := range o.Objects {
			if s := textOf(c); s != "" {
				return s
			}
		}
	}
	return ""
}

// silent shows no notification.
func silent(*fyne.Notification, func()) func() { return nil }

// keepsTab reports whether Tab goes into what has the keyboard, as the driver asks.
func keepsTab(f fyne.Focusable) bool {
	t, ok := f.(fyne.Tabbable)
	return ok && t.AcceptsTab()
}
