package ask

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

const (
	// deadTime is how long keys and clicks that accept do nothing after a pop-up
	// came: what a person types then was meant for another window.
	deadTime = 700 * time.Millisecond
	// lastWords is how long a withdrawn question says why it goes.
	lastWords = 4 * time.Second
	// soon is when the time left is coloured.
	soon = 30 * time.Second

	width     = 560
	bodyWidth = width - 2*look.Margin
	// tallest is how high a pop-up opens at most: it fits on 768 pixels at 125 %.
	// What is higher scrolls.
	tallest = 560
)

// Options are what pop-ups need besides the question. The zero value does for
// everything but tests.
type Options struct {
	Clock   Clock
	Checker Checker
	// Notify shows a desktop notification and returns what takes it away; nil is
	// Fyne's, which says nothing of a click and stays (see ui/note).
	Notify func(n *fyne.Notification, clicked func()) (gone func())
	// Closed is told when a window is gone, with whether its question was left as
	// it is.
	Closed func(p *Popup, undecided bool)
	// spare is the window of the question before, to be used again; nil makes a
	// new one each time.
	spare *spare
	// Unsent is told of a question that was refused and closed, but the core
	// didn't hear of it: it is still open.
	Unsent func(id string)
}

// Popup is one question in a window of its own. It belongs to Fyne's goroutine.
type Popup struct {
	app   fyne.App
	act   Actions
	opt   Options
	win   fyne.Window
	q     *wire.Question
	other int // questions behind it

	armed bool // the dead time is over
	sent  bool // an answer is on its way
	ended bool // it was answered, withdrawn or closed
	whole bool // everything that a person must see is there
	valid bool // what was filled in may be sent

	allDenied bool // everything of the server was denied with it
	stops     []func()
	ticker    func()
	unnotify  func() // takes the notification away

	status  *look.Text
	top     *fyne.Container
	hint    *look.Para // above the buttons: what is missing, who else waits
	problem *look.Para
	no, yes *look.Button
	more    *look.Button
	body    *fyne.Container
	scroll  *bodyScroll    // of the body
	stretch *panel         // of the body; nil if nothing gives
	first   fyne.Focusable // has the keyboard first; nil is the button that denies
	refill  func()         // builds the body anew after Fetch; nil if there is nothing to fetch
	accept  func(choice string) (wire.Answer, bool)
}

// New builds a question's window. Show brings it up.
func New(app fyne.App, q *wire.Question, act Actions, opt Options) *Popup {
	if opt.Clock == nil {
		opt.Clock = wall{}
	}
	if opt.Notify == nil {
		opt.Notify = func(n *fyne.Notification, _ func()) func() {
			app.SendNotification(n)
			return nil
		}
	}
	if opt.Checker == nil {
		opt.Checker = basic{}
	}
	p := &Popup{app: app, act: act, opt: opt, q: q, whole: true, valid: true}
	p.accept = func(choice string) (wire.Answer, bool) { return wire.Answer{Choice: choice}, true }
	p.win = opt.spare.take(app)
	p.win.SetCloseIntercept(p.dismiss)
	p.build()
	p.win.Canvas().SetOnTypedKey(func(e *fyne.KeyEvent) { p.keys(e) })
	return p
}

// ID is the question's.
func (p *Popup) ID() string { return p.q.ID }

// Show brings the window up, in the middle, above others, with the keyboard on
// the button that denies.
func (p *Popup) Show() {
	p.win.CenterOnScreen()
	p.win.Show()
	p.win.CenterOnScreen() // a window that is used again comes where it was, for another size
	p.Raise()
	p.focus()
	p.unnotify = p.opt.Notify(notice(p.q), p.Raise)
	p.tick()
	p.later(deadTime, func() {
		p.armed = true
		// A Tab in the dead time moved the keyboard: back to where it is safe.
		p.focus()
		p.able()
	})
}

