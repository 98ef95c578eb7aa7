package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

const (
	// tick is how often times are told anew: "12 s" counts.
	tick = time.Second
	// narrowWidth is below what the sidebar shows icons alone: a window of 1280
	// pixels at twice the size is 640 wide.
	narrowWidth = 760
	sideWidth   = 188
	sideNarrow  = 58
)

// WindowSize is how large the window is at first.
var WindowSize = fyne.NewSize(1080, 690)

// NoTray says that this desktop has no tray, and how to come back here.
func (w *Main) NoTray() {
	w.frame.tell(lang.L("This desktop has no tray, so there is no icon. Bridgekeeper runs on when you close this window; starting it again brings the window back."), "", nil, true)
}

// CopyURL puts the endpoint's address on the clipboard.
func (w *Main) CopyURL() {
	w.frame.copy(w.frame.model.Snapshot().Core.URL, lang.L("The address is copied."))
}

// Logs shows the log of one server.
func (w *Main) Logs(server string) { w.frame.logs(server) }

// Main is the content of the window: the sidebar and its pages. It belongs to
// Fyne's goroutine.
type Main struct {
	frame *frame
	pages map[string]page
	order []string
	now   string // name of the page that is shown
	seen  bool   // the window can be seen
	stop  func() // ends its clock

	items  map[string]*item
	body   *fyne.Container
	side   *fyne.Container
	url    *look.Text
	urlBox *fyne.Container
	strips *strips
	foot   *foot
	first  *firstRun
	all    *fyne.Container
	whole  fyne.CanvasObject
}

// Options are what a Main needs besides its model and window.
type Options struct {
	Ask   func(id string)   // opens the pop-up of a question
	Shown func(page string) // brings the window up, because the core asks for it; may be nil
	Self  string            // the program's own path: it has the example servers; "" leaves them out
	Now   func() time.Time
}

// NewMain builds the window's content and puts it into win.
func NewMain(app fyne.App, win fyne.Window, m *Model, o Options) *Main {
	w := &Main{pages: map[string]page{}, items: map[string]*item{}, foot: newFoot()}
	if o.Now == nil {
		o.Now = time.Now
	}
	w.frame = &frame{model: m, win: win, app: app, now: o.Now, ask: o.Ask, self: o.Self, tell: w.foot.say}
	w.frame.visit = w.Visit
	w.build()
	w.whole = look.WithTips(win.Canvas(), w.all)
	win.SetContent(w.whole)
	win.SetPadded(false)
	m.Listen(w.changed)
	m.notice = func(n wire.Notice) { w.frame.tell(sentence(look.Show(n.Text)), "", nil, n.Level == "error") }
	m.show = o.Shown
	w.shortcuts(win.Canvas())
	w.Visit(PageServers)
	return w
}

func (w *Main) build() {
	f := w.frame
	logs := newLogsPage(f)
	f.logs = func(server string) {
		logs.only(server)
		w.Visit(PageLogs)
	}
	servers := newServersPage(f)
	w.add(PageServers, lang.L("Servers"), look.Icon("servers"), servers)
	w.add(PageQuestions, lang.L("Questions"), look.Icon("questions"), newQuestionsPage(f))
	w.add(PageLogs, lang.L("Logs"), look.Icon("logs"), logs)
	w.add(PageActivity, lang.L("Activity"), look.Icon("activity"), newActivityPage(f))
	w.add(PageHosts, lang.L("Hosts"), look.Icon("hosts"), newHostsPage(f))
	w.add(PageSecrets, lang.L("Secrets"), look.Icon("secrets"), newSecretsPage(f, func(server, env string) {
		w.Visit(PageServers)
		servers.edit(server, env)
	}))
	w.add(PageAdd, lang.L("Add server"), look.Icon("add"), newAddPage(f))
	w.add(PageSettings, lang.L("Settings"), look.Icon("settings"), newSettingsPage(f))
	w.first = newFirstRun(f, func() { w.changed() })

	list := look.Column(2)
	for _, name := range w.order {
		list.Add(w.items[name])
	}
	w.url = look.Mono("")
	w.url.Paint(theme.ColorNameForeground)
	w.urlBox = look.Column(4, look.Rule(), look.Inset(look.Column(0, look.Muted(lang.L("Endpoint")), w.url), 10, 6))
	w.side = container.New(&sideLayout{w}, look.NewBlock(look.ColorSurface, 0), list, w.urlBox, look.Rule())
	w.body = look.Stack()
	for _, name := range w.order {
		w.body.Add(w.pages[name].content())
		w.pages[name].content().Hide()
	}
	w.body.Add(w.first.content())
	w.first.content().Hide()
	w.strips = newStrips(f)
	main := framed(w.strips.box, w.foot.box, w.body)
	w.all = look.Stack(look.NewBlock(theme.ColorNameBackground, 0), container.New(mainLayout{w}, w.side, main))
	w.foot.onMove = main.Refresh
	w.strips.onMove = main.Refresh
}

