package elicit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bridgekeeper/app/rawjson"
	"bridgekeeper/app/wire"
)

const (
	maxContent = 256 << 10 // bytes of a whole answer
	maxText    = 64 << 10  // bytes of one text: also bounds what a pattern has to read
)

// FieldError is what is wrong with one field of an answer: the words follow the
// field's name ("Age" "must be at most 120"). Field is "" for the whole.
type FieldError struct {
	Field string `json:"field"`
	Text  string `json:"text"`
}

func (e FieldError) Error() string {
	if e.Field == "" {
		return e.Text
	}
	return fmt.Sprintf("%q %s", e.Field, e.Text)
}

// Check says what is wrong with the content of an accepted form, before it is
// sent; nil if nothing is. The order is that of the form. An integer must be
// written as one: 1.0 and 1e3 are refused, because many servers' decoders do.
func Check(form *wire.FormDetail, content json.RawMessage) []FieldError {
	if len(content) > maxContent {
		return []FieldError{{"", fmt.Sprintf("The answer is longer than %d bytes.", maxContent)}}
	}
	members, err := rawjson.Members(content)
	if err != nil {
		return []FieldError{{"", fmt.Sprintf("The answer is no proper JSON object: %v.", err)}}
	}
	var wrong []FieldError
	m := object{content, members}
	for i := range form.Fields {
		f := &form.Fields[i]
		value := m.get(f.Name)
		switch {
		case value != nil:
			if text := checkValue(f, value); text != "" {
				wrong = append(wrong, FieldError{f.Name, text})
			}
		case f.Required:
			wrong = append(wrong, FieldError{f.Name, "is required"})
		}
	}
	for _, member := range members {
		if !slices.ContainsFunc(form.Fields, func(f wire.FormField) bool { return f.Name == member.Name }) {
			wrong = append(wrong, FieldError{member.Name, "is not in the form"})
		}
	}
	return wrong
}

// checkValue says what is wrong with one value; "" if nothing is.
func checkValue(f *wire.FormField, raw json.RawMessage) string {
	switch f.Type {
	case String:
		s, ok := text(raw)
		if !ok {
			return "must be a text"
		}
		return checkString(f, s)
	case Number, Integer:
		return checkNumber(f, raw)
	case Boolean:
		if rawjson.Kind(raw) != "boolean" {
			return "must be true or false"
		}
	case Choice:
		if s, ok := text(raw); !ok || !offered(f, s) {
			return "must be one of the choices"
		}
	case Choices:
		return checkChoices(f, raw)
	default:
		return "is of a type that can't be checked"
	}
	return ""
}

func checkString(f *wire.FormField, s string) string {
	n := utf8.RuneCountInString(s)
	switch {
	case len(s) > maxText:
		return fmt.Sprintf("must be shorter than %d bytes", maxText)
	case f.MinLength != nil && n < *f.MinLength:
		return fmt.Sprintf("must have at least %s", characters(*f.MinLength))
	case f.MaxLength != nil && n > *f.MaxLength:
		return fmt.Sprintf("must have at most %s, it has %d", characters(*f.MaxLength), n)
	}
	if text := checkFormat(f.Format, s); text != "" {
		return text
	}
	if f.Pattern == "" {
		return ""
	}
	match, err := compile(f.Pattern)
	if err != nil {
		return fmt.Sprintf("can't be checked: %v", err)
	}
	switch ok, err := match(s); {
	case err != nil:
		return fmt.Sprintf("can't be checked: %v", err)
	case !ok:
		return fmt.Sprintf("must have the form %s", f.Pattern)
	}
	return ""
}

func characters(n int) string {
	if n == 1 {
		return "1 character"
	}
	return strconv.Itoa(n) + " characters"
}

func checkNumber(f *wire.FormField, raw json.RawMessage) string {
	if rawjson.Kind(raw) != "number" {
		return "must be a number"
	}
	value, ok := exact(string(raw))
	if !ok {
		return "is a number too long to be checked"
	}
	if f.Type == Integer && strings.ContainsAny(string(raw), ".eE") {
		return "must be a whole number, written without point and exponent"
	}
	for _, bound := range []struct {
		limit json.Number
		bad   func(order int) bool
		words string
	}{
		{f.Minimum, func(o int) bool { return o < 0 }, "must be at least"},
		{f.ExclusiveMinimum, func(o int) bool { return o <= 0 }, "must be more than"},
		{f.Maximum, func(o int) bool { return o > 0 }, "must be at most"},
		{f.ExclusiveMaximum, func(o int) bool { return o >= 0 }, "must be less than"},
	} {
		if limit, ok := exact(string(bound.limit)); ok && bound.bad(value.Cmp(limit)) {
			return fmt.Sprintf("%s %s", bound.words, bound.limit)
		}
	}
	return ""
}

func offered(f *wire.FormField, value string) bool {
	return slices.ContainsFunc(f.Options, func(o wire.FormOption) bool { return o.Value == value })
}

func checkChoices(f *wire.FormField, raw json.RawMessage) string {
	list, err := stringList(raw, len(f.Options))
	if err != nil {
		if spans, err := rawjson.Elements(raw); err == nil && len(spans) > len(f.Options) {
			return "has more entries than there are choices"
		}
		return "must be a list of choices"
	}
	seen := map[string]bool{}
	for _, s := range list {
		if !offered(f, s) {
			return fmt.Sprintf("must hold choices only, and %.60q is none", s)
		}
		if seen[s] {
			return fmt.Sprintf("has the choice %.60q twice", s)
		}
		seen[s] = true
	}
	switch {
	case f.MinItems != nil && len(list) < *f.MinItems:
		return fmt.Sprintf("needs at least %d of the choices", *f.MinItems)
	case f.MaxItems != nil && len(list) > *f.MaxItems:
		return fmt.Sprintf("takes at most %d of the choices", *f.MaxItems)
	}
	return ""
}
