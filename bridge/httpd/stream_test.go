package httpd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// retool changes the tools of the rooms server and waits until the directory
// shows n of them.
func (d *door) retool(n int) {
	d.Helper()
	var tools []string
	for i := range n {
		tools = append(tools, fmt.Sprintf(`{"name":"t%d"}`, i))
	}
	d.rooms.Set(rpc.ListTools, `{"tools":[`+strings.Join(tools, ",")+`]}`)
	d.rooms.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	d.stage.Until(fmt.Sprint(n, " tools"), func(v *directory.View) bool { return len(v.Server("rooms").Tools) == n })
}

// retoolOnly makes the directory read the tools again, until one of that name
// is there.
func (d *door) retoolOnly(name string) {
	d.Helper()
	d.rooms.Say(toolsChanged)
	d.stage.Until(name, func(v *directory.View) bool {
		for _, server := range []string{"rooms", "new"} {
			if s := v.Server(server); s != nil && s.Tool(name) != nil {
				return true
			}
		}
		return false
	})
}

const toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

func TestListChanged(t *testing.T) {
	d := open(t)
	got := d.post(initialize("2025-06-18", "{}"))
	s := "Mcp-Session-Id: " + got.header.Get("Mcp-Session-Id")
	stream := d.get(s)
	d.retool(3)
	d.retool(4) // before initialized: nothing is said, and once afterwards
	d.want("initialized", d.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, s), 202)
	if got := stream.message(); got.data != toolsChanged {
		t.Errorf("got %s", got.data)
	}
	d.retool(5)
	if got := stream.message(); got.data != toolsChanged {
		t.Errorf("got %s", got.data)
	}
	d.rooms.Say(toolsChanged) // the server says so, but the list is the same
	d.retool(6)
	if got := stream.message(); got.data != toolsChanged {
		t.Errorf("got %s", got.data)
	}
	stream.close()
	d.gone(s)
	d.retool(7)
	d.retool(8)
	newer := d.get(s)
	if got := newer.message(); got.data != toolsChanged {
		t.Errorf("got %s", got.data)
	}
	d.do(d.request("DELETE", "/mcp", "", s))
	newer.end()
}

// session returns the session of a header line.
func (d *door) session(line string) *session {
	_, id, _ := strings.Cut(line, ": ")
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sessions[id]
}

// gone waits until no connection follows the session's standing stream.
func (d *door) gone(line string) { d.followed(line, false) }

func (d *door) followed(line string, want bool) {
	d.Helper()
	st := d.session(line).standing
	eventually(d, st, func() bool { return st.followed() == want })
}

// eventually waits for a change of the stream that makes it as wanted.
func eventually(t testing.TB, st *stream, wanted func() bool) {
	t.Helper()
	late := time.After(10 * time.Second)
	for {
		st.mu.Lock()
		wake := st.wake
		st.mu.Unlock()
		if wanted() {
			return
		}
		select {
		case <-wake:
		case <-late:
			t.Fatal("the stream never came to be as wanted")
		}
	}
}

// A host that connected again without Last-Event-ID got everything once more.
func TestNothingTwice(t *testing.T) {
	d := open(t)
	s := d.begin("2025-06-18")
	first := d.get(s)
	d.followed(s, true)
	for n := range 5 {
		d.retool(n + 3)
		first.message()
	}
	second := d.get(s) // replaces the first
	first.end()
	d.retool(8)
	ids := ""
	for !strings.HasSuffix(ids, "g-6 ") {
		ids += second.message().id + " "
	}
	// The fifth may come again: the host may have read it before we knew that it
	// was written.
	if ids != "g-6 " && ids != "g-5 g-6 " {
		t.Errorf("got %s", ids)
	}
	d.do(d.request("DELETE", "/mcp", "", s))
	second.end()
}

