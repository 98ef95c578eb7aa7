package ask

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
)

// maxEdited is how many bytes of a text can be edited here: an editor with more
// would stall. Longer ones are shown whole and go as they are.
const maxEdited = 12 << 10

// sampling asks whether a server's prompt may go to a model.
func (p *Popup) sampling() content {
	d := p.q.Sampling
	c := p.asked(runs("{{.Server}} wants a model to answer", map[string]look.Run{"Server": {Text: p.q.Server}}))
	facts := []string{}
	if d.Model != "" {
		facts = append(facts, lang.L("Model {{.Model}}", filled{"Model": look.Show(d.Model)}))
	}
	if d.MaxTokens > 0 {
		facts = append(facts, lang.N("at most {{.N}} tokens", d.MaxTokens, filled{"N": d.MaxTokens}))
	}
	if len(facts) > 0 {
		c.below = append(c.below, look.Run{Text: "\n" + strings.Join(facts, " · ")})
	}
	if len(d.Tools) > 0 {
		c.below = append(c.below, look.Run{Text: "\n" + lang.L("The model may ask for:") + " "}, look.Run{Text: strings.Join(d.Tools, ", "), Mono: true})
	}
	e := &edits{p: p}
	if d.System != "" {
		e.system = e.part(lang.L("System prompt"), d.System)
		c.parts = append(c.parts, e.system.box)
	}
	for _, m := range d.Messages {
		c.parts = append(c.parts, e.message(m)...)
	}
	p.accept = e.answer
	return c
}

// samplingResult asks whether a model's answer may go to the server.
func (p *Popup) samplingResult() content {
	d := p.q.Sampling
	c := p.asked(runs("May this answer go to {{.Server}}?", map[string]look.Run{"Server": {Text: p.q.Server}}))
	if d.Model != "" {
		c.below = append(c.below, look.Run{Text: "\n" + lang.L("Written by {{.Model}}", filled{"Model": look.Show(d.Model)})})
	}
	e := &edits{p: p}
	if d.Result != nil {
		c.parts = append(c.parts, e.message(*d.Result)...)
	}
	if d.StopReason != "" && d.StopReason != "endTurn" {
		c.parts = append(c.parts, look.NewRich(look.ColorMuted, theme.SizeNameCaptionText, runs("It stopped because of: {{.Reason}}", map[string]look.Run{"Reason": {Text: d.StopReason}})...))
	}
	p.accept = e.answer
	return c
}

// edits are the texts of a prompt or a result that a person may change.
type edits struct {
	p      *Popup
	system *text
	parts  []*text // of type text, in order
}

// text is one of them: shown with what hides in it, edited on demand.
type text struct {
	was  string
	edit *entry // nil until it is edited
	box  fyne.CanvasObject
}

func (t *text) now() string {
	if t.edit == nil {
		return t.was
	}
	return t.edit.Text
}

func (e *edits) message(m wire.SamplingMessage) (out []fyne.CanvasObject) {
	role := look.Show(m.Role)
	switch m.Role {
	case "user":
		role = lang.L("Asked in your name")
	case "assistant":
		role = lang.L("Answered by the model")
	}
	for _, part := range m.Parts {
		if part.Type == "text" {
			t := e.part(role, part.Text)
			e.parts = append(e.parts, t)
			out = append(out, t.box)
			continue
		}
		out = append(out, look.Card(look.Column(4, look.Muted(role+" · "+part.Type), look.NewRich(look.ColorMuted, theme.SizeNameText, look.Run{Text: part.Text})), ""))
	}
	return out
}

// part shows a text with a button that makes it an editor.
func (e *edits) part(title, was string) *text {
	t := &text{was: was}
	view := e.p.newPanel(title, textLines(was), func() string { return t.now() })
	t.box = view.CanvasObject
	if len(was) > maxEdited {
		view.title.Set(title+" · "+lang.L("too long to edit here"), "")
		return t
	}
	var change *look.Button
	change = look.NewButton(lang.L("Edit"), look.Quiet, func() {
		if !e.p.armed {
			return
		}
		t.edit = e.p.newEntry(true)
		t.edit.SetText(was)
		t.edit.SetMinRowsVisible(min(9, 2+len(view.sheet.paper.rows)))
		view.box.Objects[len(view.box.Objects)-1] = look.Inset(t.edit, 6, 6)
		change.Hide()
		e.p.relayout()
		e.p.win.Canvas().Focus(t.edit)
	})
	e.p.watch(change)
	view.head(change)
	return t
}

// answer carries what was changed; nothing of it when nothing was.
func (e *edits) answer(choice string) (wire.Answer, bool) {
	a := wire.Answer{Choice: choice}
	var edit wire.SamplingEdit
	changed := false
	if e.system != nil && e.system.now() != e.system.was {
		s := e.system.now()
		edit.System, changed = &s, true
	}
	texts := make([]string, 0, len(e.parts))
	different := false
	for _, t := range e.parts {
		texts = append(texts, t.now())
		different = different || t.now() != t.was
	}
	if different {
		edit.Texts, changed = texts, true
	}
	if changed {
		a.Sampling = &edit
	}
	return a, true
}
