package supervisor

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Options of a Supervisor.
type Options struct {
	Attach   Attach
	Log      *slog.Logger
	LogDir   string // of the servers' log files; "" keeps them in memory only
	StateDir string // of the orphan registry and cidfiles; "" does without
	Timings  Timings
	// Notify is called after any Status changed, without locks held, from several
	// goroutines. It must not block.
	Notify func()
}

// Supervisor runs the configured servers. All methods may be called from any
// goroutine.
type Supervisor struct {
	opts   Options
	keeper *keeper
	ready  chan struct{} // closed by Run: the orphans are swept, children may start
	loops  sync.WaitGroup

	// table is what Acquire reads: an immutable map, replaced under mu.
	table atomic.Pointer[map[Key]*instance]

	// giving is held while orders are given, so that they arrive in one order
	// everywhere; it is taken before mu, which is never held while a loop is waited for.
	giving sync.Mutex

	mu      sync.Mutex
	order   []string           // names in config order; guarded by mu, as are all below
	servers map[string]*server // also removed ones until their last instance has ended
	past    map[string]past    // of forgotten servers and instances
	closing bool
}

// server is one configured entry. Its fields are guarded by Supervisor.mu.
type server struct {
	spec    Spec
	log     *Log
	stopped bool // a person stopped it; nothing but a person starts it again
	removed bool // from the config
}

// past keeps numbers from being used twice in one run of the core.
type past struct {
	gen uint64 // highest generation of any forgotten instance of that server
	seq uint64 // of its log
}

// New builds a Supervisor; nothing starts before Run.
func New(opts Options) *Supervisor {
	opts.Timings = opts.Timings.withDefaults()
	if opts.Notify == nil {
		opts.Notify = func() {}
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.StateDir != "" { // its paths are given to children, who live elsewhere
		if dir, err := filepath.Abs(opts.StateDir); err == nil {
			opts.StateDir = dir
		}
	}
	s := &Supervisor{
		opts:    opts,
		keeper:  newKeeper(rand.Text(), opts.StateDir, opts.Log),
		ready:   make(chan struct{}),
		servers: make(map[string]*server),
		past:    make(map[string]past),
	}
	s.table.Store(&map[Key]*instance{})
	return s
}

// Run sweeps what an earlier run left, lets servers start, and, when ctx ends,
// ends all of them side by side. It returns when every child and every
// goroutine is gone. Call it once.
func (s *Supervisor) Run(ctx context.Context) error {
	s.keeper.sweep(ctx)
	close(s.ready)
	<-ctx.Done()
	s.giving.Lock()
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	for _, i := range *s.table.Load() {
		i.send(order{kind: orderForget, cause: errShutdown})
	}
	s.giving.Unlock()
	s.loops.Wait()
	s.keeper.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, srv := range s.servers {
		srv.log.close()
	}
	return nil
}

// Apply makes the running servers match specs, given in config order. Removed
// ones are stopped and then forgotten, changed ones restarted, equal ones left
// alone, except that a command that couldn't be run is tried again.
func (s *Supervisor) Apply(specs []Spec) {
	s.giving.Lock()
	defer s.giving.Unlock()
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return
	}
	wanted := make(map[string]bool, len(specs))
	s.order = s.order[:0]
	for _, spec := range specs {
		if wanted[spec.Server] {
			s.opts.Log.Warn("two servers have one name; the second is left out", "server", spec.Server)
			continue
		}
		wanted[spec.Server] = true
		s.order = append(s.order, spec.Server)
		s.noteLocked(clone(spec))
	}
	for name, srv := range s.servers {
		srv.removed = srv.removed || !wanted[name]
	}
	names := slices.Clone(s.order)
	s.mu.Unlock()

	for _, i := range *s.table.Load() {
		if !wanted[i.key.Server] {
			i.send(order{kind: orderForget, cause: errRemoved})
		}
	}
	for _, name := range names {
		s.configure(name)
	}
	s.opts.Notify()
}

// noteLocked takes a Spec into the books.
func (s *Supervisor) noteLocked(spec Spec) {
	srv := s.servers[spec.Server]
	if srv == nil {
		srv = &server{log: newLog(logPath(s.opts.LogDir, spec.Server), s.past[spec.Server].seq)}
		s.servers[spec.Server] = srv
	}
	if srv.removed || spec.off() {
		srv.stopped = false
	}
	srv.spec, srv.removed = spec, false
}

