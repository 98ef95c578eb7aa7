package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"bridgekeeper/app/elicit"
	"bridgekeeper/app/wire"
)

// answer asks the person for one question's answer.
func (d *dialog) answer() (wire.Answer, error) {
	switch d.q.Kind {
	case wire.AskForm:
		return d.form()
	case wire.AskURL:
		return d.page()
	case wire.AskSampling, wire.AskSamplingResult:
		return d.sampling()
	}
	words := map[string]string{"y": wire.ChooseOnce, "yes": wire.ChooseOnce, "n": wire.ChooseDeny, "no": wire.ChooseDeny, "": wire.ChooseDeny}
	var also []string
	for _, more := range []struct{ key, choice, text string }{
		{"s", wire.ChooseSession, "s for this session"},
		{"m", wire.ChooseMinutes, "m for 15 minutes"},
		{"t", wire.ChooseTool, "t always this tool"},
		{"a", wire.ChooseArgs, "a always with these arguments"},
	} {
		if slices.Contains(d.q.Choices, more.choice) {
			words[more.key] = more.choice
			also = append(also, more.text)
		}
	}
	if len(also) > 0 {
		fmt.Fprintf(d.t.out, "  answers: y once, n no, %s\n", strings.Join(also, ", "))
	}
	choice, err := d.choose(allowPrompts[d.q.Kind]+" [y/N] ", words)
	return wire.Answer{Choice: choice}, err
}

var allowPrompts = map[string]string{
	wire.AskCall:        "Allow this call?",
	wire.AskFirstRun:    "Let it run?",
	wire.AskChangedTool: "Let hosts use this tool?",
	wire.AskNewHost:     "Let it connect?",
	wire.AskLower:       "Allow this change?",
}

var formWords = map[string]string{"y": wire.ChooseOnce, "yes": wire.ChooseOnce, "n": wire.ChooseDeny, "no": wire.ChooseDeny, "": wire.ChooseCancel, "c": wire.ChooseCancel}

// form has the person fill in a server's form, look at it, and send it.
func (d *dialog) form() (wire.Answer, error) {
	choice, err := d.choose("Fill it in? [y yes, n decline, Enter closes it] ", formWords)
	if err != nil || choice != wire.ChooseOnce {
		return wire.Answer{Choice: choice}, err
	}
	form := d.q.Form
	values := defaultsOf(form)
	todo := form.Fields
	for {
		for _, f := range todo {
			typed, err := d.prompt("%s", fieldPrompt(&f, values[f.Name]))
			if err != nil {
				return wire.Answer{}, err
			}
			switch {
			case typed == "-":
				delete(values, f.Name)
			case typed != "" && f.Type == elicit.Choices:
				values[f.Name] = split(typed)
			case typed != "":
				values[f.Name] = []string{typed}
			}
		}
		content, wrong := elicit.Content(form, values)
		if len(wrong) > 0 {
			todo = nil
			for _, w := range wrong {
				fmt.Fprintf(d.t.out, "  %s: %s\n", printable(w.Field), printable(w.Text))
				todo = append(todo, fieldsNamed(form, w.Field)...)
			}
			if len(todo) == 0 {
				todo = form.Fields
			}
			continue
		}
		choice, err := d.choose(fmt.Sprintf("  this is sent: %s\nSend it? [y yes, n decline, e edit, Enter closes it] ", printable(string(content))),
			map[string]string{"y": wire.ChooseOnce, "yes": wire.ChooseOnce, "n": wire.ChooseDeny, "no": wire.ChooseDeny, "e": "edit", "": wire.ChooseCancel})
		if err != nil || choice != "edit" {
			answer := wire.Answer{Choice: choice}
			if choice == wire.ChooseOnce {
				answer.Content = content
			}
			return answer, err
		}
		todo = form.Fields
	}
}

func fieldsNamed(form *wire.FormDetail, name string) (found []wire.FormField) {
	for _, f := range form.Fields {
		if f.Name == name {
			found = append(found, f)
		}
	}
	return found
}