func TestResumeStanding(t *testing.T) {
	d := open(t)
	s := d.begin("2025-11-25")
	first := d.get(s)
	prime, _ := first.next()
	if prime.id != "g-0" || prime.data != "" || prime.retry != "1000" {
		t.Errorf("priming event %+v", prime)
	}
	d.followed(s, true)
	d.retool(3)
	one := first.message()
	d.retool(4)
	first.message()
	first.close() // what came last was not kept by the host
	again := d.get(s, "Last-Event-Id: "+one.id)
	if prime, _ := again.next(); prime.id != one.id {
		t.Errorf("primed with %+v", prime)
	}
	if got := again.message(); got.id != "g-2" || got.data != toolsChanged {
		t.Errorf("got %+v", got)
	}
	for _, id := range []string{"g-3", "g-18446744073709551615", "g--1", "g-", "-", "x-1", "c9-1", "g", "g-99999999999999999999999", "\x01"} {
		r := d.request("GET", "/mcp", "", s)
		if id == "\x01" {
			continue // no header value
		}
		r.Header.Set("Last-Event-Id", id)
		d.want("resume from "+id, d.do(r), 400)
	}
	again.close()
}

// The call of a host that lost its connection goes on, and its result is kept.
func TestResumeCall(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			d := open(t)
			s := d.begin(version)
			h := d.hold(rpc.CallTool)
			var m *rpc.Message
			stream := d.open(s, call("1", "rooms__wait", `,"_meta":{"progressToken":1}`), func() {
				m = h.next(t)
				h.progress(m, 1)
			})
			if version == "2025-11-25" {
				if prime, _ := stream.next(); prime.id != "c1-0" || prime.data != "" {
					t.Errorf("priming event %+v", prime)
				}
			}
			one, _ := stream.next()
			if one.id != "c1-1" || !strings.Contains(one.data, `"progress":1`) {
				t.Errorf("got %+v", one)
			}
			st := d.session(s).streams["c1"]
			stream.close()
			eventually(t, st, func() bool { return !st.followed() })
			h.progress(m, 2)
			other := d.begin(version)
			d.want("another session", d.do(d.request("GET", "/mcp", "", other, "Last-Event-Id: c1-1")), 400)
			again := d.get(s, "Last-Event-Id: c1-1")
			if got := again.message(); got.id != "c1-2" || !strings.Contains(got.data, `"progress":2`) {
				t.Errorf("got %+v", got)
			}
			h.Reply(m, `{"content":["kept"]}`)
			if got := again.message(); got.id != "c1-3" || got.data != `{"jsonrpc":"2.0","id":1,"result":{"content":["kept"]}}` {
				t.Errorf("got %+v", got)
			}
			again.end()
			late := d.get(s, "Last-Event-Id: c1-2") // it lost the connection once more
			if got := late.message(); got.id != "c1-3" {
				t.Errorf("got %+v", got)
			}
			late.end()
			if n := d.rooms.Got(rpc.Cancelled); n != 0 {
				t.Errorf("a lost connection cancelled the call")
			}
		})
	}
}

// A host that was away for long gets what is left, above all the result.
func TestResumeAfterTooMuch(t *testing.T) {
	d := open(t)
	s := d.begin("2025-06-18")
	h := d.hold(rpc.CallTool)
	var m *rpc.Message
	stream := d.open(s, call("1", "rooms__wait", `,"_meta":{"progressToken":1}`), func() {
		m = h.next(t)
		h.progress(m, 1)
	})
	stream.message()
	st := d.session(s).streams["c1"]
	stream.close()
	eventually(t, st, func() bool { return !st.followed() })
	for n := range 2 * maxEvents {
		h.progress(m, n+2)
	}
	h.Reply(m, `{"content":["kept"]}`)
	eventually(t, st, func() bool { return st.finishedState().closed })
	again := d.get(s, "Last-Event-Id: c1-1")
	count, last := 0, heard{}
	for {
		one, ok := again.next()
		if !ok {
			break
		}
		count, last = count+1, one
	}
	if count != maxEvents || !strings.Contains(last.data, "kept") {
		t.Errorf("%d events, the last %+v", count, last)
	}
}

