package policy

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"bridgekeeper/app/wire"
)

var began = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func TestLimitPerMinute(t *testing.T) {
	m := NewMeter(began)
	limit := wire.Limits{PerMinute: 3}
	enter := func(after time.Duration, host string) string {
		p, why := m.Enter(began.Add(after), host, limit, "files", wire.Limits{})
		m.Leave(p)
		return why
	}
	for i, want := range []bool{true, true, true, false, false} {
		why := enter(time.Duration(i)*time.Second, "editor")
		if (why == "") != want {
			t.Errorf("call %d: %q", i+1, why)
		}
		if !want && (!strings.Contains(why, `"editor"`) || !strings.Contains(why, "3 calls a minute")) {
			t.Errorf("call %d: %q", i+1, why)
		}
	}
	if why := enter(5*time.Second, "chat"); why != "" {
		t.Errorf("another host: %s", why)
	}
	// The first two are a minute ago, what was refused didn't count.
	for i, want := range []bool{true, true, false} {
		if why := enter(61*time.Second+500*time.Millisecond, "editor"); (why == "") != want {
			t.Errorf("call %d a minute later: %q", i+1, why)
		}
	}
	for i := range 3 {
		if why := enter(time.Hour, "editor"); why != "" {
			t.Errorf("call %d an hour later: %q", i+1, why)
		}
	}
}

func TestLimitAtOnce(t *testing.T) {
	m := NewMeter(began)
	limit := wire.Limits{AtOnce: 2}
	enter := func(host string) (Pass, string) { return m.Enter(began, host, wire.Limits{}, "files", limit) }
	a, _ := enter("editor")
	_, why := enter("chat")
	if why != "" {
		t.Fatal(why)
	}
	if p, why := enter("editor"); !strings.Contains(why, `the server "files" has reached its limit of 2 calls at once`) || p != (Pass{}) {
		t.Errorf("third: %q", why)
	}
	m.Leave(Pass{}) // of the one that was refused
	m.Leave(a)
	if _, why := enter("editor"); why != "" {
		t.Error(why)
	}
	// Calls that began before there was a limit count.
	n := NewMeter(began)
	n.Enter(began, "editor", wire.Limits{}, "files", wire.Limits{})
	if _, why := n.Enter(began, "editor", wire.Limits{AtOnce: 1}, "files", wire.Limits{}); why == "" {
		t.Error("a call that runs wasn't counted")
	}
}

func TestMeterIsBounded(t *testing.T) {
	m := NewMeter(began)
	running, _ := m.Enter(began, "kept", wire.Limits{}, "files", wire.Limits{})
	for i := range 3 * maxCounters {
		now := began.Add(time.Duration(i) * time.Second)
		host := fmt.Sprint("h", i)
		p, _ := m.Enter(now, host, wire.Limits{}, fmt.Sprint("s", i), wire.Limits{})
		m.Leave(p)
		m.Loop(now, host, "s", "t", "a")
		for j := range 3 {
			m.Loop(now, "one", "s", "t", fmt.Sprint(i, j))
		}
	}
	if len(m.hosts) > maxCounters || len(m.servers) > maxCounters || len(m.loops) > maxHosts || len(m.loops["one"].trails) > maxTrails {
		t.Errorf("%d hosts, %d servers, %d loops, %d trails", len(m.hosts), len(m.servers), len(m.loops), len(m.loops["one"].trails))
	}
	if c := m.hosts["kept"]; c == nil || c.running != 1 {
		t.Error("a host with a running call was forgotten")
	}
	m.Leave(running)
	// Without room, names that are new share a counter and are limited together.
	m = NewMeter(began)
	for i := range maxCounters + 10 {
		m.Enter(began, fmt.Sprint(i), wire.Limits{}, "files", wire.Limits{})
	}
	if _, why := m.Enter(began, "late", wire.Limits{AtOnce: 1}, "files", wire.Limits{}); why == "" {
		t.Error("no limit without room")
	}
}

