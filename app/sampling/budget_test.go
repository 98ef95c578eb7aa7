package sampling

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// clock is moved by hand.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func refused(t *testing.T, err error, want string) {
	t.Helper()
	if _, ok := errors.AsType[*OverBudget](err); !ok || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func reserve(t *testing.T, b *Budget, server, words string, limits Limits) *Reservation {
	t.Helper()
	res, err := b.Reserve(server, "", ask(t, words), 10, limits)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestBudgetOfRequests(t *testing.T) {
	c := &clock{time.Unix(1e9, 0)}
	b := NewBudget(c.now)
	limits := Limits{Requests: 2}
	reserve(t, b, "a", "1", limits).Settle(nil)
	c.at = c.at.Add(30 * time.Minute)
	reserve(t, b, "a", "2", limits).Cancel()
	_, err := b.Reserve("a", "", ask(t, "3"), 10, limits)
	refused(t, err, "its 2 answers of a model for this hour; the next is free in 31 minutes")
	reserve(t, b, "b", "3", limits).Cancel() // another's budget
	c.at = c.at.Add(30 * time.Minute)
	reserve(t, b, "a", "3", limits).Settle(nil)
	if n, _ := b.Used("a"); n != 2 {
		t.Errorf("%d used, want 2", n)
	}
	c.at = c.at.Add(2 * time.Hour)
	if n, tokens := b.Used("a"); n != 0 || tokens != 0 || len(b.servers) != 0 || len(b.chains) != 0 {
		t.Errorf("%d and %d left of hours ago, %v %v", n, tokens, b.servers, b.chains)
	}
}

func TestBudgetOfTokens(t *testing.T) {
	c := &clock{time.Unix(1e9, 0)}
	b := NewBudget(c.now)
	limits := Limits{Tokens: 100}
	big := func() (*Reservation, error) { return b.Reserve("a", "", ask(t, "x"), 60, limits) }
	first, err := big()
	if err != nil {
		t.Fatal(err)
	}
	_, err = big()
	refused(t, err, "has used about 61 of its 100 tokens")
	first.Settle(&Result{InputTokens: 5, OutputTokens: 5})
	first.Settle(&Result{InputTokens: 500}) // once only
	first.Cancel()
	if _, tokens := b.Used("a"); tokens != 10 {
		t.Errorf("%d tokens, want 10", tokens)
	}
	second, err := big()
	if err != nil {
		t.Fatal(err)
	}
	second.Settle(&Result{}) // a provider that doesn't count: the guess stays
	if _, tokens := b.Used("a"); tokens != 71 {
		t.Errorf("%d tokens, want 71", tokens)
	}
	_, err = b.Reserve("b", "", ask(t, "x"), 200, limits)
	refused(t, err, "may use 100 an hour")
	if images := parse(t, everything).guess(); images < imageTokens {
		t.Errorf("an image was guessed at %d tokens", images)
	}
}

func TestBudgetOfLoops(t *testing.T) {
	c := &clock{time.Unix(1e9, 0)}
	b := NewBudget(c.now)
	for range maxSame {
		reserve(t, b, "a", "again", Limits{}).Settle(nil)
	}
	// Another token of progress doesn't make it another prompt.
	r := parse(t, strings.Replace(string(ask(t, "again").Raw()), `{"messages"`, `{"_meta":{"progressToken":7},"messages"`, 1))
	_, err := b.Reserve("a", "", r, 10, Limits{})
	refused(t, err, "the same prompt 3 times")
	reserve(t, b, "a", "another", Limits{}).Settle(nil)
	reserve(t, b, "b", "again", Limits{}).Settle(nil)
	c.at = c.at.Add(window)
	reserve(t, b, "a", "again", Limits{}).Settle(nil)

	var rounds strings.Builder
	for i := range maxRounds + 1 {
		fmt.Fprintf(&rounds, `,{"role":"assistant","content":{"type":"tool_use","id":"%d","name":"n","input":{}}},{"role":"user","content":{"type":"tool_result","toolUseId":"%d","content":[]}}`, i, i)
	}
	long := parse(t, `{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"x"}}`+rounds.String()+`]}`)
	_, err = b.Reserve("a", "", long, 10, Limits{})
	refused(t, err, "more than 25 times")
}

func TestBudgetOfDepth(t *testing.T) {
	b := NewBudget(time.Now)
	var open []*Reservation
	for i := range MaxDepth {
		res, err := b.Reserve(fmt.Sprint("server", i), "session 1", ask(t, "x"), 10, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, res)
	}
	_, err := b.Reserve("other", "session 1", ask(t, "x"), 10, Limits{})
	refused(t, err, "inside of 3 others")
	if _, err := b.Reserve("other", "session 2", ask(t, "x"), 10, Limits{}); err != nil {
		t.Errorf("another chain: %v", err)
	}
	if n, _ := b.Used("other"); n != 1 {
		t.Errorf("a refused prompt was counted: %d", n)
	}
	open[2].Settle(nil)
	open[2].Cancel() // gives no second place
	if _, err := b.Reserve("other", "session 1", ask(t, "x"), 10, Limits{}); err != nil {
		t.Errorf("after one ended: %v", err)
	}
	_, err = b.Reserve("other", "session 1", ask(t, "x"), 10, Limits{})
	refused(t, err, "inside of 3 others")
}

// Many at once never get more than there is.
func TestBudgetAtOnce(t *testing.T) {
	b := NewBudget(time.Now)
	var wg sync.WaitGroup
	var mu sync.Mutex
	got := 0
	for i := range 50 {
		r := ask(t, fmt.Sprint(i))
		wg.Go(func() {
			if res, err := b.Reserve("a", fmt.Sprint(i), r, 10, Limits{Requests: 20}); err == nil {
				res.Settle(nil)
				mu.Lock()
				got++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if got != 20 {
		t.Errorf("%d of 20", got)
	}
}
