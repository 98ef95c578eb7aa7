package client

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/app/home"
	"bridgekeeper/app/localapi"
	"bridgekeeper/app/localapi/localapitest"
	"bridgekeeper/app/sock"
	"bridgekeeper/app/wire"
)

// core serves a backend in memory until stop is called.
func core(t testing.TB, b localapi.Backend) (dial func(context.Context) (net.Conn, error), stop func()) {
	ln, dial := sock.Memory()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- localapi.Serve(ctx, ln, b, slog.New(slog.DiscardHandler)) }()
	return dial, func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	}
}

func code(err error) wire.Code {
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e.Code
	}
	return ""
}

func TestEveryUse(t *testing.T) {
	fake := localapitest.New()
	dial, stop := core(t, fake)
	defer stop()
	c := NewDialer(dial)
	defer c.Close()
	ctx := t.Context()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	entry := wire.Entry{Command: "x", Args: []string{"1"}, Env: map[string]string{"K": "v", "L": "w"}}
	ok(c.AddServer(ctx, wire.AddServer{Name: "a", Entry: entry}))
	if err := c.AddServer(ctx, wire.AddServer{Name: "a", Entry: entry}); code(err) != wire.CodeServerExists {
		t.Errorf("added twice: %v", err)
	}
	ok(c.EditServer(ctx, "a", wire.EditServer{Cwd: new("/x"), Env: map[string]*string{"K": nil, "M": new("")}}))
	e, _ := fake.Entry("a")
	if e.Cwd != "/x" || e.Command != "x" || len(e.Env) != 2 || e.Env["L"] != "w" {
		t.Errorf("entry %+v", e)
	}
	s, err := c.Snapshot(ctx)
	ok(err)
	if len(s.Servers) != 1 || s.Servers[0].Entry.Env["L"] != wire.Mask {
		t.Errorf("snapshot %+v", s)
	}
	ok(c.Act(ctx, "a", "restart"))
	if acts := fake.Acts(); len(acts) != 1 || acts[0] != "restart a" {
		t.Errorf("acts %v", acts)
	}
	tools, err := c.Tools(ctx, "a")
	ok(err)
	if len(tools) != 3 || tools[0].Seen != "a__echo" || !tools[0].ReadOnly {
		t.Errorf("tools %+v", tools)
	}
	result, err := c.Call(ctx, "a", wire.CallTool{Tool: "raw", Arguments: json.RawMessage(`{"result":{"z":1.0,"a":12345678901234567890}}`)})
	ok(err)
	if string(result) != `{"z":1.0,"a":12345678901234567890}` {
		t.Errorf("result %s", result)
	}
	if _, err := c.Call(ctx, "a", wire.CallTool{Tool: "reboot"}); code(err) != wire.CodeDenied || wire.AsError(err).Hint == "" {
		t.Errorf("call: %v", err)
	}
	host, err := c.AddHost(ctx, "cursor")
	ok(err)
	if host.Token != "bk_token-of-cursor" || host.URL == "" {
		t.Errorf("host %+v", host)
	}
	never, four := wire.PresetNever, 4
	ok(c.SetHost(ctx, "cursor", wire.EditHost{Ask: &never, AtOnce: &four}))
	if terms := fake.Snapshot().Hosts[0].Terms; terms.Ask != never || terms.Limits == nil || *terms.Limits != (wire.Limits{AtOnce: 4}) {
		t.Errorf("terms %+v", terms)
	}
	ok(c.RemoveHost(ctx, "cursor"))
	fake.Say("a", "stderr", "one")
	fake.Say("a", "stderr", "two")
	for name, want := range map[string]string{"a": "two", "": "two"} {
		var got []wire.LogLine
		ok(c.Logs(ctx, name, 1, false, func(l wire.LogLine) error { got = append(got, l); return nil }))
		if len(got) != 1 || got[0].Text != want {
			t.Errorf("logs of %q: %+v", name, got)
		}
	}
	if err := c.Logs(ctx, "b", 0, true, nil); code(err) != wire.CodeNoSuchServer {
		t.Errorf("logs: %v", err)
	}
	enough := errors.New("enough")
	if err := c.Logs(ctx, "a", 0, true, func(wire.LogLine) error { return enough }); err != enough {
		t.Errorf("logs: %v", err)
	}
	ok(c.RemoveServer(ctx, "a"))
}

// A window that was open while the core was updated stayed as it was for ever.
func TestWatchConnectsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := localapitest.New(), localapitest.New()
		second.Update(func(s *wire.Snapshot) { s.Core.PID = 2 })
		dial, stop := core(t, first)
		var now atomic.Pointer[func(context.Context) (net.Conn, error)]
		now.Store(&dial)
		c := NewDialer(func(ctx context.Context) (net.Conn, error) { return (*now.Load())(ctx) })
		ctx, cancel := context.WithCancel(t.Context())
		pids := make(chan int, 10)
		downs := make(chan error, 10)
		done := make(chan error, 1)
		go func() {
			done <- c.Watch(ctx,
				func(e wire.Event) error { pids <- e.Snapshot.Core.PID; return nil },
				func(err error) { downs <- err })
		}()
		if pid := <-pids; pid != 4242 {
			t.Errorf("first core %d", pid)
		}
		stop()
		if err := <-downs; code(err) != wire.CodeNotRunning {
			t.Errorf("down: %v", err)
		}
		dial, stop = core(t, second)
		defer stop()
		now.Store(&dial)
		if pid := <-pids; pid != 2 {
			t.Errorf("second core %d", pid)
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch: %v", err)
		}
		c.Close()
		if len(downs) != 0 {
			t.Errorf("told again: %v", <-downs)
		}
	})
}

func TestWatchEndsWithItsReader(t *testing.T) {
	dial, stop := core(t, localapitest.New())
	defer stop()
	enough := errors.New("enough")
	if err := NewDialer(dial).Watch(t.Context(), func(wire.Event) error { return enough }, nil); err != enough {
		t.Errorf("got %v", err)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Setenv(home.Env, filepath.Join(t.TempDir(), "nothing"))
	c, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Snapshot(t.Context())
	if code(err) != wire.CodeNotRunning || wire.AsError(err).Hint != "Start it with `bridgekeeper serve`." {
		t.Errorf("got %+v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Snapshot(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}

// Ctrl-C ended the command, and the tool went on working for nobody.
func TestACallCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := localapitest.New()
		if err := fake.AddServer(t.Context(), wire.AddServer{Name: "a"}); err != nil {
			t.Fatal(err)
		}
		dial, stop := core(t, fake)
		defer stop()
		c := NewDialer(dial)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := c.Call(ctx, "a", wire.CallTool{Tool: "hangs"})
			done <- err
		}()
		synctest.Wait()
		if n := fake.Hanging(); n != 1 {
			t.Errorf("%d calls", n)
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if n := fake.Hanging(); n != 0 {
			t.Errorf("%d calls after they were cancelled", n)
		}
	})
}

// The window's next question, a while after the first, was never answered: the
// limit on writing of the first still held for the connection.
func TestAConnectionIsUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial, stop := core(t, localapitest.New())
		defer stop()
		dials := 0
		c := NewDialer(func(ctx context.Context) (net.Conn, error) { dials++; return dial(ctx) })
		defer c.Close()
		for range 3 {
			if err := c.Act(t.Context(), "nothing", "start"); code(err) != wire.CodeNoSuchServer {
				t.Fatal(err)
			}
			if _, err := c.Snapshot(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(50 * time.Second)
		}
		if dials != 1 {
			t.Errorf("%d connections", dials)
		}
	})
}
