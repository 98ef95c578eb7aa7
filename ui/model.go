package ui

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"fyne.io/fyne/v2"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

const (
	// maxWork is how many requests run at once. A person starts them by hand; more
	// means that the core has stopped answering.
	maxWork = 32
	// undoTime is how long a removal can be taken back: time to read one line.
	undoTime = 8 * time.Second
	// goodbye is how long the end waits for removals that were still pending.
	goodbye = 3 * time.Second
)

var errBusy = &wire.Error{Code: wire.CodeNotRunning, Message: "Bridgekeeper has too much to do at the moment",
	Hint: "Wait until it has answered, or look whether the core still runs."}

// Model is what the window knows of the core, and the one place where news
// crosses to Fyne's goroutine. Its fields below cross belong to that goroutine.
type Model struct {
	core *client.Client
	work chan func(context.Context) // taken by Run, which waits for all of it
	free chan struct{}              // one token for each request that may still begin

	cross func(func()) // runs a function on Fyne's goroutine
	// inline makes Do finish before it returns, for tests of pages.
	inline bool

	snap     *wire.Snapshot // nil until the first one has come
	down     *wire.Error    // why there is no connection; nil when there is one
	watchers []func()
	removing map[string]*removal
	notice   func(wire.Notice)
	show     func(page string)
}

// removal is a server that is about to be removed: nobody sees it any more.
type removal struct {
	ran  bool // it is started again when the removal is taken back
	undo chan struct{}
}

// NewModel returns a model of the core that c talks to. It does nothing before Run.
func NewModel(c *client.Client) *Model {
	m := &Model{core: c, work: make(chan func(context.Context), maxWork), free: make(chan struct{}, maxWork),
		cross: fyne.Do, removing: map[string]*removal{}}
	for range maxWork {
		m.free <- struct{}{}
	}
	return m
}

// Run follows the core until ctx ends and returns when everything that the
// window had started has ended.
func (m *Model) Run(ctx context.Context, attend bool) {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { m.watch(ctx, attend) })
	for {
		select {
		case <-ctx.Done():
			return
		case work := <-m.work:
			running.Go(func() { work(ctx) })
		}
	}
}

func (m *Model) watch(ctx context.Context, attend bool) {
	watch := m.core.Watch
	if attend {
		watch = m.core.Attend
	}
	_ = watch(ctx, func(e wire.Event) error { // it ends with ctx alone
		m.cross(func() { m.take(e) })
		return nil
	}, func(err error) {
		m.cross(func() {
			m.down = wire.AsError(err)
			m.changed()
		})
	})
}

func (m *Model) take(e wire.Event) {
	switch {
	case e.Snapshot != nil:
		m.Apply(e.Snapshot)
	case e.Notice != nil && m.notice != nil:
		m.notice(*e.Notice)
	case e.Show != "" && m.show != nil:
		m.show(e.Show)
	}
}

// Apply makes s the current snapshot.
func (m *Model) Apply(s *wire.Snapshot) {
	m.snap, m.down = s, nil
	m.changed()
}

// Listen calls f on Fyne's goroutine after every change.
func (m *Model) Listen(f func()) { m.watchers = append(m.watchers, f) }

func (m *Model) changed() {
	for _, f := range m.watchers {
		f()
	}
}

// Snapshot returns what is known; it is never nil. Servers that are being
// removed are not in it.
func (m *Model) Snapshot() *wire.Snapshot {
	switch {
	case m.snap == nil:
		return &wire.Snapshot{}
	case len(m.removing) == 0:
		return m.snap
	}
	s := *m.snap
	s.Servers = slices.DeleteFunc(slices.Clone(s.Servers), func(one wire.Server) bool { return m.removing[one.Name] != nil })
	return &s
}

// Known reports whether a snapshot has come yet.
func (m *Model) Known() bool { return m.snap != nil }

// Down returns why there is no connection, nil when there is one.
func (m *Model) Down() *wire.Error { return m.down }

// Server returns one server of the snapshot.
func (m *Model) Server(name string) (wire.Server, bool) {
	servers := m.Snapshot().Servers
	i := slices.IndexFunc(servers, func(s wire.Server) bool { return s.Name == name })
	if i < 0 {
		return wire.Server{}, false
	}
	return servers[i], true
}

// Do runs work beside Fyne's goroutine and then, on it, then, with what work
// returned. then isn't called when the window ends first.
func (m *Model) Do(work func(context.Context, *client.Client) error, then func(error)) {
	if m.inline {
		then(work(context.Background(), m.core))
		return
	}
	select {
	case <-m.free:
	default:
		then(errBusy)
		return
	}
	m.work <- func(ctx context.Context) {
		err := work(ctx, m.core)
		m.free <- struct{}{}
		if ctx.Err() == nil {
			m.cross(func() { then(err) })
		}
	}
}

// Keep runs work, which goes on until its context ends, and returns what ends it.
func (m *Model) Keep(work func(context.Context, *client.Client)) (stop func()) {
	if m.inline {
		return func() {}
	}
	stopped := make(chan struct{})
	select {
	case <-m.free:
	default:
		return func() {}
	}
	m.work <- func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		release := make(chan struct{})
		go func() { // waited for by release
			defer close(release)
			select {
			case <-stopped:
				cancel()
			case <-ctx.Done():
			}
		}()
		work(ctx, m.core)
		cancel()
		<-release
		m.free <- struct{}{}
	}
	return sync.OnceFunc(func() { close(stopped) })
}

// Remove stops a server at once, and removes it for good after undoTime unless
// Undo takes that back. then hears how it went, nil when it was undone.
func (m *Model) Remove(name string, then func(error)) {
	s, ok := m.Server(name)
	if !ok {
		return
	}
	r := &removal{undo: make(chan struct{}), ran: running(s)}
	m.removing[name] = r
	m.changed()
	m.Do(func(ctx context.Context, c *client.Client) error { return r.carryOut(ctx, c, name) }, func(err error) {
		if m.removing[name] == r { // not undone, and not begun anew since
			delete(m.removing, name)
		}
		m.changed()
		then(err)
	})
}

// Undo takes a removal back, as long as it isn't carried out.
func (m *Model) Undo(name string) {
	if r := m.removing[name]; r != nil {
		delete(m.removing, name)
		close(r.undo)
		m.changed()
	}
}

func (r *removal) carryOut(ctx context.Context, c *client.Client, name string) error {
	if r.ran {
		if err := c.Act(ctx, name, "stop"); err != nil {
			return err
		}
	}
	timer := time.NewTimer(undoTime)
	defer timer.Stop()
	select {
	case <-r.undo:
		if !r.ran {
			return nil
		}
		return c.Act(ctx, name, "start")
	case <-timer.C:
	case <-ctx.Done():
		// The window ends: what the person wanted is still done.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), goodbye)
		defer cancel()
	}
	err := c.RemoveServer(ctx, name)
	if e, ok := errors.AsType[*wire.Error](err); ok && e.Code == wire.CodeNoSuchServer {
		return nil // somebody else removed it
	}
	return err
}

// running reports whether a server has a process, or will have one again.
func running(s wire.Server) bool {
	switch s.State {
	case stateStarting, stateReady, stateBackoff:
		return true
	}
	return false
}
