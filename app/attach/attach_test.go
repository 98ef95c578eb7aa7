package attach

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bridgekeeper/app/home"
	"bridgekeeper/app/localapi"
	"bridgekeeper/app/localapi/localapitest"
	"bridgekeeper/app/sock"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/httpd"
	"bridgekeeper/bridge/shim"
)

// The two ends have to say goodbye in the same word.
func TestGoodbye(t *testing.T) {
	if httpd.Goodbye != wire.LinesGoodbye {
		t.Errorf("the core says %q, the shim hears %q", httpd.Goodbye, wire.LinesGoodbye)
	}
}

func places(t *testing.T) home.Dirs {
	t.Helper()
	root, err := os.MkdirTemp("", "bk") // short, for the socket's name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	d, err := home.Find("linux", func(name string) string {
		if name == home.Env {
			return root
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// serve runs the real routes over a fake core.
func serve(t *testing.T, d home.Dirs) {
	t.Helper()
	ln, err := sock.Listen(d.Socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		localapi.Serve(ctx, ln, localapitest.New(), slog.New(slog.DiscardHandler))
	}()
	t.Cleanup(func() { cancel(); <-done })
}

func TestLinesBothWays(t *testing.T) {
	d := places(t)
	serve(t, d)
	conn, err := Attach{Dirs: d, Host: "zed"}.Dial(t.Context(), shim.How{First: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	io.WriteString(conn, "one\n")
	got, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || got != "one\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestRefusals(t *testing.T) {
	d := places(t)
	serve(t, d)
	_, err := Attach{Dirs: d, Host: "stranger"}.Dial(t.Context(), shim.How{})
	if _, ok := errors.AsType[*shim.Refused](err); !ok || err.Error() != `Bridgekeeper knows no host called "stranger". Let it in.` {
		t.Errorf("%T %v", err, err)
	}
}

func TestOddAnswers(t *testing.T) {
	tests := []struct {
		name, answer string
		final        bool
		want         string
	}{
		{"nothing", "", false, "it ended while this application connected"},
		{"no HTTP", "hello\r\n\r\n", false, `it answered "hello"`},
		{"another version's", "HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nnot found", false, "it may be of another version"},
		{"cut short", "HTTP/1.1 404 Not Found\r\nContent-Length: 900\r\n\r\nnot found", false, "it ended while"},
		{"a large one", "HTTP/1.1 404 Not Found\r\nContent-Length: 99999999\r\n\r\n", false, `it answered "HTTP/1.1 404 Not Found"`},
		{"passing", "HTTP/1.1 500 x\r\nContent-Length: 38\r\n\r\n" + `{"code":"internal","message":"Later."}`, false, "Later."},
		{"final", "HTTP/1.1 403 x\r\nContent-Length: 36\r\n\r\n" + `{"code":"denied","message":"Never."}`, true, "Never."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := places(t)
			ln, err := sock.Listen(d.Socket)
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			go func() {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				for in := bufio.NewReader(conn); ; {
					if line, err := in.ReadString('\n'); err != nil || line == "\r\n" {
						in.Discard(in.Buffered()) // its body; a socket that is closed with bytes unread resets
						break
					}
				}
				io.WriteString(conn, test.answer)
			}()
			_, err = Attach{Dirs: d, Host: "zed"}.Dial(t.Context(), shim.How{})
			_, final := errors.AsType[*shim.Refused](err)
			if err == nil || final != test.final || !strings.Contains(err.Error(), test.want) {
				t.Errorf("final %v, %v", final, err)
			}
		})
	}
}

func TestNobodyThere(t *testing.T) {
	_, err := Attach{Dirs: places(t), Host: "zed"}.Dial(t.Context(), shim.How{})
	if _, final := errors.AsType[*shim.Refused](err); err == nil || final || !strings.Contains(err.Error(), "isn't running") {
		t.Errorf("%T %v", err, err)
	}
}

// Two hosts that came up at the same moment started two cores.
func TestOneIsStarted(t *testing.T) {
	d := places(t)
	var starts atomic.Int32
	a := Attach{Dirs: d, Host: "zed", start: func(home.Dirs) error {
		starts.Add(1)
		time.AfterFunc(50*time.Millisecond, func() { serve(t, d) })
		return nil
	}}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			conn, err := a.Dial(t.Context(), shim.How{First: true, Start: true})
			if err != nil {
				t.Error(err)
				return
			}
			conn.Close()
		})
	}
	all.Wait()
	if n := starts.Load(); n != 1 {
		t.Errorf("%d cores were started", n)
	}
}

func TestStartFails(t *testing.T) {
	a := Attach{Dirs: places(t), Host: "zed", start: func(home.Dirs) error { return errors.New("no such program") }}
	_, err := a.Dial(t.Context(), shim.How{Start: true})
	if err == nil || !strings.Contains(err.Error(), "can't be started: no such program") {
		t.Error(err)
	}
}

func TestEnvironment(t *testing.T) {
	got := environ([]string{"PATH=/bin", "BRIDGEKEEPER_HOME=/x", "BRIDGEKEEPER_INSTANCE=abc", "A="})
	if want := []string{"PATH=/bin", "BRIDGEKEEPER_HOME=/x", "A="}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestLogBeginsAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "serve.log")
	if err := os.WriteFile(path, make([]byte, maxServeLog+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int64{1, 2} {
		f, err := OpenLog(path)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, "x")
		f.Close()
		if info, err := os.Stat(path); err != nil || info.Size() != want {
			t.Errorf("%v, %v", info.Size(), err)
		}
	}
}

var _ net.Conn = &ahead{}
