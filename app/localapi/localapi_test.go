package localapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/app/localapi/localapitest"
	"bridgekeeper/app/sock"
	"bridgekeeper/app/wire"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func request(h http.Handler, method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w
}

func TestErrorsAreWireErrors(t *testing.T) {
	fake := localapitest.New()
	if err := fake.AddServer(t.Context(), wire.AddServer{Name: "a", Entry: wire.Entry{Command: "x"}}); err != nil {
		t.Fatal(err)
	}
	h := Handler(fake, quiet())
	big := `{"name":"` + strings.Repeat("x", maxBody) + `"}`
	for _, c := range []struct {
		method, path, body string
		status             int
		code               wire.Code
		says               string
	}{
		{"POST", "/v1/servers", `{"name":"a","entry":{"command":"x"}}`, 409, wire.CodeServerExists, "already"},
		{"POST", "/v1/servers", `{"name":"a b","entry":{"command":"x"}}`, 400, wire.CodeBadName, "a b"},
		{"POST", "/v1/servers", `{"name":"b","entry":{"comand":"x"}}`, 400, wire.CodeBadRequest, `no field "comand"`},
		{"POST", "/v1/servers", `{"name":7}`, 400, wire.CodeBadRequest, `"name" can't be a number`},
		{"POST", "/v1/servers", ``, 400, wire.CodeBadRequest, "empty"},
		{"POST", "/v1/servers", `{"name":`, 400, wire.CodeBadRequest, "unexpected EOF"},
		{"POST", "/v1/servers", `{} {}`, 400, wire.CodeBadRequest, "behind"},
		{"POST", "/v1/servers", big, 413, wire.CodeBodyTooLarge, "1 MiB"},
		{"PATCH", "/v1/servers/b", `{}`, 404, wire.CodeNoSuchServer, `"b"`},
		{"DELETE", "/v1/servers/b", ``, 404, wire.CodeNoSuchServer, `"b"`},
		{"POST", "/v1/servers/b/start", ``, 404, wire.CodeNoSuchServer, `"b"`},
		{"POST", "/v1/servers/a/explode", ``, 404, wire.CodeBadRequest, "POST /v1/servers/a/explode"},
		{"GET", "/v1/servers", ``, 404, wire.CodeBadRequest, "GET /v1/servers"},
		{"GET", "/v1/servers/b/tools", ``, 404, wire.CodeNoSuchServer, `"b"`},
		{"GET", "/v1/servers/b/logs", ``, 404, wire.CodeNoSuchServer, `"b"`},
		{"GET", "/v1/logs?lines=many", ``, 400, wire.CodeBadRequest, "lines"},
		{"GET", "/v1/logs?lines=-1", ``, 400, wire.CodeBadRequest, "lines"},
		{"GET", "/v1/logs?follow=perhaps", ``, 400, wire.CodeBadRequest, "follow"},
		{"POST", "/v1/servers/a/call", `{"tool":"reboot"}`, 403, wire.CodeDenied, "denied"},
		{"POST", "/v1/servers/a/call", `{"tool":"rpc"}`, 502, wire.CodeRPC, "-32602"},
		{"POST", "/v1/servers/a/call", `{"tool":"x"}`, 404, wire.CodeNoSuchTool, `"x"`},
		{"POST", "/v1/servers/a/call", `{"tool":"panics"}`, 500, wire.CodeInternal, "bug"},
		{"GET", "/v1/activity?limit=many", ``, 400, wire.CodeBadRequest, "limit"},
		{"GET", "/v1/activity?hots=x", ``, 400, wire.CodeBadRequest, `no filter "hots"`},
		{"GET", "/v1/activity/follow?since=yesterday", ``, 400, wire.CodeBadRequest, "since"},
		{"GET", "/v1/activity/follow?decision=maybe", ``, 400, wire.CodeBadRequest, "allow or deny"},
		{"GET", "/v1/activity/export", ``, 400, wire.CodeBadRequest, "jsonl or csv"},
		{"GET", "/v1/activity/export?format=csv&kind=x", ``, 400, wire.CodeBadRequest, "kind"},
		{"POST", "/v1/hosts", `{"name":""}`, 400, wire.CodeBadName, `""`},
		{"PATCH", "/v1/hosts/x", `{"ask":"never"}`, 404, wire.CodeNoSuchHost, `"x"`},
		{"PATCH", "/v1/hosts/x", `{"limits":{}}`, 400, wire.CodeBadRequest, `no field "limits"`},
		{"DELETE", "/v1/hosts/x", ``, 404, wire.CodeNoSuchHost, `"x"`},
	} {
		w := request(h, c.method, c.path, c.body)
		var e wire.Error
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
			t.Errorf("%s %s: %v in %q", c.method, c.path, err, w.Body)
		}
		if w.Code != c.status || e.Code != c.code || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s %s %.60s: %d %+v", c.method, c.path, c.body, w.Code, e)
		}
	}
}

