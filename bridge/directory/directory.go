package directory

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// Upstreams is where running sessions come from.
type Upstreams interface {
	// Session returns the session of the server's instance for scope, waiting
	// for one that starts. Its error is a sentence for a person or a model.
	Session(ctx context.Context, server string, scope Scope) (*upstream.Session, error)
	// Release ends the instance of a scope that nobody needs any more.
	Release(server string, scope Scope)
}

// Asker is the calling host's end of a call, where it can be asked.
type Asker interface {
	// Declares reports a client capability, such as "elicitation" or "elicitation.url".
	Declares(capability string) bool
	// Ask passes a server's question to the host and waits for its answer.
	Ask(ctx context.Context, m *rpc.Message) (result []byte, refused *rpc.Error)
}

// Question is what a server asks in the middle of a call.
type Question struct {
	Server  string
	Host    string // whose call it is; "" when that isn't known
	About   upstream.About
	Asker   Asker // the calling host's end; nil when it can't be asked
	Shared  bool  // the instance serves many hosts, and the wire doesn't say whose question it is
	Message *rpc.Message
}

// Attempt is one tool call on its way to the gate.
type Attempt struct {
	Host       string
	Session    string // the host's session; "" on the modern wire
	Server     string
	Tool       string          // the server's own name
	ReadOnly   bool            // the tool says so itself
	Known      bool            // the tool is on the server's list
	Gone       <-chan struct{} // closed when the server's session has ended; nil: it doesn't
	Definition []byte          // raw; nil when it isn't
	Arguments  []byte          // raw; nil when absent
}

// Gate decides which calls run and keeps the record of them.
type Gate interface {
	// Begin says whether the call may run, after asking a person where that is
	// needed. When it may, End must follow. It doesn't keep the attempt's bytes.
	Begin(ctx context.Context, a *Attempt) Pass
	// End records how a passed call ended: ok, tool_error, error, cancelled,
	// refused, server_down, unknown.
	End(pass uint64, outcome string, bytes int, took time.Duration)
}

// kind is one of the four lists of a server.
type kind int

const (
	tools kind = iota
	prompts
	resources
	templates
	kinds
	// news is no list: the job that keeps a modern server's subscriptions/listen.
	news
)

// Bounds of what a server may list.
const (
	maxPages  = 1000     // a cursor that never ends must end somewhere
	maxItems  = 20_000   // over this no host could use the list
	maxBytes  = 64 << 20 // of all pages together, as of one message
	listLimit = 2 * time.Minute
	// retryAfter is the least time between two tries at a list that failed.
	retryAfter = 10 * time.Second
)

// Options are what a Directory is built with.
type Options struct {
	Upstreams Upstreams
	Gate      Gate
	Log       *slog.Logger
	Name      string // our own serverInfo
	Version   string
	// Sharing says who shares an instance of the server; nil means all do.
	Sharing func(server string) Sharing
	// Screen says why no host may see a tool, "" when hosts may; nil: all may. It is
	// asked for every tool at every change, and must be quick.
	Screen func(server, tool string, definition []byte) string
	// Question answers a question that a modern server put into a result.
	Question func(ctx context.Context, q *Question) (result []byte, refused *rpc.Error)
	// Capabilities says what a modern server is told a host can do, and whether its
	// questions are answered here rather than by the host; nil: what the host says.
	Capabilities func(host, server string, own []byte) (told []byte, here bool)
	// Cache is the folder in which lists are kept over restarts; "" keeps none.
	Cache string
	// Fingerprint tells what runs as the server: lists kept of something else
	// don't count.
	Fingerprint func(server string) string
	// Changed is called after the published view changed; it must not block.
	Changed func()
}

// Directory merges the servers into what hosts see.
type Directory struct {
	opts Options
	view atomic.Pointer[View] // immutable; replaced under mu

	mu      sync.Mutex // guards everything below
	order   []string   // config order
	servers map[string]*server
	seats   map[*Seat]struct{}
	dirty   map[job]progress // lists to read; each is read by one goroutine at a time
	wake    chan struct{}
	// screened counts the times that Screen's answers may have changed.
	screened int

	held  *holds
	tasks *tasks
	cache *cache
}