func TestLoops(t *testing.T) {
	// step is n calls of a tool, so far apart.
	type step struct {
		n     int
		tool  string
		apart time.Duration
	}
	tests := []struct {
		name  string
		steps []step
		asked []int // numbers of the calls that are asked about, from 1
	}{
		{"nine in a row", []step{{9, "a", time.Second}}, nil},
		{"ten in a row", []step{{10, "a", time.Second}}, []int{10}},
		{"forty in a row", []step{{40, "a", time.Second}}, []int{10, 20, 30, 40}},
		{"ten in more than a minute", []step{{10, "a", 7 * time.Second}}, nil},
		{"slow at first, then quick", []step{{9, "a", 8 * time.Second}, {9, "a", time.Second}}, []int{12}},
		{"another call between", []step{{9, "a", time.Second}, {1, "b", time.Second}, {9, "a", time.Second}}, nil},
		{"thirty in five minutes, slow", []step{{45, "a", 9 * time.Second}}, []int{30, 40}},
		{"thirty in more than five minutes", []step{{45, "a", 11 * time.Second}}, nil},
		{"ten, then another, then ten", []step{{10, "a", time.Second}, {1, "b", time.Second}, {10, "a", time.Second}}, []int{10, 21}},
	}
	for _, tt := range tests {
		m := NewMeter(began)
		now := began
		var asked []int
		call := 0
		for _, s := range tt.steps {
			for range s.n {
				call++
				if why := m.Loop(now, "editor", "files", s.tool, "args"); why != "" {
					asked = append(asked, call)
					if !strings.Contains(why, `Host "editor"`) {
						t.Error(why)
					}
				}
				now = now.Add(s.apart)
			}
		}
		if fmt.Sprint(asked) != fmt.Sprint(tt.asked) {
			t.Errorf("%s: asked at %v, want %v", tt.name, asked, tt.asked)
		}
	}
}

func TestLoopsInTurn(t *testing.T) {
	m := NewMeter(began)
	var asked []int
	for i := range 100 {
		// Two hosts do the same, one of them different calls in turn.
		m.Loop(began, "other", "files", "a", fmt.Sprint(i))
		if why := m.Loop(began, "editor", "files", []string{"a", "b"}[i%2], "args"); why != "" {
			asked = append(asked, i+1)
		}
	}
	// 30 of each; then ten more of each.
	if want := "[59 60 79 80 99 100]"; fmt.Sprint(asked) != want {
		t.Errorf("asked at %v, want %v", asked, want)
	}
	for i := range 40 {
		if why := m.Loop(began, "editor", "files", "read", fmt.Sprint(i)); why != "" {
			t.Errorf("other arguments: %s", why)
		}
	}
}

func TestMeterTogether(t *testing.T) {
	m := NewMeter(time.Now())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 200 {
				host := fmt.Sprint("h", i%3)
				m.Loop(time.Now(), host, "s", "t", "a")
				p, _ := m.Enter(time.Now(), host, wire.Limits{AtOnce: 2}, "s", wire.Limits{PerMinute: 100})
				m.Leave(p)
			}
		})
	}
	wg.Wait()
	for name, c := range m.hosts {
		if c.running != 0 {
			t.Errorf("%s: %d run", name, c.running)
		}
	}
	if sum := m.servers["s"].sum; sum > 100 {
		t.Errorf("%d calls in a minute", sum)
	}
}

func BenchmarkMeter(b *testing.B) {
	args := make([]string, 200)
	for i := range args {
		args[i] = ArgsDigest(fmt.Append(nil, i))
	}
	for _, n := range []int{1, 10, 200} {
		b.Run(fmt.Sprintf("%d different calls", n), func(b *testing.B) {
			m := NewMeter(time.Now())
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				now := time.Now()
				m.Loop(now, "editor", "files", "write_file", args[i%n])
				p, _ := m.Enter(now, "editor", wire.Limits{}, "files", wire.Limits{})
				m.Leave(p)
			}
		})
	}
}
