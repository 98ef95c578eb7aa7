// Package ask owns the questions that wait for a person: it bounds them, joins
// identical ones, ends them, and gives each exactly one outcome.
//
// It decides nothing and shows nothing. The app's gate and its answers to
// servers' questions ask; the terminal and clients of the local API answer.
package ask

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"bridgekeeper/app/wire"
)

// Bounds. A person who is asked more than this is being worn down, not asked.
const (
	maxOpen      = 64  // in all
	maxOfServer  = 16  // of one server, calls to it included
	maxPerMinute = 30  // new ones of one server
	maxJoined    = 16  // identical calls that wait for one answer
	maxPast      = 200 // settled ones that can still be looked at
	// summonTime is how long one who was summoned may take: a window on a slow
	// machine needs some seconds.
	summonTime = 20 * time.Second
	// DefaultDeadline is how long a question waits where nothing else is set.
	DefaultDeadline = 5 * time.Minute
)

// Ends of a question.
const (
	Answered  = "answered"
	Expired   = "expired"
	Withdrawn = "withdrawn" // whoever wanted to know has gone
	Denied    = "denied"    // it was never put, or ended by something else than an answer
)

// Ask is one question and what belongs to it besides its words.
type Ask struct {
	// Question is what a person sees; ID, Asked, Deadline and Waiting are set here.
	wire.Question
	// Key joins identical questions: one that waits already answers this one,
	// too. "" joins none.
	Key string
	// Check refuses an answer that can't be used, such as a form's wrong content.
	Check func(wire.Answer) *wire.Error
}

// Outcome is how a question ended for one who asked it.
type Outcome struct {
	wire.Answer        // with End Answered
	End         string // one of the ends
	By          string // who answered
	Reason      string // a sentence, unless it was answered
	// First is set for one of those whose questions were joined: it acts for all.
	First bool
	// Group is what joined questions have in common; nil when there was only one.
	Group *Group
}

// Yes reports whether the outcome allows what was asked.
func (o *Outcome) Yes() bool {
	return o.End == Answered && o.Choice != wire.ChooseDeny && o.Choice != wire.ChooseCancel
}

// Group lets those whose questions were joined share one value.
type Group struct {
	once  sync.Once
	value any
}

// Value returns what the first caller made.
func (g *Group) Value(make func() any) any {
	g.once.Do(func() { g.value = make() })
	return g.value
}

// Options are what a Queue is built with.
type Options struct {
	Deadline func(kind string) time.Duration // nil: DefaultDeadline
	Changed  func()                          // what is open changed; must not block
	Settled  func(*wire.Settled)             // for the record; called without the lock
	// Summon brings somebody who can answer, and doesn't wait; false when nobody can
	// come. Able says so without bringing anybody. Nil: nobody can. They must not
	// call the queue.
	Summon func() bool
	Able   func() bool
}

// Queue holds the open questions. mu guards everything below it.
type Queue struct {
	opts Options

	mu        sync.Mutex
	open      []*entry // oldest first
	past      []wire.Settled
	recent    map[string][]time.Time // when a server's questions of the last minute came
	answerers int
	halted    string // why nobody is asked anything now; "" as a rule
	changed   chan struct{}
}

type entry struct {
	Ask
	waiters []chan Outcome // one element each; the first still there acts
	timer   *time.Timer
}

// New returns an empty queue.
func New(o Options) *Queue {
	if o.Deadline == nil {
		o.Deadline = func(string) time.Duration { return DefaultDeadline }
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Summon == nil {
		o.Summon = func() bool { return false }
	}
	if o.Able == nil {
		o.Able = func() bool { return false }
	}
	if o.Settled == nil {
		o.Settled = func(*wire.Settled) {}
	}
	return &Queue{opts: o, recent: make(map[string][]time.Time), changed: make(chan struct{})}
}

// Attend tells that somebody can answer until leave is called. When the last
// one leaves, what is open is denied.
func (q *Queue) Attend() (leave func()) {
	q.mu.Lock()
	q.answerers++
	q.mu.Unlock()
	return sync.OnceFunc(func() {
		q.mu.Lock()
		q.answerers--
		var ended []*wire.Settled
		if q.answerers == 0 {
			ended = q.endAllLocked(nobodyLeft)
		}
		q.mu.Unlock()
		q.tell(ended...)
	})
}

// Sentences of denials.
const (
	nobodyThere = "there is nobody here who could be asked"
	nobodyCame  = "the window that shows questions didn't open in time"
	nobodyLeft  = "the program that shows questions has ended"
)

// Attended reports whether somebody can answer, now or when they are summoned.
func (q *Queue) Attended() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.halted == "" && (q.answerers > 0 || q.opts.Able())
}

