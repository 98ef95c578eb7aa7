package ui

import (
	"context"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// terms are the settings that protect: what is asked, how long questions wait,
// what the record keeps, and the rules. Each choice counts at once; one that means
// less protection waits for the person's word in a pop-up.
type terms struct {
	frame    *frame
	now      wire.Settings
	box      *fyne.Container
	onMove   func()
	ask      *picker
	deadline *widget.Entry
	cli      *widget.Check
	args     *widget.Check
	keep     *widget.Entry
	rules    *fyne.Container
}

func newTerms(f *frame) *terms {
	t := &terms{frame: f, rules: look.Column(4)}
	t.ask = newPicker(presets(), func(v string) { t.edit(wire.EditSettings{Ask: &v}) })
	t.ask.set(wire.PresetChanges)
	t.deadline = widget.NewEntry()
	t.deadline.SetPlaceHolder("5m")
	t.deadline.OnSubmitted = func(text string) {
		q := t.now.Questions
		q.Deadline = strings.TrimSpace(text)
		t.edit(wire.EditSettings{Questions: &q})
	}
	t.cli = widget.NewCheck(lang.L("The command line may answer, too"), nil)
	t.args = widget.NewCheck(lang.L("Keep the arguments of calls, not only their size"), nil)
	t.keep = widget.NewEntry()
	t.keep.SetPlaceHolder(lang.L("the default"))
	t.keep.OnSubmitted = func(text string) {
		n, err := whole(text, lang.L("Record, in MiB"))
		if err != nil {
			f.fail(&wire.Error{Message: err.Error()})
			return
		}
		r := t.now.Record
		r.KeepMiB = n
		t.edit(wire.EditSettings{Record: &r})
	}
	t.box = look.Column(look.Wide,
		labelled(lang.L("Ask me before"), t.ask), labelled(lang.L("Questions wait for"), t.deadline), labelled("", t.cli),
		labelled(lang.L("Record, in MiB"), t.keep), labelled("", t.args), labelled(lang.L("Rules"), t.rules))
	t.show(wire.Settings{})
	return t
}

// load gets the settings anew.
func (t *terms) load() {
	var s *wire.Settings
	t.frame.model.Do(func(ctx context.Context, c *client.Client) (err error) {
		s, err = c.Settings(ctx)
		return err
	}, func(err error) {
		if err == nil { // the strip at the top tells of a core that is away
			t.show(*s)
		}
	})
}

// show shows settings without telling anybody.
func (t *terms) show(s wire.Settings) {
	t.now = s
	t.ask.set(first(s.Ask, wire.PresetChanges))
	if t.deadline.Text != s.Questions.Deadline {
		t.deadline.SetText(s.Questions.Deadline)
	}
	if text := number(s.Record.KeepMiB); t.keep.Text != text {
		t.keep.SetText(text)
	}
	check(t.cli, s.Questions.CLI, func(on bool) {
		q := t.now.Questions
		q.CLI = on
		t.edit(wire.EditSettings{Questions: &q})
	})
	check(t.args, s.Record.Arguments, func(on bool) {
		r := t.now.Record
		r.Arguments = on
		t.edit(wire.EditSettings{Record: &r})
	})
	t.rules.RemoveAll()
	for i, rule := range s.Rules {
		gone := look.IconButton(look.Icon("trash"), lang.L("Remove"), func() { t.remove(i, rule) })
		text := look.Plain(ruleWords(rule))
		text.Set(ruleWords(rule), rule.Note)
		t.rules.Add(look.Ends(text, gone))
	}
	if len(s.Rules) == 0 {
		t.rules.Add(look.Inset(look.Muted(lang.L("None yet. A rule comes from a question that you answered with “always”.")), 0, 10))
	}
	if t.onMove != nil {
		t.onMove()
	}
}

// check sets a tick without telling.
func check(c *widget.Check, on bool, then func(bool)) {
	c.OnChanged = nil
	c.SetChecked(on)
	c.OnChanged = then
}

func (t *terms) edit(req wire.EditSettings) {
	t.frame.model.Do(func(ctx context.Context, c *client.Client) error { return c.EditSettings(ctx, req) }, t.edited)
}

func (t *terms) remove(index int, rule wire.Rule) {
	t.frame.model.Do(func(ctx context.Context, c *client.Client) error { return c.RemoveRule(ctx, index, rule) }, t.edited)
}

// edited shows what is true now, also after a no.
func (t *terms) edited(err error) {
	if err != nil {
		t.frame.fail(err)
	}
	t.load()
}

// ruleWords is a rule as one line.
func ruleWords(r wire.Rule) string {
	any := func(s, all string) string {
		if s == "" || s == "*" {
			return all
		}
		return look.Show(s)
	}
	n := named{"Tool": any(r.Tool, lang.L("every tool")), "Server": any(r.Server, lang.L("every server")), "Host": any(r.Host, lang.L("every host"))}
	text := ""
	switch r.Do {
	case wire.VerdictAllow:
		text = lang.L("allow {{.Tool}} of {{.Server}} to {{.Host}}", n)
	case wire.VerdictDeny:
		text = lang.L("deny {{.Tool}} of {{.Server}} to {{.Host}}", n)
	default:
		text = lang.L("ask before {{.Host}} runs {{.Tool}} of {{.Server}}", n)
	}
	if r.Args != "" {
		text = join(text, lang.L("with exactly these arguments"))
	}
	return text
}
