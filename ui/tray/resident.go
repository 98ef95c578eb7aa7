package tray

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"reflect"
	"sync"
	"time"

	"bridgekeeper/app/client"
	"bridgekeeper/app/sock"
	"bridgekeeper/app/wire"
)

const (
	// settle is the least time between two pictures: changes come in bursts.
	settle = 500 * time.Millisecond
	// patience is how long a desktop may take to bring up its tray.
	patience = 5 * time.Second
	// actTime bounds what an item does; starting the window is the longest.
	actTime = 30 * time.Second
	// joinTime is how long a second launch waits for the first to come up.
	joinTime = 5 * time.Second
	// maxClicks are choices that wait for the one before.
	maxClicks = 8
)

// Options are how the resident is run.
type Options struct {
	// Serve runs a core in this process until ctx ends (app.Serve).
	Serve func(ctx context.Context) error
	// Find makes a client of the core, whether one runs or not (client.Find).
	Find func() (*client.Client, error)
	// Lock is the file that the one resident holds.
	Lock string
	// Quiet opens no window at start, as at login.
	Quiet bool
	// Page is what the window shows at start; "" is the one it last showed.
	Page string
	// Up is told once that a core answers, with whether it is another process's.
	Up  func(core wire.Core, foreign bool)
	Log *slog.Logger
}

// Run shows the tray icon and runs the core below it, until ctx ends or a person
// quits. Where a core runs already, it is only shown; where a resident runs
// already, its window is raised and Run returns at once. It takes main's goroutine.
//
// It fails with no_desktop where there is no display, and with what the core
// failed with at its first start, unless Quiet: the icon tells that then.
func Run(ctx context.Context, o Options) error {
	core, err := o.Find()
	if err != nil {
		return err
	}
	defer core.Close()
	release, err := sock.Lock(o.Lock)
	if errors.Is(err, sock.ErrLocked) {
		if o.Quiet {
			return nil // started twice at login
		}
		return raise(ctx, core, o.Page)
	}
	if err != nil {
		return err
	}
	defer release()
	if !display(os.Getenv) {
		return &wire.Error{Code: wire.CodeNoDesktop, Message: "There is no display here, so no tray icon and no window can be shown.",
			Hint: "Run the core alone with `bridgekeeper serve`; `bridgekeeper help` lists the rest."}
	}
	reachable, _ := place()
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	r := &resident{opts: o, core: core, lang: here(), quit: quit, tray: reachable,
		views: make(chan view, 1), clicks: make(chan action, maxClicks), ended: make(chan error, 1), starts: make(chan struct{}, 1), ready: make(chan struct{})}
	r.icon.chosen = r.choose
	return r.run(ctx)
}

// raise brings up the window of the resident that runs.
func raise(ctx context.Context, core *client.Client, page string) error {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for {
		err := core.Show(ctx, page)
		if err == nil || wire.AsError(err).Code != wire.CodeNotRunning {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-again.C: // it is only starting
		}
	}
}

// resident is the process with the icon. loop owns what it shows.
type resident struct {
	opts Options
	core *client.Client
	lang language
	quit context.CancelFunc
	tray bool // an icon can be shown, as far as the session is concerned
	icon icon

	views  chan view   // the newest picture to make
	clicks chan action // what a person chose
	ended  chan error  // of a core in this process
	starts chan struct{}
	ready  chan struct{}
	work   sync.WaitGroup

	// Of loop:
	now     view
	serving bool        // a core runs in this process
	failure *wire.Error // of the last one
	foreign bool        // another process has the core
	greeted bool        // the first snapshot came
	noTray  bool        // a person has been told that there is none
}

func (r *resident) run(ctx context.Context) error {
	var result error
	r.work.Go(func() {
		defer r.quit()
		result = r.loop(ctx)
	})
	r.work.Go(func() { r.act(ctx) })
	r.work.Go(func() { r.watch(ctx) })
	if r.tray {
		r.icon.run(ctx.Done(), func() { close(r.ready) }, r.opts.Log)
	} else {
		<-ctx.Done()
	}
	r.work.Wait()
	return result
}

// choose takes a click; it never blocks, and forgets what comes too fast.
func (r *resident) choose(a action) {
	select {
	case r.clicks <- a:
	default:
	}
}

// watch follows the core.
func (r *resident) watch(ctx context.Context) {
	tell := func(v view) {
		for {
			select {
			case r.views <- v:
				return
			case <-r.views: // an older one that nobody has seen
			}
		}
	}
	_ = r.core.Glance(ctx, func(e wire.Event) error {
		if e.Snapshot != nil {
			tell(view{snap: e.Snapshot})
		}
		return nil
	}, func(err error) { tell(view{down: wire.AsError(err)}) })
}

