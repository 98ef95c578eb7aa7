package ui

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// pickerSides is what stands beside a picker's text, pickerMost its widest.
const pickerSides, pickerMost = 48, 320

// option is one value to choose from, and how it is called.
type option struct{ value, label string }

// picker chooses one of several values. Setting it by program tells nobody.
type picker struct {
	widget.Select
	options []option
	onPick  func(value string)
}

func newPicker(options []option, onPick func(value string)) *picker {
	p := &picker{options: options, onPick: onPick}
	p.label()
	p.ExtendBaseWidget(p)
	p.OnChanged = p.picked
	if len(options) > 0 {
		p.set(options[0].value)
	}
	return p
}

func (p *picker) label() {
	p.Options = p.Options[:0:0]
	for _, o := range p.options {
		p.Options = append(p.Options, o.label)
	}
}

func (p *picker) picked(string) {
	if i := p.SelectedIndex(); i >= 0 && p.onPick != nil {
		p.onPick(p.options[i].value)
	}
}

func (p *picker) value() string {
	if i := p.SelectedIndex(); i >= 0 {
		return p.options[i].value
	}
	return ""
}

// set chooses a value without telling; one that isn't offered changes nothing.
func (p *picker) set(value string) {
	i := slices.IndexFunc(p.options, func(o option) bool { return o.value == value })
	if i < 0 || i == p.SelectedIndex() {
		return
	}
	p.OnChanged = nil
	p.SetSelectedIndex(i)
	p.OnChanged = p.picked
}

// offer replaces what can be chosen; the value stays when it is still there.
func (p *picker) offer(options []option) {
	if slices.Equal(p.options, options) {
		return
	}
	value := p.value()
	p.options = options
	p.OnChanged = nil
	p.label()
	p.ClearSelected()
	p.OnChanged = p.picked
	p.set(options[0].value)
	p.set(value)
	p.Refresh()
}

// CreateRenderer adds a border, which Fyne's own has not: without one it can't be
// told from the page in the light look.
func (p *picker) CreateRenderer() fyne.WidgetRenderer {
	border := look.NewBlock("", look.Corner)
	border.Stroke = theme.ColorNameInputBorder
	return &pickerRenderer{p.Select.CreateRenderer(), border}
}

type pickerRenderer struct {
	fyne.WidgetRenderer
	border *look.Block
}

func (r *pickerRenderer) Layout(s fyne.Size) {
	r.WidgetRenderer.Layout(s)
	r.border.Resize(s)
}

func (r *pickerRenderer) Objects() []fyne.CanvasObject {
	return append(r.WidgetRenderer.Objects(), r.border)
}

// MinSize has room for the longest choice, up to a limit.
func (p *picker) MinSize() fyne.Size {
	m := p.Select.MinSize()
	for _, o := range p.options {
		m.Width = max(m.Width, min(fyne.MeasureText(o.label, theme.TextSize(), fyne.TextStyle{}).Width+pickerSides, pickerMost))
	}
	return m
}

func (p *picker) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter {
		e = &fyne.KeyEvent{Name: fyne.KeySpace}
	}
	p.Select.TypedKey(e)
}

// presets are how much a person is asked.
func presets() []option {
	return []option{
		{wire.PresetEverything, lang.L("every call")},
		{wire.PresetChanges, lang.L("calls that change something")},
		{wire.PresetDestructive, lang.L("calls that may destroy")},
		{wire.PresetNever, lang.L("no call")},
	}
}