func (w *Main) add(name, label string, icon fyne.Resource, p page) {
	i := newItem(label, icon, func() { w.Visit(name) })
	i.step = func(by int) { w.step(name, by) }
	w.order = append(w.order, name)
	w.items[name], w.pages[name] = i, p
}

// step moves the keyboard to the neighbour of a page's item.
func (w *Main) step(name string, by int) {
	for k, n := range w.order {
		if n == name {
			w.frame.focus(w.items[w.order[(k+by+len(w.order))%len(w.order)]])
			return
		}
	}
}

// Visit shows a page; a name that isn't one keeps the page that is shown.
func (w *Main) Visit(name string) {
	if w.pages[name] == nil || w.now == name {
		return
	}
	if old := w.pages[w.now]; old != nil {
		old.content().Hide()
		if w.seen {
			old.seen(false)
		}
		w.items[w.now].choose(false)
	}
	w.now = name
	w.items[name].choose(true)
	p := w.pages[name]
	p.content().Show()
	if w.seen {
		p.seen(true)
	}
	w.changed()
}

// Seen says whether the window can be seen: pages that can't be seen do nothing.
func (w *Main) Seen(on bool) {
	if w.seen == on {
		return
	}
	w.seen = on
	w.pages[w.now].seen(on)
	if !on {
		w.stop()
		return
	}
	w.stop = w.frame.model.Keep(w.beat)
	w.changed()
}

// beat keeps what is told of times true.
func (w *Main) beat(ctx context.Context, _ *client.Client) {
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-clock.C:
			w.frame.model.cross(w.changed)
		}
	}
}

// changed shows what the model knows now.
func (w *Main) changed() {
	s := w.frame.model.Snapshot()
	badge := ""
	if n := len(s.Questions); n > 0 {
		badge = thousands(n)
	}
	w.items[PageQuestions].setBadge(badge)
	w.url.Set(endpoint(s.Core.URL), s.Core.URL)
	w.strips.apply(s, w.frame.model.Down())
	if !w.seen {
		return
	}
	w.first.apply(s)
	first := w.first.wanted(s) && w.now == PageServers
	show(w.first.content(), first)
	show(w.pages[w.now].content(), !first)
	w.pages[w.now].apply(s)
}

// endpoint is the address without what all have in common.
func endpoint(url string) string {
	if len(url) > 7 && url[:7] == "http://" {
		return url[7:]
	}
	return url
}

// shortcuts are Ctrl or Cmd with a digit for each page, and Escape for the tip.
func (w *Main) shortcuts(c fyne.Canvas) {
	for k, name := range w.order {
		key := fyne.KeyName(rune('1' + k))
		c.AddShortcut(pageShortcut(key), func(fyne.Shortcut) { w.Visit(name) })
	}
}

// hold puts everything on hold, or ends that.
func (f *frame) hold(on bool) {
	f.do(func(ctx context.Context, c *client.Client) error { return c.Hold(ctx, on) }, nil)
}

// mainLayout puts the sidebar beside the page, small when there is little room.
type mainLayout struct{ w *Main }

func (l mainLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return fyne.NewSize(420, 320) }

func (l mainLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	side := float32(sideWidth)
	narrow := size.Width < narrowWidth
	if narrow {
		side = sideNarrow
	}
	for _, i := range l.w.items {
		if i.narrow != narrow {
			i.narrow = narrow
			i.Refresh()
		}
	}
	show(l.w.urlBox, !narrow)
	l.w.frame.room, l.w.frame.high = size.Width-side, size.Height
	o[0].Resize(fyne.NewSize(side, size.Height))
	o[1].Move(fyne.NewPos(side, 0))
	o[1].Resize(fyne.NewSize(size.Width-side, size.Height))
}

// sideLayout: ground, list at the top, address at the bottom, line at the right.
type sideLayout struct{ w *Main }

func (l *sideLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(sideNarrow, 280) }

func (l *sideLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Resize(size)
	o[1].Move(fyne.NewPos(8, look.Wide))
	o[1].Resize(fyne.NewSize(size.Width-17, o[1].MinSize().Height))
	h := o[2].MinSize().Height
	o[2].Move(fyne.NewPos(8, size.Height-h-6))
	o[2].Resize(fyne.NewSize(size.Width-17, h))
	o[3].Move(fyne.NewPos(size.Width-1, 0))
	o[3].Resize(fyne.NewSize(1, size.Height))
}