// GiveUp denies what is open, for that reason, when nobody is there to answer:
// who was summoned doesn't come, or has gone.
func (q *Queue) GiveUp(reason string) {
	q.mu.Lock()
	var ended []*wire.Settled
	if q.answerers == 0 {
		ended = q.endAllLocked(reason)
	}
	q.mu.Unlock()
	if len(ended) > 0 {
		q.tell(ended...)
	}
}

// Halt denies what is open and everything that comes, for that reason, until
// Resume.
func (q *Queue) Halt(reason string) {
	q.mu.Lock()
	q.halted = reason
	ended := q.endAllLocked(reason)
	q.mu.Unlock()
	q.tell(ended...)
}

// Resume ends Halt.
func (q *Queue) Resume() {
	q.mu.Lock()
	q.halted = ""
	q.mu.Unlock()
	q.tell()
}

// Ask puts a question and returns how it ended: by an answer, by its deadline, or
// because ctx ended, whose cause is the reason.
func (q *Queue) Ask(ctx context.Context, a *Ask) Outcome {
	if ctx.Err() != nil {
		return Outcome{End: Withdrawn, Reason: context.Cause(ctx).Error()}
	}
	e, mine, refused := q.put(a)
	if refused != "" {
		settled := &wire.Settled{Question: a.Question, At: time.Now(), End: Denied, Reason: refused}
		settled.Asked = settled.At
		q.opts.Settled(settled)
		return Outcome{End: Denied, Reason: refused}
	}
	q.tell()
	select {
	case o := <-mine:
		return o
	case <-ctx.Done():
	}
	reason := context.Cause(ctx).Error()
	if !q.leave(e, mine, reason) {
		// It was answered at the same moment. The answer stands for the others, but
		// not for one who has gone.
		o := <-mine
		return Outcome{End: Withdrawn, Reason: reason, First: o.First, Group: o.Group}
	}
	return Outcome{End: Withdrawn, Reason: reason}
}

// put joins the question to an open one, or opens it.
func (q *Queue) put(a *Ask) (e *entry, mine chan Outcome, refused string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.halted != "" {
		return nil, nil, q.halted
	}
	if q.answerers == 0 {
		if !q.opts.Summon() {
			return nil, nil, nobodyThere
		}
		time.AfterFunc(summonTime, func() { q.GiveUp(nobodyCame) })
	}
	mine = make(chan Outcome, 1)
	now := time.Now()
	if a.Key != "" {
		if i := slices.IndexFunc(q.open, func(e *entry) bool { return e.Key == a.Key && e.Kind == a.Kind }); i >= 0 {
			e := q.open[i]
			if len(e.waiters) == maxJoined {
				return nil, nil, "too many identical calls wait for the same answer already"
			}
			e.waiters = append(e.waiters, mine)
			e.Waiting = len(e.waiters) - 1
			return e, mine, ""
		}
	}
	if refused := q.floodLocked(a.Server, now); refused != "" {
		return nil, nil, refused
	}
	e = &entry{Ask: *a, waiters: []chan Outcome{mine}}
	e.ID = rand.Text()[:12]
	limit := q.opts.Deadline(a.Kind)
	e.Asked, e.Deadline = now, now.Add(limit)
	e.timer = time.AfterFunc(limit, func() { q.expire(e) })
	q.open = append(q.open, e)
	return e, mine, ""
}

// floodLocked says why a server's question can't be taken now.
func (q *Queue) floodLocked(server string, now time.Time) string {
	of := 0
	for _, e := range q.open {
		if e.Server == server {
			of++
		}
	}
	switch {
	case len(q.open) >= maxOpen:
		return "too many questions are waiting already"
	case server == "":
		return ""
	case of >= maxOfServer:
		return fmt.Sprintf("too many questions about the server %s are waiting already", server)
	}
	minute := slices.DeleteFunc(q.recent[server], func(t time.Time) bool { return now.Sub(t) >= time.Minute })
	if len(minute) >= maxPerMinute {
		q.recent[server] = minute
		return fmt.Sprintf("the server %s asked more than %d questions within a minute", server, maxPerMinute)
	}
	q.recent[server] = append(minute, now)
	for name, times := range q.recent { // few servers: cheaper than a timer for each
		if now.Sub(times[len(times)-1]) >= time.Minute {
			delete(q.recent, name)
		}
	}
	return ""
}

// leave takes one who waits away; false when the question was settled before.
func (q *Queue) leave(e *entry, mine chan Outcome, reason string) bool {
	q.mu.Lock()
	i := slices.Index(e.waiters, mine)
	if i < 0 || !slices.Contains(q.open, e) {
		q.mu.Unlock()
		return false
	}
	e.waiters = slices.Delete(e.waiters, i, i+1)
	e.Waiting = max(0, len(e.waiters)-1)
	var ended []*wire.Settled
	if len(e.waiters) == 0 {
		ended = append(ended, q.settleLocked(e, Outcome{End: Withdrawn, Reason: reason}))
	}
	q.mu.Unlock()
	q.tell(ended...)
	return true
}