// 64 results of any size were kept per session, for as long as it lived.
func TestFinishedStreamsAreBounded(t *testing.T) {
	s := newSession("desk", "", time.Hour)
	finish := func(size int, taken bool) *stream {
		st := newStream(time.Hour)
		s.keep(st)
		st.add(make([]byte, size))
		if taken {
			st.took(1)
		}
		st.close()
		s.forget()
		return st
	}
	kept := func(st *stream) bool { return s.streams[st.id] == st }
	for range 2 * maxStreams {
		finish(1, true)
	}
	if len(s.streams) != maxStreams {
		t.Errorf("%d streams kept", len(s.streams))
	}
	large := finish(2*maxFinished, false)
	if !kept(large) || len(s.streams) != 1 {
		t.Errorf("a large result that nobody has yet is not kept alone: %d streams", len(s.streams))
	}
	next := finish(1, false)
	if kept(large) || !kept(next) {
		t.Error("a large result is kept beside a newer one")
	}
	if st := finish(2*maxFinished, true); kept(st) {
		t.Error("a large result that the host has is kept")
	}
	running := newStream(time.Hour)
	s.keep(running)
	running.add(make([]byte, 2*maxFinished))
	old := finish(1, false)
	old.closedAt = time.Now().Add(-streamKeep - time.Second)
	s.forget()
	if kept(old) || !kept(running) {
		t.Error("an old stream is kept, or a running one isn't")
	}
}

// slow is a connection whose reader has stopped.
type slow struct {
	*httptest.ResponseRecorder
	blocked chan struct{}
	go_     chan struct{}
	writes  int
}

func (s *slow) Write(p []byte) (int, error) {
	if s.writes++; s.writes == 1 {
		close(s.blocked)
		<-s.go_
	}
	return s.ResponseRecorder.Write(p)
}
func (s *slow) Unwrap() http.ResponseWriter { return s.ResponseRecorder }

func TestSlowReaderIsCutOff(t *testing.T) {
	for name, size := range map[string]int{"many": 10, "large": maxKept / 4} {
		t.Run(name, func(t *testing.T) {
			st := newStream(time.Hour)
			w := &slow{httptest.NewRecorder(), make(chan struct{}), make(chan struct{}), 0}
			done := make(chan error, 1)
			me := st.attach()
			st.add([]byte("1"))
			go func() { done <- st.follow(context.Background(), w, me, 0, false) }()
			await(t, w.blocked)
			for range 2 * maxEvents { // nobody who adds waits
				st.add(make([]byte, size))
			}
			if len(st.events) > maxEvents || st.size > maxKept {
				t.Errorf("%d events of %d bytes are kept", len(st.events), st.size)
			}
			close(w.go_)
			if err := await(t, done); !errors.Is(err, errLost) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

func TestOneLargeEventIsKept(t *testing.T) {
	st := newStream(time.Hour)
	st.add([]byte("x"))
	st.add(make([]byte, 2*maxKept))
	if len(st.events) != 1 || st.last != 2 || st.unsent() != 1 {
		t.Errorf("%d events, last %d, unsent after %d", len(st.events), st.last, st.unsent())
	}
}

// News that nobody hears are bounded, and a slow session harms no other.
func TestUnheardNews(t *testing.T) {
	d := open(t)
	deaf, s := d.begin("2025-06-18"), d.begin("2025-06-18")
	stream := d.get(s)
	d.followed(s, true)
	for i := range 2 * maxUnheard {
		d.rooms.Say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%d}}`, i))
		if got := stream.message(); !strings.Contains(got.data, fmt.Sprintf(`"data":%d}`, i)) {
			t.Errorf("got %s", got.data)
		}
	}
	if n := d.session(deaf).standing.waiting(); n != maxUnheard {
		t.Errorf("%d news wait", n)
	}
}

// A carriage return between tokens is JSON, but ends a line of an event stream.
func TestCarriageReturn(t *testing.T) {
	d := open(t)
	s := d.begin("2025-06-18")
	stream := d.get(s)
	d.followed(s, true)
	d.rooms.Say("{\"jsonrpc\":\"2.0\",\r\"method\":\"notifications/message\",\r\"params\":{\"level\":\"info\",\"data\":\"\\r\"}}")
	raw, err := stream.lines.ReadString('}')
	if err != nil || strings.Contains(raw, "\r") || !strings.Contains(raw, `"data":"\r"`) {
		t.Errorf("event %q, %v", raw, err)
	}
}
