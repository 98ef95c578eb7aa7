//go:build unix

package core

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/misbehave"
	"bridgekeeper/test/shipped"
)

// patience bounds every wait.
const patience = 60 * time.Second

var bin string

func TestMain(m *testing.M) {
	misbehave.Maybe()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if bin = os.Getenv("BRIDGEKEEPER_BIN"); bin == "" {
		dir, err := os.MkdirTemp("", "bk-core-bin-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		bin = filepath.Join(dir, "bridgekeeper")
		build := exec.Command("go", "build", "-o", bin, ".")
		build.Dir = filepath.Join("..", "..")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build the binary: %v\n%s", err, out)
			return 1
		}
	}
	return m.Run()
}

// newHome returns a short folder: a socket's name must fit.
func newHome(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("", "bk-core-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	return home
}

// start runs a core over home with these servers in its config: name -> mode.
func start(t *testing.T, home string, servers map[string]string, args ...string) *shipped.Core {
	t.Helper()
	if servers != nil {
		writeConfig(t, home, servers)
	}
	core, err := shipped.Start(t.Context(), shipped.Options{Bin: bin, Home: home, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		core.Kill()
		if t.Failed() {
			t.Logf("the core's log:\n%s", core.Log())
		}
	})
	return core
}

func writeConfig(t *testing.T, home string, servers map[string]string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	entries := make(map[string]wire.Entry)
	for name, mode := range servers {
		entries[name] = wire.Entry{Command: self, Env: map[string]string{misbehave.Env: mode}}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": entries})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "bridgekeeper.json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func writeText(t *testing.T, home, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(home, "bridgekeeper.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func limit(t *testing.T) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), patience)
	t.Cleanup(stop)
	return ctx
}

func ready(t *testing.T, core *shipped.Core, names ...string) *wire.Snapshot {
	t.Helper()
	snap, err := core.UntilReady(limit(t), names...)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func until(t *testing.T, core *shipped.Core, what string, ok func(*wire.Snapshot) bool) *wire.Snapshot {
	t.Helper()
	snap, err := core.Until(limit(t), what, ok)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func cli(t *testing.T, core *shipped.Core, args ...string) string {
	t.Helper()
	out, err := core.CLI(limit(t), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// host is a raw HTTP client with a legacy session: every byte is the test's.
type host struct {
	t       testing.TB
	url     string
	token   string
	session string
	client  *http.Client
}

// connect adds a host and opens a session at the path.
func connect(t *testing.T, core *shipped.Core, name, path string) *host {
	t.Helper()
	made, err := core.AddHost(limit(t), name)
	if err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, url: strings.TrimSuffix(made.URL, "/mcp") + path, token: made.Token, client: &http.Client{Timeout: patience}}
	h.begin()
	return h
}

func (h *host) begin() {
	h.t.Helper()
	h.session = ""
	resp, body := h.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	if resp.StatusCode != 200 {
		h.t.Fatalf("initialize: HTTP %d %s", resp.StatusCode, body)
	}
	h.session = resp.Header.Get("Mcp-Session-Id")
	h.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (h *host) request(ctx context.Context, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", h.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+h.token)
	if h.session != "" {
		req.Header.Set("Mcp-Session-Id", h.session)
	}
	return h.client.Do(req)
}

func (h *host) post(body string) (*http.Response, string) {
	h.t.Helper()
	resp, err := h.request(context.Background(), body)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return resp, string(raw)
}

// call runs a tool and returns the whole response message, also from an event
// stream.
func (h *host) call(tool, arguments string) string {
	h.t.Helper()
	_, body := h.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments))
	for line := range strings.SplitSeq(body, "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok && strings.Contains(data, `"id":"c"`) {
			body = data
		}
	}
	return body
}

// result is the raw result of a response for id "c".
func result(t *testing.T, body string) string {
	t.Helper()
	head := `{"jsonrpc":"2.0","id":"c","result":`
	if !strings.HasPrefix(body, head) {
		t.Fatalf("no result: %.300s", body)
	}
	return strings.TrimSuffix(strings.TrimPrefix(body, head), "}")
}
