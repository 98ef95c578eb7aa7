package ask

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
)

// Desk shows questions one after the other, oldest first: one window at a time,
// which says how many wait behind it. It belongs to Fyne's goroutine.
type Desk struct {
	app  fyne.App
	act  Actions
	opt  Options
	kept spare
	list []wire.Question
	open *Popup
	done map[string]bool // answered or refused here, until the core has taken them off the list
}

// NewDesk is an empty desk. Closed and Unsent of the options are its own.
func NewDesk(app fyne.App, act Actions, opt Options) *Desk {
	return &Desk{app: app, act: act, opt: opt, done: map[string]bool{}}
}

// Update takes the questions that wait now, oldest first.
func (d *Desk) Update(questions []wire.Question) {
	d.list = questions
	for id := range d.done {
		if d.find(id) == nil {
			delete(d.done, id)
		}
	}
	if d.open != nil {
		d.follow()
	}
	d.next()
}

// Waiting is how many questions a person has yet to see through.
func (d *Desk) Waiting() int { return len(d.waiting()) }

// Raise brings the open question to the front; it tells whether there is one.
func (d *Desk) Raise() bool {
	if d.open == nil {
		return false
	}
	d.open.Raise()
	return true
}

// Show brings one question to the front before its turn. It tells whether it is
// still open.
func (d *Desk) Show(id string) bool {
	q := d.find(id)
	if q == nil || d.done[id] {
		return false
	}
	if d.open != nil && d.open.ID() == id {
		return d.Raise()
	}
	if p := d.open; p != nil {
		d.open = nil // so that its closing brings up no other
		p.Leave()
	}
	d.show(q)
	return true
}

// Close takes the window off the screen for good, without an answer.
func (d *Desk) Close() {
	d.list = nil
	if p := d.open; p != nil {
		d.open = nil
		p.Leave()
	}
	d.kept.close()
}

func (d *Desk) find(id string) *wire.Question {
	if i := slices.IndexFunc(d.list, func(q wire.Question) bool { return q.ID == id }); i >= 0 {
		return &d.list[i]
	}
	return nil
}

func (d *Desk) waiting() (out []*wire.Question) {
	for i := range d.list {
		if !d.done[d.list[i].ID] {
			out = append(out, &d.list[i])
		}
	}
	return out
}

// follow tells the open window what happened to its question.
func (d *Desk) follow() {
	p := d.open
	if q := d.find(p.ID()); q != nil {
		p.Update(q, len(d.waiting())-1)
		return
	}
	if p.ended {
		return // it says its last words
	}
	if p.sent {
		return // our own answer ended it: its reply is on the way
	}
	d.act.Past(p.ID(), func(s *wire.Settled) { p.Withdraw(ending(s)) })
}

// ending is a sentence about how a question ended without us.
func ending(s *wire.Settled) string {
	switch {
	case s == nil:
		return ""
	case s.Reason != "":
		return s.Reason
	case s.End == "answered" && s.By != "":
		return lang.L("It was answered elsewhere: {{.By}}.", filled{"By": s.By})
	case s.End == "expired":
		return lang.L("Nobody answered in time, so it was denied.")
	}
	return ""
}

// next shows the oldest question when no window is open.
func (d *Desk) next() {
	if d.open != nil {
		return
	}
	if w := d.waiting(); len(w) > 0 {
		d.show(w[0])
	}
}

func (d *Desk) show(q *wire.Question) {
	opt := d.opt
	opt.Closed = d.closed
	opt.Unsent, opt.spare = d.unsent, &d.kept
	copied := *q
	d.open = New(d.app, &copied, d.act, opt)
	d.open.Update(q, len(d.waiting())-1)
	d.open.Show()
}

func (d *Desk) closed(p *Popup, undecided bool) {
	if !undecided {
		d.done[p.ID()] = true
	}
	for _, q := range d.list {
		if p.allDenied && q.Server == p.q.Server {
			d.done[q.ID] = true
		}
	}
	if d.open == p {
		d.open = nil
		d.next()
	}
}

// unsent brings a question back that was refused without the core hearing of it.
func (d *Desk) unsent(id string) {
	delete(d.done, id)
	d.next()
}