// server is the mutable side of one entry, guarded by Directory.mu.
type server struct {
	name    string
	session *upstream.Session
	pending bool // starts for the first time: requests wait a little for lists never read
	info    *upstream.Info
	lists   [kinds]list
	subs    map[subscription]*booking
	tasks   map[subscription]int // tasks that modern hosts want to hear of, by count of seats
	level   string               // the log level last set at this session
	// scoped are the sessions of instances that are not shared, by scope, and
	// levels what was last set there.
	scoped map[string]*upstream.Session
	levels map[string]levelSet
	// listening are the subscriptions/listen at a modern server's instances.
	listening map[string]*listening
}

type list struct {
	items  []item
	known  bool      // read once, in this run or (from the cache) in an earlier one
	failed string    // why the last read failed; "" when it didn't
	readAt time.Time // of the last try
}

type job struct {
	server string
	kind   kind
	scope  string // of news only; "" is the shared instance
}

// progress is how far a job is.
type progress int

const (
	queued  progress = iota
	running          // being read now
	again            // being read now, and once more afterwards
)

// New returns a Directory without servers. Run must be running for lists to be read.
func New(opts Options) *Directory {
	d := &Directory{
		opts:    opts,
		servers: make(map[string]*server),
		seats:   make(map[*Seat]struct{}),
		dirty:   make(map[job]progress),
		wake:    make(chan struct{}, 1),
		held:    newHolds(),
		tasks:   newTasks(),
		cache:   newCache(opts.Cache, opts.Log),
	}
	d.view.Store(&View{changed: make(chan struct{})})
	d.publishLocked() // nobody else knows d yet
	return d
}

// View returns what hosts see now.
func (d *Directory) View() *View { return d.view.Load() }

// Configure sets the servers, in config order. A server that is gone loses its
// lists; pending ones are about to start, and have the lists they had last time
// until they are read. Its calls must not overlap.
func (d *Directory) Configure(names []string, pending func(name string) bool) {
	kept := d.loadKept(names, pending)
	d.mu.Lock()
	d.order = slices.Clone(names)
	for name := range d.servers {
		if !slices.Contains(names, name) {
			delete(d.servers, name)
			d.unbookLocked(name)
			d.cache.keep(name, nil)
		}
	}
	for _, name := range names {
		if d.servers[name] == nil {
			s := newServer(name, pending(name))
			s.lists = kept[name]
			d.servers[name] = s
		}
	}
	changed := d.publishLocked()
	d.mu.Unlock()
	d.tasks.drop(func(t *task) bool { return !slices.Contains(names, t.server) })
	d.announce(changed)
}

// loadKept reads the kept lists of the servers that are new and about to start.
func (d *Directory) loadKept(names []string, pending func(name string) bool) map[string][kinds]list {
	v, kept := d.View(), make(map[string][kinds]list)
	for _, name := range names {
		if v.servers[name] == nil && pending(name) {
			kept[name] = d.cache.load(name, d.fingerprint(name))
		}
	}
	return kept
}

func (d *Directory) fingerprint(server string) string {
	if d.opts.Fingerprint == nil {
		return ""
	}
	return d.opts.Fingerprint(server)
}

// Ready tells that a server's shared instance has a new session: its lists are
// read, and subscriptions and the log level are set again.
func (d *Directory) Ready(name string, session *upstream.Session) {
	d.mu.Lock()
	s := d.servers[name]
	if s == nil {
		d.mu.Unlock()
		return
	}
	s.session = session
	s.info = session.Info()
	s.level = ""
	for k := range kinds {
		// Also a server that was stopped before: what it offers is unknown again.
		s.pending = s.pending || s.lists[k].readAt.IsZero()
		d.soonLocked(job{server: name, kind: k})
	}
	if s.info.Era == upstream.Modern {
		d.soonLocked(job{server: name, kind: news})
	}
	changed := d.publishLocked()
	d.mu.Unlock()
	d.announce(changed)
	d.poke()
}

// ReadyFor tells that an instance of one host or session has a new session:
// no list is read from it, but what its hosts wish to hear of is asked for again.
func (d *Directory) ReadyFor(name, scope string, session *upstream.Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.servers[name]; s != nil {
		s.scoped[scope] = session
		d.soonLocked(job{name, news, scope})
		d.poke()
	}
}

// DownFor tells that such an instance's session has ended.
func (d *Directory) DownFor(name, scope string, session *upstream.Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.servers[name]; s != nil && s.scoped[scope] == session {
		delete(s.scoped, scope)
		delete(s.levels, scope)
		delete(s.listening, scope)
	}
}

