package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"bridgekeeper/app/activity"
	"bridgekeeper/app/ask"
	"bridgekeeper/app/home"
	"bridgekeeper/app/wire"
)

// Question returns one open question, whole (localapi.Questions).
func (a *App) Question(_ context.Context, id string) (*wire.Question, error) {
	q, gone := a.queue.Find(id)
	if gone != nil {
		return nil, gone
	}
	return &q, nil
}

// Past returns the questions that were settled lately.
func (a *App) Past(context.Context) ([]wire.Settled, error) { return a.queue.Past(), nil }

// Answer answers a question, for callers that may.
func (a *App) Answer(ctx context.Context, id string, answer wire.Answer) error {
	by, refused := a.mayAnswer(ctx)
	if refused != nil {
		return refused
	}
	if err := a.queue.Answer(id, answer, by); err != nil {
		return err
	}
	return nil
}

// DenyServer answers no to all that waits because of one server. Saying no is
// open to every caller: it lets nothing pass.
func (a *App) DenyServer(ctx context.Context, server string) (int, error) {
	if _, err := a.entryOf(server); err != nil {
		return 0, err
	}
	return a.queue.DenyServer(server, a.who(ctx).name), nil
}

// Attend counts a window among those who can answer.
func (a *App) Attend(ctx context.Context) (leave func(), err error) {
	if _, refused := a.mayAnswer(ctx); refused != nil {
		return nil, refused
	}
	return a.queue.Attend(), nil
}

// Hold puts everything on hold, which every caller may, or ends that, which
// needs a program of ours that the person started.
func (a *App) Hold(ctx context.Context, on bool) error {
	who := a.who(ctx)
	if !on && !who.own {
		return &wire.Error{Code: wire.CodeNotAllowed, Message: "Only Bridgekeeper's own programs can end the hold.", Hint: "Use `bridgekeeper hold off` in a terminal of your own."}
	}
	changed, err := a.hold.set(on)
	if err != nil {
		return &wire.Error{Code: wire.CodeInternal, Message: "The switch could not be kept: " + err.Error()}
	}
	if !changed {
		return nil
	}
	if on {
		a.queue.Halt(heldReason)
		a.note("everything was put on hold (" + who.name + ")")
	} else {
		a.queue.Resume()
		a.note("the hold was ended (" + who.name + ")")
	}
	a.news.poke()
	return nil
}

const heldReason = "the user has put everything on hold"

// hold is the switch that denies everything. It outlives the core: a file says
// that it is on.
type hold struct {
	path  string
	since atomic.Pointer[time.Time] // nil: off
}

// openHold reads the switch as the last core left it.
func openHold(state string) (*hold, error) {
	h := &hold{path: filepath.Join(state, "held")}
	info, err := os.Stat(h.path)
	switch {
	case err == nil:
		at := info.ModTime()
		h.since.Store(&at)
	case !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("read the hold switch: %w", err)
	}
	return h, nil
}

// at is when it was turned on; zero when it is off.
func (h *hold) at() time.Time {
	if since := h.since.Load(); since != nil {
		return *since
	}
	return time.Time{}
}

func (h *hold) on() bool { return h.since.Load() != nil }

// set turns the switch; what is on is on at once, also when the file can't be
// written.
func (h *hold) set(on bool) (changed bool, err error) {
	if !on {
		if err := os.Remove(h.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return false, err
		}
		return h.since.Swap(nil) != nil, nil
	}
	now := time.Now()
	changed = h.since.CompareAndSwap(nil, &now)
	return changed, home.Replace(h.path, []byte("everything is on hold\n"), 0o600)
}

// note records something that is no call.
func (a *App) note(text string) {
	if err := a.activity.Note(activity.Entry{Kind: activity.KindChange, Text: text}); err != nil {
		a.opts.Log.Error("change not recorded", "err", err)
	}
}

// settled records how a question ended that is none about a call: those are in
// the record with their call.
func (a *App) settled(s *wire.Settled) {
	if s.Kind == wire.AskCall {
		return
	}
	e := activity.Entry{Kind: activity.KindQuestion, Host: s.Host, Server: s.Server, Tool: s.Tool, By: s.By, Rule: s.End, Text: s.Kind, Decision: activity.Deny}
	if s.End == ask.Answered {
		e.Rule = "answered: " + s.Choice
		if s.Choice != wire.ChooseDeny && s.Choice != wire.ChooseCancel {
			e.Decision = activity.Allow
		}
	}
	if e.By == "" {
		e.By = "nobody"
	}
	if err := a.activity.Note(e); err != nil {
		a.opts.Log.Error("question not recorded", "err", err)
	}
}

// deadline is how long a question of that kind waits.
func (a *App) deadline(kind string) time.Duration {
	terms := a.config.Current().Settings.Questions
	for _, text := range []string{terms.Deadlines[kind], terms.Deadline} {
		if d, err := time.ParseDuration(text); err == nil && text != "" {
			return d
		}
	}
	switch kind {
	case wire.AskFirstRun, wire.AskChangedTool:
		return unhurried // no call waits for the answer
	}
	return ask.DefaultDeadline
}

// unhurried is the deadline of questions that hold nobody up.
const unhurried = 24 * time.Hour
