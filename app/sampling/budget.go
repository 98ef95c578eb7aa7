package sampling

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"sync"
	"time"

	"bridgekeeper/app/plain"
)

const (
	window = time.Hour

	// Defaults for a server that the person let ask: a long task's worth, and far
	// from a bill.
	DefaultRequests = 60
	DefaultTokens   = 500_000

	// MaxDepth is how many prompts may wait inside of each other: a prompt whose
	// answer makes a host call a tool that asks a prompt.
	MaxDepth = 3

	maxSame     = 3      // times one prompt may come in an hour: a fourth is a loop
	maxRounds   = 25     // times a model may have asked for tools in one prompt
	maxRequests = 10_000 // an hour, whatever the person sets: what is remembered
	perToken    = 3      // bytes of text a token has at least, roughly, to guess before a provider counted
	imageTokens = 1500   // what an image costs, roughly
)

// Limits are a server's. Zero means the default.
type Limits struct{ Requests, Tokens int }

// Budget counts what servers ask of models, in the last hour. It is safe for
// concurrent use.
type Budget struct {
	now func() time.Time

	mu      sync.Mutex
	servers map[string][]*Reservation // the last hour's, oldest first
	chains  map[string]int            // prompts that wait, by chain
}

// Reservation is one prompt's place in the budget. Exactly one of Settle and
// Cancel ends it; more calls do nothing.
type Reservation struct {
	budget        *Budget
	server, chain string
	at            time.Time
	tokens        int
	prompt        [sha256.Size]byte
	ended         bool
}

// OverBudget is why a prompt isn't asked, as a sentence.
type OverBudget struct{ Message string }

func (e *OverBudget) Error() string { return e.Message }

func over(format string, args ...any) error { return &OverBudget{fmt.Sprintf(format, args...)} }

// NewBudget counts by the given clock.
func NewBudget(now func() time.Time) *Budget {
	return &Budget{now: now, servers: map[string][]*Reservation{}, chains: map[string]int{}}
}

// Reserve takes a place for a prompt before anybody is asked. The tokens are a
// guess at the prompt's plus all that the answer may have. Chain names what the
// prompt is part of, so that prompts inside of prompts are counted: a host's
// session; "" stands for the server alone.
func (b *Budget) Reserve(server, chain string, r *Request, maxTokens int, limits Limits) (*Reservation, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	b.forgetLocked(now)
	limits = limits.withDefaults()
	name, _ := plain.Line(server)
	if chain == "" {
		chain = "server " + server
	} else {
		chain = "chain " + chain
	}
	res := &Reservation{budget: b, server: server, chain: chain, at: now, tokens: r.guess() + max(0, maxTokens), prompt: r.digest()}
	if b.chains[chain] >= MaxDepth {
		return nil, over("The server %s asks for a model's answer inside of %d others; more are not allowed.", name, MaxDepth)
	}
	if r.toolRounds() > maxRounds {
		return nil, over("In this prompt of %s the model has asked for tools more than %d times: it looks like a loop.", name, maxRounds)
	}
	used, same := 0, 0
	for _, other := range b.servers[server] {
		used += other.tokens
		if other.prompt == res.prompt {
			same++
		}
	}
	mine := b.servers[server]
	switch {
	case same >= maxSame:
		return nil, over("The server %s has sent the same prompt %d times within an hour: it looks like a loop.", name, same)
	case len(mine) >= limits.Requests:
		return nil, over("The server %s has had its %d answers of a model for this hour; the next is free in %s.", name, limits.Requests, wait(mine[0], now))
	case res.tokens > limits.Tokens:
		return nil, over("The prompt of %s may cost about %d tokens, and the server may use %d an hour.", name, res.tokens, limits.Tokens)
	case used+res.tokens > limits.Tokens:
		return nil, over("The server %s has used about %d of its %d tokens for this hour, and the prompt may cost about %d; some are free in %s.", name, used, limits.Tokens, res.tokens, wait(mine[0], now))
	}
	b.servers[server] = append(mine, res)
	b.chains[chain]++
	return res, nil
}

func (l Limits) withDefaults() Limits {
	if l.Requests <= 0 {
		l.Requests = DefaultRequests
	}
	if l.Tokens <= 0 {
		l.Tokens = DefaultTokens
	}
	l.Requests = min(l.Requests, maxRequests)
	return l
}

func wait(oldest *Reservation, now time.Time) string {
	minutes := int(oldest.at.Add(window).Sub(now)/time.Minute) + 1
	if minutes == 1 {
		return "1 minute"
	}
	return fmt.Sprintf("%d minutes", minutes)
}

// Settle puts what an answer cost in the guess's place. A result that doesn't
// say, or none (the provider failed, and may have counted), leaves the guess.
func (r *Reservation) Settle(result *Result) {
	r.end(func() {
		if result != nil && result.InputTokens+result.OutputTokens > 0 {
			r.tokens = result.InputTokens + result.OutputTokens
		}
	})
}

// Cancel gives the tokens back: the prompt went to nobody, or a host answered it
// at its own cost. It still counts as one of the hour's requests.
func (r *Reservation) Cancel() { r.end(func() { r.tokens = 0 }) }

func (r *Reservation) end(count func()) {
	b := r.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.ended {
		return
	}
	r.ended = true
	count()
	if b.chains[r.chain]--; b.chains[r.chain] <= 0 {
		delete(b.chains, r.chain)
	}
}

// Used is what a server has used in the last hour.
func (b *Budget) Used(server string) (requests, tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgetLocked(b.now())
	for _, r := range b.servers[server] {
		tokens += r.tokens
	}
	return len(b.servers[server]), tokens
}

// forgetLocked drops what is older than the window, also of servers that ask no
// more.
func (b *Budget) forgetLocked(now time.Time) {
	maps.DeleteFunc(b.servers, func(name string, list []*Reservation) bool {
		for len(list) > 0 && now.Sub(list[0].at) >= window {
			list = list[1:]
		}
		b.servers[name] = list
		return len(list) == 0
	})
}

// guess is about how many tokens the prompt has.
func (r *Request) guess() int {
	n := len(r.System)
	images := 0
	var count func(parts []Part)
	count = func(parts []Part) {
		for _, p := range parts {
			if p.Type == PartImage || p.Type == PartAudio {
				images++
			}
			n += len(p.Text) + len(p.Input) + len(p.Structured)
			count(p.Content)
		}
	}
	for _, m := range r.Messages {
		count(m.Parts)
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n/perToken + images*imageTokens + 1
}
