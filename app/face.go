package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"bridgekeeper/app/wire"
)

// Bounds of the window process.
const (
	// faceEnd is how long it may take to end when it is told to.
	faceEnd = 3 * time.Second
	// maxFaces is how many may be started in faceSpan: one that ends at once, for
	// want of a display, must not be started for ever.
	maxFaces = 3
	faceSpan = time.Minute
	// maxFaceWords bounds what is kept of what it says as it ends.
	maxFaceWords = 4 << 10
)

// face starts the window process when a question or a person needs it, and ends
// it with the core. It gives each a secret of its own, by which the local API
// knows it again. run owns the process.
type face struct {
	app    *App
	argv   []string // nil: there is no such program
	orders chan string

	mu      sync.Mutex // guards the fields below
	running bool
	starts  []time.Time
	shows   map[chan string]struct{} // of watch streams
}

func newFace(a *App, argv []string) *face {
	return &face{app: a, argv: argv, orders: make(chan string, 1), shows: make(map[chan string]struct{})}
}

// able reports whether a window can be opened, as far as is known.
func (f *face) able() bool {
	if len(f.argv) == 0 {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.running || !f.tiredLocked(time.Now())
}

// tiredLocked reports whether it was started too often lately.
func (f *face) tiredLocked(now time.Time) bool {
	recent := f.starts[:0]
	for _, at := range f.starts {
		if now.Sub(at) < faceSpan {
			recent = append(recent, at)
		}
	}
	f.starts = recent
	return len(recent) >= maxFaces
}

// summon has the process started, unless it runs; false when there is none to
// start. It doesn't wait (ask.Options.Summon).
func (f *face) summon() bool { return f.able() && f.order("") }

func (f *face) order(page string) bool {
	select {
	case f.orders <- page:
	default: // one is on its way already
	}
	return true
}

// show brings a page up: in the process that runs, or in a new one.
func (f *face) show(page string) error {
	f.mu.Lock()
	running := f.running
	for c := range f.shows {
		select {
		case c <- page:
		default: // it has one to show already
		}
	}
	f.mu.Unlock()
	switch {
	case running:
		return nil
	case len(f.argv) == 0:
		return &wire.Error{Code: wire.CodeNoWindow, Message: "This installation has no window.", Hint: "Install the package with the window, or use the command line."}
	case !f.able():
		return &wire.Error{Code: wire.CodeNoWindow, Message: "The window could not be opened: it ended at once, several times.", Hint: "Its words are in the core's log. Is there a display?"}
	}
	f.order(page)
	return nil
}

// listen returns what a watch stream is to show, until done is called.
func (f *face) listen() (shows <-chan string, done func()) {
	c := make(chan string, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shows[c] = struct{}{}
	return c, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.shows, c)
	}
}

// run starts the process when it is ordered, until ctx ends.
func (f *face) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case page := <-f.orders:
			err := f.live(ctx, page)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				f.app.opts.Log.Error("window process", "err", err)
			}
			f.app.queue.GiveUp("the window that shows questions could not be opened, or has ended")
		}
	}
}

// live runs one process to its end.
func (f *face) live(ctx context.Context, page string) error {
	secret := rand.Text()
	defer f.app.secrets.admit(secret)()
	f.mu.Lock()
	f.running = true
	f.starts = append(f.starts, time.Now())
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.running = false
		f.mu.Unlock()
	}()
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer write.Close()
	words := &lastWords{}
	cmd := exec.CommandContext(ctx, f.argv[0], append(append([]string{}, f.argv[1:]...), "-secret", "-show", page)...)
	cmd.Stderr, cmd.Stdout = words, words
	cmd.Cancel = func() error { return endPolitely(cmd.Process) }
	cmd.WaitDelay = faceEnd
	passSecret(cmd, read)
	err = cmd.Start()
	read.Close()
	if err != nil {
		return fmt.Errorf("start the window: %w", err)
	}
	if _, err := io.WriteString(write, secret+"\n"); err != nil {
		f.app.opts.Log.Warn("secret not given to the window", "err", err)
	}
	write.Close()
	if err := cmd.Wait(); err != nil {
		return errors.Join(err, errors.New(words.String()))
	}
	return nil
}

// lastWords keeps the beginning of what a process says: libraries of the desktop
// talk much.
type lastWords struct {
	mu   sync.Mutex
	text []byte // guarded by mu
}

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if room := maxFaceWords - len(w.text); room > 0 {
		w.text = append(w.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return printable(string(w.text))
}

// Show brings the window up at a page (localapi.Windows).
func (a *App) Show(ctx context.Context, page string) error {
	if !a.who(ctx).own {
		return &wire.Error{Code: wire.CodeNotAllowed, Message: "Only Bridgekeeper's own programs can open its window."}
	}
	if page == "" {
		page = wire.ShowWindow
	}
	return a.face.show(page)
}
