package app

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bridgekeeper/app/activity"
	"bridgekeeper/app/ask"
	"bridgekeeper/app/policy"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// What happens to calls that need an answer.
const (
	AnswerTTY    = "tty"    // the person at the terminal of `serve` is asked
	AnswerWindow = "window" // a window is opened for each question
	AnswerAllow  = "allow"  // they run: for trials and tests
	AnswerDeny   = "deny"   // they don't, unless a window asks a person
)

// gate decides which calls run: hold, pinned definition, rules, limits, a
// person, in that order. Each decision is recorded before the call is sent
// (directory.Gate).
type gate struct {
	answers string
	rules   func() *policy.Rules
	shelf   *shelf
	meter   *policy.Meter
	queue   *ask.Queue
	record  *activity.Log
	seen    *sightings
	metrics *metrics
	grants  *grants
	decided decided
	lost    *lostCalls
	// listed returns a tool's definition as it is now, nil when it isn't listed.
	listed func(server, tool string) []byte
	// remember writes a standing rule.
	remember func(wire.Rule) error
	held     func() bool
	log      *slog.Logger
	broken   atomic.Bool // the record couldn't be written; said once until it can

	passes passes
}

// pass is a call that runs.
type pass struct {
	call    callKey
	counted policy.Pass
	changes bool // it isn't known to be read-only
}

// passes are the calls that run now.
type passes struct {
	mu  sync.Mutex
	all map[uint64]pass // guarded by mu
}

func (p *passes) add(id uint64, one pass) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = make(map[uint64]pass)
	}
	p.all[id] = one
}

func (p *passes) take(id uint64) (pass, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one, ok := p.all[id]
	delete(p.all, id)
	return one, ok
}

// callKey is what makes two calls identical.
type callKey struct{ server, tool, args string }

var sameSeed = maphash.MakeSeed()

// sameness is equal for equal arguments, as they are written, in one run of the core.
func sameness(arguments []byte) string {
	var sum [8]byte
	binary.NativeEndian.PutUint64(sum[:], maphash.Bytes(sameSeed, arguments))
	return string(sum[:])
}

// Refusals are read by models: they say what happened and that trying again
// won't help.
const (
	refusedHeld    = "Bridgekeeper did not run this call: the user has put everything on hold. Don't try again; tell the user."
	refusedNobody  = "Bridgekeeper did not run this call: it needs a person's approval, and %s. Don't try again; tell the user. (They can be asked in the terminal of `bridgekeeper serve --answers tty`, or in Bridgekeeper's window.)"
	refusedNo      = "Bridgekeeper did not run this call: the user was asked and said no. Don't try again unless they ask you to."
	refusedLate    = "Bridgekeeper did not run this call: the user was asked and didn't answer in time. Don't try again unless they ask you to."
	refusedGone    = "Bridgekeeper did not run this call: while the user was being asked, %s."
	refusedRule    = "Bridgekeeper did not run this call: %s. Don't try again; tell the user."
	refusedChanged = "Bridgekeeper did not run this call: the tool %s is new or has changed since the user trusted it, and the user hasn't looked at it yet. Other tools of the server work. Tell the user."
	refusedLimit   = "Bridgekeeper did not run this call: %s. Wait before you try again."
	refusedMoved   = "Bridgekeeper did not run this call: the tool changed while the user was being asked about it. Tell the user."
	refusedRecord  = "Bridgekeeper did not run this call, because it can't write its record of calls (is the disk full?). Tell the user."
)

// ruling is the gate's decision about one call.
type ruling struct {
	refusal string // "" lets it run
	rule    string // why, for the record
	by      string // who decided
	lead    *directory.Joint
	follow  *directory.Joint
}

// Begin decides about one call and records the decision.
func (g *gate) Begin(ctx context.Context, a *directory.Attempt) directory.Pass {
	g.seen.called(a.Host)
	f, known := g.facts(a)
	r := g.rule(ctx, a, f, known)
	if r.follow != nil {
		return directory.Pass{Follow: r.follow} // recorded with the call that it follows
	}
	var counted policy.Pass
	if r.refusal == "" {
		ofHost, ofServer := g.rules().Limits(a.Host, a.Server)
		var why string
		if counted, why = g.meter.Enter(time.Now(), a.Host, ofHost, a.Server, ofServer); why != "" {
			r = ruling{refusal: fmt.Sprintf(refusedLimit, strings.TrimSuffix(why, ".")), rule: why, by: "policy", lead: r.lead}
		}
	}
	e := activity.Entry{Host: a.Host, Session: sessionLabel(a.Session), Server: a.Server, Tool: a.Tool, Decision: activity.Allow, Rule: r.rule, By: r.by, Arguments: a.Arguments}
	if r.refusal != "" {
		e.Decision = activity.Deny
	}
	id, err := g.record.Begin(e)
	if err != nil {
		if r.refusal == "" {
			g.meter.Leave(counted)
		}
		if !g.broken.Swap(true) {
			g.log.Error("record of calls not written, calls are denied", "err", err)
		}
		return directory.Pass{Refusal: refusedRecord, Lead: r.lead}
	}
	g.broken.Store(false)
	if r.refusal == "" {
		g.metrics.called(a.Server, time.Now())
		g.passes.add(uint64(id), pass{callKey{a.Server, a.Tool, sameness(a.Arguments)}, counted, !f.Trusted || !f.Hints.ReadOnly})
	}
	return directory.Pass{ID: uint64(id), Refusal: r.refusal, Lead: r.lead}
}

