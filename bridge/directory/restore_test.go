package directory_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// After the crash of a session's own copy of a server the session heard nothing of
// its resources any more, and its log level was lost.
func TestOwnInstanceAfterACrash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := scopeStage(t, directory.PerSession)
		one := sitAs(t, st, "desk", "1", `{}`)
		one.want("subscribe", one.ask(rpc.Subscribe, `"uri":"r://1"`), `"result":{}`)
		one.want("level", one.ask(rpc.SetLevel, `"level":"error"`), `"result":{}`)
		synctest.Wait()
		first := st.Own("a", "session:1")
		if n, m := first.Got(rpc.Subscribe), first.Got(rpc.SetLevel); n != 1 || m != 1 {
			t.Errorf("at first it was told %d and %d times", n, m)
		}
		b := st.Crash("a", directory.Scope{ID: "session:1", Capabilities: []byte(`{}`)})
		synctest.Wait()
		if n, m := b.Got(rpc.Subscribe), b.Got(rpc.SetLevel); n != 1 || m != 1 {
			t.Errorf("afterwards it was told %d and %d times", n, m)
		}
		b.Say(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"r://1"}}`)
		one.told("updated")
		one.ask(rpc.Unsubscribe, `"uri":"r://1"`)
		if n := b.Got(rpc.Unsubscribe); n != 1 {
			t.Errorf("unsubscribed %d times", n)
		}
		// Nobody wants anything of the next one.
		if c := st.Crash("a", directory.Scope{ID: "session:1", Capabilities: []byte(`{}`)}); c.Got(rpc.Subscribe) != 0 {
			t.Error("subscribed again")
		}
	})
}

// A subscription that was being made when the first lists came in was made twice.
func TestNoSubscriptionBesideItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := stage.New(t, nil, "a")
		a := st.Open("a", map[string]string{rpc.ListTools: `{"tools":[]}`}, upstream.Auto)
		lists, subscribed := collect(a, rpc.ListResources, ""), collect(a, rpc.Subscribe, "")
		st.Ready("a", a.Session)
		list := next(t, lists)
		h := sit(t, st, "a")
		done := make(chan string, 1)
		go func() { done <- h.ask(rpc.Subscribe, `"uri":"r://1"`) }()
		m := next(t, subscribed)
		a.Reply(list, rooms)
		synctest.Wait()
		none(t, "a second time", subscribed)
		a.Reply(m, `{}`)
		h.want("subscribe", await(t, done), `"result":{}`)
	})
}

// A modern server that ended its subscriptions/listen was never heard again.
func TestListenAfterItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := stage.New(t, nil, "a")
		a := st.Open("a", map[string]string{rpc.ListTools: `{"tools":[]}`, rpc.Discover: `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}`}, upstream.Modern)
		listens := collect(a, rpc.Listen, "")
		st.Ready("a", a.Session)
		first := next(t, listens)
		synctest.Wait()
		reads := a.Got(rpc.ListTools)
		a.Reply(first, `{"resultType":"complete"}`)
		began := time.Now()
		second := await(t, listens)
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
		synctest.Wait()
		if n := a.Got(rpc.ListTools); n != reads+1 {
			t.Errorf("what changed meanwhile was read %d times", n-reads)
		}
		a.Say(rpc.AppendError(nil, second.Bytes(second.ID), &rpc.Error{Code: rpc.CodeInternal, Message: "busy"}))
		began = time.Now()
		third := await(t, listens)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("it took %v", took)
		}
		a.Set(rpc.ListTools, `{"tools":[{"name":"t"}]}`)
		a.Say(strings.Replace(toolsChanged, `list_changed"`, `list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":`+string(third.Bytes(third.ID))+`}}`, 1))
		st.Until(toolCount("a", 1))
		// One that can't isn't asked for ever.
		a.Say(rpc.AppendError(nil, third.Bytes(third.ID), &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "no"}))
		time.Sleep(time.Hour)
		none(t, "it can't", listens)
	})
}

func TestDeclares(t *testing.T) {
	for _, c := range []struct {
		capabilities, capability string
		want                     bool
	}{
		{`{"elicitation":{}}`, "elicitation", true},
		{`{"elicitation":{}}`, "elicitation.form", true},
		{`{"elicitation":{}}`, "elicitation.url", false},
		{`{"elicitation":{"x":1}}`, "elicitation.form", true},
		{`{"elicitation":{"url":{}}}`, "elicitation.form", false},
		{`{"elicitation":{"url":{}}}`, "elicitation.url", true},
		{`{"elicitation":{"form":{},"url":{}}}`, "elicitation.form", true},
		{`{"sampling":{"tools":{}}}`, "sampling.tools", true},
		{`{"sampling":{}}`, "elicitation.form", false},
		{`{}`, "elicitation", false},
		{``, "elicitation.form", false},
	} {
		if got := directory.Declares([]byte(c.capabilities), c.capability); got != c.want {
			t.Errorf("%s of %s: %v", c.capability, c.capabilities, got)
		}
	}
}
