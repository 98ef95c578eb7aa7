package ui

import (
	"fmt"
	"testing"

	"bridgekeeper/app/wire"
)

func TestActivity(t *testing.T) {
	c := newCalls()
	busy(c)
	all, _ := c.newest(func(*wire.Activity) bool { return true })
	if len(all) != 161 || !all[0].Time.After(all[1].Time) {
		t.Fatalf("%d entries", len(all))
	}
	tally := tallyOf(all, "tool", moment)
	if tally.calls != 161 || tally.denied != 23 || tally.slow[0].name != "playwright.navigate" || tally.slow[0].p95 != 3120 {
		t.Errorf("got %+v", tally)
	}
	f := callFilter{host: "cursor", what: "asked"}
	some, _ := c.newest(func(a *wire.Activity) bool { return f.takes(a, moment) })
	if len(some) != 23 {
		t.Errorf("%d entries of cursor were asked about", len(some))
	}
	again := all[0]
	again.Outcome = "ok"
	c.add(again)
	if now, _ := c.newest(func(*wire.Activity) bool { return true }); len(now) != 161 || now[0].Outcome != "ok" {
		t.Errorf("%d entries, the newest %q", len(now), now[0].Outcome)
	}
	for i := range 2 * keptCalls {
		c.add(wire.Activity{ID: fmt.Sprint("x", i), Time: moment})
	}
	if len(c.list) != keptCalls || len(c.at) != keptCalls {
		t.Errorf("%d entries are kept, %d known", len(c.list), len(c.at))
	}
}
