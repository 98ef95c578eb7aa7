package ui

import (
	"context"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// Parts of a server's page.
const (
	partOverview = iota
	partTools
	partResources
	partPrompts
	partSettings
	partTrace
)

// serverView is everything about one server: how it does, its tools, its settings.
type serverView struct {
	frame *frame
	name  string // "" while no server is open
	gen   uint64 // of the instance whose tools are shown
	count int    // how many tools that was

	box      fyne.CanvasObject
	top      *fyne.Container
	title    *look.Text
	about    *look.Text
	run      *look.Button
	again    *look.Button
	act      string
	tabs     *tabs
	overview *overview
	tools    *toolsPane
	reads    *offersPane
	prompts  *offersPane
	trace    *tracePane
	settings *serverForm
}

func newServerView(f *frame, back func()) *serverView {
	v := &serverView{frame: f, title: pageTitle(""), about: about()}
	v.run = look.NewButton("", look.Ordinary, func() { f.act(v.name, v.act) })
	v.again = look.NewButton(lang.L("Restart"), look.Ordinary, func() { f.act(v.name, "restart") })
	gone := look.NewButton(lang.L("Remove"), look.Ordinary, func() {
		name := v.name
		back()
		f.remove(name)
	})
	up := look.IconButton(theme.NavigateBackIcon(), lang.L("Back to all servers"), back)
	v.top = container.NewBorder(nil, nil, up, look.Across(look.Gap, v.again, v.run, gone), look.Inset(container.New(titleLayout{}, v.title, v.about), look.Gap, 0))
	v.overview = newOverview(f, func(_, env string) { v.edit(env) })
	v.tools = newToolsPane(f)
	v.settings = newServerForm(f)
	v.reads = newOffersPane(f, lang.L("Read"), lang.L("It offers no resources."), "resources/list", "resources/templates/list")
	v.prompts = newOffersPane(f, lang.L("Fill in"), lang.L("It offers no prompts."), "prompts/list")
	v.trace = newTracePane(f)
	v.tabs = newTabs(f, v.partShown, []string{lang.L("Overview"), lang.L("Tools"), lang.L("Resources"), lang.L("Prompts"), lang.L("Settings"), lang.L("Messages")},
		v.overview.box.box, v.tools.box, v.reads.box, v.prompts.box, v.settings.box.box, v.trace.box)
	v.box = framed(look.Column(0, look.Inset(v.top, look.Margin-look.Gap, 14), look.Inset(v.tabs.bar, look.Margin-look.Gap, 0), look.Inset(look.Rule(), 0, 6)), nil, v.tabs.body)
	return v
}

// partShown begins what only the part that is looked at does.
func (v *serverView) partShown(n int) {
	if v.name == "" {
		return
	}
	v.trace.seen(n == partTrace)
	switch n {
	case partTools:
		v.load()
	case partResources:
		v.reads.load()
	case partPrompts:
		v.prompts.load()
	}
}

// seen says whether the page can be seen at all.
func (v *serverView) seen(on bool) {
	v.trace.seen(on && v.name != "" && v.tabs.chosen == partTrace)
}

// open shows a server from the beginning.
func (v *serverView) open(name string) {
	v.name, v.gen, v.count = name, 0, 0
	v.tools.use(name)
	v.settings.use(name)
	v.reads.begin(name)
	v.prompts.begin(name)
	v.trace.begin(name)
	v.tabs.choose(partOverview)
	v.apply()
	v.frame.focus(v.tabs.items[0])
}

func (v *serverView) close() {
	v.trace.seen(false)
	v.name = ""
}

// edit goes to the settings, at one variable if env isn't "".
func (v *serverView) edit(env string) {
	v.tabs.choose(partSettings)
	v.settings.focus(env)
}

// apply shows what is known now; it is false when there is no such server.
func (v *serverView) apply() bool {
	s, ok := v.frame.model.Server(v.name)
	if !ok {
		return false
	}
	h := healthOf(s, v.frame.now())
	before := v.title.String() + v.run.Text()
	v.title.Set(s.Name, "")
	v.about.Set(join(h.word, h.detail), "")
	v.about.Paint(h.tone.Words())
	v.act = actStart
	if running(s) {
		v.act = actStop
	}
	v.run.SetText(actWord(v.act))
	v.again.Able(running(s))
	if v.title.String()+v.run.Text() != before {
		v.top.Refresh()
	}
	v.overview.apply(s)
	v.settings.apply(s)
	v.tools.apply(s)
	if v.tabs.chosen == partTools && (s.Gen != v.gen || s.Tools != v.count) {
		v.load()
	}
	return true
}

// load gets the tools anew.
func (v *serverView) load() {
	s, ok := v.frame.model.Server(v.name)
	if !ok {
		return
	}
	v.gen, v.count = s.Gen, s.Tools
	v.tools.load()
}

// overview tells how a server does.
type overview struct {
	frame *frame
	now   wire.Server
	box   *scrolled
	why   *whyCard
	facts *facts
}

func newOverview(f *frame, edit func(server, env string)) *overview {
	o := &overview{frame: f, facts: newFacts(), why: newWhyCard(f, edit)}
	log := look.NewButton(lang.L("Open its log"), look.Ordinary, func() { f.logs(o.now.Name) })
	address := look.NewButton(lang.L("Copy its own address"), look.Ordinary, func() { f.copy(o.now.URL, lang.L("The address is on the clipboard.")) })
	content := look.Column(look.Wide, o.why.box, look.Inset(o.facts.box, look.Margin, 0), look.Inset(look.Across(look.Gap, log, address), look.Margin, look.Gap))
	o.box = newScrolled(content)
	return o
}

func (o *overview) apply(s wire.Server) {
	o.now = s
	now := o.frame.now()
	moved := troubled(s) && o.why.update(s) || o.why.box.Visible() != troubled(s)
	show(o.why.box, troubled(s))
	h := healthOf(s, now)
	memory, cpu := usage(s)
	copies := make([]string, 0, len(s.Instances))
	for _, i := range s.Instances {
		copies = append(copies, i.Scope+": "+i.State)
	}
	calls := ""
	if len(s.CallsPerMinute) > 0 {
		sum := 0
		for _, n := range s.CallsPerMinute {
			sum += n
		}
		calls = lang.N("{{.Count}} in the last {{.Minutes}} minutes", sum, named{"Count": sum, "Minutes": len(s.CallsPerMinute)})
	}
	pid := ""
	if s.PID > 0 {
		pid = lang.L("process {{.PID}}", named{"PID": s.PID})
	}
	lines := []fact{
		{lang.L("State"), join(h.word, h.detail), look.Exact(h.since)},
		{lang.L("Runs as"), join(pid, memory, cpu), ""},
		{lang.L("Calls"), calls, ""},
		{lang.L("Command"), look.Show(commandLine(s.Entry.Command, s.Entry.Args)), ""},
		{lang.L("Folder"), look.Show(s.Entry.Cwd), ""},
		{lang.L("Variables"), strings.Join(sortedKeys(s.Entry.Env), ", "), lang.L("Their values are shown to nobody.")},
		{lang.L("Says it is"), join(look.Show(s.Title), look.Show(s.Version)), ""},
		{lang.L("Speaks"), join(s.Protocol, s.Era), ""},
		{lang.L("Offers"), join(toolCount(s.Tools), count(s.Prompts, "prompts"), count(s.Resources, "resources")), ""},
		{lang.L("Shared"), sharingWord(s.Entry.Sharing), ""},
		{lang.L("Copies"), strings.Join(copies, ", "), ""},
		{lang.L("Stray lines"), strays(s.Strays), lang.L("Lines on its standard output that were no messages. They are in its log.")},
	}
	if o.facts.set(lines) || moved {
		o.box.again()
	}
}

func count(n int, what string) string {
	switch {
	case n == 0:
		return ""
	case what == "prompts":
		return lang.N("{{.Count}} prompts", n, named{"Count": n})
	}
	return lang.N("{{.Count}} resources", n, named{"Count": n})
}

func strays(n uint64) string {
	if n == 0 {
		return ""
	}
	return thousands(int(n))
}

func sharingWord(s string) string {
	switch s {
	case "per-host":
		return lang.L("one copy for each host")
	case "per-session":
		return lang.L("one copy for each session")
	}
	return lang.L("one for all hosts")
}

// fact is one line of what is known: a name, a value, what the pointer tells.
type fact struct{ name, value, tip string }

// facts shows facts in two columns; those without a value are left out.
type facts struct {
	box  *fyne.Container
	last []fact
}

func newFacts() *facts { return &facts{box: look.Column(6)} }

// set reports whether lines came or went.
func (f *facts) set(list []fact) (moved bool) {
	list = slices.DeleteFunc(list, func(one fact) bool { return one.value == "" })
	same := len(list) == len(f.last)
	for i := range list {
		same = same && list[i].name == f.last[i].name
	}
	if !same {
		f.box.RemoveAll()
		for _, one := range list {
			name, value := look.Plain(one.name), look.Plain(one.value)
			name.Paint(look.ColorMuted)
			f.box.Add(container.New(factLayout{}, name, value))
		}
	}
	for i, one := range list {
		f.box.Objects[i].(*fyne.Container).Objects[1].(*look.Text).Set(one.value, one.tip)
	}
	f.last = list
	return !same
}

type factLayout struct{}

const factName = 150

func (factLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(factName+60, max(o[0].MinSize().Height, o[1].MinSize().Height))
}

func (factLayout) Layout(o []fyne.CanvasObject, s fyne.Size) {
	o[0].Resize(fyne.NewSize(factName-look.Gap, s.Height))
	o[1].Move(fyne.NewPos(factName, 0))
	o[1].Resize(fyne.NewSize(s.Width-factName, s.Height))
}

// editServer changes an entry; then is called when that went well.
func (f *frame) editServer(name string, req wire.EditServer, then func()) {
	f.do(func(ctx context.Context, c *client.Client) error { return c.EditServer(ctx, name, req) }, then)
}
