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
	"bridgekeeper/ui/look"
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

	box    *scrolled
	column *fyne.Container
	form   *fyne.Container
	json   *widget.Entry // the arguments, when no form can be drawn
	run    *look.Button
	state  *look.Text
	out    *widget.Label
	outBox *fyne.Container
}

func newToolDetail(f *frame) *toolDetail {
	d := &toolDetail{frame: f, column: look.Column(look.Gap), state: look.Muted(""), out: widget.NewLabel("")}
	d.out.TextStyle.Monospace, d.out.SizeName = true, theme.SizeNameCaptionText
	d.out.Wrapping, d.out.Selectable = fyne.TextWrapBreak, true
	d.json = widget.NewMultiLineEntry()
	d.json.TextStyle.Monospace = true
	d.json.Wrapping = fyne.TextWrapBreak
	d.run = look.NewButton(lang.L("Try it"), look.Ordinary, d.call)
	copied := look.NewButton(lang.L("Copy"), look.Quiet, func() { d.frame.copy(string(d.raw), lang.L("The result is on the clipboard.")) })
	d.outBox = look.Column(4, container.NewBorder(nil, nil, look.Muted(lang.L("Result")).Whole(), copied), look.Stack(look.NewBlock(look.ColorSurface, 4), d.out))
	d.box = newScrolled(look.Inset(d.column, 18, 8))
	return d
}

// none says why there is nothing.
func (d *toolDetail) none(why string) {
	d.tool = wire.Tool{}
	d.column.Objects = []fyne.CanvasObject{faint(why)}
	d.box.again()
}

func (d *toolDetail) show(server string, t wire.Tool, info toolInfo) {
	if d.server == server && d.tool.Name == t.Name && string(d.tool.Definition) == string(t.Definition) && d.tool.Hidden == t.Hidden {
		return // what was typed stays
	}
	d.server, d.tool, d.schema = server, t, info.fields
	d.calls++
	name := look.Strong(look.Show(t.Name))
	name.Style.Monospace = true
	d.column.Objects = []fyne.CanvasObject{name, d.tags(t, info)}
	if info.title != "" {
		d.column.Add(look.Plain(look.Show(info.title)))
	}
	if info.description != "" {
		d.column.Add(look.Words(info.description))
	}
	if why := hiddenWhy(t); why != "" {
		words := look.Words(why)
		words.Paint(theme.ColorNameWarning)
		d.column.Add(words)
	}
	d.fields, d.form = nil, look.Column(look.Wide)
	for _, f := range info.fields {
		field := newToolField(f)
		d.fields = append(d.fields, field)
		d.form.Add(field.box)
	}
	if len(info.fields) == 0 && hasArguments(t.Definition) {
		d.json.SetText("{}")
		d.form.Add(look.Column(4, look.Muted(lang.L("Arguments, as JSON")), d.json))
	}
	d.state.Set("", "")
	d.outBox.Hide()
	d.column.Add(look.Inset(look.Rule(), 0, 4))
	d.column.Add(d.form)
	d.column.Add(container.NewBorder(nil, nil, d.run, nil, look.Inset(d.state, look.Wide, 8)))
	d.column.Add(d.outBox)
	d.run.Able(true)
	d.box.top()
	d.box.again()
}

func (d *toolDetail) tags(t wire.Tool, info toolInfo) fyne.CanvasObject {
	word, _ := kindOf(t, info)
	tone := look.Asking
	switch {
	case t.ReadOnly:
		tone = look.Ready
	case info.destructive:
		tone = look.Failed
	}
	tags := look.Across(6, look.Tag(word, tone))
	if info.idempotent && !t.ReadOnly {
		tags.Add(look.Tag(lang.L("the same twice"), look.Off))
	}
	if info.openWorld {
		tags.Add(look.Tag(lang.L("reaches out"), look.Off))
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
	d.state.Paint(theme.ColorNameError)
	d.state.Set(text, "")
}

// call tries the tool: the same gate decides as for any host.
func (d *toolDetail) call() {
	args, ok := d.arguments()
	if !ok {
		return
	}
	d.calls++
	n, began := d.calls, d.frame.now()
	d.run.Able(false)
	d.state.Paint(look.ColorMuted)
	d.state.Set(lang.L("Running…"), "")
	var result []byte
	server, req := d.server, wire.CallTool{Tool: d.tool.Name, Arguments: args}
	d.frame.model.Do(func(ctx context.Context, c *client.Client) (err error) {
		result, err = c.Call(ctx, server, req)
		return err
	}, func(err error) {
		if n == d.calls {
			d.run.Able(true)
			d.answer(result, err, d.frame.now().Sub(began))
		}
	})
}

func (d *toolDetail) answer(result []byte, err error, dur time.Duration) {
	d.raw = result
	show(d.outBox, err == nil)
	if err != nil {
		d.fail(explain(err))
		d.box.again()
		return
	}
	text, failed := readResult(result)
	text = look.ShowLines(text)
	if len(text) > maxResult {
		text = text[:maxResult] + "…"
	}
	d.out.SetText(text)
	d.state.Paint(theme.ColorNameSuccess)
	d.state.Set(lang.L("Done in {{.Time}}", named{"Time": took(float64(dur.Milliseconds()))}), "")
	if failed {
		d.fail(lang.L("The tool says that it went wrong, after {{.Time}}", named{"Time": took(float64(dur.Milliseconds()))}))
	}
	d.box.again()
}

// toolField is one argument of a form.
type toolField struct {
	field wire.FormField
	box   *fyne.Container
	entry *widget.Entry
	pick  *picker
	note  *look.Para
	about string
}

func newToolField(f wire.FormField) *toolField {
	t := &toolField{field: f, note: look.Small("")}
	name := f.Title
	if name == "" {
		name = f.Name
	}
	if f.Required {
		name += " *"
	}
	label := look.Plain(look.Show(name))
	label.Set(name, f.Name)
	var input fyne.CanvasObject
	switch f.Type {
	case "boolean":
		t.pick = newPicker([]option{{"", lang.L("not given")}, {"true", lang.L("yes")}, {"false", lang.L("no")}}, nil)
		input = t.pick
	case "choice":
		options := []option{{"", lang.L("not given")}}
		for _, o := range f.Options {
			options = append(options, option{o.Value, look.Show(o.Value)})
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
	t.about = look.Show(f.Description)
	t.box = look.Column(2, label, input, t.note)
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
	text, color := t.about, look.ColorMuted
	if err != nil {
		text, color = sentence(err.Error()), theme.ColorNameError
	}
	t.note.Paint(color)
	t.note.Set(text)
	show(t.note, text != "")
	t.box.Refresh()
}
