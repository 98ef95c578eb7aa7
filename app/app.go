package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"bridgekeeper/app/activity"
	"bridgekeeper/app/ask"
	"bridgekeeper/app/config"
	"bridgekeeper/app/elicit"
	"bridgekeeper/app/home"
	"bridgekeeper/app/hostcfg"
	"bridgekeeper/app/hosts"
	"bridgekeeper/app/localapi"
	"bridgekeeper/app/mcpb"
	"bridgekeeper/app/policy"
	"bridgekeeper/app/sampling"
	"bridgekeeper/app/sock"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/httpd"
	"bridgekeeper/supervisor"
)

// Name is what we call ourselves on the wire.
const Name = "bridgekeeper"

// Options are how a core is run.
type Options struct {
	Version string
	Port    int    // of the endpoint; 0 takes any free one, negative the one used before, or DefaultPort
	Answers string // tty, allow or deny: what happens to calls that need an answer
	Open    bool   // no token is asked for
	// LegacySSE serves hosts on the HTTP+SSE transport of 2024-11-05, too.
	LegacySSE bool
	// Examples adds the two example servers when the config has no server yet.
	Examples bool
	// Window is the command that shows windows, with its arguments; nil: there is
	// none. Questions open it with AnswerWindow.
	Window   []string
	Stdin    io.Reader // of the terminal that answers (Answers tty)
	Terminal io.Writer
	Log      *slog.Logger
	Timings  supervisor.Timings // zero: the product's; tests shorten them
	// Up is called once when the core can be used. Problems that a person
	// should know are in warnings; token is set when Examples made one.
	Up func(core wire.Core, token string)
}

// App is one running core.
type App struct {
	opts    Options
	dirs    home.Dirs
	started time.Time
	person  string // the folder that ~ stands for

	config   *config.Store
	hosts    *hosts.Store
	files    *hostcfg.Store // what we wrote into applications' files
	filesMu  sync.Mutex     // one change of those with its token at a time
	activity *activity.Log
	gate     *gate
	queue    *ask.Queue
	terminal *terminal // only with AnswerTTY
	rules    atomic.Pointer[policy.Rules]
	pins     *policy.Pins
	shelf    *shelf
	reviews  *reviews
	hold     *hold
	secrets  secrets
	metrics  *metrics
	traces   *traces
	face     *face
	budget   *sampling.Budget
	drafts   *drafts     // servers that aren't added yet
	origins  *origins    // where servers came from
	bundles  *mcpb.Store // unpacked
	addMu    sync.Mutex  // one server is added or updated at a time
	vault    vault       // keeps secrets; nil: they stand in the config
	sup      *supervisor.Supervisor
	dir      *directory.Directory
	door     *httpd.Server
	seen     *sightings
	news     *news
	url      string
	warnings []string // of the start; constant afterwards

	inspected sync.Map       // server -> inspected: what is odd in its instructions
	anewSince sync.Map       // server -> time.Time at which a person made it another one
	scopes    sync.Map       // supervisor.Key of a scoped instance -> its host's capabilities, raw
	talks     sync.WaitGroup // sessions that ended, until their goroutines have

	applyMu  sync.Mutex     // guards applied; held while it is applied
	applied  *config.Config // what the supervisor and the directory follow
	cliLeave func()         // guarded by applyMu; set while the command line may answer
}

// Serve runs a core until ctx ends. It returns when every child, goroutine and
// file of the core is gone.
func Serve(ctx context.Context, opts Options) error {
	dirs, err := home.Find(runtime.GOOS, os.Getenv)
	if err != nil {
		return err
	}
	if err := dirs.Make(); err != nil {
		return err
	}
	release, err := sock.Lock(dirs.Lock)
	if errors.Is(err, sock.ErrLocked) {
		return &wire.Error{Code: wire.CodeAlreadyRuns, Message: "Bridgekeeper is already running.",
			Hint: "See `bridgekeeper status`; stop the other one first, or set BRIDGEKEEPER_HOME for a second, separate one."}
	}
	if err != nil {
		return err
	}
	defer release()
	a, err := build(opts, dirs)
	if err != nil {
		return err
	}
	defer a.activity.Close()
	return a.run(ctx)
}