// Raise brings a window that is open to the front.
func (p *Popup) Raise() {
	if p.win != nil {
		p.win.RequestFocus()
	}
}

func (p *Popup) focus() {
	var to fyne.Focusable = p.no
	if p.first != nil {
		to = p.first
	}
	p.win.Canvas().Focus(to)
}

// later calls f unless the window is gone by then.
func (p *Popup) later(d time.Duration, f func()) func() {
	stop := p.opt.Clock.After(d, func() {
		if p.stops != nil {
			f()
		}
	})
	p.stops = append(p.stops, stop)
	return stop
}

// Update shows what has changed around the question: how many wait for the same
// answer, how many others wait behind it.
func (p *Popup) Update(q *wire.Question, others int) {
	if p.ended {
		return
	}
	p.q.Waiting, p.q.Deadline, p.other = q.Waiting, q.Deadline, others
	p.tell()
}

// tell says how much time is left and what waits behind.
func (p *Popup) tell() {
	text, tip, color := lang.L("held until you decide"), "", look.ColorMuted
	if !p.q.Deadline.IsZero() {
		d := p.q.Deadline.Sub(p.opt.Clock.Now())
		text, tip = left(d), look.Exact(p.q.Deadline)
		if d < soon {
			color = theme.ColorNameWarning
		}
	}
	if p.other > 0 {
		text += " · " + behind(p.other)
	}
	p.status.Paint(color)
	if p.status.String() != text {
		p.status.Set(text, tip)
		p.top.Refresh()
	}
	if p.q.Waiting > 0 {
		p.remark(joined(p.q.Waiting))
	}
}

// remark shows a few words above the buttons; "" takes them away.
func (p *Popup) remark(text string) {
	if p.hint.String() == text && p.hint.Visible() == (text != "") {
		return
	}
	p.hint.Set(text)
	p.hint.Hidden = text == ""
	p.relayout()
}

func (p *Popup) tick() {
	p.tell()
	if p.ticker != nil {
		p.ticker()
	}
	p.ticker = p.opt.Clock.After(time.Second, func() {
		if !p.ended {
			p.tick()
		}
	})
}

// keys sees every key first, wherever the keyboard is; it keeps those that come
// too early, and Escape.
func (p *Popup) keys(e *fyne.KeyEvent) bool {
	switch {
	case p.ended:
		if e.Name == fyne.KeyEscape || e.Name == fyne.KeyReturn {
			p.close(false)
		}
		return true
	case !p.armed || p.sent:
		return true
	case e.Name == fyne.KeyEscape:
		p.dismiss()
		return true
	}
	return false
}

// able turns buttons on and off.
func (p *Popup) able() {
	on := p.armed && !p.sent && p.whole && p.valid
	if p.yes != nil {
		p.yes.Able(on)
	}
	if p.more != nil {
		p.more.Able(on)
	}
	p.no.Able(!p.sent)
}

// Withdraw says why the question is no longer asked, and closes soon after.
func (p *Popup) Withdraw(reason string) {
	if p.ended {
		return
	}
	p.ended = true
	if reason == "" {
		reason = lang.L("Nobody waits for the answer any more.")
	}
	p.say(lang.L("No longer needed"), reason, "")
	p.later(lastWords, func() { p.close(false) })
}

// Leave closes the window without an answer: another window shows the question
// later, or the program ends.
func (p *Popup) Leave() { p.close(true) }

func (p *Popup) close(undecided bool) {
	p.ended = true
	for _, stop := range append(p.stops, p.ticker) {
		if stop != nil {
			stop()
		}
	}
	p.stops, p.ticker = nil, nil
	if p.unnotify != nil {
		p.unnotify()
		p.unnotify = nil
	}
	if p.win == nil {
		return
	}
	look.DropTips(p.win.Canvas())
	win := p.win
	p.win = nil
	p.opt.spare.give(win)
	if closed := p.opt.Closed; closed != nil {
		p.opt.Closed = nil
		closed(p, undecided)
	}
}
