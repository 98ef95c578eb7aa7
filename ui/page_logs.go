package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

const (
	// logPace is how often new lines are drawn: four times a second reads as live,
	// and costs little even when a thousand lines come.
	logPace = 250 * time.Millisecond
	// logRetry is how long to wait before a stream that ended is begun anew.
	logRetry = 2 * time.Second
	// maxCopy bounds what goes to the clipboard: other programs choke on more.
	maxCopy = 8 << 20
)

// logsPage shows what servers write, as it comes. A stream fills the ring, a
// timer draws what is new while the page can be seen.
type logsPage struct {
	frame  *frame
	ring   *ring
	view   *logView
	paused bool
	follow bool // the newest line stays in sight: it does when a person has scrolled to it
	drawn  int  // how many lines the list has been told of
	run    time.Time
	logDir string
	stop   []func() // end the stream and the timer; nil while hidden

	mark, end int // lines of the view that are selected, from the first touched to the last; -1 for none

	box    fyne.CanvasObject
	server *picker
	source *picker
	search *widget.Entry
	pause  *look.Button
	file   *look.Button
	rows   *logRows
	whole  *widget.Label
	detail *fyne.Container
	state  *look.Text
	jump   *look.Button
}

func newLogsPage(f *frame) *logsPage {
	p := &logsPage{frame: f, ring: newRing(ringLines), follow: true, mark: -1, end: -1, state: look.Muted(""), whole: widget.NewLabel("")}
	p.view = &logView{ring: p.ring}
	p.server = newPicker([]option{{"", lang.L("All servers")}}, func(string) { p.refilter() })
	p.source = newPicker([]option{{"", lang.L("Everything")}, {"stderr", lang.L("What they write")}, {"stdout", lang.L("Stray output")},
		{"bridgekeeper", lang.L("Notes of Bridgekeeper")}}, func(string) { p.refilter() })
	p.search = widget.NewEntry()
	p.search.SetPlaceHolder(lang.L("Search"))
	p.search.OnChanged = func(string) { p.refilter() }
	p.pause = look.NewButton(lang.L("Pause"), look.Ordinary, p.togglePause)
	p.file = look.NewButton(lang.L("Open file"), look.Ordinary, p.openFile)
	copied := look.NewButton(lang.L("Copy"), look.Ordinary, p.copy)
	name, left, apart := pageTitle(lang.L("Logs")), spring(), distance(look.Gap)
	bar := newToolbar(f, 820, []fyne.CanvasObject{p.search, left},
		[]fyne.CanvasObject{name, left, p.pause, copied, p.file}, []fyne.CanvasObject{p.server, p.source, p.search},
		[]fyne.CanvasObject{name, apart, p.server, p.source, p.search, p.pause, copied, p.file})
	top := look.Inset(bar, look.Margin, 14)
	p.rows = newLogRows(p)
	p.whole.TextStyle.Monospace, p.whole.SizeName = true, theme.SizeNameCaptionText
	p.whole.Wrapping, p.whole.Selectable = fyne.TextWrapBreak, true
	p.detail = look.Stack(look.NewBlock(look.ColorRaised, 0), look.Inset(p.whole, look.Margin-look.Gap, 0))
	p.detail.Hide()
	p.jump = look.NewButton(lang.L("Go to the newest"), look.Quiet, p.toEnd)
	foot := look.Inset(container.NewBorder(nil, nil, nil, p.jump, p.state), look.Margin, 4)
	p.box = framed(look.Column(0, top, look.Rule()), look.Column(0, p.detail, look.Rule(), foot), p.rows)
	return p
}

func (p *logsPage) content() fyne.CanvasObject { return p.box }

func (p *logsPage) apply(s *wire.Snapshot) {
	options := []option{{"", lang.L("All servers")}}
	for _, one := range s.Servers {
		options = append(options, option{one.Name, one.Name})
	}
	before := p.server.value()
	p.server.offer(options)
	if p.server.value() != before {
		p.refilter()
	}
	p.run, p.logDir = s.Core.Started, s.Core.LogDir
	p.ring.began(p.run)
	show(p.file, p.logDir != "")
	p.tell()
}

// seen begins and ends the work: a page that can't be seen reads and draws nothing.
func (p *logsPage) seen(on bool) {
	for _, stop := range p.stop {
		stop()
	}
	p.stop = nil
	if !on {
		return
	}
	p.stop = []func(){p.frame.model.Keep(p.read), p.frame.model.Keep(p.beat)}
	p.draw()
}

// read fills the ring; a core that went away is tried again.
func (p *logsPage) read(ctx context.Context, c *client.Client) {
	for ctx.Err() == nil {
		err := c.Logs(ctx, "", 0, true, func(line wire.LogLine) error {
			p.ring.add(line)
			return nil
		})
		if text := refused(err); text != "" {
			p.frame.model.cross(func() { p.frame.tell(text, "", nil, true) })
		}
		select {
		case <-ctx.Done():
		case <-time.After(logRetry):
		}
	}
}

