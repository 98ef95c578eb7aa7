package ui

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bridgekeeper/app/client"
	"bridgekeeper/app/localapi"
	"bridgekeeper/app/localapi/localapitest"
	"bridgekeeper/app/sock"
	"bridgekeeper/app/wire"
)

// served returns a client of a fake core in memory, and what ends that.
func served(t testing.TB, b localapi.Backend) (c *client.Client, stop func()) {
	ln, dial := sock.Memory()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- localapi.Serve(ctx, ln, b, slog.New(slog.DiscardHandler)) }()
	c = client.NewDialer(dial)
	return c, sync.OnceFunc(func() {
		c.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// rig is a model that runs against a fake core. Its lock stands for Fyne's goroutine.
type rig struct {
	*Model
	fake *localapitest.Fake
	mu   sync.Mutex
	end  func()
}

// on runs f as Fyne's goroutine would.
func (r *rig) on(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
}

func rigged(t *testing.T, servers ...string) *rig {
	r := &rig{fake: localapitest.New()}
	for _, name := range servers {
		add := wire.AddServer{Name: name, Entry: wire.Entry{Command: "x", Env: map[string]string{"KEY": "secret"}}}
		if err := r.fake.AddServer(t.Context(), add); err != nil {
			t.Fatal(err)
		}
	}
	c, stop := served(t, r.fake)
	r.Model = NewModel(c)
	r.cross = r.on
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx, false) })
	r.end = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		stop()
	})
	synctest.Wait()
	return r
}

func (r *rig) names() (names []string) {
	r.on(func() {
		for _, s := range r.Snapshot().Servers {
			names = append(names, s.Name)
		}
	})
	return names
}

func TestModelFollowsTheCore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rigged(t, "a")
		defer r.end()
		told := 0
		r.on(func() { r.Listen(func() { told++ }) })
		if got := r.names(); !slices.Equal(got, []string{"a"}) {
			t.Errorf("servers %v", got)
		}
		r.fake.Update(func(s *wire.Snapshot) { s.Core.Version = "9" })
		synctest.Wait()
		r.on(func() {
			if r.Snapshot().Core.Version != "9" || told == 0 || r.Down() != nil {
				t.Errorf("version %q, told %d times, down %v", r.Snapshot().Core.Version, told, r.Down())
			}
		})
	})
}

// The window said nothing when the core had died, and showed servers as running.
func TestModelTellsOfADeadCore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewModel(client.NewDialer(func(context.Context) (net.Conn, error) { return nil, errors.New("nobody there") }))
		var mu sync.Mutex
		m.cross = func(f func()) { mu.Lock(); defer mu.Unlock(); f() }
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { m.Run(ctx, false) })
		synctest.Wait()
		mu.Lock()
		if m.Down() == nil || m.Known() {
			t.Error("it says nothing")
		}
		mu.Unlock()
		cancel()
		running.Wait()
	})
}

func TestRemoveAndUndo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rigged(t, "a", "b")
		defer r.end()
		var failed error
		r.on(func() { r.Remove("a", func(err error) { failed = err }) })
		synctest.Wait()
		if got := r.names(); !slices.Equal(got, []string{"b"}) {
			t.Errorf("after Remove: %v", got)
		}
		time.Sleep(undoTime - time.Second)
		r.on(func() { r.Undo("a") })
		synctest.Wait()
		if got := r.names(); !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("after Undo: %v", got)
		}
		if e, ok := r.fake.Entry("a"); !ok || e.Env["KEY"] != "secret" || failed != nil {
			t.Errorf("the entry is %+v, %v", e, failed)
		}
		if got := r.fake.Acts(); !slices.Equal(got, []string{"stop a", "start a"}) {
			t.Errorf("orders: %v", got)
		}

		r.on(func() { r.Remove("a", func(err error) { failed = err }) })
		time.Sleep(undoTime + time.Second)
		synctest.Wait()
		if _, ok := r.fake.Entry("a"); ok || failed != nil {
			t.Errorf("it is still there, %v", failed)
		}
		r.on(func() { r.Undo("a") }) // too late: nothing happens
	})
}

// A server that was removed was back after the window had been closed at once.
func TestRemoveWhenTheWindowEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rigged(t, "a")
		r.on(func() { r.Remove("a", func(error) {}) })
		synctest.Wait()
		r.end()
		if _, ok := r.fake.Entry("a"); ok {
			t.Error("it is still there")
		}
	})
}

func TestKeepEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rigged(t)
		defer r.end()
		for range 3 * maxWork { // each gives its place back
			ended := make(chan struct{})
			stop := r.Keep(func(ctx context.Context, _ *client.Client) {
				<-ctx.Done()
				close(ended)
			})
			synctest.Wait()
			stop()
			stop()
			<-ended
			synctest.Wait()
		}
	})
}

// Every press of a button that a stuck core did not answer cost a goroutine.
func TestWorkIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rigged(t)
		defer r.end()
		let := make(chan struct{})
		busy := 0
		for range maxWork + 5 {
			r.on(func() {
				r.Do(func(context.Context, *client.Client) error { <-let; return nil }, func(err error) {
					if err == errBusy {
						busy++
					}
				})
			})
		}
		if busy != 5 {
			t.Errorf("%d were refused", busy)
		}
		close(let)
		synctest.Wait()
		done := false
		r.on(func() {
			r.Do(func(context.Context, *client.Client) error { return nil }, func(err error) { done = err == nil })
		})
		synctest.Wait()
		r.on(func() {
			if !done {
				t.Error("nothing goes any more")
			}
		})
	})
}
