package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// logLineHeight is a line with the list's own space of 4.
const logLineHeight = 24

// logRows is the list of log lines: arrows move, with Shift they select more.
type logRows struct {
	widget.List
	page  *logsPage
	shift bool
}

func newLogRows(p *logsPage) *logRows {
	r := &logRows{page: p}
	r.HideSeparators = true
	r.Length = func() int { return len(p.view.lines) }
	r.CreateItem = func() fyne.CanvasObject { return newLogRow(p) }
	r.UpdateItem = func(i int, o fyne.CanvasObject) {
		if i >= len(p.view.lines) {
			return
		}
		if line, ok := p.ring.at(p.view.lines[i]); ok {
			o.(*logRow).update(i, line)
		}
	}
	r.ExtendBaseWidget(r)
	return r
}

func (r *logRows) TypedKey(e *fyne.KeyEvent) {
	p, n := r.page, len(r.page.view.lines)
	at := p.end
	switch e.Name {
	case fyne.KeyDown:
		at++
	case fyne.KeyUp:
		if at < 0 {
			at = n
		}
		at--
	case fyne.KeyPageDown:
		at += 20
	case fyne.KeyPageUp:
		at -= 20
	case fyne.KeyHome:
		at = 0
	case fyne.KeyEnd:
		at = n - 1
	default:
		return
	}
	p.pick(min(max(at, 0), n-1), r.shift)
}

func (r *logRows) KeyDown(e *fyne.KeyEvent) {
	if e.Name == desktop.KeyShiftLeft || e.Name == desktop.KeyShiftRight {
		r.shift = true
	}
}

func (r *logRows) KeyUp(e *fyne.KeyEvent) {
	if e.Name == desktop.KeyShiftLeft || e.Name == desktop.KeyShiftRight {
		r.shift = false
	}
}

func (r *logRows) FocusLost() {
	r.shift = false
	r.List.FocusLost()
}

func (r *logRows) TypedShortcut(s fyne.Shortcut) {
	switch s.(type) {
	case *fyne.ShortcutCopy:
		r.page.copy()
	case *fyne.ShortcutSelectAll:
		r.page.pick(0, false)
		r.page.pick(len(r.page.view.lines)-1, true)
	}
}

// atEnd reports whether the newest line that is drawn is in sight.
func (p *logsPage) atEnd() bool {
	height := float32(p.drawn)*logLineHeight - 4
	return p.rows.GetScrollOffset()+p.rows.Size().Height >= height-1
}

// logRow is one line: when, who, what.
type logRow struct {
	row
	page               *logsPage
	index              int
	mark               *look.Block
	time, server, text *look.Text
}

func newLogRow(p *logsPage) *logRow {
	r := &logRow{page: p, mark: look.NewBlock("", 0), time: look.Mono(""), server: look.Mono(""), text: look.Mono("")}
	r.time.Paint(look.ColorOff)
	r.server.Paint(theme.ColorNamePrimary)
	r.init(r, logLineHeight-4, func(s fyne.Size) {
		r.mark.Resize(fyne.NewSize(s.Width, s.Height+4))
		r.mark.Move(fyne.NewPos(0, -2))
		x := float32(look.Margin)
		put(r.time, x, 66, 0, s.Height)
		x += 74
		name := min(110, s.Width*0.2)
		put(r.server, x, name-10, 0, s.Height)
		x += name
		put(r.text, x, s.Width-x-look.Gap, 0, s.Height)
	}, r.mark, r.time, r.server, r.text)
	return r
}

func (r *logRow) update(i int, line wire.LogLine) {
	r.index = i
	p := r.page
	r.time.Set(line.Time.Local().Format("15:04:05"), line.Time.Local().Format("2006-01-02 15:04:05.000"))
	r.server.Set(line.Server, "")
	r.text.Set(line.Text, "")
	r.text.Paint(lineColor(line))
	fill := fyne.ThemeColorName("")
	if p.mark >= 0 && i >= min(p.mark, p.end) && i <= max(p.mark, p.end) {
		fill = theme.ColorNameSelection
	}
	r.mark.Paint(fill, "")
}

// lineColor is for what matters only: what we say, what is stray, what is wrong.
func lineColor(line wire.LogLine) fyne.ThemeColorName {
	if line.Source != "stderr" {
		return theme.ColorNameWarning
	}
	low := strings.ToLower(line.Text[:min(len(line.Text), 120)])
	for _, word := range []string{"error", "fatal", "panic", "exception", "traceback"} {
		if strings.Contains(low, word) {
			return theme.ColorNameError
		}
	}
	return theme.ColorNameForeground
}

func (r *logRow) MouseDown(e *desktop.MouseEvent) {
	if e.Button != desktop.MouseButtonPrimary {
		return
	}
	r.page.frame.focus(r.page.rows)
	r.page.pick(r.index, e.Modifier&fyne.KeyModifierShift != 0)
}

func (r *logRow) MouseUp(*desktop.MouseEvent) {}