// beat draws what is new, now and then.
func (p *logsPage) beat(ctx context.Context, _ *client.Client) {
	tick := time.NewTicker(logPace)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.frame.model.cross(p.draw)
		}
	}
}

// draw shows what is new, unless it is paused.
func (p *logsPage) draw() {
	p.follow = p.atEnd()
	if p.paused {
		p.tell()
		return
	}
	gone, changed := p.view.advance()
	if changed {
		p.moved(gone)
	}
	p.tell()
}

// moved keeps what is selected and in sight after lines went at the top.
func (p *logsPage) moved(gone int) {
	if gone > 0 && p.mark >= 0 {
		p.mark, p.end = p.mark-gone, p.end-gone
		if p.mark < 0 || p.end < 0 {
			p.mark, p.end = -1, -1
		}
	}
	p.drawn = len(p.view.lines)
	p.rows.Refresh()
	switch {
	case p.follow:
		p.rows.ScrollToBottom()
	case gone > 0:
		p.rows.ScrollToOffset(max(0, p.rows.GetScrollOffset()-float32(gone)*logLineHeight))
	}
}

// only shows one server.
func (p *logsPage) only(server string) {
	p.server.offer(append(p.server.options[:len(p.server.options):len(p.server.options)], missing(p.server.options, server)...))
	p.server.set(server)
	p.source.set("")
	p.search.SetText("")
	p.refilter()
}

func missing(options []option, server string) []option {
	if slices.ContainsFunc(options, func(o option) bool { return o.value == server }) {
		return nil
	}
	return []option{{server, server}}
}

func (p *logsPage) refilter() {
	p.view.use(logFilter{server: p.server.value(), source: p.source.value(), text: p.search.Text})
	p.mark, p.end, p.follow = -1, -1, true
	p.detail.Hide()
	p.rows.UnselectAll()
	p.moved(0)
	p.tell()
}

func (p *logsPage) togglePause() {
	p.paused = !p.paused
	text := lang.L("Pause")
	if p.paused {
		text = lang.L("Go on")
	}
	p.pause.SetText(text)
	p.draw()
}

func (p *logsPage) toEnd() {
	p.follow = true
	p.rows.ScrollToBottom()
	p.tell()
}

// tell says how many lines there are and whether new ones come into sight.
func (p *logsPage) tell() {
	oldest, next := p.ring.bounds()
	kept := int(next - oldest)
	text := lang.N("{{.Lines}} lines kept", kept, named{"Lines": thousands(kept)})
	if n := len(p.view.lines); n != kept && !p.paused {
		text = join(text, lang.L("{{.Lines}} shown", named{"Lines": thousands(n)}))
	}
	switch {
	case p.paused:
		text = join(text, lang.N("paused, {{.Lines}} new", int(next-p.view.next), named{"Lines": thousands(int(next - p.view.next))}))
	case p.follow:
		text = join(text, lang.L("following"))
	}
	if n := p.selected(); n > 1 {
		text = join(text, lang.L("{{.Lines}} selected", named{"Lines": thousands(n)}))
	}
	p.state.Set(text, "")
	show(p.jump, !p.follow)
}

func (p *logsPage) selected() int {
	if p.mark < 0 {
		return 0
	}
	return max(p.mark, p.end) - min(p.mark, p.end) + 1
}

// pick selects a line; extend goes on from the one that was picked first.
func (p *logsPage) pick(n int, extend bool) {
	if n < 0 || n >= len(p.view.lines) {
		return
	}
	p.end = n
	if !extend || p.mark < 0 {
		p.mark = n
	}
	line, ok := p.ring.at(p.view.lines[n])
	detail := ok && p.selected() == 1
	if detail {
		text := line.Time.Local().Format("2006-01-02 15:04:05.000") + "  " + line.Server + "  " + line.Text
		if line.Cut {
			text += " " + lang.L("(the rest is in its log file)")
		}
		p.whole.SetText(text)
	}
	show(p.detail, detail)
	p.box.Refresh()
	p.box.Refresh() // a label knows its lines only once it has a width
	p.rows.ScrollTo(n)
	p.rows.Refresh()
	p.tell()
}

// copy puts the selected lines, or all that are shown, on the clipboard.
func (p *logsPage) copy() {
	from, to := 0, len(p.view.lines)
	if p.mark >= 0 {
		from, to = min(p.mark, p.end), max(p.mark, p.end)+1
	}
	var b strings.Builder
	lines := 0
	for _, n := range p.view.lines[from:to] {
		line, ok := p.ring.at(n)
		if !ok {
			continue
		}
		if b.Len()+len(line.Text) > maxCopy {
			break
		}
		b.WriteString(line.Time.Format(time.RFC3339Nano) + " " + line.Server + " " + line.Source + " " + line.Text + "\n")
		lines++
	}
	p.frame.copy(b.String(), lang.N("{{.Lines}} lines are on the clipboard.", lines, named{"Lines": thousands(lines)}))
}

// openFile shows the folder of the logs: files there are named after their servers.
func (p *logsPage) openFile() { p.frame.openFile(p.logDir) }
