package directory_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"bridgekeeper/bridge/bridgetest"
	"bridgekeeper/bridge/bridgetest/stage"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// host is a seat that remembers what it was told.
type host struct {
	testing.TB
	*directory.Seat
	dir *stage.Stage

	mu    sync.Mutex // guards the fields below
	news  []string
	heard chan struct{}
}

func sit(t testing.TB, dir *stage.Stage, endpoint string) *host {
	h := &host{TB: t, dir: dir, heard: make(chan struct{}, 1)}
	h.Seat = &directory.Seat{Endpoint: endpoint, Host: "desk", Session: "s", Version: rpc.V20250618, Listener: h}
	dir.Sit(h.Seat)
	return h
}

func (h *host) Notify(raw []byte)     { h.note(string(raw)) }
func (h *host) Changed(method string) { h.note(method) }

func (h *host) note(what string) {
	h.mu.Lock()
	h.news = append(h.news, what)
	h.mu.Unlock()
	select {
	case h.heard <- struct{}{}:
	default:
	}
}

// told waits until the host was told something that holds the part, and
// returns and forgets everything it was told.
func (h *host) told(part string) (all []string) {
	h.Helper()
	late := time.After(bridgetest.Patience)
	for {
		h.mu.Lock()
		all = h.news
		found := strings.Contains(strings.Join(all, "\n"), part)
		if found {
			h.news = nil
		}
		h.mu.Unlock()
		if found {
			return all
		}
		select {
		case <-h.heard:
		case <-late:
			h.Fatalf("never told %s, but %q", part, all)
		}
	}
}

func (h *host) silent() {
	h.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.news) > 0 {
		h.Errorf("told %q", h.news)
	}
}

// ask has the directory answer a request with id 1; the answer comes without
// what every answer has.
func (h *host) ask(method, params string) string {
	h.Helper()
	return h.askContext(context.Background(), method, params)
}

func (h *host) askContext(ctx context.Context, method, params string) string {
	h.Helper()
	m, err := rpc.Scan(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params))
	if err != nil {
		h.Fatal(err)
	}
	answer := h.dir.Handle(ctx, &directory.Request{Seat: h.Seat, Message: &m})
	defer answer.Free()
	out := string(answer.Append(nil, []byte("1")))
	out, ok := strings.CutPrefix(out, `{"jsonrpc":"2.0","id":1,`)
	if !ok {
		h.Errorf("answer %s", out)
	}
	return strings.TrimSuffix(out, "}")
}

func (h *host) want(what, got, want string) {
	h.Helper()
	if got != want {
		h.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}