func TestCallPassesBytesThrough(t *testing.T) {
	fake := localapitest.New()
	if err := fake.AddServer(t.Context(), wire.AddServer{Name: "a", Entry: wire.Entry{Command: "x"}}); err != nil {
		t.Fatal(err)
	}
	args := `{"z": 1.0, "a": 12345678901234567890, "s": "\u00e9"}`
	w := request(Handler(fake, quiet()), "POST", "/v1/servers/a/call", `{"tool":"echo","arguments":`+args+`}`)
	text, _ := json.Marshal(args)
	want := fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"big":12345678901234567890}`, text)
	if w.Code != 200 || w.Body.String() != want {
		t.Errorf("got %d %s, want %s", w.Code, w.Body, want)
	}
}

// serve runs the API in memory until the test ends.
func serve(t testing.TB, b Backend) (dial func(context.Context) (net.Conn, error), stop func()) {
	ln, dial := sock.Memory()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, ln, b, quiet()) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	}
	return dial, stop
}

func TestWatchStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := localapitest.New()
		dial, stop := serve(t, fake)
		defer stop()
		conn, err := dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "GET /v1/watch HTTP/1.1\r\nHost: x\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(resp.Body)
		next := func() string {
			t.Helper()
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			return line
		}
		if line := next(); !strings.Contains(line, `"seq":0`) {
			t.Errorf("first line %s", line)
		}
		fake.Update(func(s *wire.Snapshot) { s.Core.Sessions = 7 })
		if line := next(); !strings.Contains(line, `"seq":1`) || !strings.Contains(line, `"sessions":7`) {
			t.Errorf("second line %s", line)
		}
		before := time.Now()
		if line := next(); line != "\n" || time.Since(before) != keepAlive {
			t.Errorf("after %v: %q, want a sign of life", time.Since(before), line)
		}
	})
}

// A window that had stopped reading kept a goroutine and a growing queue in the core.
func TestASlowReaderIsDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := localapitest.New()
		dial, stop := serve(t, fake)
		defer stop()
		conn, err := dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "GET /v1/watch HTTP/1.1\r\nHost: x\r\n\r\n")
		synctest.Wait() // it writes into a pipe that nobody reads
		time.Sleep(writeTimeout + time.Second)
		synctest.Wait()
		if _, err := io.ReadAll(conn); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("read: %v", err) // an end, not a stream that goes on
		}
	})
}

func TestServeEndsWithEverythingItStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := localapitest.New()
		if err := fake.AddServer(t.Context(), wire.AddServer{Name: "a"}); err != nil {
			t.Fatal(err)
		}
		dial, stop := serve(t, fake)
		for _, start := range []string{
			"GET /v1/watch HTTP/1.1\r\nHost: x\r\n\r\n",
			"GET /v1/logs?follow=true HTTP/1.1\r\nHost: x\r\n\r\n",
			"POST /v1/servers/a/call HTTP/1.1\r\nHost: x\r\nContent-Length: 16\r\n\r\n{\"tool\":\"hangs\"}",
		} {
			conn, err := dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			go io.Copy(io.Discard, conn)
			io.WriteString(conn, start)
		}
		synctest.Wait()
		before := time.Now()
		stop()
		if took := time.Since(before); took > endTimeout {
			t.Errorf("took %v", took)
		}
		if _, err := dial(t.Context()); err == nil {
			t.Error("the listener is still open")
		}
	})
}

// Any account of the machine could start commands as the person who ran the core.
func TestOtherUsersAreRefused(t *testing.T) {
	ln, dial := sock.Memory()
	g := &guarded{Listener: ln, log: quiet(), check: func(net.Conn) error { return sock.ErrNotOurs }}
	accepted := make(chan error, 1)
	go func() {
		_, err := g.Accept()
		accepted <- err
	}()
	conn, err := dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("read: %v, want a closed connection", err)
	}
	ln.Close()
	if err := <-accepted; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept: %v", err)
	}
}

func TestServeOnARealSocket(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the folder's access list is the guard there")
	}
	path := filepath.Join(t.TempDir(), "s")
	ln, err := sock.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, ln, localapitest.New(), quiet()) }()
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return sock.Dial(ctx, path) }}}
	resp, err := client.Get("http://x/v1/snapshot")
	if err != nil {
		t.Fatal(err)
	}
	var s wire.Snapshot
	if err := json.NewDecoder(resp.Body).Decode(&s); err != nil || s.Core.PID != 4242 {
		t.Errorf("got %+v, %v", s, err)
	}
	resp.Body.Close()
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}