// defaultsOf are the values that a form begins with.
func defaultsOf(form *wire.FormDetail) elicit.Values {
	values := make(elicit.Values, len(form.Fields))
	for _, f := range form.Fields {
		if texts := elicit.Texts(f); texts != nil {
			values[f.Name] = texts
		}
	}
	return values
}

// split takes several choices apart.
func split(typed string) (all []string) {
	for part := range strings.SplitSeq(typed, ",") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// fieldPrompt tells what a field wants, with what Enter would take.
func fieldPrompt(f *wire.FormField, now []string) string {
	var b strings.Builder
	name := f.Name
	if f.Title != "" && f.Title != f.Name {
		name = f.Title + " (" + f.Name + ")"
	}
	fmt.Fprintf(&b, "  %s", printable(name))
	about := []string{f.Type}
	if f.Format != "" {
		about = append(about, f.Format)
	}
	if f.Required {
		about = append(about, "required")
	}
	fmt.Fprintf(&b, " [%s]", printable(strings.Join(about, ", ")))
	if f.Description != "" {
		fmt.Fprintf(&b, "\n    %s", printable(f.Description))
	}
	if f.Sensitive {
		b.WriteString("\n    This looks like a secret: a server must not ask for it in a form.")
	}
	for _, o := range f.Options {
		fmt.Fprintf(&b, "\n    %s", printable(o.Value))
		if o.Title != "" && o.Title != o.Value {
			fmt.Fprintf(&b, "  %s", printable(o.Title))
		}
	}
	if f.Type == elicit.Choices {
		b.WriteString("\n    several, with commas between them")
	}
	if now != nil {
		fmt.Fprintf(&b, "\n    Enter takes %s; - leaves it out", printable(strings.Join(now, ", ")))
	}
	b.WriteString("\n  > ")
	return b.String()
}

// page asks whether a web page may be opened, and opens it.
func (d *dialog) page() (wire.Answer, error) {
	choice, err := d.choose("Open it? [y yes, n decline, Enter closes it] ", formWords)
	if err == nil && choice == wire.ChooseOnce && d.t.open != nil {
		if err := d.t.open(d.ctx, d.q.URL.URL); err != nil {
			fmt.Fprintf(d.t.out, "  It could not be opened here (%s): open it yourself.\n", printable(err.Error()))
		}
	}
	return wire.Answer{Choice: choice}, err
}

// sampling shows what goes to or comes from a model, and lets the person change
// its texts.
func (d *dialog) sampling() (wire.Answer, error) {
	what := "Let the model answer?"
	if d.q.Kind == wire.AskSamplingResult {
		what = "Give this to the server?"
	}
	choice, err := d.choose(what+" [y/N, e edit] ", map[string]string{
		"y": wire.ChooseOnce, "yes": wire.ChooseOnce, "n": wire.ChooseDeny, "no": wire.ChooseDeny, "": wire.ChooseDeny, "e": "edit"})
	if err != nil || choice != "edit" {
		return wire.Answer{Choice: choice}, err
	}
	edit := &wire.SamplingEdit{}
	for _, text := range textsOf(d.q.Sampling) {
		typed, err := d.prompt("  %s\n  new text (Enter keeps it) > ", printable(text))
		if err != nil {
			return wire.Answer{}, err
		}
		if typed == "" {
			typed = text
		}
		edit.Texts = append(edit.Texts, typed)
	}
	choice, err = d.choose(what+" [y/N] ", map[string]string{"y": wire.ChooseOnce, "yes": wire.ChooseOnce, "n": wire.ChooseDeny, "no": wire.ChooseDeny, "": wire.ChooseDeny})
	return wire.Answer{Choice: choice, Sampling: edit}, err
}

// textsOf returns the texts that may be edited, in order.
func textsOf(s *wire.SamplingDetail) (texts []string) {
	messages := s.Messages
	if s.Result != nil {
		messages = []wire.SamplingMessage{*s.Result}
	}
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Type == "text" {
				texts = append(texts, p.Text)
			}
		}
	}
	return texts
}

// compact is what is shown where there are no arguments.
func compact(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "{}"
	}
	return string(raw)
}