// loop owns what is shown and the core in this process, until ctx ends.
func (r *resident) loop(ctx context.Context) error {
	inner, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		if r.serving {
			<-r.ended
		}
	}()
	r.serve(inner)
	late := time.NewTimer(patience)
	defer late.Stop()
	pace := time.NewTimer(0) // when the next picture may be drawn
	defer pace.Stop()
	joined := time.NewTimer(time.Second)
	defer joined.Stop()
	free, due := false, true
	ready := r.ready
	for {
		select {
		case <-ctx.Done():
			return nil
		case v := <-r.views:
			r.now.snap, r.now.down, due = v.snap, v.down, true
			r.greet()
		case err := <-r.ended:
			r.serving, due = false, true
			if first := r.served(err); first != nil {
				return first
			}
		case <-joined.C:
			r.icon.again()
			due = true
		case <-late.C:
			r.icon.again()
			due = true
			r.seek()
		case <-ready:
			ready = nil // closed: it stays so
		case <-pace.C:
			free = true
		case <-r.starts:
			r.serve(inner)
			due = true
		}
		if due && free && ready == nil {
			r.draw()
			due, free = false, false
			pace.Reset(settle)
		}
	}
}

// serve runs a core in this process, unless one does.
func (r *resident) serve(ctx context.Context) {
	if r.serving {
		return
	}
	r.serving, r.failure, r.foreign = true, nil, false
	r.work.Go(func() { r.ended <- r.opts.Serve(ctx) })
}

// served looks at how the core in this process ended. What it returns ends the
// resident: a person who started it by hand sees that on their terminal.
func (r *resident) served(err error) error {
	switch {
	case err == nil:
	case wire.AsError(err).Code == wire.CodeAlreadyRuns:
		r.foreign = true
	default:
		r.opts.Log.Error("core ended", "err", err)
		if !r.greeted && !r.opts.Quiet {
			return err
		}
		r.failure = wire.AsError(err)
	}
	return nil
}

// greet does what waits for the core to answer: once.
func (r *resident) greet() {
	if r.greeted || r.now.snap == nil {
		return
	}
	r.greeted = true
	if r.opts.Up != nil {
		r.opts.Up(r.now.snap.Core, r.now.snap.Core.PID != os.Getpid())
	}
	switch {
	case !r.tray:
		r.lack()
	case !r.opts.Quiet:
		page := r.opts.Page
		if page == "" {
			page = wire.ShowWindow
		}
		r.choose(action{Do: doShow, What: page})
	}
}

// seek looks for a tray, some time after the start.
func (r *resident) seek() {
	if !r.tray {
		return // told when the core came up
	}
	if _, shown := place(); !shown {
		r.lack()
	}
}

// lack tells a person once that there is no tray. One that comes later is found by
// the icon itself.
func (r *resident) lack() {
	if r.noTray {
		return
	}
	r.noTray = true
	r.opts.Log.Info("this desktop shows no tray icons; the window is opened instead")
	r.choose(action{Do: doShow, What: wire.ShowNoTray})
}

// draw shows what is known now.
func (r *resident) draw() {
	if !r.tray {
		return
	}
	v := r.now
	v.own = !r.foreign
	switch {
	case v.down == nil:
	case r.failure != nil:
		v.down = r.failure
	case r.serving:
		v.down, v.snap = nil, nil // it is coming up, or going down
	}
	r.icon.show(picture(v, r.lang))
}

// act does what a person chose, one thing after the other.
func (r *resident) act(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case a := <-r.clicks:
			if err := r.do(ctx, a); err != nil && ctx.Err() == nil {
				r.opts.Log.Error("tray", "action", a.Do, "of", a.What, "err", err)
			}
		}
	}
}

func (r *resident) do(ctx context.Context, a action) error {
	ctx, cancel := context.WithTimeout(ctx, actTime)
	defer cancel()
	switch a.Do {
	case doShow:
		return r.core.Show(ctx, a.What)
	case doAct:
		return r.core.Act(ctx, a.Server, a.What)
	case doHold:
		return r.core.Hold(ctx, a.On)
	case doStop:
		return r.stopAll(ctx)
	case doStart:
		select {
		case r.starts <- struct{}{}:
		default: // on its way already
		}
	case doQuit:
		r.quit()
	}
	return nil
}

// stopAll stops what runs now; what fails doesn't keep the others running.
func (r *resident) stopAll(ctx context.Context) error {
	snap, err := r.core.Snapshot(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for i := range snap.Servers {
		if isRunning(&snap.Servers[i]) {
			failed = append(failed, r.core.Act(ctx, snap.Servers[i].Name, "stop"))
		}
	}
	return errors.Join(failed...)
}

// same reports whether two menus look and do the same.
func same(a, b []item) bool { return reflect.DeepEqual(a, b) }
