package ask

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// Ops of a difference's lines.
const (
	opSame  = "same"
	opGone  = "gone"
	opAdded = "added"
)

// diffLines makes a page of a difference whose texts may have several lines.
func diffLines(diff []wire.DiffLine) []line {
	var out []line
	for _, d := range diff {
		for text := range strings.SplitSeq(strings.ReplaceAll(d.Text, "\r\n", "\n"), "\n") {
			l := changed(d.Op)
			l.add(text, inkText)
			out = append(out, l)
		}
	}
	return out
}

// changed is an empty line of a difference.
func changed(op string) (l line) {
	switch op {
	case opGone:
		l.ground = groundGone
		l.sign("− ")
	case opAdded:
		l.ground = groundAdded
		l.sign("+ ")
	default:
		l.sign("  ")
	}
	return l
}

// change asks about a tool that is new or not what it was.
func (p *Popup) change() content {
	d := p.q.Change
	names := map[string]look.Run{"Server": {Text: p.q.Server}, "Tool": {Text: clipped(p.q.Tool, maxName), Mono: true}}
	c := content{
		tags:  []fyne.CanvasObject{look.Tag(lang.L("tool changed"), look.Asking)},
		title: runs("{{.Server}} changed what {{.Tool}} says it does", names),
		below: []look.Run{{Text: lang.L("It stays off until you decide. The server's other tools keep working.")}},
	}
	heading := lang.L("What changed")
	if d.New {
		c.tags = []fyne.CanvasObject{look.Tag(lang.L("new tool"), look.Asking)}
		c.title = runs("{{.Server}} has a new tool, {{.Tool}}", names)
		heading = lang.L("What it says it does")
	}
	page := diffLines(d.Diff)
	if len(page) == 0 {
		page = lines(d.After)
	}
	panel := p.newPanel(heading, page, func() string { return string(d.After) })
	panel.sheet.rest = manyRows
	c.parts, c.stretch = []fyne.CanvasObject{panel.CanvasObject}, panel
	return c
}

// command asks whether a command may run at all.
func (p *Popup) command() content {
	d := p.q.Command
	names := map[string]look.Run{"Server": {Text: p.q.Server}}
	c := content{
		tags:  []fyne.CanvasObject{look.Tag(lang.L("first run"), look.Asking)},
		title: runs("Let this command run as {{.Server}}?", names),
		below: []look.Run{{Text: lang.L("It will run as you, with your files and your network.")}},
	}
	heading := lang.L("The command, one argument a line")
	if d.Before != nil {
		c.tags = []fyne.CanvasObject{look.Tag(lang.L("command changed"), look.Asking)}
		c.title = runs("Let {{.Server}} run a different command?", names)
		heading = lang.L("What changed since you allowed it")
	}
	panel := p.newPanel(heading, commandLines(d), func() string { return strings.Join(append([]string{d.Command}, d.Args...), "\n") })
	panel.sheet.rest = manyRows
	c.parts, c.stretch = []fyne.CanvasObject{panel.CanvasObject}, panel
	if d.Source != "" {
		c.parts = append(c.parts, look.NewRich(look.ColorMuted, "helperText", runs("Comes from: {{.Source}}", map[string]look.Run{"Source": {Text: d.Source}})...))
	}
	return c
}

// commandLines are a command, its arguments, folder and variables; with what was
// allowed before, as a difference.
func commandLines(d *wire.CommandDetail) []line {
	now := commandParts(d)
	var diff []change[part]
	if d.Before == nil {
		for _, one := range now {
			diff = append(diff, change[part]{opSame, one})
		}
	} else {
		diff = compare(commandParts(d.Before), now)
	}
	wide := 0
	for _, c := range diff {
		wide = max(wide, utf8.RuneCountInString(c.what.label))
	}
	var out []line
	for _, c := range diff {
		l := changed(c.op)
		l.spans = append(l.spans, span{fmt.Sprintf("%-*s", wide+1, c.what.label), inkNote})
		l.add(c.what.text, inkText)
		out = append(out, l)
	}
	return out
}

// part is one of the things that a command consists of.
type part struct{ label, text string }

func commandParts(d *wire.CommandDetail) []part {
	out := []part{{lang.L("command"), d.Command}}
	for _, a := range d.Args {
		out = append(out, part{lang.L("argument"), quoted(a)})
	}
	if d.Cwd != "" {
		out = append(out, part{lang.L("folder"), d.Cwd})
	}
	for _, name := range d.Env {
		out = append(out, part{lang.L("variable"), name})
	}
	return out
}

// quoted puts an argument into quotes where its ends or its emptiness can't be
// seen.
func quoted(a string) string {
	if a == "" || strings.TrimSpace(a) != a {
		return "'" + a + "'"
	}
	return a
}

// maxCompared bounds what is compared line by line; more is shown as all gone and
// all added.
const maxCompared = 2000

// change is one step of a difference.
type change[T comparable] struct {
	op   string
	what T
}

// compare is the difference of two lists, by their longest common part.
func compare[T comparable](before, after []T) (out []change[T]) {
	n, m := len(before), len(after)
	if n > maxCompared || m > maxCompared {
		for _, one := range before {
			out = append(out, change[T]{opGone, one})
		}
		for _, one := range after {
			out = append(out, change[T]{opAdded, one})
		}
		return out
	}
	common := make([][]int, n+1)
	for i := range common {
		common[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if before[i] == after[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && before[i] == after[j]:
			out = append(out, change[T]{opSame, before[i]})
			i, j = i+1, j+1
		case i < n && (j >= m || common[i+1][j] >= common[i][j+1]):
			out = append(out, change[T]{opGone, before[i]})
			i++
		default:
			out = append(out, change[T]{opAdded, after[j]})
			j++
		}
	}
	return out
}
