package shim

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

const goodbye = "#bye"

// rig is a shim between a host and cores, all played by the test's goroutine.
type rig struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *bufio.Reader
	cores chan net.Conn // what Dial returns next
	hows  chan How
	fail  chan error // what Dial fails with next
	ended chan error
}

func start(t *testing.T, times timings) *rig {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	r := &rig{t: t, in: inW, out: bufio.NewReader(outR), cores: make(chan net.Conn, 1), hows: make(chan How, 100), fail: make(chan error, 1), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		r.ended <- Run(ctx, Options{Goodbye: goodbye, In: inR, Out: outW, times: times, Dial: func(ctx context.Context, how How) (net.Conn, error) {
			r.hows <- how
			select {
			case c := <-r.cores:
				return c, nil
			case err := <-r.fail:
				return nil, err
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}})
	}()
	t.Cleanup(func() {
		cancel()
		outR.Close()
		inW.Close()
		select {
		case <-r.ended:
		case <-time.After(10 * time.Second):
			t.Error("the shim doesn't end")
		}
	})
	return r
}

func quick() timings {
	return timings{patience: 20 * time.Second, retry: time.Millisecond, slow: 2 * time.Millisecond, grace: time.Millisecond}
}

// core is one core that is reached.
type core struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func (r *rig) core() *core {
	near, far := net.Pipe()
	r.cores <- near
	far.SetDeadline(time.Now().Add(20 * time.Second))
	r.t.Cleanup(func() { far.Close() })
	return &core{r.t, far, bufio.NewReader(far)}
}

func (c *core) gets(want string) {
	c.t.Helper()
	got, err := c.in.ReadString('\n')
	if err != nil || strings.TrimSuffix(got, "\n") != want {
		c.t.Fatalf("the core got %q, %v; want %q", got, err, want)
	}
}

func (c *core) says(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, text+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (r *rig) says(text string) {
	r.t.Helper()
	if _, err := io.WriteString(r.in, text+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) gets(want string) {
	r.t.Helper()
	if got := r.line(); got != want {
		r.t.Fatalf("the host got %q\nwant %q", got, want)
	}
}

func (r *rig) line() string {
	r.t.Helper()
	got, err := r.out.ReadString('\n')
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.TrimSuffix(got, "\n")
}

const (
	hello    = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`
	welcome  = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"prompts":{}},"serverInfo":{"name":"b","version":"1"}}}`
	ready    = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	repeated = `{"jsonrpc":"2.0","id":"bk-shim-1","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`
)

// greet takes the handshake to the first core.
func (r *rig) greet() *core {
	r.t.Helper()
	c := r.core()
	r.says(hello)
	c.gets(hello)
	c.says(welcome)
	r.gets(welcome)
	r.says(ready)
	c.gets(ready)
	return c
}

// again takes the handshake that a second core is told.
func (r *rig) again() *core {
	r.t.Helper()
	c := r.core()
	c.gets(repeated)
	c.says(`{"jsonrpc":"2.0","id":"bk-shim-1","result":{}}`)
	c.gets(ready)
	return c
}

func TestLinesPassUnchanged(t *testing.T) {
	r := start(t, quick())
	c := r.greet()
	call := `{"id":1e3,"jsonrpc":"2.0","params":{"name":"t","arguments":{"n":1.10,"s":"\u00e9\/"}},"method":"tools/call","x":[ ]}`
	r.says("  " + call + "\r")
	c.gets(call)
	for _, text := range []string{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.10}}`, `{"result":{"n":1.10},"id":1e3,"jsonrpc":"2.0"}`} {
		c.says(text)
		r.gets(text)
	}
	r.says("no message at all")
	c.gets("no message at all")
}

func TestCoreKilledInMidCall(t *testing.T) {
	// A call that was under way at a crash was sent again, and a mail went out twice.
	r := start(t, quick())
	c := r.greet()
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send"}}`
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	r.says(call)
	c.gets(call)
	r.says(list)
	c.gets(list)
	c.conn.Close()
	r.gets(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Bridgekeeper ended while this was under way; it isn't known whether it took effect."}}`)
	c = r.again()
	c.gets(list)
	c.says(`{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)
	// The news and the answer come from two goroutines.
	got := map[string]bool{r.line(): true, r.line(): true}
	if !got[`{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`] || !got[`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`] {
		t.Fatalf("the host got %v", got)
	}
}

func TestNewCoreIsToldEverything(t *testing.T) {
	r := start(t, quick())
	c := r.greet()
	for i, params := range []string{`"logging/setLevel","params":{"level":"debug"}`, `"resources/subscribe","params":{"uri":"a:1"}`, `"resources/subscribe","params":{"uri":"a:2"}`, `"resources/unsubscribe","params":{"uri":"a:1"}`} {
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%s}`, i+1, params)
		r.says(text)
		c.gets(text)
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i+1)
		c.says(answer)
		r.gets(answer)
	}
	c.says(goodbye)
	c.conn.Close()
	c = r.again()
	c.gets(`{"jsonrpc":"2.0","id":"bk-shim-2","method":"logging/setLevel","params":{"level":"debug"}}`)
	c.says(`{"jsonrpc":"2.0","id":"bk-shim-2","result":{}}`)
	c.gets(`{"jsonrpc":"2.0","id":"bk-shim-3","method":"resources/subscribe","params":{"uri":"a:2"}}`)
	c.says(`{"jsonrpc":"2.0","id":"bk-shim-3","error":{"code":-32602,"message":"gone"}}`) // not the host's matter
	r.gets(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	r.gets(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:2"}}`)
	r.says(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	c.gets(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
}

func TestQuestionOfAnEndedCore(t *testing.T) {
	// The answer to a dead core's question went to the next one, which had asked
	// something else under the same id.
	r := start(t, quick())
	c := r.greet()
	question := `{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"?"}}`
	c.says(question)
	r.gets(question)
	c.conn.Close()
	r.gets(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q1","reason":"Bridgekeeper has ended"}}`)
	c = r.again()
	r.gets(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	r.says(`{"jsonrpc":"2.0","id":"q1","result":{"action":"accept"}}`)
	r.says(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	c.gets(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
}

func TestSubscriptionIsAcknowledgedOnce(t *testing.T) {
	r := start(t, quick())
	c := r.core()
	listen := `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	ack := `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`
	r.says(listen)
	c.gets(listen)
	c.says(ack)
	r.gets(ack)
	c.conn.Close()
	c = r.core()
	c.gets(listen)
	c.says(ack)
	r.gets(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`)
}

func TestRefused(t *testing.T) {
	r := start(t, quick())
	r.says(hello)
	if how := <-r.hows; how != (How{First: true, Start: true}) {
		t.Errorf("the first look is %+v", how)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // the first look may be over before the request is there
		defer close(stopped)
		for {
			select {
			case r.fail <- &Refused{errors.New("A person said no.")}:
			case <-stop:
				return
			}
		}
	}()
	r.gets(`{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"A person said no."}}`)
	close(stop)
	<-stopped
	select {
	case <-r.fail:
	default:
	}
	r.says(`{"jsonrpc":"2.0","id":1,"method":"ping"}`) // has it look again
	c := r.core()
	c.gets(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
}

func TestNobodyComes(t *testing.T) {
	times := quick()
	times.patience = 30 * time.Millisecond
	r := start(t, times)
	r.fail <- errors.New("it isn't running.")
	go func() {
		for range r.hows {
			select {
			case r.fail <- errors.New("it isn't running."):
			case <-t.Context().Done():
				return
			}
		}
	}()
	r.says(hello)
	r.gets(`{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Bridgekeeper can't be reached: it isn't running."}}`)
}

// A withdrawn request that waited for a core is never sent.
func TestWithdrawnWhileNobodyIsThere(t *testing.T) {
	r := start(t, quick())
	c := r.greet()
	c.conn.Close()
	<-r.hows
	<-r.hows
	r.says(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`)
	r.says(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	r.says(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`)
	c = r.again()
	c.gets(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`)
}

func TestArraysAndRepeatedIDs(t *testing.T) {
	r := start(t, quick())
	c := r.greet()
	r.says(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	c.gets(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	r.says(`[{"jsonrpc":"2.0","id":1,"method":"ping"}, {"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	c.gets(`[{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	r.gets(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"This request id is already in use by a request in flight."}}`)
	whole := `[ {"jsonrpc":"2.0","id":3,"method":"ping"},7 ]`
	r.says(whole)
	c.gets(whole)
}

// The answers to input from a file come long after its end.
func TestEndOfInput(t *testing.T) {
	r := start(t, quick())
	c := r.core()
	r.says(hello)
	r.in.Close()
	c.gets(hello)
	c.says(welcome)
	r.gets(welcome)
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	r.ended <- nil
}
