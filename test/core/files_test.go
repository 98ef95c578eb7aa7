//go:build unix

package core

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

// An application is connected by its file, dropped by itself, repaired, and gone
// without a trace.
func TestApplicationByItsFile(t *testing.T) {
	person := t.TempDir()
	t.Setenv("HOME", person)
	t.Setenv("XDG_CONFIG_HOME", "")
	file := filepath.Join(person, ".cursor", "mcp.json")
	const before = "{\n\t\"mcpServers\": {\n\t\t\"mine\": {\"command\": \"x\", \"n\": 1.10}\n\t}\n}"
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() string {
		t.Helper()
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	entry := func() int { t.Helper(); return answered(t, read()) }
	write(before)
	core := start(t, newHome(t), map[string]string{})
	look := func() wire.Application {
		t.Helper()
		var list []wire.Application
		if err := json.Unmarshal([]byte(cli(t, core, "host", "detect", "--json")), &list); err != nil {
			t.Fatal(err)
		}
		if len(list) != 1 || list[0].Name != "cursor" {
			t.Fatalf("found %+v", list)
		}
		return list[0]
	}
	if one := look(); !one.Installed || one.Servers != 1 || one.State != "" || one.File != file {
		t.Errorf("%+v", one)
	}
	if out := cli(t, core, "host", "connect", "cursor", "--dry-run"); !strings.Contains(out, "+++ "+file) || read() != before {
		t.Errorf("%s\n%s", out, read())
	}
	cli(t, core, "host", "connect", "cursor")
	connected := read()
	if got := entry(); got != http.StatusOK || look().State != "connected" {
		t.Errorf("%d, %+v", got, look())
	}
	write(before)
	if one := look(); one.State != "dropped" {
		t.Errorf("%+v", one)
	}
	cli(t, core, "host", "repair", "cursor")
	repaired := read()
	if got := entry(); got != http.StatusOK || repaired == connected {
		t.Errorf("after it was repaired: %d", got)
	}
	write(connected)
	if got := entry(); got != http.StatusUnauthorized {
		t.Errorf("the token before: %d", got)
	}
	write(repaired)
	cli(t, core, "host", "disconnect", "cursor")
	if read() != before {
		t.Errorf("after it was disconnected:\n%s", read())
	}
	write(repaired)
	if got := entry(); got != http.StatusUnauthorized {
		t.Errorf("after it was disconnected its token is still good: %d", got)
	}
	write("{ broken")
	if out, err := core.CLI(limit(t), "host", "connect", "cursor"); err == nil || read() != "{ broken" {
		t.Errorf("%s, %v; the file has %q", out, err, read())
	}
	if _, err := core.CLI(limit(t), "host", "undo", "cursor"); err == nil {
		t.Error("there was nothing to undo")
	}
}

// An application without a file gets a text, whose token is good until it is disconnected.
func TestApplicationByHand(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	core := start(t, newHome(t), map[string]string{})
	var e wire.EditedApplication
	if err := json.Unmarshal([]byte(cli(t, core, "host", "connect", "jetbrains", "--json")), &e); err != nil {
		t.Fatal(err)
	}
	if len(e.Paste) == 0 || answered(t, e.Paste[0].Text) != http.StatusOK {
		t.Fatalf("%+v", e)
	}
	cli(t, core, "host", "connect", "jetbrains", "--dry-run")
	if got := answered(t, e.Paste[0].Text); got != http.StatusOK {
		t.Errorf("after a dry run: %d", got)
	}
	cli(t, core, "host", "disconnect", "jetbrains")
	if got := answered(t, e.Paste[0].Text); got != http.StatusUnauthorized {
		t.Errorf("after it was disconnected: %d", got)
	}
}

// answered is the status that an application hears that does what its file says.
func answered(t *testing.T, file string) int {
	t.Helper()
	var f struct {
		MCPServers map[string]struct {
			URL     string
			Headers map[string]string
		}
	}
	if err := json.Unmarshal([]byte(file), &f); err != nil {
		t.Fatal(err)
	}
	one := f.MCPServers["bridgekeeper"]
	req, err := http.NewRequestWithContext(limit(t), http.MethodPost, one.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range one.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}
