//go:build unix

package shim

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/misbehave"
	"bridgekeeper/test/shipped"
)

const patience = 40 * time.Second

// bin and small are the core and the shim, in one folder.
var bin, small string

func TestMain(m *testing.M) {
	misbehave.Maybe()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if bin = os.Getenv("BRIDGEKEEPER_BIN"); bin == "" {
		dir, err := os.MkdirTemp("", "bk-shim-bin-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		build := exec.Command("go", "build", "-trimpath", "-o", dir, ".", "./app/stdio/bridgekeeper-stdio")
		build.Dir = filepath.Join("..", "..")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build the binaries: %v\n%s", err, out)
			return 1
		}
		bin = filepath.Join(dir, "bridgekeeper")
	}
	small = filepath.Join(filepath.Dir(bin), "bridgekeeper-stdio")
	if _, err := os.Stat(small); err != nil {
		fmt.Fprintf(os.Stderr, "the shim isn't beside the binary: %v\n", err)
		return 1
	}
	return m.Run()
}

// newHome is an installation with one echo server; what still runs of it at the
// test's end is ended.
func newHome(t *testing.T) string {
	t.Helper()
	home, err := os.MkdirTemp("", "bk-shim-")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]wire.Entry{"echo": {Command: self, Env: map[string]string{misbehave.Env: misbehave.EchoMode}}}})
	if err == nil {
		err = os.WriteFile(filepath.Join(home, "bridgekeeper.json"), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(home, "logs", "serve.log")) // there may be none
			t.Logf("the log of started cores:\n%s", log)
		}
		left, _ := shipped.Left(nil, home)
		for _, p := range left {
			syscall.Kill(p.PID, syscall.SIGKILL)
		}
		os.RemoveAll(home)
	})
	return home
}

// start runs a core that knows the host "h".
func start(t *testing.T, home string) *shipped.Core {
	t.Helper()
	core, err := shipped.Start(t.Context(), shipped.Options{Bin: bin, Home: home, Args: []string{"--answers", "allow"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(core.Kill)
	if _, err := core.AddHost(t.Context(), "h"); err != nil {
		t.Fatal(err)
	}
	return core
}

func command(home string, args ...string) *exec.Cmd {
	cmd := exec.Command(small, append([]string{"--host", "h"}, args...)...)
	cmd.Env = append(os.Environ(), "BRIDGEKEEPER_HOME="+home)
	return cmd
}

// connect connects the Go SDK's client through the shim.
func connect(t *testing.T, cmd *exec.Cmd, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "sdk", Version: "1"}, options).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func echo(t *testing.T, s *mcp.ClientSession, text string) (string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "echo__echo", Arguments: map[string]any{"text": text}})
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(res.Content)
	return string(b), err
}

func mustEcho(t *testing.T, s *mcp.ClientSession, text string) {
	t.Helper()
	if got, err := echo(t, s, text); err != nil || !strings.Contains(got, text) {
		t.Fatalf("got %s, %v", got, err)
	}
}

func TestHostOutlivesTheCore(t *testing.T) {
	// Each restart of a gateway meant to restart every application that used it.
	home := newHome(t)
	core := start(t, home)
	changed := make(chan struct{}, 10)
	cmd := command(home)
	s := connect(t, cmd, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} }})
	mustEcho(t, s, "before")
	for len(changed) > 0 {
		<-changed
	}
	core.Kill()
	mustEcho(t, s, "through a core that the shim started")
	select {
	case <-changed:
	case <-time.After(patience):
		t.Error("the host wasn't told that lists may differ")
	}
	status, err := core.Status(t.Context())
	if err != nil || status.Core.PID == core.PID {
		t.Fatalf("%+v, %v", status, err)
	}
	// It runs for itself: neither our end nor the shim's is its end.
	s.Close()
	if cmd.ProcessState == nil || !cmd.ProcessState.Success() {
		t.Errorf("the shim ended with %v", cmd.ProcessState)
	}
	if _, err := core.Status(t.Context()); err != nil {
		t.Errorf("the core ended with its shim: %v", err)
	}
	syscall.Kill(status.Core.PID, syscall.SIGTERM)
}

func TestTwoAtOnceStartOneCore(t *testing.T) {
	home := newHome(t)
	if err := start(t, home).Stop(); err != nil { // so that the host is known
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { mustEcho(t, connect(t, command(home), nil), "hello") })
	}
	all.Wait()
	log, err := os.ReadFile(filepath.Join(home, "logs", "serve.log"))
	if err != nil || strings.Count(string(log), "msg=\"server ready\"") != 1 || strings.Contains(string(log), "already") {
		t.Errorf("%v; the log:\n%s", err, log)
	}
}

// raw is a shim whose lines are the test's.
type raw struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startRaw(t *testing.T, cmd *exec.Cmd) *raw {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	r := &raw{t, cmd, in, bufio.NewScanner(out)}
	r.out.Buffer(nil, 8<<20)
	return r
}