// build makes every part; nothing runs yet.
func build(opts Options, dirs home.Dirs) (*App, error) {
	a := &App{opts: opts, dirs: dirs, started: time.Now(), seen: newSightings(), news: newNews()}
	var err error
	if a.person, err = os.UserHomeDir(); err != nil {
		a.person = dirs.Data // no home: ~ stands for a folder of ours
	}
	if a.config, err = config.Open(dirs.ConfigFile, opts.Log); err != nil {
		return nil, err
	}
	machine, err := hostcfg.Here()
	if err != nil {
		machine.Home = a.person // no home: nothing is found
	}
	a.files = hostcfg.Open(filepath.Join(dirs.State, "applications"), machine)
	if a.hosts, err = hosts.Open(dirs.Hosts); err != nil {
		return nil, err
	}
	if a.activity, err = activity.Open(dirs.Activity, activity.Options{Anchor: filepath.Join(dirs.State, anchorFile), Log: opts.Log}); err != nil {
		return nil, err
	}
	if a.hold, err = openHold(dirs.State); err != nil {
		return nil, err
	}
	if a.pins, err = policy.OpenPins(filepath.Join(dirs.State, "pins"), opts.Log, time.Now); err != nil {
		return nil, err
	}
	a.shelf, a.reviews = newShelf(a.pins), newReviews(a)
	a.metrics, a.traces = newMetrics(), newTraces()
	a.budget = sampling.NewBudget(time.Now)
	a.drafts = newDrafts(filepath.Join(dirs.State, "drafts"))
	if a.origins, err = openOrigins(filepath.Join(dirs.State, "origins.json")); err != nil {
		return nil, err
	}
	a.bundles = mcpb.NewStore(filepath.Join(dirs.Data, "bundles"))
	a.rules.Store(strictest())
	a.face = newFace(a, opts.Window)
	queue := ask.Options{Deadline: a.deadline, Changed: a.news.poke, Settled: a.settled}
	if opts.Answers == AnswerWindow {
		queue.Summon, queue.Able = a.face.summon, a.face.able
	}
	a.queue = ask.New(queue)
	if a.hold.on() {
		a.queue.Halt(heldReason)
	}
	a.gate = &gate{answers: opts.Answers, rules: a.rules.Load, shelf: a.shelf, meter: policy.NewMeter(time.Now()), queue: a.queue, record: a.activity,
		seen: a.seen, metrics: a.metrics, grants: newGrants(), lost: newLostCalls(), listed: a.listed, remember: a.keepRule, held: a.hold.on, log: opts.Log}
	if opts.Answers == AnswerTTY {
		a.terminal = newTerminal(opts.Stdin, opts.Terminal, a.queue)
		a.terminal.open = elicit.Open
	}
	a.dir = directory.New(directory.Options{Upstreams: a, Gate: a.gate, Sharing: a.sharing, Question: a.answerQuestion, Screen: a.screen, Capabilities: a.told, Log: opts.Log, Name: Name, Version: opts.Version,
		Cache: filepath.Join(dirs.State, "lists"), Fingerprint: a.fingerprint, Changed: a.news.poke})
	a.sup = supervisor.New(supervisor.Options{Attach: a.attach, Log: opts.Log, LogDir: dirs.Logs, StateDir: dirs.State, Timings: opts.Timings, Notify: a.news.poke})
	return a, nil
}

// run starts the parts from the inside out and stops them the other way round:
// hosts first, so that no call arrives at a server that is being ended.
func (a *App) run(ctx context.Context) error {
	ln, warning, err := listen(a.opts.Port, a.dirs.Port)
	if err != nil {
		return err
	}
	if warning != "" {
		a.warn(warning)
	}
	if a.opts.Open {
		a.warn("No token is asked for (--open): every program on this computer can use the servers.")
	}
	if a.opts.Answers == AnswerAllow {
		a.warn("Tools that change or delete things run without anybody being asked (--answers allow).")
	}
	port := ln.Addr().(*net.TCPAddr).Port
	a.url = fmt.Sprintf("http://127.0.0.1:%d/mcp", port)
	a.door = httpd.New(fmt.Sprint(port), httpd.Options{Directory: a.dir, Tokens: a.hosts, Open: a.opts.Open, LegacySSE: a.legacySSE, Log: a.opts.Log, Seen: a.sighted})
	api, err := sock.Listen(a.dirs.Socket)
	if err != nil {
		ln.Close()
		return err
	}
	token, err := a.firstStart()
	if err != nil {
		ln.Close()
		api.Close()
		return err
	}

	inner, stopInner := context.WithCancel(context.WithoutCancel(ctx))
	defer stopInner()
	outer, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var inside, outside sync.WaitGroup
	part := func(wait *sync.WaitGroup, ctx context.Context, name string, run func(context.Context) error) {
		wait.Go(func() {
			if err := run(ctx); err != nil {
				fail(fmt.Errorf("%s: %w", name, err))
			}
		})
	}
	a.reconcile()
	part(&inside, inner, "supervisor", a.sup.Run)
	part(&inside, inner, "directory", a.dir.Run)
	part(&inside, inner, "news", a.followNews)
	part(&inside, inner, "config", a.config.Run)
	part(&inside, inner, "reconcile", a.followConfig)
	part(&inside, inner, "processors", followLoad)
	part(&inside, inner, "load", a.measure)
	part(&inside, inner, "reviews", a.reviews.run)
	part(&inside, inner, "window", a.face.run)
	if a.terminal != nil {
		part(&inside, inner, "terminal", a.terminal.run)
	}
	part(&outside, outer, "endpoint", func(ctx context.Context) error { return a.door.Run(ctx, ln) })
	part(&outside, outer, "local API", func(ctx context.Context) error { return localapi.Serve(ctx, api, a, a.opts.Log) })
	if a.opts.Up != nil {
		a.opts.Up(a.core(), token)
	}
	<-outer.Done()
	outside.Wait()
	stopInner()
	inside.Wait()
	a.talks.Wait()
	a.drafts.close()
	if cause := context.Cause(outer); ctx.Err() == nil && cause != nil {
		return cause
	}
	return nil
}

// warn keeps a sentence for the snapshot; before run starts its parts only.
func (a *App) warn(sentence string) {
	a.warnings = append(a.warnings, sentence)
	a.opts.Log.Warn(sentence)
}

// firstStart adds the examples and a host for trying them.
func (a *App) firstStart() (token string, err error) {
	if !a.opts.Examples || len(a.config.Current().Servers) > 0 || a.config.Problem() != nil {
		return "", nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find our own executable: %w", err)
	}
	for _, name := range []string{"rooms", "tickets"} {
		if err := a.config.AddServer(name, wire.Entry{Command: self, Args: []string{"example", name}}); err != nil {
			return "", err
		}
	}
	for _, h := range a.hosts.List() {
		if h.Name == firstHost {
			return "", nil // its token was shown when it was made
		}
	}
	return a.hosts.Add(firstHost)
}

// firstHost is the name of the host made for the first trial.
const firstHost = "my-host"
