package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printer writes to one stream. The first failure stays in failed, so that
// commands can print without looking after each line.
type printer struct {
	w      io.Writer
	colour bool
	failed error
}

func newPrinter(w io.Writer) *printer {
	f, ok := w.(*os.File)
	return &printer{w: w, colour: ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && terminal(f)}
}

func (p *printer) line(format string, args ...any) { p.text(fmt.Sprintf(format, args...) + "\n") }

func (p *printer) text(s string) {
	if p.failed != nil {
		return
	}
	_, p.failed = io.WriteString(p.w, s)
}

// json prints a value for programs; escapes are JSON's own.
func (p *printer) json(v any) error {
	enc := json.NewEncoder(p.w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// jsonLine prints a value on one line, for streams.
func (p *printer) jsonLine(v any) error {
	enc := json.NewEncoder(p.w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

type style string

// The few styles that a terminal shows on every background.
const (
	plain  style = ""
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	faint  style = "2"
	strong style = "1"
)

func (p *printer) paint(s style, text string) string {
	if !p.colour || s == plain {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// table prints rows below a head, each column as wide as its widest cell.
// paint colours a cell after it was measured; notes are printed below their row.
type table struct {
	head  []string
	rows  [][]string
	notes map[int][]string
	paint func(column int, cell string) style
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// note puts a line below the last row.
func (t *table) note(format string, args ...any) {
	if t.notes == nil {
		t.notes = map[int][]string{}
	}
	last := len(t.rows) - 1
	t.notes[last] = append(t.notes[last], fmt.Sprintf(format, args...))
}

func (t *table) print(p *printer) {
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	line := func(row []string, paint func(int, string) style) {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)+2)
			if i == len(row)-1 {
				pad = ""
			}
			b.WriteString(p.paint(paint(i, cell), cell) + pad)
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
	}
	line(t.head, func(int, string) style { return strong })
	paint := t.paint
	if paint == nil {
		paint = func(int, string) style { return plain }
	}
	for i, row := range t.rows {
		line(row, paint)
		for _, note := range t.notes[i] {
			p.line("  %s", note)
		}
	}
}

// visible makes control characters readable, so that what a server wrote can't
// move the cursor, change the title or hide text of the terminal. It stays one line.
func visible(s string) string { return clean(s, false) }

// visibleLines does the same for a text of several lines.
func visibleLines(s string) string { return clean(strings.ReplaceAll(s, "\r\n", "\n"), true) }

func clean(s string, lines bool) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\t', r == '\n' && lines:
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.Is(unicode.Cf, r) && r != '\u200d' || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r) // among them those that turn the direction of writing
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