func (r *raw) says(text string) {
	r.t.Helper()
	if _, err := io.WriteString(r.in, text+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

type message struct {
	ID     any
	Method string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func (r *raw) gets() (m message) {
	r.t.Helper()
	if !r.out.Scan() {
		r.t.Fatalf("the shim said no more: %v", r.out.Err())
	}
	if err := json.Unmarshal(r.out.Bytes(), &m); err != nil {
		r.t.Fatalf("stdout isn't pure: %q", r.out.Text())
	}
	return m
}

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"h","version":"1"}}}`

func TestOddLines(t *testing.T) {
	home := newHome(t)
	start(t, home)
	r := startRaw(t, command(home))
	r.says("\ufeff" + hello)
	if m := r.gets(); m.ID != "hello" || m.Result == nil {
		t.Fatalf("%+v", m)
	}
	r.says(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	tests := []struct {
		line string
		code int
	}{
		{"what is this", -32700},
		{`"text"`, -32600},
		{`{"jsonrpc":"2.0"}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}}`, -32602},
		{`{"jsonrpc":"2.0","id":2,"method":"no/such"}`, -32601},
	}
	for _, test := range tests {
		r.says("\r\n  " + test.line + " \r")
		m := r.gets()
		for m.Method != "" {
			m = r.gets() // news
		}
		if m.Error == nil || m.Error.Code != test.code {
			t.Errorf("%s: %+v, %+v", test.line, m, m.Error)
		}
	}
	large := strings.Repeat("x", 4<<20)
	r.says(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo__echo","arguments":{"text":"` + large + `"}}}`)
	if m := r.gets(); m.ID != 3.0 || len(m.Result) < len(large) {
		t.Errorf("%v: %d bytes", m.ID, len(m.Result))
	}
}

// Either era comes on the same pipe.
func TestModernHost(t *testing.T) {
	home := newHome(t)
	start(t, home)
	r := startRaw(t, command(home, "--server", "echo"))
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"h","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	r.says(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`)
	if m := r.gets(); m.ID != 1.0 || !strings.Contains(string(m.Result), "2026-07-28") {
		t.Errorf("%+v %s", m, m.Result)
	}
	r.says(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},` + meta + `}}`)
	if m := r.gets(); m.ID != 2.0 || !strings.Contains(string(m.Result), `"resultType":"complete"`) {
		t.Errorf("%+v %s", m, m.Result)
	}
}

// 10,000 calls, many at once, are each answered once.
func TestTenThousandMessages(t *testing.T) {
	const many, atOnce = 10_000, 200
	home := newHome(t)
	start(t, home)
	r := startRaw(t, command(home))
	r.says(hello)
	r.gets()
	r.says(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	var writer sync.WaitGroup
	turns := make(chan struct{}, atOnce)
	writer.Go(func() {
		for i := range many {
			turns <- struct{}{}
			r.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo__echo","arguments":{"text":"m"}}}`, i))
		}
	})
	seen, failed := make(map[float64]bool), 0
	for len(seen) < many {
		m := r.gets()
		if m.Method != "" {
			continue
		}
		id, _ := m.ID.(float64)
		if seen[id] {
			t.Fatalf("%v was answered twice", id)
		}
		seen[id] = true
		<-turns
		if m.Error != nil {
			failed++
		}
	}
	writer.Wait()
	if failed > 0 {
		t.Errorf("%d failed", failed)
	}
	r.in.Close()
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("the end of stdin: %v", err)
	}
}

// A server could have called every other server's tools, as the host of its choice.
func TestServersOwnProcessIsRefused(t *testing.T) {
	home := newHome(t)
	core := start(t, home)
	status, err := core.UntilReady(t.Context(), "echo")
	if err != nil {
		t.Fatal(err)
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", shipped.Server(status, "echo").PID))
	if err != nil {
		t.Skipf("SKIPPED: a server's mark can't be read here: %v", err)
	}
	cmd := command(home)
	for _, v := range strings.Split(string(environ), "\x00") {
		if strings.HasPrefix(v, "BRIDGEKEEPER_INSTANCE=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	r := startRaw(t, cmd)
	r.says(hello)
	if m := r.gets(); m.Error == nil || !strings.Contains(m.Error.Message, "server's own process") {
		t.Errorf("%+v", m)
	}
}

func TestUnknownHost(t *testing.T) {
	home := newHome(t)
	core, err := shipped.Start(t.Context(), shipped.Options{Bin: bin, Home: home})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(core.Kill)
	r := startRaw(t, command(home))
	r.says(hello)
	if m := r.gets(); m.Error == nil || !strings.Contains(m.Error.Message, "host add h") {
		t.Errorf("%+v", m)
	}
	if _, err := core.AddHost(t.Context(), "h"); err != nil {
		t.Fatal(err)
	}
	r.says(hello) // some hosts try again
	if m := r.gets(); m.Result == nil {
		t.Errorf("after it was let in: %+v", m.Error)
	}
	if _, err := core.CLI(t.Context(), "host", "remove", "h"); err != nil {
		t.Fatal(err)
	}
	r.says(`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
	m := r.gets()
	for m.Method != "" {
		m = r.gets()
	}
	if m.Error == nil {
		t.Errorf("after it was removed: %s", m.Result)
	}
}

func TestWordOfTheCommandLine(t *testing.T) {
	home := newHome(t)
	start(t, home)
	cmd := exec.Command(bin, "stdio", "--host", "h")
	cmd.Env = append(os.Environ(), "BRIDGEKEEPER_HOME="+home)
	mustEcho(t, connect(t, cmd, nil), "hello")
}

func TestBadFlags(t *testing.T) {
	for _, args := range [][]string{{"--hots", "x"}, {"extra"}, {"--host", "a b"}} {
		cmd := exec.Command(small, args...)
		cmd.Env = append(os.Environ(), "BRIDGEKEEPER_HOME="+t.TempDir())
		var out, says strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &says
		if err := cmd.Run(); err == nil || out.Len() > 0 || says.Len() == 0 {
			t.Errorf("%q: %v, stdout %q, stderr %q", args, err, out.String(), says.String())
		}
	}
}
