package ask

import (
	"strings"

	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// form is what a server wants filled in.
type form struct {
	p      *Popup
	d      *wire.FormDetail
	inputs []*input
}

// form asks for values.
func (p *Popup) form() content {
	d := p.q.Form
	c := p.asked(runs("{{.Server}} asks for your input", map[string]look.Run{"Server": {Text: p.q.Server}}))
	c.below = append(c.below, look.Run{Text: " " + lang.L("Only share what you would tell this server.")})
	if d.Message != "" {
		c.parts = append(c.parts, p.quote(d.Message))
	}
	o := &form{p: p, d: d}
	for i := range d.Fields {
		in := o.input(&d.Fields[i])
		o.inputs = append(o.inputs, in)
		c.parts = append(c.parts, in.row)
		if p.first == nil && in.focus != nil {
			p.first = in.focus
		}
	}
	p.accept = func(choice string) (wire.Answer, bool) {
		o.check()
		return wire.Answer{Choice: choice, Content: o.content()}, p.valid
	}
	o.check()
	return c
}

// content is the answer as it stands, in the form's order.
func (o *form) content() []byte {
	out := []byte{'{'}
	for _, in := range o.inputs {
		v := in.value()
		if v == nil {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoteJSON(in.f.Name)...), ':'), v...)
	}
	return append(out, '}')
}

// check says beside each field what is wrong with it, and whether all of it may
// be sent.
func (o *form) check() {
	wrong := o.p.opt.Checker.Check(o.d, o.content())
	var missing []string
	for _, in := range o.inputs {
		text := wrong[in.f.Name]
		in.tell(text)
		if text != "" && !in.touched {
			missing = append(missing, in.name())
		}
	}
	o.p.valid = len(wrong) == 0
	if len(missing) > 0 {
		o.p.remark(lang.L("Still to fill in: {{.Names}}", filled{"Names": look.Show(strings.Join(missing, ", "))}))
	} else {
		o.p.remark("")
	}
	if o.p.no != nil {
		o.p.able()
	}
}
