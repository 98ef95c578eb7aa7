package httpd

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bridgekeeper/bridge/rpc"
)

// settle waits until no more goroutines run than before, or fails with those
// that do.
func settle(t testing.TB, before int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(10 * time.Second)
	for runtime.NumGoroutine() > before {
		select {
		case <-tick.C:
		case <-late:
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			t.Fatalf("%d goroutines, %d before:\n%.20000s", runtime.NumGoroutine(), before, stacks)
		}
	}
}

// inParallel runs f for 0 to n-1, width at once.
func inParallel(n, width int, f func(i int)) {
	var wait sync.WaitGroup
	next := make(chan int)
	for range width {
		wait.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
}

func TestThousandSessions(t *testing.T) {
	before := runtime.NumGoroutine()
	d := open(t)
	const n = 1000
	sessions, streams := make([]string, n), make([]*events, n)
	inParallel(n, 32, func(i int) {
		sessions[i] = d.begin("2025-11-25")
		streams[i] = d.get(sessions[i])
		if prime, ok := streams[i].next(); !ok || prime.id != "g-0" {
			t.Errorf("session %d: %+v", i, prime)
		}
		d.followed(sessions[i], true)
	})
	if got := d.Sessions()["desk"]; got != n {
		t.Fatalf("%d sessions", got)
	}
	d.rooms.Handle(rpc.CallTool, func(m *rpc.Message) {
		d.rooms.Say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, m.Bytes(m.MetaProgressToken)))
		d.rooms.Reply(m, fmt.Sprintf(`{"content":[],"args":%s}`, m.Bytes(m.Arguments)))
	})
	inParallel(n, 64, func(i int) { // the same ids everywhere
		body := strings.Replace(call("1", "rooms__status", `,"_meta":{"progressToken":"t"}`), `"arguments":{}`, fmt.Sprintf(`"arguments":{"i":%d}`, i), 1)
		stream := d.stream(d.request("POST", "/mcp", body, sessions[i]))
		if one := stream.message(); !strings.Contains(one.data, `"progressToken":"t"`) {
			t.Errorf("session %d: %s", i, one.data)
		}
		if one := stream.message(); one.data != fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"args":{"i":%d}}}`, i) {
			t.Errorf("session %d: %s", i, one.data)
		}
		stream.end()
	})
	d.retool(3)
	inParallel(n, 64, func(i int) {
		if one := streams[i].message(); one.data != toolsChanged {
			t.Errorf("session %d: %+v", i, one)
		}
	})
	inParallel(n, 32, func(i int) {
		d.want("DELETE", d.do(d.request(http.MethodDelete, "/mcp", "", sessions[i])), 204)
		streams[i].end()
		streams[i].close()
	})
	if got := d.Sessions(); len(got) != 0 {
		t.Errorf("sessions %v", got)
	}
	d.stop()
	d.stage.Close()
	settle(t, before)
}

func TestTenThousandSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("opens 10,000 sessions")
	}
	before := runtime.NumGoroutine()
	d := open(t)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	last := ""
	inParallel(10_000, 16, func(i int) {
		s := "Mcp-Session-Id: " + d.post(initialize("2025-06-18", "{}")).header.Get("Mcp-Session-Id")
		if i%2 == 0 {
			d.want("DELETE", d.do(d.request(http.MethodDelete, "/mcp", "", s)), 204)
		} else {
			d.want("ping", d.post(ping, s), 200)
		}
		if i == 9_999 {
			last = s
		}
	})
	if got := d.Sessions()["desk"]; got > maxSessions || got < maxSessions-16 {
		t.Errorf("%d sessions", got)
	}
	d.want("the newest", d.post(ping, last), 200)
	d.EndHost("desk")
	if got := d.Sessions(); len(got) != 0 {
		t.Errorf("sessions %v", got)
	}
	d.stop()
	d.stage.Close()
	settle(t, before)
}

// Stopping ends calls, streams and connections in flight, and soon.
func TestStop(t *testing.T) {
	before := runtime.NumGoroutine()
	d := open(t)
	h := d.hold(rpc.CallTool)
	s := d.begin("2025-06-18")
	standing := d.get(s)
	stream := d.open(s, call("1", "rooms__wait", `,"_meta":{"progressToken":1}`), func() { h.progress(h.next(t), 1) })
	stream.message()
	answer := d.later(d.request("POST", "/mcp", call("2", "rooms__wait", ""), s))
	h.next(t)
	stopped := make(chan bool)
	go func() { d.stop(); close(stopped) }()
	standing.end()
	for {
		if _, ok := stream.next(); !ok {
			break
		}
	}
	await(t, answer)
	await(t, stopped)
	standing.close()
	stream.close()
	d.stage.Close()
	settle(t, before)
}
