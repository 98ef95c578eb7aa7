package app

import (
	"context"
	"sync"
	"time"

	"bridgekeeper/app/load"
	"bridgekeeper/app/wire"
)

// loadEvery is how often process trees are measured while somebody watches: it
// reads a few files of every process.
const loadEvery = 3 * time.Second

// metrics are what servers take and how much they are used.
type metrics struct {
	mu       sync.Mutex // guards the fields below
	watching int        // open watch streams
	loads    map[string]load.Sample
	calls    map[string]*minutes
}

// minutes counts calls by the minute.
type minutes struct {
	counts [wire.CallMinutes]int
	last   int64 // the minute that the newest count is of
}

func newMetrics() *metrics { return &metrics{calls: make(map[string]*minutes)} }

// watch counts a stream until done is called.
func (m *metrics) watch() (done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watching++
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.watching--
	}
}

func (m *metrics) watched() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.watching > 0
}

// called counts one call of a server.
func (m *metrics) called(server string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.calls[server]
	if one == nil {
		one = &minutes{}
		m.calls[server] = one
	}
	one.advance(now)
	one.counts[one.last%wire.CallMinutes]++
}

// advance empties the minutes that have passed without a call.
func (m *minutes) advance(now time.Time) {
	minute := now.Unix() / 60
	if minute-m.last >= wire.CallMinutes {
		m.counts = [wire.CallMinutes]int{}
		m.last = minute
	}
	for m.last < minute {
		m.last++
		m.counts[m.last%wire.CallMinutes] = 0
	}
}

// of fills in what is known of a server.
func (m *metrics) of(out *wire.Server, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.loads[out.Name]; ok {
		out.MemoryBytes, out.CPUPercent = s.Memory, float64(int(s.CPU*10))/10
	}
	one := m.calls[out.Name]
	if one == nil {
		return
	}
	one.advance(now)
	out.CallsPerMinute = make([]int, wire.CallMinutes)
	for i := range out.CallsPerMinute {
		out.CallsPerMinute[i] = one.counts[(one.last+1+int64(i))%wire.CallMinutes]
	}
}

// forget drops what is known of servers that are gone.
func (m *metrics) forget(still func(server string) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range m.calls {
		if !still(name) {
			delete(m.calls, name)
		}
	}
}

// measure keeps the loads fresh while somebody watches, until ctx ends.
func (a *App) measure(ctx context.Context) error {
	var meter load.Meter
	tick := time.NewTicker(loadEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if !a.metrics.watched() {
			continue
		}
		roots := make(map[string][]int)
		for _, st := range a.sup.Statuses() {
			if st.PID > 0 {
				roots[st.Key.Server] = append(roots[st.Key.Server], st.PID)
			}
		}
		all, err := meter.Measure(ctx, roots)
		if err != nil {
			a.opts.Log.Debug("processes not measured", "err", err)
			continue
		}
		a.metrics.mu.Lock()
		a.metrics.loads = all
		a.metrics.mu.Unlock()
		a.news.poke()
	}
}
