package ui

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

const (
	// keptCalls is how many entries of the record the page works with: some days of
	// ordinary use, a few MiB. The record itself has all of them.
	keptCalls = 5_000
	// chartHours is how far the chart of calls goes back.
	chartHours = 24
	// slowTools is how many of the slowest are listed.
	slowTools = 3
)

// calls are the newest entries of the record. A stream adds to them, the page
// reads them; mu guards all fields.
type calls struct {
	mu      sync.Mutex
	list    []wire.Activity // oldest first
	at      map[string]int  // where an entry is, counted from first
	first   int             // number of list[0]
	changes uint64
}

func newCalls() *calls { return &calls{at: map[string]int{}} }

// add takes an entry: one that is known has ended since.
func (c *calls) add(a wire.Activity) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	if n, ok := c.at[a.ID]; ok {
		c.list[n-c.first] = a
		return
	}
	c.at[a.ID] = c.first + len(c.list)
	c.list = append(c.list, a)
	if len(c.list) > keptCalls {
		delete(c.at, c.list[0].ID)
		c.list[0] = wire.Activity{}
		c.list = c.list[1:]
		c.first++
	}
}

// newest returns the entries that a filter takes, newest first, and a number that
// changes with them.
func (c *calls) newest(takes func(*wire.Activity) bool) ([]wire.Activity, uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []wire.Activity
	for i := len(c.list) - 1; i >= 0; i-- {
		if takes(&c.list[i]) {
			list = append(list, c.list[i])
		}
	}
	return list, c.changes
}

func (c *calls) version() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes
}

// callFilter picks entries; zero fields take all.
type callFilter struct {
	host, server string
	what         string // allowed, asked, denied, wrong
	since        time.Duration
	text         string // in lower case
}

func (f callFilter) takes(a *wire.Activity, now time.Time) bool {
	return (f.host == "" || a.Host == f.host) && (f.server == "" || a.Server == f.server) &&
		(f.since == 0 || now.Sub(a.Time) <= f.since) && f.takesWhat(a) &&
		(f.text == "" || containsFold(strings.Join([]string{a.Host, a.Server, a.Tool, a.Rule, a.Text}, " "), f.text))
}

func (f callFilter) takesWhat(a *wire.Activity) bool {
	switch f.what {
	case "allowed":
		return a.Decision == "allow"
	case "asked":
		return byPerson(a)
	case "denied":
		return a.Decision == "deny"
	case "wrong":
		return a.Decision == "allow" && a.Outcome != "ok" && a.Outcome != "" && a.Kind == wire.ActivityCall
	}
	return true
}

// byPerson reports whether somebody was asked.
func byPerson(a *wire.Activity) bool {
	return a.By == "window" || a.By == "terminal" || a.By == "cli"
}

// tally is what the charts show of a list of entries.
type tally struct {
	hours                [][]int // of each: ran by itself, was asked about, was denied
	calls, asked, denied int
	slow                 []slowness
}

// slowness is how long the calls of one tool, server or host take.
type slowness struct {
	name string
	p95  float64 // ms
	n    int
}

// tallyOf makes the charts of entries; by says whose latency: tool, server, host.
func tallyOf(list []wire.Activity, by string, now time.Time) tally {
	t := tally{hours: make([][]int, chartHours)}
	for i := range t.hours {
		t.hours[i] = make([]int, 3)
	}
	times := map[string][]float64{}
	for i := range list {
		a := &list[i]
		if a.Kind != wire.ActivityCall {
			continue
		}
		part := 0
		switch {
		case a.Decision == "deny":
			part = 2
			t.denied++
		case byPerson(a):
			part = 1
		}
		if byPerson(a) {
			t.asked++
		}
		t.calls++
		if h := int(now.Sub(a.Time) / time.Hour); h >= 0 && h < chartHours {
			t.hours[chartHours-1-h][part]++
		}
		if a.Outcome == "ok" || a.Outcome == "tool_error" {
			name := a.Server + "." + a.Tool
			switch by {
			case "server":
				name = a.Server
			case "host":
				name = a.Host
			}
			times[name] = append(times[name], a.MS)
		}
	}
	for name, ms := range times {
		slices.Sort(ms)
		t.slow = append(t.slow, slowness{name, ms[(len(ms)*95)/100], len(ms)})
	}
	slices.SortFunc(t.slow, func(a, b slowness) int { return cmp.Or(cmp.Compare(b.p95, a.p95), cmp.Compare(a.name, b.name)) })
	t.slow = t.slow[:min(len(t.slow), slowTools)]
	return t
}

// decisionWords is how an entry was decided, and how it came out.
func decisionWords(a wire.Activity) (string, look.Tone) {
	switch {
	case a.Kind != wire.ActivityCall:
		return look.Show(cmp.Or(a.Text, a.Rule, a.Kind)), look.Off
	case a.Decision == "deny" && byPerson(&a):
		return lang.L("denied by you"), look.Failed
	case a.Decision == "deny":
		return lang.L("denied by the rules"), look.Failed
	}
	switch a.Outcome {
	case "server_down":
		return lang.L("its server was down"), look.Asking
	case "tool_error":
		return lang.L("the tool says that it went wrong"), look.Asking
	case "error":
		return lang.L("the server answered with an error"), look.Asking
	case "cancelled":
		return lang.L("cancelled"), look.Off
	case wire.OutcomeUnknown:
		return lang.L("not known whether it took effect"), look.Asking
	case "":
		return lang.L("running"), look.Busy
	}
	if byPerson(&a) {
		return lang.L("allowed by you"), look.Off
	}
	return lang.L("allowed by the rules"), look.Ready
}
