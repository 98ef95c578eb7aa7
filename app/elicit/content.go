package elicit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"bridgekeeper/app/rawjson"
	"bridgekeeper/app/wire"
)

// Values is what a person entered, by field: one text for most fields, any
// number for Choices. A field that isn't there was not touched. Defaults are not
// added here: who shows the form fills them in, and gives them back with the rest.
type Values map[string][]string

// Content makes an accepted form's content from what a person entered, in the
// form's order, and checks it. Untouched fields are left out, and so are emptied
// ones (an empty text, a list of nothing that may be nothing): whoever wants to
// send "" has no way to say so in a form. Booleans take yes and no, choices take
// a value, a title or, where those aren't numbers, a number from 1.
func Content(form *wire.FormDetail, values Values) (json.RawMessage, []FieldError) {
	out := []byte{'{'}
	var wrong []FieldError
	for i := range form.Fields {
		f := &form.Fields[i]
		value, text := entered(f, values)
		if text != "" {
			wrong = append(wrong, FieldError{f.Name, text})
			continue
		}
		if value == nil {
			if f.Required {
				wrong = append(wrong, FieldError{f.Name, "is required"})
			}
			continue
		}
		if text := checkValue(f, value); text != "" {
			wrong = append(wrong, FieldError{f.Name, text})
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, rawjson.Quote(f.Name)...), ':'), value...)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.ContainsFunc(form.Fields, func(f wire.FormField) bool { return f.Name == name }) {
			wrong = append(wrong, FieldError{name, "is not in the form"})
		}
	}
	out = append(out, '}')
	if wrong == nil {
		wrong = Check(form, out) // of the whole: its size
	}
	if wrong != nil {
		return nil, wrong
	}
	return out, nil
}

// Texts is a field's default as Content would read it; nil if there is none. It
// is what to fill a form with.
func Texts(f wire.FormField) []string {
	if f.Default == nil {
		return nil
	}
	if s, ok := text(f.Default); ok {
		return []string{s}
	}
	if list, err := stringList(f.Default, maxOptions); err == nil {
		return list
	}
	return []string{string(f.Default)}
}

// entered is a field's value as JSON; nil if there is none. The text says what
// can't be read.
func entered(f *wire.FormField, values Values) (json.RawMessage, string) {
	texts, touched := values[f.Name]
	if !touched {
		return nil, ""
	}
	if f.Type == Choices {
		return enteredChoices(f, texts)
	}
	if len(texts) > 1 {
		return nil, "takes one value"
	}
	if len(texts) == 0 || texts[0] == "" {
		return nil, ""
	}
	s := texts[0]
	switch f.Type {
	case Number, Integer:
		return enteredNumber(f, strings.TrimSpace(s))
	case Boolean:
		switch strings.ToLower(strings.TrimSpace(s)) {
		case "true", "yes", "y", "on", "1":
			return json.RawMessage("true"), ""
		case "false", "no", "n", "off", "0":
			return json.RawMessage("false"), ""
		}
		return nil, "must be yes or no"
	case Choice:
		value, ok := pick(f, s)
		if !ok {
			return nil, "must be one of the choices"
		}
		return rawjson.Quote(value), ""
	}
	return rawjson.Quote(s), ""
}

func enteredChoices(f *wire.FormField, texts []string) (json.RawMessage, string) {
	// A terminal has one line for all of them.
	if len(texts) == 1 {
		if _, ok := pick(f, texts[0]); !ok {
			texts = strings.Split(texts[0], ",")
		}
	}
	list := []string{}
	for _, s := range texts {
		if strings.TrimSpace(s) == "" {
			continue
		}
		value, ok := pick(f, s)
		if !ok {
			return nil, fmt.Sprintf("must hold choices only, and %.60q is none", strings.TrimSpace(s))
		}
		list = append(list, value)
	}
	// None chosen: an optional field is left out, a required one says so with [].
	if len(list) == 0 && !f.Required {
		return nil, ""
	}
	out := []byte{'['}
	for i, v := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, rawjson.Quote(v)...)
	}
	return append(out, ']'), ""
}

// pick finds the choice that a person means.
func pick(f *wire.FormField, s string) (string, bool) {
	for _, o := range f.Options {
		if o.Value == s {
			return o.Value, true
		}
	}
	s = strings.TrimSpace(s)
	for _, same := range []func(a string) bool{
		func(a string) bool { return a == s },
		func(a string) bool { return strings.EqualFold(a, s) },
	} {
		var found []string
		for _, o := range f.Options {
			if same(o.Value) || o.Title != "" && same(o.Title) {
				found = append(found, o.Value)
			}
		}
		if len(found) == 1 {
			return found[0], true
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > len(f.Options) || slices.ContainsFunc(f.Options, numbered) {
		return "", false
	}
	return f.Options[n-1].Value, true
}

// numbered reports whether a choice could be mistaken for its place in the list.
func numbered(o wire.FormOption) bool {
	_, value := strconv.Atoi(o.Value)
	_, title := strconv.Atoi(o.Title)
	return value == nil || title == nil
}

// enteredNumber reads a number as people write it, without rounding it.
func enteredNumber(f *wire.FormField, s string) (json.RawMessage, string) {
	if s == "" {
		return nil, ""
	}
	negative := strings.HasPrefix(s, "-")
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	if strings.HasPrefix(digits, ".") {
		digits = "0" + digits
	}
	whole, rest, _ := strings.Cut(digits, ".")
	if zeros := strings.TrimLeft(whole, "0"); zeros != whole && whole != "" {
		if zeros == "" || zeros[0] == 'e' || zeros[0] == 'E' {
			zeros = "0" + zeros
		}
		digits = strings.TrimSuffix(zeros+"."+rest, ".")
	}
	if negative {
		digits = "-" + digits
	}
	value, ok := exact(digits)
	if !ok {
		if strings.Contains(s, ",") {
			return nil, "must be a number; write the decimals after a point and no separators"
		}
		return nil, "must be a number"
	}
	if f.Type == Integer {
		if !value.IsInt() {
			return nil, "must be a whole number"
		}
		return json.RawMessage(value.Num().String()), ""
	}
	return json.RawMessage(digits), ""
}