func newServer(name string, pending bool) *server {
	return &server{name: name, pending: pending, subs: make(map[subscription]*booking), tasks: make(map[subscription]int),
		scoped: make(map[string]*upstream.Session), levels: make(map[string]levelSet), listening: make(map[string]*listening)}
}

// Down tells that a session of the server's shared instance has ended; a newer
// one is not touched. The lists stay: a restart usually brings the same ones back.
func (d *Directory) Down(name string, session *upstream.Session) {
	d.mu.Lock()
	if s := d.servers[name]; s != nil && s.session == session {
		s.session = nil
	}
	d.mu.Unlock()
	d.Settled(name)
}

// Settled tells that a server without a session won't have one soon: nobody
// waits for its lists. It does nothing where that is known.
func (d *Directory) Settled(name string) {
	d.withoutSession(name, func(s *server) bool {
		was := s.pending
		s.pending = false
		return was
	})
}

// Forget drops the lists of a server that a person stopped. It does nothing
// while there is a session, or where there are none.
func (d *Directory) Forget(name string) {
	d.withoutSession(name, func(s *server) bool {
		was := s.pending
		s.pending = false
		for k := range kinds {
			was = was || s.lists[k].items != nil || s.lists[k].failed != ""
		}
		s.lists = [kinds]list{}
		return was
	})
}

// withoutSession publishes what change did to a server that has no session.
func (d *Directory) withoutSession(name string, change func(*server) (changed bool)) {
	d.mu.Lock()
	var told changes
	if s := d.servers[name]; s != nil && s.session == nil && change(s) {
		told = d.publishLocked()
	}
	d.mu.Unlock()
	d.announce(told)
}

func (d *Directory) soonLocked(j job) {
	if at, there := d.dirty[j]; there && at != queued {
		d.dirty[j] = again
		return
	}
	d.dirty[j] = queued
}

func (d *Directory) poke() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Run reads lists that changed, until ctx ends. Servers don't wait for each
// other: one that never answers holds up its own lists only.
func (d *Directory) Run(ctx context.Context) error {
	var workers, writer sync.WaitGroup
	servers, stop := d.View().order, make(chan struct{})
	writer.Go(func() { d.cache.run(stop, servers) })
	defer writer.Wait()
	defer close(stop) // when nobody has lists to keep any more
	defer workers.Wait()
	defer d.held.end()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-d.wake:
		}
		for _, j := range d.takeJobs() {
			if j.kind == news {
				d.finished(j) // the next one replaces it while it is open
				workers.Go(func() { d.listen(ctx, j.server, j.scope) })
				continue
			}
			workers.Go(func() { d.refresh(ctx, j) })
		}
	}
}

// takeJobs marks what must be read as being read.
func (d *Directory) takeJobs() (jobs []job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for j, at := range d.dirty {
		if at == queued {
			d.dirty[j] = running
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// refresh reads one list and publishes it.
func (d *Directory) refresh(ctx context.Context, j job) {
	d.mu.Lock()
	s := d.servers[j.server]
	if s == nil || s.session == nil {
		d.mu.Unlock()
		d.finished(j)
		return
	}
	session := s.session
	d.mu.Unlock()

	fresh := list{known: true, readAt: time.Now()}
	fingerprint := d.fingerprint(j.server)
	ctx, stop := context.WithTimeout(ctx, listLimit)
	defer stop()
	items, err := fetch(ctx, session, j.kind)
	if err != nil {
		fresh.failed = err.Error()
		d.opts.Log.Warn("list not read", "server", j.server, "list", listMethods[j.kind], "err", err)
	}
	fresh.items = items

	d.mu.Lock()
	var changed changes
	if now := d.servers[j.server]; now == s && s.session == session {
		if err != nil {
			was := s.lists[j.kind] // the last good list is better than none
			fresh.items, fresh.known = was.items, was.known
		}
		s.lists[j.kind] = fresh
		d.cache.keep(j.server, &record{fingerprint, s.lists})
		changed = d.publishLocked()
	}
	d.mu.Unlock()
	d.announce(changed)
	d.finished(j)
	if j.kind == resources {
		d.applyLevel(ctx, j.server)
		d.restore(ctx, j.server, "", session)
	}
}

// finished takes a job off, or queues it when its list changed meanwhile.
func (d *Directory) finished(j job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dirty[j] != again {
		delete(d.dirty, j)
		return
	}
	d.dirty[j] = queued
	d.poke()
}
