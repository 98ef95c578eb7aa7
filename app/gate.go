package app

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"bridgekeeper/app/activity"
	"bridgekeeper/bridge/directory"
)

// What happens to calls that need an answer.
const (
	AnswerTTY   = "tty"   // the person at the terminal of `serve` is asked
	AnswerAllow = "allow" // they run: for trials and tests
	AnswerDeny  = "deny"  // they don't
)

// gate decides which calls run, in its simplest form: a tool that calls itself
// read-only does, everything else follows the answers setting. Each decision is
// recorded before the call is sent (directory.Gate).
type gate struct {
	answers  string
	terminal *terminal // only with AnswerTTY
	record   *activity.Log
	seen     *sightings
	log      *slog.Logger
	broken   atomic.Bool // the record couldn't be written; said once until it can
}

// Refusals are read by models: they say what happened and that trying again
// won't help.
const (
	refusedDeny   = "Bridgekeeper did not run this call: the tool isn't marked read-only, so a person has to approve it, and there is nobody here to ask. Don't try again; tell the user. (They can start bridgekeeper with `serve --answers tty` to be asked.)"
	refusedTTY    = "Bridgekeeper did not run this call: the person who was asked said no, or didn't answer in time. Don't try again unless they ask you to."
	refusedRecord = "Bridgekeeper did not run this call, because it can't write its record of calls (is the disk full?). Tell the user."
)

// Begin decides about one call and records the decision.
func (g *gate) Begin(ctx context.Context, a *directory.Attempt) (pass uint64, refusal string) {
	g.seen.called(a.Host)
	rule, by := "read-only tool", "policy"
	if !a.ReadOnly {
		rule, by, refusal = g.answer(ctx, a)
	}
	decision := activity.Allow
	if refusal != "" {
		decision = activity.Deny
	}
	id, err := g.record.Begin(activity.Entry{Host: a.Host, Server: a.Server, Tool: a.Tool, Decision: decision, Rule: rule, By: by, Arguments: a.Arguments})
	if err != nil {
		if !g.broken.Swap(true) {
			g.log.Error("record of calls not written, calls are denied", "err", err)
		}
		return 0, refusedRecord
	}
	g.broken.Store(false)
	return uint64(id), refusal
}

func (g *gate) answer(ctx context.Context, a *directory.Attempt) (rule, by, refusal string) {
	switch g.answers {
	case AnswerAllow:
		return "serve --answers allow", "policy", ""
	case AnswerTTY:
		if g.terminal.ask(ctx, a) {
			return "answered at the terminal", "terminal", ""
		}
		return "answered at the terminal", "terminal", refusedTTY
	}
	return "nobody can answer", "nobody", refusedDeny
}

// End records how a call that ran ended.
func (g *gate) End(pass uint64, outcome string, bytes int, took time.Duration) {
	g.record.End(activity.ID(pass), outcome, bytes, took)
}
