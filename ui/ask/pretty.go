package ask

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"fyne.io/fyne/v2/lang"

	"bridgekeeper/ui/look"
)

// ink is how a stretch of a page looks.
type ink uint8

const (
	inkText ink = iota
	inkName
	inkSign // braces, quotes, gutters: ours, not the text's
	inkHidden
	inkNote // a remark of ours
)

// line is a line of a page: what it is made of, how far it is moved in, and what
// ground it stands on.
type line struct {
	spans  []span
	indent int  // columns
	prose  bool // rows that go on stand where it began
	ground ground
}

// ground is what a line of a difference means.
type ground uint8

const (
	groundNone ground = iota
	groundGone
	groundAdded
)

type span struct {
	text string
	ink  ink
}

const (
	// maxDepth is how deep nested arguments are moved in; below it they stay in
	// one column, so that a hundred levels can still be read.
	maxDepth = 16
	indentBy = 2
)

// tab stands for one: common in code, and harmless there.
const tab = "→   "

// add puts foreign text at a line's end, with names for what hides.
func (l *line) add(s string, as ink) {
	for i, part := range strings.Split(s, "\t") {
		if i > 0 {
			l.sign(tab)
		}
		l.pieces(part, as)
	}
}

func (l *line) pieces(s string, as ink) {
	for _, p := range look.Pieces(s) {
		if p.Hidden {
			l.spans = append(l.spans, span{p.Text, inkHidden})
		} else {
			l.spans = append(l.spans, span{p.Text, as})
		}
	}
}

func (l *line) sign(s string) { l.spans = append(l.spans, span{s, inkSign}) }

// lines makes a page of JSON: members by name, texts as they read, in full.
// Numbers, order and double members stay as they were sent. What is no JSON is
// shown as it is.
func lines(raw json.RawMessage) []line {
	if !json.Valid(raw) { // also what is nested so deep that nobody could read it
		return textLines(string(raw))
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	p := &printer{dec: dec}
	if err := p.top(); err != nil {
		return textLines(string(raw))
	}
	if len(p.out) == 0 {
		p.out = []line{{spans: []span{{lang.L("none"), inkNote}}}}
	}
	return p.out
}

// textLines is a page of plain text.
func textLines(s string) []line {
	var out []line
	for text := range strings.SplitSeq(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
		l := line{prose: true}
		l.add(text, inkText)
		out = append(out, l)
	}
	return out
}

type printer struct {
	dec *json.Decoder
	out []line
}

// top prints the whole. The outermost braces are left out: arguments are always
// an object, and what is asked about stands in it.
func (p *printer) top() error {
	t, err := p.dec.Token()
	if err != nil {
		return err
	}
	if t == json.Delim('{') {
		if err := p.members(0); err != nil {
			return err
		}
	} else if err := p.value(&line{}, t, 0); err != nil {
		return err
	}
	if _, err := p.dec.Token(); err != io.EOF {
		return fmt.Errorf("more than one value")
	}
	return nil
}

func (p *printer) members(depth int) error {
	for p.dec.More() {
		name, err := p.dec.Token()
		if err != nil {
			return err
		}
		l := line{indent: indent(depth)}
		if s, _ := name.(string); plainName(s) {
			l.add(s, inkName)
			l.sign(" ")
		} else {
			l.sign("\"")
			l.add(s, inkName)
			l.sign("\" ")
		}
		t, err := p.dec.Token()
		if err != nil {
			return err
		}
		if err := p.value(&l, t, depth); err != nil {
			return err
		}
	}
	_, err := p.dec.Token() // the closing brace
	return err
}

// plainName reports whether a member's name needs no quotes to be told from what
// follows.
func plainName(s string) bool {
	for _, r := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$", r) {
			return false
		}
	}
	return s != ""
}

func indent(depth int) int { return min(depth, maxDepth) * indentBy }

// value prints a value behind what its line already has.
func (p *printer) value(l *line, t json.Token, depth int) error {
	switch t := t.(type) {
	case json.Delim:
		return p.nested(l, t, depth)
	case string:
		p.text(l, t, depth)
		return nil
	case json.Number:
		l.add(t.String(), inkText)
	case bool:
		l.add(fmt.Sprint(t), inkText)
	default:
		l.add("null", inkText)
	}
	p.out = append(p.out, *l)
	return nil
}

func (p *printer) nested(l *line, open json.Delim, depth int) error {
	closing := "}"
	if open == '[' {
		closing = "]"
	}
	if !p.dec.More() {
		l.sign(open.String() + closing)
		p.out = append(p.out, *l)
		_, err := p.dec.Token()
		return err
	}
	l.sign(open.String())
	p.out = append(p.out, *l)
	var err error
	if open == '{' {
		err = p.members(depth + 1)
	} else {
		err = p.items(depth + 1)
	}
	p.out = append(p.out, line{spans: []span{{closing, inkSign}}, indent: indent(depth)})
	return err
}

func (p *printer) items(depth int) error {
	for p.dec.More() {
		t, err := p.dec.Token()
		if err != nil {
			return err
		}
		if err := p.value(&line{indent: indent(depth)}, t, depth); err != nil {
			return err
		}
	}
	_, err := p.dec.Token()
	return err
}

// text prints a string: in quotes, or line by line behind a bar.
func (p *printer) text(l *line, s string, depth int) {
	if !strings.Contains(strings.TrimRight(s, "\r\n"), "\n") {
		l.sign("\"")
		l.add(s, inkText)
		l.sign("\"")
		p.out = append(p.out, *l)
		return
	}
	all := strings.Split(s, "\n")
	l.spans = append(l.spans, span{lang.N("text of {{.N}} lines", len(all), filled{"N": len(all)}), inkNote})
	p.out = append(p.out, *l)
	for _, text := range all {
		one := line{indent: indent(depth + 1)}
		one.sign("│ ")
		one.add(strings.TrimSuffix(text, "\r"), inkText)
		p.out = append(p.out, one)
	}
}
