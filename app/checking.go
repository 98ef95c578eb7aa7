package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"bridgekeeper/app/checkup"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/upstream"
	"bridgekeeper/supervisor"
)

const (
	slowStart = 5 * time.Second
	// slowEnd is just below the time after which a process gets SIGTERM.
	slowEnd   = 5500 * time.Millisecond
	askWait   = 10 * time.Second
	maxPages  = 100
	checkWait = 12 * time.Minute // a package runner may have to install first
)

// CheckServer runs a copy of a server and looks at it as its authors should
// (localapi.Adding).
func (a *App) CheckServer(ctx context.Context, name string, req wire.CheckServer) (*wire.CheckReport, error) {
	if _, err := a.entryOf(name); err != nil {
		return nil, err
	}
	if !a.ownHand(ctx) {
		return nil, &wire.Error{Code: wire.CodeNotAllowed, Message: "Only Bridgekeeper's own programs can check a server.", Hint: fmt.Sprintf("Use `bridgekeeper server check %s`.", name)}
	}
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	key := supervisor.Key{Server: name, Scope: "check-" + rand.Text()[:8]}
	a.remember(key, []byte("{}"))
	defer a.scopes.Delete(key)
	defer a.sup.Release(key)
	got, err := a.sup.Acquire(ctx, key)
	if err != nil {
		return nil, &wire.Error{Code: wire.CodeServerDown, Message: downSentence(name, err).Error(), Hint: fmt.Sprintf("See `bridgekeeper server logs %s`.", name)}
	}
	session := got.(*conversation).Session
	info := session.Info()
	r := &wire.CheckReport{Server: name, Title: info.Text("title"), Version: info.Text("version"), Protocol: info.Version, Findings: []wire.Finding{}}
	if r.Title == "" {
		r.Title = info.Text("name")
	}
	add := func(level, code, spec, mend, format string, args ...any) {
		r.Findings = append(r.Findings, wire.Finding{Level: level, Code: code, Text: fmt.Sprintf(format, args...), Mend: mend, Spec: spec})
	}
	st := a.statusOf(key)
	if took := st.Since.Sub(st.Started); took > 0 && !st.Started.IsZero() {
		r.StartMS = took.Milliseconds()
		if took > slowStart {
			add(wire.FindWarning, "slow-start", "2025-11-25, Lifecycle", "Answer initialize first, and load the rest later.", "It took %.1f s to answer initialize.", took.Seconds())
		}
	}
	for _, one := range []struct{ capability, method string }{{"tools", "tools/list"}, {"prompts", "prompts/list"}, {"resources", "resources/list"}} {
		if !info.Has(one.capability) {
			continue
		}
		within, stop := context.WithTimeout(ctx, askWait)
		items, err := pages(within, session.Request, one.method, one.capability)
		stop()
		if err != nil {
			add(wire.FindError, "capability", "2025-11-25, Lifecycle, Capability Negotiation", "Answer "+one.method+", or don't declare "+one.capability+".", "It declares %s, and %s fails: %s.", one.capability, one.method, err)
		}
		if one.capability == "tools" {
			r.Tools = len(items)
			r.Findings = append(r.Findings, checkup.Tools(items)...)
		}
	}
	if st := a.statusOf(key); st.Strays > 0 {
		add(wire.FindError, "stray-stdout", "2025-11-25, Transports, stdio", "Write logs to stderr.", "It wrote %d lines to stdout that are no messages.", st.Strays)
	}
	began := time.Now()
	a.sup.Release(key)
	if a.gone(ctx, key); time.Since(began) > slowEnd {
		add(wire.FindWarning, "stdin-close", "2025-11-25, Lifecycle, Shutdown", "End when stdin ends.", "It didn't end within %.0f s after its stdin was closed.", slowEnd.Seconds())
	}
	return r, nil
}

func (a *App) statusOf(key supervisor.Key) supervisor.Status {
	for _, st := range a.sup.Statuses() {
		if st.Key == key {
			return st
		}
	}
	return supervisor.Status{}
}

// gone waits until an instance that was released has no process.
func (a *App) gone(ctx context.Context, key supervisor.Key) {
	for {
		changed := a.news.next()
		if a.statusOf(key).PID == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// pages reads a list whole.
func pages(ctx context.Context, ask func(context.Context, string, []byte) (upstream.Reply, error), method, member string) (items []json.RawMessage, err error) {
	var params []byte
	for range maxPages {
		reply, err := ask(ctx, method, params)
		if err != nil {
			return items, err
		}
		if reply.Error.Ok() {
			text := fmt.Sprintf("it answered %.200s", reply.Bytes(reply.Error))
			reply.Free()
			return items, fmt.Errorf("%s", text)
		}
		var page map[string]json.RawMessage
		err = json.Unmarshal(reply.Bytes(reply.Result), &page)
		reply.Free()
		var more []json.RawMessage
		if err == nil {
			err = json.Unmarshal(page[member], &more)
		}
		if err != nil {
			return items, fmt.Errorf("its answer can't be read")
		}
		items = append(items, more...)
		var cursor string
		if json.Unmarshal(page["nextCursor"], &cursor) != nil || cursor == "" {
			return items, nil
		}
		params, _ = json.Marshal(map[string]string{"cursor": cursor}) // a text: it can't fail
	}
	return items, nil
}
