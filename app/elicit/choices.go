package elicit

import (
	"encoding/json"
	"errors"
	"fmt"

	"bridgekeeper/app/plain"
	"bridgekeeper/app/rawjson"
	"bridgekeeper/app/wire"
)

// chooses reports whether a schema lists its values.
func chooses(m object) bool {
	for _, word := range []string{"enum", "oneOf", "anyOf", "const"} {
		if m.get(word) != nil {
			return true
		}
	}
	return false
}

// choice reads a text that is one of several: enum, with or without enumNames,
// or oneOf with const and title.
func (r *Request) choice(f *wire.FormField, m object) (err error) {
	f.Type = Choice
	if f.Options, err = r.options(f.Name, m); err != nil {
		return err
	}
	if m.get("enum") == nil {
		r.needs = append(r.needs, need{"choices with titles", since202511})
	}
	return nil
}

// choices reads an array of which every entry is one of several.
func (r *Request) choices(f *wire.FormField, m object) (err error) {
	f.Type = Choices
	raw := m.get("items")
	members, err := rawjson.Members(raw)
	if err != nil {
		return errors.New("it is a list, and what its items are is missing")
	}
	items := object{raw, members}
	switch kind, _ := text(items.get("type")); {
	case items.get("$ref") != nil:
		return errors.New("its items refer to another schema ($ref)")
	case kind != String && (kind != "" || items.get("type") != nil):
		return fmt.Errorf("it is a list of %.40s, a form holds lists of choices only", items.get("type"))
	case !chooses(items):
		return errors.New("it is a list whose items are not limited to choices")
	}
	if f.Options, err = r.options(f.Name, items); err != nil {
		return err
	}
	if f.MinItems, err = count(m, "minItems"); err != nil {
		return err
	}
	if f.MaxItems, err = count(m, "maxItems"); err != nil {
		return err
	}
	if above(f.MinItems, f.MaxItems) {
		return errors.New("its minItems is above its maxItems")
	}
	if f.MinItems != nil && *f.MinItems > len(f.Options) {
		return errors.New("its minItems is above the number of choices")
	}
	r.needs = append(r.needs, need{"several choices at once", since202511})
	return nil
}

func (r *Request) options(field string, m object) (options []wire.FormOption, err error) {
	switch {
	case m.get("enum") != nil:
		options, err = enumOptions(m)
	case m.get("oneOf") != nil:
		options, err = constOptions(m.get("oneOf"))
	case m.get("anyOf") != nil:
		options, err = constOptions(m.get("anyOf"))
	default:
		var one string
		var ok bool
		if one, ok = text(m.get("const")); !ok {
			err = errors.New("its const is no text")
		}
		options = []wire.FormOption{{Value: one}}
	}
	if err != nil {
		return nil, err
	}
	if len(options) == 0 {
		return nil, errors.New("it has no choices")
	}
	seen := map[string]bool{}
	for i, o := range options {
		if len(o.Value) > maxLabel || len(o.Title) > maxLabel {
			return nil, fmt.Errorf("a choice is longer than %d bytes", maxLabel)
		}
		if seen[o.Value] {
			return nil, fmt.Errorf("the choice %.60q is there twice", o.Value)
		}
		seen[o.Value] = true
		shown, hidden := plain.Line(o.Title)
		if o.Title == "" {
			if shown, hidden = plain.Line(o.Value); !hidden {
				shown = ""
			}
		}
		if options[i].Title = shown; hidden {
			r.Notes = append(r.Notes, fmt.Sprintf("Characters that can't be seen were left out of a choice of %q.", field))
		}
	}
	return options, nil
}

// enumOptions reads enum and the titles that older servers add in enumNames.
func enumOptions(m object) ([]wire.FormOption, error) {
	values, err := stringList(m.get("enum"), maxOptions)
	if err != nil {
		return nil, fmt.Errorf("its enum is wrong: %w", err)
	}
	var titles []string
	if raw := m.get("enumNames"); raw != nil {
		if titles, err = stringList(raw, maxOptions); err != nil || len(titles) != len(values) {
			return nil, errors.New("its enumNames don't name each of its enum")
		}
	}
	options := make([]wire.FormOption, len(values))
	for i, v := range values {
		if options[i].Value = v; titles != nil {
			options[i].Title = titles[i]
		}
	}
	return options, nil
}

// constOptions reads a list of {const, title}.
func constOptions(raw json.RawMessage) ([]wire.FormOption, error) {
	spans, err := rawjson.Elements(raw)
	if err != nil {
		return nil, fmt.Errorf("its choices are %w", err)
	}
	if len(spans) > maxOptions {
		return nil, fmt.Errorf("it has %d choices, at most %d", len(spans), maxOptions)
	}
	options := make([]wire.FormOption, len(spans))
	for i, s := range spans {
		members, err := rawjson.Members(s.Of(raw))
		if err != nil {
			return nil, fmt.Errorf("a choice is %w", err)
		}
		m := object{s.Of(raw), members}
		var ok bool
		if options[i].Value, ok = text(m.get("const")); !ok {
			return nil, errors.New("a choice has no const that is a text")
		}
		if title := m.get("title"); title != nil {
			if options[i].Title, ok = text(title); !ok {
				return nil, errors.New("the title of a choice is no text")
			}
		}
	}
	return options, nil
}
