package ask

import (
	"slices"

	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
)

// dismiss is what closing the window and Escape mean: no; for what a server asks
// the person, no answer.
func (p *Popup) dismiss() {
	choice := wire.ChooseDeny
	if p.takes(wire.ChooseCancel) {
		choice = wire.ChooseCancel
	}
	p.refuse(choice)
}

func (p *Popup) takes(choice string) bool {
	return slices.Contains(p.q.Choices, choice)
}

// refuse ends it without waiting for the core: if that can't be told, it denies
// by itself in the end.
func (p *Popup) refuse(choice string) {
	if p.sent || p.ended {
		p.close(false)
		return
	}
	p.sent = true
	p.act.Answer(p.q.ID, wire.Answer{Choice: choice}, func(err error) {
		if err != nil && !over(err) && p.opt.Unsent != nil {
			p.opt.Unsent(p.q.ID)
		}
	})
	p.close(false)
}

// denyAll refuses everything that waits because of the server.
func (p *Popup) denyAll() {
	if !p.armed || p.sent || p.ended {
		return
	}
	p.sent = true
	p.able()
	p.act.DenyServer(p.q.Server, func(err error) {
		if err != nil {
			p.fail(err)
			return
		}
		p.allDenied = true
		p.close(false)
	})
}

// allow sends an answer that accepts; it takes a person who had time to read.
func (p *Popup) allow(choice string) {
	if !p.armed || p.sent || p.ended || !p.whole || !p.valid {
		return
	}
	a, ok := p.accept(choice)
	if !ok {
		return
	}
	p.sent = true
	p.problem.Hide()
	p.able()
	p.act.Answer(p.q.ID, a, func(err error) {
		switch {
		case p.ended:
		case err != nil && over(err):
			p.Withdraw(sentence(err))
		case err != nil:
			p.fail(err)
		default:
			p.accepted()
		}
	})
}

// accepted ends it after the core took a yes. A page is opened now, not before.
func (p *Popup) accepted() {
	if p.q.Kind == wire.AskURL {
		if err := p.browse(); err != nil {
			p.ended = true
			p.say(lang.L("The page couldn't be opened"), err.Error(), p.q.URL.URL)
			return
		}
	}
	p.close(false)
}

// over reports whether an error means that the question is no longer open.
func over(err error) bool {
	code := wire.AsError(err).Code
	return code == wire.CodeAnswered || code == wire.CodeNoSuchQuestion
}

// fail says what went wrong; the person may try again.
func (p *Popup) fail(err error) {
	p.sent = false
	p.problem.Set(sentence(err))
	p.problem.Show()
	p.able()
	p.win.Content().Refresh()
}
