package bytes

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

const patience = 15 * time.Second // for an answer; a busy machine takes its time

// Eras of hosts and servers.
const (
	legacy = "legacy"
	modern = "modern"
)

// host is a raw HTTP client: every byte is the test's. One goroutine uses it.
type host struct {
	t       testing.TB
	url     string
	era     string
	session string
	client  *http.Client
	lastID  int
}

// connect begins as a host of that revision at one server's endpoint.
func connect(t testing.TB, url, version string) *host {
	t.Helper()
	h := &host{t: t, url: url, era: legacy, client: &http.Client{Timeout: patience}, lastID: 1000}
	if version == "2026-07-28" {
		h.era = modern
		return h
	}
	resp, body := h.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{"sampling":{"tools":{}},"elicitation":{"form":{}},"roots":{"listChanged":true}},"clientInfo":{"name":"raw","version":"1"}}}`, nil)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("initialize: HTTP %d %s", resp.StatusCode, body)
	}
	h.session = resp.Header.Get("Mcp-Session-Id")
	h.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil)
	return h
}

// meta is what every request of a modern host says in _meta.
const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"acme":1.0,"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}},"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1","x":1e2},`

// fill makes the entry's message as this host sends it.
func (h *host) fill(e *entry) string {
	id := e.id
	if id == "" {
		h.lastID++
		id = fmt.Sprint(h.lastID)
	}
	own := ""
	if h.era == modern {
		own = meta
	}
	return strings.NewReplacer("@ID@", id, "@TOKEN@", e.token, "@META@", own, "@MARK@", "case:"+e.name).Replace(e.message)
}

func (h *host) request(method, body string, e *entry) *http.Response {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.url, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if h.session != "" {
		req.Header.Set("Mcp-Session-Id", h.session)
	}
	if h.era == modern && e != nil {
		req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		req.Header.Set("Mcp-Method", encode(e.method))
		if e.target != "" {
			req.Header.Set("Mcp-Name", encode(e.target))
		}
	}
	resp, err := h.client.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	return resp
}

// encode escapes what a header can't carry.
func encode(value string) string {
	for _, c := range value {
		if c < ' ' || c > '~' {
			return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(value)) + "?="
		}
	}
	return value
}

func (h *host) post(body string, e *entry) (*http.Response, string) {
	h.t.Helper()
	resp := h.request(http.MethodPost, body, e)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return resp, string(raw)
}

// exchange sends a message and returns every message that came back, in order.
// A request among them is answered with the entry's reply.
func (h *host) exchange(body string, e *entry) (lines []string) {
	h.t.Helper()
	resp := h.request(http.MethodPost, body, e)
	defer resp.Body.Close()
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			h.t.Fatal(err)
		}
		return []string{string(raw)}
	}
	for r := bufio.NewReader(resp.Body); ; {
		line, err := nextEvent(r)
		if err != nil {
			return lines
		}
		lines = append(lines, line)
		var q struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal([]byte(line), &q) == nil && q.Method != "" && q.ID != nil {
			h.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, e.reply), nil)
		}
	}
}

// nextEvent returns the data of the next event that has some.
func nextEvent(r *bufio.Reader) (string, error) {
	var data bytes.Buffer
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return "", err
		}
		line = strings.TrimSuffix(line, "\n")
		if part, ok := strings.CutPrefix(line, "data:"); ok {
			data.WriteString(strings.TrimPrefix(part, " "))
		}
		if line == "" && data.Len() > 0 {
			return data.String(), nil
		}
	}
}