// End records how a call that ran ended.
func (g *gate) End(id uint64, outcome string, bytes int, took time.Duration) {
	if p, ok := g.passes.take(id); ok {
		g.meter.Leave(p.counted)
		if outcome == "unknown" && p.changes {
			g.lost.add(p.call)
		}
	}
	g.record.End(activity.ID(id), outcome, bytes, took)
}

// facts are what the policy may know of a call. The digest of its arguments is
// left out: it costs more than all the rest, and is seldom needed.
func (g *gate) facts(a *directory.Attempt) (*policy.Facts, *shelved) {
	known := g.shelf.of(a.Server, a.Tool, a.Definition)
	return &policy.Facts{Host: a.Host, Server: a.Server, Tool: a.Tool, Listed: a.Known, Hints: known.hints, Pin: known.pin,
		Trusted: g.rules().Trusted(a.Server)}, known
}

// decide is policy.Decide with a memory: the same tool is called again and again.
func (g *gate) decide(a *directory.Attempt, f *policy.Facts, known *shelved) policy.Decision {
	rules := g.rules()
	if rules.ByArguments(a.Tool) {
		f.ArgsDigest = policy.ArgsDigest(a.Arguments)
		return policy.Decide(rules, f)
	}
	return g.decided.of(decidedKey{a.Host, a.Server, a.Tool}, rules, known, f)
}

// rule decides without a person where that is possible.
func (g *gate) rule(ctx context.Context, a *directory.Attempt, f *policy.Facts, known *shelved) ruling {
	if g.held() {
		return ruling{refusal: refusedHeld, rule: "everything is held", by: "person"}
	}
	d := g.decide(a, f, known)
	switch d.Verdict {
	case wire.VerdictAllow, wire.VerdictAsk:
	case wire.VerdictHeld:
		return ruling{refusal: fmt.Sprintf(refusedChanged, a.Tool), rule: d.Because, by: "policy"}
	default:
		return ruling{refusal: fmt.Sprintf(refusedRule, strings.TrimSuffix(d.Because, ".")), rule: d.Because, by: "policy"}
	}
	var notes []string
	same := sameness(a.Arguments)
	if g.lost.has(callKey{a.Server, a.Tool, same}) {
		notes = append(notes, lostNote)
	}
	if why := g.meter.Loop(time.Now(), a.Host, a.Server, a.Tool, same); why != "" {
		notes = append(notes, why)
	}
	if len(notes) == 0 {
		if d.Verdict == wire.VerdictAllow {
			return ruling{rule: d.Because, by: "policy"}
		}
		if rule := g.grants.of(a, time.Now()); rule != "" {
			return ruling{rule: rule, by: "person"}
		}
	}
	if g.answers == AnswerAllow {
		return ruling{rule: "serve --answers allow", by: "policy"}
	}
	return g.ask(ctx, a, f, d, notes)
}

// lostNote tells a person of an identical call whose end nobody saw.
const lostNote = "The server died during an identical call a short while ago. It isn't known whether that call took effect: this one may do it a second time."

// errServerGone is why a question is withdrawn.
var errServerGone = errors.New("the server ended")

// ask puts the call to a person.
func (g *gate) ask(ctx context.Context, a *directory.Attempt, f *policy.Facts, d policy.Decision, notes []string) ruling {
	f.ArgsDigest = policy.ArgsDigest(a.Arguments)
	asked, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if a.Gone != nil {
		finished := make(chan struct{})
		var watch sync.WaitGroup
		watch.Go(func() {
			select {
			case <-a.Gone:
				cancel(errServerGone)
			case <-finished:
			}
		})
		defer watch.Wait()
		defer close(finished)
	}
	print := policy.Fingerprint(a.Definition)
	o := g.queue.Ask(asked, callQuestion(a, f, d, notes))
	if o.Group != nil {
		joint := o.Group.Value(func() any { return directory.NewJoint() }).(*directory.Joint)
		if !o.First && o.Yes() {
			return ruling{follow: joint}
		}
		if o.First {
			r := g.answered(ctx, a, f, print, &o)
			r.lead = joint
			return r
		}
	}
	return g.answered(ctx, a, f, print, &o)
}

