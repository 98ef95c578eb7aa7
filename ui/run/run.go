//go:build cgo && !headless

package run

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui"
	"bridgekeeper/ui/ask"
	"bridgekeeper/ui/look"
	"bridgekeeper/ui/note"
)

const (
	// id is the program's, as in FyneApp.toml: preferences are kept under it.
	id = "io.github.bridgekeeper.Bridgekeeper"
	// idle is how long the process stays without a window: starting it costs a
	// second, keeping it a hundred MiB.
	idle = 10 * time.Minute
	// idleLook is how often it is looked whether it is idle.
	idleLook = 15 * time.Second
)

// Options are what the window process is started with.
type Options struct {
	Client *client.Client
	// Attend is set when the core lets this process answer questions.
	Attend bool
	// Show is what comes up at once: wire.ShowWindow, a page's name, or "" for
	// pop-ups alone.
	Show string
	// Idle is how long the process stays without a window; 0 is ten minutes.
	Idle time.Duration
}

// Run is the window process. It returns when ctx ends, when nobody has needed a
// window for a while, or at once when there is no display. It takes the goroutine
// that main runs on: some systems let no other one draw.
func Run(ctx context.Context, o Options) error {
	if !display(os.Getenv) {
		return &wire.Error{Code: wire.CodeInternal, Message: "there is no display to open a window on",
			Hint: "Set DISPLAY or WAYLAND_DISPLAY, or use the command line: `bridgekeeper status`."}
	}
	if o.Idle == 0 {
		o.Idle = idle
	}
	if err := look.Translate(); err != nil {
		return &wire.Error{Code: wire.CodeInternal, Message: "load the translations: " + err.Error()}
	}
	p := &process{options: o, app: app.NewWithID(id), model: ui.NewModel(o.Client)}
	p.build()
	p.inspect()

	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { p.model.Run(ctx, o.Attend) })
	running.Go(func() {
		<-ctx.Done()
		fyne.Do(p.app.Quit)
	})
	running.Go(func() { p.watchIdle(ctx) })
	p.app.Run()
	cancel()
	p.notes.Close()
	running.Wait()
	return nil
}

// display reports whether there is a screen. Without one the toolkit panics.
func display(env func(string) string) bool {
	switch runtime.GOOS {
	case "windows", "darwin":
		return true
	}
	return env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != ""
}

// process is the running window process. Its fields belong to Fyne's goroutine.
type process struct {
	options Options
	app     fyne.App
	model   *ui.Model
	win     fyne.Window
	main    *ui.Main
	desk    *ask.Desk
	notes   *note.Sender

	visible bool      // the window
	later   string    // what to show when the first snapshot has come
	needed  time.Time // when a window was last there
}

func (p *process) build() {
	p.app.SetIcon(look.AppIcon())
	ui.UseTheme(p.app)
	p.needed = time.Now()
	p.win = p.app.NewWindow(lang.L("Bridgekeeper"))
	p.win.Resize(ui.WindowSize)
	p.win.CenterOnScreen()
	p.win.SetCloseIntercept(p.hide)
	p.notes = note.New(p.app)
	p.desk = ask.NewDesk(p.app, p.model.Answers(), ask.Options{Notify: p.notes.Send})
	self := program()
	p.main = ui.NewMain(p.app, p.win, p.model, ui.Options{Ask: func(id string) { p.desk.Show(id) }, Self: self, Shown: p.show})
	p.model.Listen(p.changed)
	if p.options.Show != "" {
		p.app.Lifecycle().SetOnStarted(func() { p.show(p.options.Show) })
	}
}

// program is the path of the command line's program: it has the example servers.
// The window may be one of its own, beside it. "" leaves the examples' button out.
func program() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	ext := filepath.Ext(self)
	beside, ok := strings.CutSuffix(strings.TrimSuffix(self, ext), "-window")
	if !ok {
		return self
	}
	if _, err := os.Stat(beside + ext); err != nil {
		return self
	}
	return beside + ext
}

// changed shows questions as they come. Without a core none of them counts.
func (p *process) changed() {
	switch {
	case p.model.Down() != nil:
		p.desk.Update(nil)
	case p.options.Attend:
		p.desk.Update(p.model.Snapshot().Questions)
	}
	if what := p.later; what != "" && p.model.Known() {
		p.later = ""
		p.show(what)
	}
}

// show does what the tray, the command line or a second launch asks for: a page,
// or one of wire's Show constants.
func (p *process) show(what string) {
	id, isQuestion := strings.CutPrefix(what, wire.ShowQuestion)
	server, isLog := strings.CutPrefix(what, wire.ShowLogs)
	if (isQuestion || what == wire.ShowCopyURL) && !p.model.Known() {
		p.later = what // as the core has just started us
		return
	}
	switch {
	case isQuestion:
		p.desk.Show(id) // one that has ended needs nobody
	case isLog:
		p.main.Logs(server)
		p.raise("")
	case what == wire.ShowCopyURL:
		p.main.CopyURL()
		p.needed = time.Now()
		p.notes.Send(fyne.NewNotification(lang.L("Bridgekeeper"), lang.L("The address is on the clipboard: {{.URL}}", map[string]string{"URL": p.model.Snapshot().Core.URL})), func() { p.raise("") })
	case what == wire.ShowNoTray:
		p.raise("")
		p.main.NoTray()
	default:
		p.raise(what)
	}
}

// raise brings the window up at a page, or at the one it last showed.
func (p *process) raise(page string) {
	p.main.Visit(page)
	p.visible = true
	p.win.Show()
	p.win.RequestFocus()
	p.main.Seen(true)
}

// hide takes the window away; the process stays for a while, in case a pop-up or
// the window is wanted again.
func (p *process) hide() {
	p.visible = false
	p.needed = time.Now()
	p.main.Seen(false)
	p.win.Hide()
}

func (p *process) watchIdle(ctx context.Context) {
	tick := time.NewTicker(min(idleLook, p.options.Idle))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			fyne.Do(p.endWhenIdle)
		}
	}
}

func (p *process) endWhenIdle() {
	if p.visible || p.desk.Waiting() > 0 {
		p.needed = time.Now()
	}
	if time.Since(p.needed) >= p.options.Idle {
		p.app.Quit()
	}
}
