package ui

import (
	"context"
	"encoding/json"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

// maxResult bounds how much of a result is shown; Copy has all of it.
const maxResult = 32 << 10

// toolDetail tells of one tool and tries it.
type toolDetail struct {
	frame  *frame
	server string
	tool   wire.Tool
	fields []*toolField
	schema []wire.FormField
	calls  int // counts, so that an old answer isn't shown below another tool
	raw    []byte

	box    *container.Scroll
	column *fyne.Container
	form   *fyne.Container
	json   *widget.Entry // the arguments, when no form can be drawn
	run    *button
	state  *phrase
	out    *widget.Label
	outBox *fyne.Container
}

func newToolDetail(f *frame) *toolDetail {
	d := &toolDetail{frame: f, column: below(gap), state: muted(""), out: widget.NewLabel("")}
	d.out.TextStyle.Monospace, d.out.SizeName = true, theme.SizeNameCaptionText
	d.out.Wrapping, d.out.Selectable = fyne.TextWrapBreak, true
	d.json = widget.NewMultiLineEntry()
	d.json.TextStyle.Monospace = true
	d.json.Wrapping = fyne.TextWrapBreak
	d.run = newButton(lang.L("Try it"), d.call)
	copied := link(lang.L("Copy"), func() { d.frame.copy(string(d.raw), lang.L("The result is on the clipboard.")) })
	d.outBox = below(4, container.NewBorder(nil, nil, muted(lang.L("Result")).whole(), copied), container.NewStack(newBlock(colorSurface, 4), d.out))
	d.box = container.NewVScroll(inset(d.column, 18, 8))
	return d
}

// none says why there is nothing.
func (d *toolDetail) none(why string) {
	d.tool = wire.Tool{}
	words := paragraph(why)
	words.Importance = widget.LowImportance
	d.column.Objects = []fyne.CanvasObject{words}
	d.column.Refresh()
}

func (d *toolDetail) show(server string, t wire.Tool, info toolInfo) {
	if d.server == server && d.tool.Name == t.Name && string(d.tool.Definition) == string(t.Definition) && d.tool.Hidden == t.Hidden {
		return // what was typed stays
	}
	d.server, d.tool, d.schema = server, t, info.fields
	d.calls++
	name := newHint(strong(clean(t.Name)))
	name.style.Monospace = true
	d.column.Objects = []fyne.CanvasObject{name, d.tags(t, info)}
	if info.title != "" {
		d.column.Add(newHint(plain(clean(info.title))))
	}
	if info.description != "" {
		words := paragraph(cleanLines(info.description))
		words.Selectable = true
		d.column.Add(words)
	}
	if why := hiddenWhy(t); why != "" {
		words := paragraph(why)
		words.Importance = widget.WarningImportance
		d.column.Add(words)
	}
	d.fields, d.form = nil, below(wide)
	for _, f := range info.fields {
		field := newToolField(f)
		d.fields = append(d.fields, field)
		d.form.Add(field.box)
	}
	if len(info.fields) == 0 && hasArguments(t.Definition) {
		d.json.SetText("{}")
		d.form.Add(below(4, muted(lang.L("Arguments, as JSON")), d.json))
	}
	d.state.set("", "")
	d.outBox.Hide()
	d.column.Add(inset(rule(), 0, 4))
	d.column.Add(d.form)
	d.column.Add(container.NewBorder(nil, nil, d.run, nil, inset(d.state, wide, 8)))
	d.column.Add(d.outBox)
	d.run.Enable()
	d.box.ScrollToTop()
	d.column.Refresh()
}

func (d *toolDetail) tags(t wire.Tool, info toolInfo) fyne.CanvasObject {
	word, _ := kindOf(t, info)
	tone := toneAsking
	switch {
	case t.ReadOnly:
		tone = toneReady
	case info.destructive:
		tone = toneFailed
	}
	tags := across(6, tag(word, tone))
	if info.idempotent && !t.ReadOnly {
		tags.Add(tag(lang.L("the same twice"), toneOff))
	}
	if info.openWorld {
		tags.Add(tag(lang.L("reaches out"), toneOff))
	}
	return tags
}

// hasArguments reports whether a tool takes anything that no form was drawn for.
func hasArguments(definition []byte) bool {
	var def struct {
		InputSchema map[string]json.RawMessage `json:"inputSchema"`
	}
	if json.Unmarshal(definition, &def) != nil {
		return true
	}
	for key, value := range def.InputSchema {
		if key != "type" && key != "$schema" && key != "additionalProperties" && string(value) != "{}" && string(value) != "[]" {
			return true
		}
	}
	return false
}

// arguments reads the form; what is wrong stands beside its field.
func (d *toolDetail) arguments() (json.RawMessage, bool) {
	if len(d.fields) == 0 {
		text := d.json.Text
		if text == "" {
			text = "{}"
		}
		if !json.Valid([]byte(text)) {
			d.fail(lang.L("The arguments are no JSON yet."))
			return nil, false
		}
		return json.RawMessage(text), true
	}
	texts := map[string]string{}
	for _, f := range d.fields {
		texts[f.field.Name] = f.text()
	}
	args, wrong := arguments(d.schema, texts)
	for _, f := range d.fields {
		f.complain(wrong[f.field.Name])
	}
	if len(wrong) > 0 {
		d.fail(lang.L("Look at what is marked."))
		return nil, false
	}
	return args, true
}

func (d *toolDetail) fail(text string) {
	d.state.paint(theme.ColorNameError)
	d.state.set(text, "")
}

// call tries the tool: the same gate decides as for any host.
func (d *toolDetail) call() {
	args, ok := d.arguments()
	if !ok {
		return
	}
	d.calls++
	n, began := d.calls, d.frame.now()
	d.run.Disable()
	d.state.paint(colorMuted)
	d.state.set(lang.L("Running…"), "")
	var result []byte
	server, req := d.server, wire.CallTool{Tool: d.tool.Name, Arguments: args}
	d.frame.model.Do(func(ctx context.Context, c *client.Client) (err error) {
		result, err = c.Call(ctx, server, req)
		return err
	}, func(err error) {
		if n == d.calls {
			d.run.Enable()
			d.answer(result, err, d.frame.now().Sub(began))
		}
	})
}

func (d *toolDetail) answer(result []byte, err error, dur time.Duration) {
	d.raw = result
	show(d.outBox, err == nil)
	if err != nil {
		d.fail(explain(err))
		d.column.Refresh()
		return
	}
	text, failed := readResult(result)
	text = cleanLines(text)
	if len(text) > maxResult {
		text = text[:maxResult] + "…"
	}
	d.out.SetText(text)
	d.state.paint(theme.ColorNameSuccess)
	d.state.set(lang.L("Done in {{.Time}}", named{"Time": took(float64(dur.Milliseconds()))}), "")
	if failed {
		d.fail(lang.L("The tool says that it went wrong, after {{.Time}}", named{"Time": took(float64(dur.Milliseconds()))}))
	}
	d.column.Refresh()
}

// toolField is one argument of a form.
type toolField struct {
	field wire.FormField
	box   *fyne.Container
	entry *widget.Entry
	pick  *picker
	note  *widget.Label
	about string
}

func newToolField(f wire.FormField) *toolField {
	t := &toolField{field: f, note: paragraph("")}
	t.note.SizeName = theme.SizeNameCaptionText
	name := f.Title
	if name == "" {
		name = f.Name
	}
	if f.Required {
		name += " *"
	}
	label := newHint(plain(clean(name)))
	label.tip = clean(f.Name)
	var input fyne.CanvasObject
	switch f.Type {
	case "boolean":
		t.pick = newPicker([]option{{"", lang.L("not given")}, {"true", lang.L("yes")}, {"false", lang.L("no")}}, nil)
		input = t.pick
	case "choice":
		options := []option{{"", lang.L("not given")}}
		for _, o := range f.Options {
			options = append(options, option{o.Value, clean(o.Value)})
		}
		t.pick = newPicker(options, nil)
		input = t.pick
	case typeJSON:
		t.entry = widget.NewMultiLineEntry()
		t.entry.SetMinRowsVisible(2)
		t.entry.SetPlaceHolder(lang.L("JSON"))
		t.entry.TextStyle.Monospace = true
	default:
		t.entry = widget.NewEntry()
	}
	if t.entry != nil {
		t.entry.SetText(initial(f))
		t.entry.OnChanged = func(string) { t.complain(nil) }
		input = t.entry
	} else {
		t.pick.set(initial(f))
		t.pick.onPick = func(string) { t.complain(nil) }
	}
	t.about = clean(f.Description)
	t.box = below(2, label, input, t.note)
	t.complain(nil)
	return t
}

func (t *toolField) text() string {
	if t.pick != nil {
		return t.pick.value()
	}
	return t.entry.Text
}

// complain says what is wrong with a field, or what it is for.
func (t *toolField) complain(err error) {
	text, importance := t.about, widget.LowImportance
	if err != nil {
		text, importance = sentence(err.Error()), widget.DangerImportance
	}
	t.note.Importance = importance
	if t.note.Text != text || !t.note.Visible() {
		t.note.SetText(text)
	}
	show(t.note, text != "")
	t.box.Refresh()
}