// answered turns the outcome of a question into a ruling, after looking once
// more at what was asked about.
func (g *gate) answered(ctx context.Context, a *directory.Attempt, f *policy.Facts, print string, o *ask.Outcome) ruling {
	switch {
	case o.End == ask.Denied:
		return ruling{refusal: fmt.Sprintf(refusedNobody, o.Reason), rule: o.Reason, by: "nobody"}
	case o.End == ask.Expired:
		return ruling{refusal: refusedLate, rule: "no answer in time", by: "nobody"}
	case o.End == ask.Withdrawn:
		return ruling{refusal: fmt.Sprintf(refusedGone, o.Reason), rule: "withdrawn: " + o.Reason, by: "nobody"}
	case !o.Yes():
		return ruling{refusal: refusedNo, rule: "answered: " + o.Choice, by: o.By}
	case ctx.Err() != nil: // a late yes doesn't run a call that nobody waits for
		return ruling{refusal: fmt.Sprintf(refusedGone, "the call was given up"), rule: "withdrawn: the call was given up", by: "nobody"}
	case policy.Fingerprint(g.listed(a.Server, a.Tool)) != print:
		return ruling{refusal: refusedMoved, rule: "the tool changed while it was asked about", by: "policy"}
	case g.held():
		return ruling{refusal: refusedHeld, rule: "everything is held", by: "person"}
	}
	if d := policy.Decide(g.rules(), f); d.Verdict != wire.VerdictAllow && d.Verdict != wire.VerdictAsk {
		return ruling{refusal: fmt.Sprintf(refusedRule, strings.TrimSuffix(d.Because, ".")), rule: d.Because, by: "policy"}
	}
	g.lost.forget(callKey{a.Server, a.Tool, sameness(a.Arguments)})
	g.keep(a, f, o.Choice)
	return ruling{rule: "answered: " + o.Choice, by: o.By}
}

// keep remembers an answer that is meant for more than this call.
func (g *gate) keep(a *directory.Attempt, f *policy.Facts, choice string) {
	rule := wire.Rule{Host: a.Host, Server: a.Server, Tool: a.Tool, Do: wire.VerdictAllow}
	switch choice {
	case wire.ChooseSession, wire.ChooseMinutes:
		g.grants.add(a, choice, time.Now())
		return
	case wire.ChooseTool:
	case wire.ChooseArgs:
		rule.Args = f.ArgsDigest
	default:
		return
	}
	if err := g.remember(rule); err != nil {
		g.log.Error("rule not written; the answer counts for this call alone", "server", a.Server, "tool", a.Tool, "err", err)
	}
}

// callQuestion is the question about a call.
func callQuestion(a *directory.Attempt, f *policy.Facts, d policy.Decision, notes []string) *ask.Ask {
	args := a.Arguments
	if len(args) == 0 {
		args = []byte("{}")
	}
	args = append([]byte(nil), args...) // the host's bytes are its request's
	title, description, annotations := toolWords(a.Definition)
	q := wire.Question{Kind: wire.AskCall, Host: a.Host, Server: a.Server, Tool: a.Tool, Why: d.Because, Notes: notes,
		Choices: []string{wire.ChooseDeny, wire.ChooseOnce, wire.ChooseSession, wire.ChooseMinutes, wire.ChooseTool, wire.ChooseArgs},
		Call: &wire.CallDetail{Title: title, Description: description, Annotations: annotations, Trusted: f.Trusted,
			Arguments: args, ArgBytes: len(args)}}
	if len(notes) > 0 { // what a standing rule wouldn't settle isn't offered
		q.Choices = []string{wire.ChooseDeny, wire.ChooseOnce}
	}
	return &ask.Ask{Question: q, Key: a.Host + "\x00" + a.Server + "\x00" + a.Tool + "\x00" + f.ArgsDigest}
}

// toolWords are what a tool says of itself, for a person.
func toolWords(definition []byte) (title, description string, annotations []byte) {
	text := func(name string) string {
		at := rpc.Find(definition, name)
		if !at.Ok() {
			return ""
		}
		return rpc.Text(definition[at.Start:at.End])
	}
	if at := rpc.Find(definition, "annotations"); at.Ok() {
		annotations = definition[at.Start:at.End]
	}
	return text("title"), text("description"), annotations
}

// sessionLabel names a session in the record: its id is a key to it, which must
// not be written down.
func sessionLabel(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:4])
}
