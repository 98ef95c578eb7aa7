package elicit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"bridgekeeper/app/plain"
	"bridgekeeper/app/rawjson"
	"bridgekeeper/app/wire"
)

// Types of a field.
const (
	String  = "string"
	Number  = "number"
	Integer = "integer"
	Boolean = "boolean"
	Choice  = "choice"  // one of the options
	Choices = "choices" // any of them
)

const (
	maxFields  = 64      // nobody fills in more
	maxOptions = 512     // all countries and their time zones, with room
	maxLabel   = 2 << 10 // bytes of a title, a description, an option
	maxName    = 256     // bytes of a property's name
	maxFormat  = 64
)

// form reads requestedSchema: a flat object of simple values.
func (r *Request) form(m object, message string) (*Request, *Refusal) {
	raw := m.get("requestedSchema")
	if raw == nil {
		return nil, refuse("The requestedSchema of the form is missing.")
	}
	members, err := rawjson.Members(raw)
	if err != nil {
		return nil, refuse("The requestedSchema is no proper JSON object: %v.", err)
	}
	schema := object{raw, members}
	if kind := schema.get("type"); kind != nil && string(kind) != `"object"` {
		return nil, refuse("The requestedSchema must have the type \"object\", it has %.40s.", kind)
	}
	for _, word := range []string{"$ref", "allOf", "anyOf", "oneOf"} {
		if schema.get(word) != nil {
			return nil, refuse("The requestedSchema uses %q, a form is a flat object of named properties.", word)
		}
	}
	r.Form = &wire.FormDetail{Message: message, Fields: []wire.FormField{}}
	if raw := schema.get("properties"); raw != nil {
		properties, err := rawjson.Members(raw)
		if err != nil {
			return nil, refuse("The properties of the requestedSchema are no proper JSON object: %v.", err)
		}
		if len(properties) > maxFields {
			return nil, refuse("The form has %d properties, at most %d are shown to a person.", len(properties), maxFields)
		}
		for _, p := range properties {
			field, err := r.field(p.Name, p.Of(raw))
			if err != nil {
				return nil, refuse("The property %.100q can't be shown in a form: %v.", p.Name, err)
			}
			r.Form.Fields = append(r.Form.Fields, field)
		}
	}
	if refusal := r.required(schema.get("required")); refusal != nil {
		return nil, refusal
	}
	return r, nil
}

func (r *Request) required(raw json.RawMessage) *Refusal {
	if raw == nil {
		return nil
	}
	names, err := stringList(raw, maxFields)
	if err != nil {
		return refuse("The list of required properties is wrong: %v.", err)
	}
	for _, name := range names {
		i := slices.IndexFunc(r.Form.Fields, func(f wire.FormField) bool { return f.Name == name })
		if i < 0 {
			return refuse("The property %.100q is required, but the form has none of that name.", name)
		}
		r.Form.Fields[i].Required = true
	}
	return nil
}

// field reads one property.
func (r *Request) field(name string, raw json.RawMessage) (f wire.FormField, err error) {
	f.Name = name
	members, err := rawjson.Members(raw)
	switch {
	case err != nil:
		return f, fmt.Errorf("its schema is %w", err)
	case name == "" || len(name) > maxName:
		return f, fmt.Errorf("its name must have 1 to %d bytes", maxName)
	}
	m := object{raw, members}
	if m, err = r.nullable(m); err != nil {
		return f, err
	}
	if m.get("$ref") != nil {
		return f, errors.New("it refers to another schema ($ref)")
	}
	if err := r.labels(&f, m); err != nil {
		return f, err
	}
	kind, _ := text(m.get("type"))
	switch {
	case kind == "array":
		err = r.choices(&f, m)
	case kind == String, kind == "" && chooses(m):
		if f.Type = String; chooses(m) {
			err = r.choice(&f, m)
		} else {
			err = stringLimits(&f, m)
		}
	case kind == Number, kind == Integer:
		f.Type = kind
		err = numberLimits(&f, m)
	case kind == Boolean:
		f.Type = kind
	case kind == "object":
		err = errors.New("it is an object, a form holds simple values only")
	case m.get("type") == nil:
		err = errors.New("it has no type")
	default:
		err = fmt.Errorf("its type %.60s is not one of string, number, integer, boolean, or an array of choices", m.get("type"))
	}
	if err != nil {
		return f, err
	}
	if chooses(m) && f.Type != Choice {
		return f, errors.New("it lists values, which only texts can")
	}
	r.prefill(&f, m.get("default"))
	return f, nil
}

// nullable opens "this or null", which is how some libraries write an optional
// property: anyOf of a schema and null, or a type of two.
func (r *Request) nullable(m object) (object, error) {
	alternatives := m.get("anyOf")
	if list, err := rawjson.Elements(m.get("type")); err == nil {
		for _, s := range list {
			if one := s.Of(m.get("type")); string(one) != `"null"` && len(list) == 2 {
				r.needs = append(r.needs, need{"a property that may be null", never})
				return m.with("type", one), nil
			}
		}
		return m, nil
	}
	list, err := rawjson.Elements(alternatives)
	if err != nil || len(list) != 2 || m.get("type") != nil {
		return m, nil
	}
	for i, s := range list {
		one, err := rawjson.Members(s.Of(alternatives))
		if err != nil || string((object{s.Of(alternatives), one}).get("type")) != `"null"` {
			continue
		}
		other := list[1-i].Of(alternatives)
		members, err := rawjson.Members(other)
		if err != nil {
			return m, err
		}
		r.needs = append(r.needs, need{"a property that may be null", never})
		inner := object{other, members}
		for _, word := range []string{"title", "description", "default"} {
			if own := m.get(word); own != nil {
				inner = inner.with(word, own)
			}
		}
		return inner, nil
	}
	return m, nil
}

