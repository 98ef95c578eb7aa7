package directory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// caller is a modern host on the endpoint of server a.
type caller struct {
	testing.TB
	st           *stage.Stage
	host         string
	capabilities string
	meta         string // more members of _meta
	sink         noted
}

// noted remembers what a request was told before its result.
type noted struct {
	mu   sync.Mutex
	news []string
}

func (n *noted) Notify(raw []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.news = append(n.news, string(raw))
}

func (n *noted) take() (news []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	news, n.news = n.news, nil
	return news
}

const askable = `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}`

// outcome is an answer as a host reads it.
type outcome struct {
	Result struct {
		ResultType    string
		InputRequests map[string]struct {
			Method string
			Params json.RawMessage
		}
		RequestState string
		IsError      bool
		Content      []struct{ Text string }
	}
	Error struct {
		Code int
		Data json.RawMessage
	}
	raw string
}

// send makes one request and waits for its answer. The request's own bytes are
// overwritten afterwards, as those of a body that is used again.
func (c *caller) send(ctx context.Context, method, params string) (o outcome) {
	meta := `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + c.capabilities
	if c.meta != "" {
		meta += "," + c.meta
	}
	m, err := rpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"_meta":{%s}}}`, method, params, meta))
	if err != nil {
		c.Error(err)
		return o
	}
	seat := &directory.Seat{Endpoint: "a", Host: c.host, Version: rpc.V20260728, Capabilities: m.Bytes(m.MetaCapabilities)}
	answer := c.st.Handle(ctx, &directory.Request{Seat: seat, Message: &m, Sink: &c.sink})
	defer answer.Free()
	o.raw = string(answer.Append(nil, m.Bytes(m.ID)))
	for i := range m.Raw {
		m.Raw[i] = '#'
	}
	if err := json.Unmarshal([]byte(o.raw), &o); err != nil {
		c.Errorf("%s: %v", o.raw, err)
	}
	return o
}

const toolCall = `"name":"t","arguments":{"n":1.0}`

// call calls the tool in the background.
func (c *caller) call(more ...string) <-chan outcome {
	return c.callContext(context.Background(), rpc.CallTool, strings.Join(append([]string{toolCall}, more...), ","))
}

func (c *caller) callContext(ctx context.Context, method, params string) <-chan outcome {
	out := make(chan outcome, 1)
	go func() { out <- c.send(ctx, method, params) }()
	return out
}

// state is the member that a retry carries.
func (o *outcome) state() string { return `"requestState":` + string(rpc.Quote(o.Result.RequestState)) }

// keys are the questions by key, in order.
func (o *outcome) keys() []string { return slices.Sorted(maps.Keys(o.Result.InputRequests)) }

// replies are answers of those keys, all the same.
func replies(answer string, keys ...string) string {
	var members []string
	for _, key := range keys {
		members = append(members, string(rpc.Quote(key))+":"+answer)
	}
	return `"inputResponses":{` + strings.Join(members, ",") + `}`
}

const accepted = `{"action":"accept","content":{"x":1.50}}`

// asking is a legacy server whose tool, prompt and resource the test answers.
type asking struct {
	*stage.Actor
	calls, answers, cancelled <-chan *rpc.Message
}

func holdStage(t testing.TB) (*stage.Stage, *asking, *caller) {
	st := stage.New(t, nil, "a")
	a := st.Up("a", map[string]string{rpc.ListTools: `{"tools":[{"name":"t"}]}`})
	return st, &asking{a, collect(a, rpc.CallTool, ""), collect(a, "", ""), collect(a, rpc.Cancelled, "")},
		&caller{TB: t, st: st, host: "desk", capabilities: askable}
}

func (a *asking) ask(id, method, params string) {
	a.Say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
}

func (a *asking) elicit(id string) {
	a.ask(id, rpc.Elicit, `{"message":"?","requestedSchema":{"type":"object","n":1.0}}`)
}

func await[T any](t testing.TB, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(time.Hour): // of a bubble's clock
		t.Fatal("nothing came")
	}
	return v
}