func (q *Queue) expire(e *entry) {
	q.mu.Lock()
	var ended []*wire.Settled
	if slices.Contains(q.open, e) {
		ended = append(ended, q.settleLocked(e, Outcome{End: Expired, Reason: "nobody answered in time"}))
	}
	q.mu.Unlock()
	q.tell(ended...)
}

// Answer settles an open question. by says who answers. The error tells whether
// somebody else was first, or why the answer can't be taken.
func (q *Queue) Answer(id string, a wire.Answer, by string) *wire.Error {
	q.mu.Lock()
	i := slices.IndexFunc(q.open, func(e *entry) bool { return e.ID == id })
	if i < 0 {
		defer q.mu.Unlock()
		return q.goneLocked(id)
	}
	e := q.open[i]
	if !slices.Contains(e.Choices, a.Choice) {
		defer q.mu.Unlock()
		return &wire.Error{Code: wire.CodeBadAnswer, Message: fmt.Sprintf("%.40q is no choice of this question.", a.Choice),
			Hint: fmt.Sprintf("Choose one of %q.", e.Choices)}
	}
	if e.Check != nil {
		if err := e.Check(a); err != nil {
			defer q.mu.Unlock()
			return err
		}
	}
	ended := q.settleLocked(e, Outcome{Answer: a, End: Answered, By: by})
	q.mu.Unlock()
	q.tell(ended)
	return nil
}

// goneLocked is the error for a question that isn't open.
func (q *Queue) goneLocked(id string) *wire.Error {
	i := slices.IndexFunc(q.past, func(s wire.Settled) bool { return s.ID == id })
	if i < 0 {
		return &wire.Error{Code: wire.CodeNoSuchQuestion, Message: fmt.Sprintf("There is no question %.40q.", id), Hint: "See `bridgekeeper question list`."}
	}
	s := q.past[i]
	e := &wire.Error{Code: wire.CodeAnswered, Message: fmt.Sprintf("The question is no longer open: %s.", cmp.Or(s.Reason, "it was answered"))}
	if s.End == Answered {
		e.Message = fmt.Sprintf("The question was already answered (%s, by %s).", s.Choice, s.By)
	}
	return e
}

// Withdraw ends every open question that match picks, for that reason.
func (q *Queue) Withdraw(reason string, match func(*wire.Question) bool) {
	q.mu.Lock()
	var ended []*wire.Settled
	for _, e := range slices.Clone(q.open) {
		if match(&e.Question) {
			ended = append(ended, q.settleLocked(e, Outcome{End: Withdrawn, Reason: reason}))
		}
	}
	q.mu.Unlock()
	q.tell(ended...)
}

// DenyServer answers no to everything that waits because of one server, and
// returns how many questions that were.
func (q *Queue) DenyServer(server, by string) int {
	q.mu.Lock()
	var ended []*wire.Settled
	for _, e := range slices.Clone(q.open) {
		if e.Server == server {
			ended = append(ended, q.settleLocked(e, Outcome{Answer: wire.Answer{Choice: wire.ChooseDeny}, End: Answered, By: by}))
		}
	}
	q.mu.Unlock()
	q.tell(ended...)
	return len(ended)
}

func (q *Queue) endAllLocked(reason string) (ended []*wire.Settled) {
	for _, e := range slices.Clone(q.open) {
		ended = append(ended, q.settleLocked(e, Outcome{End: Denied, Reason: reason}))
	}
	return ended
}

// settleLocked gives everybody who waits the outcome. It is the only way out of
// the queue, so there is one outcome for each.
func (q *Queue) settleLocked(e *entry, o Outcome) *wire.Settled {
	e.timer.Stop()
	q.open = slices.DeleteFunc(q.open, func(other *entry) bool { return other == e })
	if len(e.waiters) > 1 {
		o.Group = new(Group)
	}
	for i, w := range e.waiters {
		o.First = i == 0
		w <- o
	}
	e.waiters = nil
	s := wire.Settled{Question: e.Question, At: time.Now(), Choice: o.Choice, By: o.By, End: o.End, Reason: o.Reason}
	if len(q.past) == maxPast {
		q.past = slices.Delete(q.past, 0, 1)
	}
	q.past = append(q.past, brief(s))
	return &s
}

// tell passes news on, without the lock.
func (q *Queue) tell(ended ...*wire.Settled) {
	for _, s := range ended {
		q.opts.Settled(s)
	}
	q.mu.Lock()
	close(q.changed)
	q.changed = make(chan struct{})
	q.mu.Unlock()
	q.opts.Changed()
}