// with is the object with one member's value replaced or added.
func (o object) with(name string, value json.RawMessage) object {
	out := object{text: slices.Clone(o.text)}
	for _, m := range o.members {
		if m.Name != name {
			out.members = append(out.members, m)
		}
	}
	at := len(out.text)
	out.text = append(out.text, value...)
	out.members = append(out.members, rawjson.Member{Name: name, Span: rawjson.Span{Start: at, End: len(out.text)}})
	return out
}

func (r *Request) labels(f *wire.FormField, m object) error {
	for word, to := range map[string]*string{"title": &f.Title, "description": &f.Description} {
		raw := m.get(word)
		if raw == nil {
			continue
		}
		s, ok := text(raw)
		if !ok || len(s) > maxLabel {
			return fmt.Errorf("its %s must be a text of at most %d bytes", word, maxLabel)
		}
		*to = r.shown(fmt.Sprintf("%s of %q", word, f.Name), s)
	}
	if shown, hidden := plain.Line(f.Name); f.Title == "" && hidden {
		f.Title = shown
		r.Notes = append(r.Notes, fmt.Sprintf("The name of the field %q has characters that can't be seen.", f.Name))
	}
	if f.Sensitive = sensitive(*f); f.Sensitive {
		r.Notes = append(r.Notes, fmt.Sprintf("The field %q seems to ask for a password, a key or the like. A server must not ask for those in a form.", f.Name))
	}
	return nil
}

func stringLimits(f *wire.FormField, m object) (err error) {
	if f.MinLength, err = count(m, "minLength"); err != nil {
		return err
	}
	if f.MaxLength, err = count(m, "maxLength"); err != nil {
		return err
	}
	if above(f.MinLength, f.MaxLength) {
		return errors.New("its minLength is above its maxLength")
	}
	// A format that we don't know is shown and not checked.
	if f.Format, _ = text(m.get("format")); len(f.Format) > maxFormat {
		f.Format = ""
	}
	f.Format, _ = plain.Line(f.Format)
	if raw := m.get("pattern"); raw != nil {
		pattern, ok := text(raw)
		if !ok {
			return errors.New("its pattern is no text")
		}
		if _, err := compile(pattern); err != nil {
			return fmt.Errorf("its pattern can't be used (%w)", err)
		}
		f.Pattern = pattern
	}
	return nil
}

func numberLimits(f *wire.FormField, m object) error {
	for word, to := range map[string]*json.Number{"minimum": &f.Minimum, "maximum": &f.Maximum, "exclusiveMinimum": &f.ExclusiveMinimum, "exclusiveMaximum": &f.ExclusiveMaximum} {
		raw := m.get(word)
		// true and false are how old drafts wrote exclusive bounds, of minimum and
		// maximum.
		if k := rawjson.Kind(raw); raw == nil || k == "boolean" {
			continue
		} else if _, ok := exact(string(raw)); k != "number" || !ok {
			return fmt.Errorf("its %s is no number that can be compared", word)
		}
		*to = json.Number(raw)
	}
	if string(m.get("exclusiveMinimum")) == "true" {
		f.Minimum, f.ExclusiveMinimum = "", f.Minimum
	}
	if string(m.get("exclusiveMaximum")) == "true" {
		f.Maximum, f.ExclusiveMaximum = "", f.Maximum
	}
	for _, low := range []json.Number{f.Minimum, f.ExclusiveMinimum} {
		for _, high := range []json.Number{f.Maximum, f.ExclusiveMaximum} {
			if low != "" && high != "" && compare(low, high) > 0 {
				return errors.New("its lowest value is above its highest")
			}
		}
	}
	return nil
}

// count reads a length: a whole number, not negative.
func count(m object, word string) (*int, error) {
	raw := m.get(word)
	if raw == nil {
		return nil, nil
	}
	n, ok := exact(string(raw))
	if rawjson.Kind(raw) != "number" || !ok || !n.IsInt() || n.Sign() < 0 {
		return nil, fmt.Errorf("its %s must be a whole number, at least 0", word)
	}
	i, err := strconv.Atoi(n.Num().String())
	if err != nil {
		i = 1<<31 - 1 // no text is longer
	}
	return &i, nil
}

func above(low, high *int) bool { return low != nil && high != nil && *low > *high }

// stringList reads an array of texts.
func stringList(raw json.RawMessage, limit int) ([]string, error) {
	spans, err := rawjson.Elements(raw)
	switch {
	case err != nil:
		return nil, err
	case len(spans) > limit:
		return nil, fmt.Errorf("it has %d entries, at most %d", len(spans), limit)
	}
	list := make([]string, 0, len(spans))
	for _, s := range spans {
		one, ok := text(s.Of(raw))
		if !ok {
			return nil, fmt.Errorf("%.40s is no text", s.Of(raw))
		}
		list = append(list, one)
	}
	return list, nil
}

// prefill takes the default if it fits the field.
func (r *Request) prefill(f *wire.FormField, raw json.RawMessage) {
	if raw == nil || string(raw) == "null" {
		return
	}
	if text := checkValue(f, raw); text != "" {
		r.Notes = append(r.Notes, fmt.Sprintf("The default of the field %q is left out: it %s.", f.Name, text))
		return
	}
	f.Default = slices.Clone(raw)
}
