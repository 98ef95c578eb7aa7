package ask

import (
	"encoding/json"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// input is one field of a form: what it shows, and what it says now.
type input struct {
	f       *wire.FormField
	form    *form
	control fyne.CanvasObject
	focus   fyne.Focusable
	// value is the field's JSON; nil when there is nothing to send.
	value   func() json.RawMessage
	touched bool // a person was there: it may be said what is wrong
	edge    *look.Block
	more    string // the whole of a title that its control has no room for
	wrong   *look.Rich
	row     fyne.CanvasObject
}

// inputs by type. A type of a newer core is typed as text; the core will say.
func (o *form) input(f *wire.FormField) *input {
	in := &input{f: f, form: o, edge: look.NewBlock("", look.Corner), wrong: look.NewRich(theme.ColorNameError, theme.SizeNameCaptionText)}
	in.wrong.Hide()
	switch f.Type {
	case typeBoolean:
		in.boolean()
	case typeChoice:
		in.choice()
	case typeChoices:
		in.choices()
	default:
		in.text()
	}
	in.row = container.New(labelled{}, in.label(), in.control, in.below())
	return in
}

// label is the field's title at the left. A box to tick has its words beside it.
func (in *input) label() fyne.CanvasObject {
	if in.f.Type == typeBoolean {
		return look.Across(0)
	}
	runs := []look.Run{{Text: in.name()}}
	if in.f.Required {
		runs = append(runs, look.Run{Text: " *", Color: theme.ColorNameWarning})
	}
	r := look.NewRich(look.ColorMuted, theme.SizeNameText, runs...)
	r.Trailing = true
	return r
}

func (in *input) name() string {
	if in.f.Title != "" {
		return clipped(in.f.Title, maxName)
	}
	return clipped(in.f.Name, maxName)
}

// below is what stands under the control: what is wrong, what it is for, what it
// takes.
func (in *input) below() fyne.CanvasObject {
	parts := []fyne.CanvasObject{in.wrong}
	if in.f.Sensitive {
		parts = append(parts, look.NewRich(theme.ColorNameWarning, theme.SizeNameCaptionText, look.Run{
			Text: lang.L("This looks like a password or a key. A server must not ask for those here: what you type goes to it as it is.")}))
	}
	if in.more != "" {
		parts = append(parts, look.Small(in.more))
	}
	if in.f.Description != "" {
		parts = append(parts, look.NewRich(look.ColorMuted, theme.SizeNameCaptionText, look.Run{Text: clipped(in.f.Description, longText)}))
	}
	if b := bounds(in.f); b != "" {
		parts = append(parts, look.Small(b))
	}
	return look.Column(2, parts...)
}

// changed is called when a person changed something.
func (in *input) changed() {
	in.form.check()
}

// left is called when a person went on.
func (in *input) left() {
	in.touched = true
	in.form.check()
}

// tell shows what is wrong, once a person has been there.
func (in *input) tell(wrong string) {
	show := wrong != "" && in.touched
	if in.wrong.Visible() == show && (!show || in.wrong.String() == look.ShowLines(wrong)) {
		return
	}
	edge := fyne.ThemeColorName("")
	if show {
		edge = theme.ColorNameError
		in.wrong.Set(look.Run{Text: wrong})
		in.wrong.Show()
	} else {
		in.wrong.Hide()
	}
	in.edge.Paint("", edge)
	in.form.p.relayout()
}

// likes are examples of formats.
var likes = map[string]string{"email": "name@example.com", "uri": "https://example.com/page", "date": "2026-07-28", "date-time": "2026-07-28T15:04:05Z"}

func (in *input) text() {
	f := in.f
	var was string
	if f.Type == typeString {
		_ = json.Unmarshal(f.Default, &was)
	} else if f.Default != nil {
		was = strings.Trim(string(f.Default), `"`)
	}
	long := f.Type == typeString && f.Format == "" && !f.Sensitive && (f.MaxLength != nil && *f.MaxLength > 200 || strings.Contains(was, "\n"))
	e := in.form.p.newEntry(long)
	if long {
		e.SetMinRowsVisible(3)
	}
	e.Password = f.Sensitive
	e.SetText(was)
	e.OnChanged = func(string) { in.changed() }
	e.left = in.left
	if like := likes[f.Format]; like != "" {
		e.SetPlaceHolder(lang.L("like {{.Example}}", filled{"Example": like}))
	}
	in.control, in.focus = look.Stack(e, in.edge), e
	in.value = func() json.RawMessage {
		if e.Text == "" {
			return nil
		}
		if f.Type == typeNumber || f.Type == typeInteger {
			s := strings.TrimSpace(e.Text)
			if number.MatchString(s) {
				return json.RawMessage(s)
			}
			return quoteJSON(s) // no number: the check will say so
		}
		return quoteJSON(e.Text)
	}
}

func quoteJSON(s string) json.RawMessage {
	b, _ := json.Marshal(s) // a string: it can't fail
	return b
}

func (in *input) boolean() {
	was := string(in.f.Default) == "true"
	changed := in.f.Default != nil || in.f.Required
	c := &tick{p: in.form.p}
	var cut bool
	c.Text, cut = fits(look.Show(in.name()))
	if cut {
		in.more = look.Show(in.name())
	}
	c.Checked = was
	c.OnChanged = func(bool) { changed = true; in.changed() }
	c.ExtendBaseWidget(c)
	in.control, in.focus = c, c
	in.value = func() json.RawMessage {
		switch {
		case c.Checked:
			return json.RawMessage("true")
		case changed:
			return json.RawMessage("false")
		}
		return nil // never touched: nothing was said
	}
}

// fits is what of a text stands beside a box to tick.
func fits(s string) (string, bool) {
	const box = 40
	return look.Elide(s, bodyWidth-labelWidth-labelGap-box, theme.Size(theme.SizeNameText), fyne.TextStyle{})
}

// titles are what a person chooses from, all different.
func titles(options []wire.FormOption) []string {
	seen := map[string]int{}
	out := make([]string, len(options))
	for i, o := range options {
		out[i] = look.Show(o.Title)
		if o.Title == "" {
			out[i] = look.Show(o.Value)
		}
		seen[out[i]]++
	}
	for i, o := range options {
		if seen[out[i]] > 1 {
			out[i] += " (" + look.Show(o.Value) + ")"
		}
	}
	return out
}

func (in *input) choice() {
	f := in.f
	names := titles(f.Options)
	none := ""
	if !f.Required {
		none = lang.L("(no answer)")
	}
	s := &selection{p: in.form.p}
	s.Options = names
	if none != "" {
		s.Options = append([]string{none}, names...)
	}
	s.PlaceHolder = lang.L("Choose one")
	var was string
	_ = json.Unmarshal(f.Default, &was)
	if i := slices.IndexFunc(f.Options, func(o wire.FormOption) bool { return o.Value == was }); i >= 0 && f.Default != nil {
		s.Selected = names[i]
	}
	s.ExtendBaseWidget(s)
	s.OnChanged = func(string) { in.touched = true; in.changed() }
	border := look.NewBlock("", look.Corner)
	border.Stroke = theme.ColorNameInputBorder
	in.control, in.focus = look.Stack(s, border, in.edge), s
	in.value = func() json.RawMessage {
		if i := slices.Index(names, s.Selected); i >= 0 {
			return quoteJSON(f.Options[i].Value)
		}
		return nil
	}
}

func (in *input) choices() {
	f := in.f
	var was []string
	_ = json.Unmarshal(f.Default, &was)
	changed := was != nil
	var ticks []*tick
	list := look.Column(0)
	for i, name := range titles(f.Options) {
		c := &tick{p: in.form.p}
		c.Text, _ = fits(name)
		c.Checked = slices.Contains(was, f.Options[i].Value)
		c.OnChanged = func(bool) { changed, in.touched = true, true; in.changed() }
		c.ExtendBaseWidget(c)
		ticks = append(ticks, c)
		list.Add(c)
	}
	in.control = list
	if len(ticks) > 0 {
		in.focus = ticks[0]
	}
	in.value = func() json.RawMessage {
		chosen := []string{}
		for i, c := range ticks {
			if c.Checked {
				chosen = append(chosen, f.Options[i].Value)
			}
		}
		if len(chosen) == 0 && (!changed || f.MinItems != nil && *f.MinItems > 0) && !f.Required {
			return nil
		}
		b, _ := json.Marshal(chosen) // of strings: it can't fail
		return b
	}
}

// tick and selection are Fyne's, whose keys the pop-up sees first.
type tick struct {
	widget.Check
	p *Popup
}

// TypedKey is for Fyne.
func (t *tick) TypedKey(e *fyne.KeyEvent) {
	if !t.p.keys(e) {
		t.Check.TypedKey(e)
	}
}

// TypedRune is for Fyne: a blank ticks the box.
func (t *tick) TypedRune(r rune) {
	if !t.p.keys(&fyne.KeyEvent{}) {
		t.Check.TypedRune(r)
	}
}

// FocusGained is for Fyne.
func (t *tick) FocusGained() {
	t.Check.FocusGained()
	t.p.reveal(t)
}

type selection struct {
	widget.Select
	p *Popup
}

// TypedKey is for Fyne.
func (s *selection) TypedKey(e *fyne.KeyEvent) {
	if !s.p.keys(e) {
		s.Select.TypedKey(e)
	}
}

// FocusGained is for Fyne.
func (s *selection) FocusGained() {
	s.Select.FocusGained()
	s.p.reveal(s)
}

// labelled is a label at the left, a control, and words under the control.
type labelled struct{}

const (
	labelWidth = 132
	labelGap   = 14
	labelDrop  = 7 // so that it stands on the line of the control's text
)

func (labelled) HeightFor(o []fyne.CanvasObject, width float32) float32 {
	rest := width - labelWidth - labelGap
	right := look.HeightFor(o[1], rest)
	if below := look.HeightFor(o[2], rest); below > 0 {
		right += 3 + below
	}
	return max(right, look.HeightFor(o[0], labelWidth)+labelDrop)
}

func (l labelled) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(labelWidth+labelGap+max(160, o[1].MinSize().Width), l.HeightFor(o, bodyWidth))
}

func (labelled) Layout(o []fyne.CanvasObject, size fyne.Size) {
	x := float32(labelWidth + labelGap)
	rest := size.Width - x
	o[0].Resize(fyne.NewSize(labelWidth, look.HeightFor(o[0], labelWidth)))
	o[0].Move(fyne.NewPos(0, labelDrop))
	h := look.HeightFor(o[1], rest)
	o[1].Resize(fyne.NewSize(rest, h))
	o[1].Move(fyne.NewPos(x, 0))
	o[2].Resize(fyne.NewSize(rest, look.HeightFor(o[2], rest)))
	o[2].Move(fyne.NewPos(x, h+3))
}
