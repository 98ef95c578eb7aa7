package ui

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// maxTrace is how many messages the pane keeps, and maxTraceText how much of each:
// what a person looks through by hand.
const (
	maxTrace     = 1_000
	maxTraceText = 64 << 10
)

// tracePane shows what goes to and from one server, as long as it is looked at.
type tracePane struct {
	frame  *frame
	server string
	stop   func()

	mu    sync.Mutex
	lines []wire.TraceLine // guarded by mu, as is grown; newest last
	grown uint64

	drawn  []wire.TraceLine // what the list shows: of Fyne's goroutine
	seenAt uint64
	box    fyne.CanvasObject
	rows   *rows
	state  *look.Text
	text   *widget.Label
	detail *scrolled
}

func newTracePane(f *frame) *tracePane {
	p := &tracePane{frame: f, state: look.Muted(""), text: widget.NewLabel("")}
	p.rows = newRows(func() int { return len(p.drawn) }, func() fyne.CanvasObject { return newTraceRow() },
		func(i int, o fyne.CanvasObject) {
			if i < len(p.drawn) {
				o.(*traceRow).update(p.drawn[i])
			}
		})
	p.rows.onChoose = func(i int) { p.pick(p.drawn[i]) }
	p.rows.onCopy = func() { p.frame.copy(p.text.Text, lang.L("The message is on the clipboard.")) }
	p.text.TextStyle.Monospace, p.text.SizeName = true, theme.SizeNameCaptionText
	p.text.Wrapping, p.text.Selectable = fyne.TextWrapBreak, true
	p.detail = newScrolled(p.text)
	clear := look.NewButton(lang.L("Clear"), look.Ordinary, p.clear)
	copied := look.NewButton(lang.L("Copy"), look.Ordinary, p.rows.onCopy)
	p.box = framed(look.Inset(look.Ends(p.state, copied, clear), look.Margin, 4), nil, newHalves(p.rows, p.detail.box))
	p.tell()
	return p
}

// begin starts with another server.
func (p *tracePane) begin(server string) {
	p.seen(false)
	p.server = server
	p.clear()
}

// seen begins and ends the stream: the core writes nothing down for nobody.
func (p *tracePane) seen(on bool) {
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
	if !on || p.server == "" {
		return
	}
	server := p.server
	p.stop = p.frame.model.Keep(func(ctx context.Context, c *client.Client) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var drawing sync.WaitGroup
		drawing.Go(func() { p.beat(ctx) })
		defer drawing.Wait()
		for ctx.Err() == nil {
			err := c.Trace(ctx, server, func(line wire.TraceLine) error {
				p.add(line)
				return nil
			})
			if text := refused(err); text != "" {
				p.frame.model.cross(func() { p.state.Set(text, "") })
			}
			select {
			case <-ctx.Done():
			case <-time.After(logRetry):
			}
		}
		cancel()
	})
}

func (p *tracePane) beat(ctx context.Context) {
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

func (p *tracePane) add(line wire.TraceLine) {
	if len(line.Text) > maxTraceText {
		line.Text, line.Cut = strings.ToValidUTF8(line.Text[:maxTraceText], ""), true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.grown++
	p.lines = append(p.lines, line)
	if len(p.lines) > maxTrace {
		p.lines = append([]wire.TraceLine(nil), p.lines[len(p.lines)-maxTrace/2:]...)
	}
}

// draw shows what came since; who has chosen a message keeps it in sight.
func (p *tracePane) draw() {
	p.mu.Lock()
	if p.grown == p.seenAt {
		p.mu.Unlock()
		return
	}
	p.seenAt = p.grown
	shorter := len(p.lines) < len(p.drawn)
	p.drawn = append([]wire.TraceLine(nil), p.lines...)
	p.mu.Unlock()
	if shorter { // rows are others now
		p.rows.choose(-1)
	}
	p.rows.Refresh()
	if p.rows.chosen < 0 {
		p.rows.ScrollToBottom()
	}
	p.tell()
}

func (p *tracePane) clear() {
	p.mu.Lock()
	p.lines, p.grown, p.seenAt = nil, 0, 0
	p.mu.Unlock()
	p.drawn = nil
	p.rows.choose(-1)
	p.rows.Refresh()
	p.text.SetText("")
	p.tell()
}

func (p *tracePane) tell() {
	text := lang.L("Messages stand here from now on, as long as you look.")
	if n := len(p.drawn); n > 0 {
		text = lang.N("{{.Count}} messages", n, named{"Count": thousands(n)})
	}
	p.state.Set(text, "")
}

// pick shows one message, indented.
func (p *tracePane) pick(line wire.TraceLine) {
	text := line.Text
	if !line.Cut {
		text = indented([]byte(line.Text))
	}
	p.text.SetText(head4k(look.ShowLines(text)))
	p.detail.top()
	p.detail.again()
}

// traceWords is what a message is, in short: its method, or what it answers.
func traceWords(text string) string {
	var m struct {
		Method string          `json:"method"`
		ID     json.RawMessage `json:"id"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return text[:min(len(text), 200)]
	}
	switch {
	case m.Method != "" && len(m.ID) > 0:
		return m.Method + "  #" + string(m.ID)
	case m.Method != "":
		return m.Method
	case m.Error != nil:
		return lang.L("error to {{.ID}}: {{.Message}}", named{"ID": "#" + string(m.ID), "Message": m.Error.Message})
	}
	return lang.L("answer to {{.ID}}", named{"ID": "#" + string(m.ID)})
}

// traceRow is one message of the list.
type traceRow struct {
	row
	time, way, what, size *look.Text
}

func newTraceRow() *traceRow {
	mono := func(c fyne.ThemeColorName) *look.Text {
		return look.NewText("", c, look.SizeMono, fyne.TextStyle{Monospace: true})
	}
	r := &traceRow{time: mono(look.ColorMuted), way: mono(theme.ColorNamePrimary), what: mono(theme.ColorNameForeground), size: look.Muted("")}
	r.size.Align = fyne.TextAlignTrailing
	r.init(r, look.LogHeight-4, func(s fyne.Size) {
		put(r.time, look.Margin, 96, 0, s.Height)
		put(r.way, look.Margin+104, 18, 0, s.Height)
		put(r.size, s.Width-look.Margin-80, 80, 0, s.Height)
		put(r.what, look.Margin+128, s.Width-2*look.Margin-128-88, 0, s.Height)
	}, r.time, r.way, r.what, r.size)
	return r
}

func (r *traceRow) update(line wire.TraceLine) {
	r.time.Set(line.Time.Local().Format("15:04:05.000"), look.Exact(line.Time))
	way, tip := "→", lang.L("to the server")
	if line.Direction == wire.TraceIn {
		way, tip = "←", lang.L("from the server")
	}
	r.way.Set(way, tip)
	what := traceWords(line.Text)
	if line.Cut {
		what += " …"
	}
	if line.Lost > 0 {
		what = lang.N("({{.Count}} left out) ", line.Lost, named{"Count": line.Lost}) + what
	}
	r.what.Set(what, "")
	r.size.Set(lang.L("{{.Bytes}} bytes", named{"Bytes": thousands(line.Bytes)}), "")
}