// configure tells a server's instances their Spec and makes the shared one if
// there is none.
func (s *Supervisor) configure(name string) {
	s.mu.Lock()
	spec := s.servers[name].spec
	list := s.instancesLocked(name)
	s.mu.Unlock()
	for _, i := range list {
		i.send(order{kind: orderApply, spec: scoped(spec, i.key)})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := Key{Server: name}
	if i := (*s.table.Load())[key]; i == nil || i.isGone() {
		s.addLocked(key, s.servers[name])
	}
}

// addLocked makes an instance and starts its loop.
func (s *Supervisor) addLocked(key Key, srv *server) *instance {
	next := maps.Clone(*s.table.Load())
	gen := s.past[key.Server].gen
	if old := next[key]; old != nil { // gone, but not forgotten yet
		gen = max(gen, old.view.Load().status.Gen)
	}
	i := newInstance(s, key, scoped(srv.spec, key), srv.log, gen)
	next[key] = i
	s.table.Store(&next)
	s.loops.Go(i.loop)
	return i
}

// forget is called by an instance's loop as its last act.
func (s *Supervisor) forget(i *instance, gen uint64) {
	s.mu.Lock()
	name := i.key.Server
	p := s.past[name]
	p.gen = max(p.gen, gen)
	s.past[name] = p
	if (*s.table.Load())[i.key] == i {
		next := maps.Clone(*s.table.Load())
		delete(next, i.key)
		s.table.Store(&next)
	}
	var dead *Log
	if srv := s.servers[name]; srv != nil && srv.removed && len(s.instancesLocked(name)) == 0 {
		p.seq = srv.log.lastSeq()
		s.past[name] = p
		delete(s.servers, name)
		dead = srv.log
	}
	s.mu.Unlock()
	if dead != nil {
		dead.close()
	}
	s.opts.Notify()
}

func (s *Supervisor) instancesLocked(name string) []*instance {
	var list []*instance
	for key, i := range *s.table.Load() {
		if key.Server == name {
			list = append(list, i)
		}
	}
	return list
}

// Start starts a server as a person's wish: a crash loop is forgotten. It
// returns when the order is taken.
func (s *Supervisor) Start(server string) error { return s.act(server, orderStart) }

// Stop stops all instances of a server; nothing but Start brings them back.
func (s *Supervisor) Stop(server string) error { return s.act(server, orderStop) }

// Restart ends a server and starts it again, also one that was stopped.
func (s *Supervisor) Restart(server string) error { return s.act(server, orderRestart) }

func (s *Supervisor) act(name string, kind orderKind) error {
	s.giving.Lock()
	defer s.giving.Unlock()
	s.mu.Lock()
	srv := s.servers[name]
	var err error
	switch {
	case srv == nil || srv.removed:
		err = fmt.Errorf("no server is named %s", name)
	case s.closing:
		err = errShutdown
	case kind != orderStop && srv.spec.off():
		state, _ := srv.spec.barred()
		err = fmt.Errorf("server %s: %s", name, barredReasons[state])
	}
	if err != nil {
		s.mu.Unlock()
		return err
	}
	srv.stopped = kind == orderStop
	list := s.instancesLocked(name)
	s.mu.Unlock()
	for _, i := range list {
		if i.key.Scope != "" && kind == orderStart {
			i.send(order{kind: orderAllow}) // copies start when they are used
			continue
		}
		i.send(order{kind: kind})
	}
	return nil
}

// Statuses returns all instances: servers in config order (then those still
// being removed), the shared one first, scopes in order.
func (s *Supervisor) Statuses() []Status {
	s.mu.Lock()
	rank := make(map[string]int, len(s.order))
	for n, name := range s.order {
		rank[name] = n
	}
	s.mu.Unlock()
	table := *s.table.Load()
	list := make([]Status, 0, len(table))
	for _, i := range table {
		list = append(list, i.status())
	}
	place := func(st *Status) int {
		if n, ok := rank[st.Key.Server]; ok {
			return n
		}
		return len(rank)
	}
	slices.SortFunc(list, func(a, b Status) int {
		if d := place(&a) - place(&b); d != 0 {
			return d
		}
		if a.Key.Server != b.Key.Server {
			return strings.Compare(a.Key.Server, b.Key.Server)
		}
		return strings.Compare(a.Key.Scope, b.Key.Scope)
	})
	return list
}

// Logs returns a server's log, nil when there is no such server.
func (s *Supervisor) Logs(server string) *Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	if srv := s.servers[server]; srv != nil {
		return srv.log
	}
	return nil
}
