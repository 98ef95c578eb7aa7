package read

import (
	"bytes"
	"errors"

	"github.com/tailscale/hujson"

	"bridgekeeper/app/jsonedit"
)

var errNoObject = errors.New("the file must have an object: { ... }")

// parseJSON reads JSON with comments and trailing commas; a list of entries and
// members without braces around them, too.
func (f *File) parseJSON(text []byte) error {
	t, m := jsonedit.Parse(text)
	if m != nil {
		// "srv": {...}, as people paste it
		inner := bytes.TrimRight(bytes.TrimSpace(text), ",")
		other, worse := jsonedit.Parse(append(append([]byte("{"), inner...), "\n}"...))
		if worse != nil || !bytes.HasPrefix(inner, []byte(`"`)) {
			return m
		}
		t, f.Whole, f.Lenient = other, false, "it has no braces around it"
		f.Notes = append(f.Notes, "The text has no braces around it.")
	} else {
		f.Lenient = lenient(t)
	}
	switch v := t.Root.Value.(type) {
	case *hujson.Object:
		f.Root = object(t, v)
	case *hujson.Array:
		f.Root = &Map{Members: []Member{{Key: "", Value: list(t, v)}}}
		f.Whole = false
	case hujson.Literal:
		if v.Kind() != 'n' {
			return errNoObject
		}
		f.Root = nil
	}
	return nil
}

// lenient says why a strict JSON reader would refuse the text.
func lenient(t jsonedit.Text) string {
	if t.Root.IsStandard() {
		return ""
	}
	return "it has comments, or a comma behind the last item"
}

func object(t jsonedit.Text, o *hujson.Object) *Map {
	m := &Map{}
	for _, one := range o.Members {
		line, _ := t.Position(one.Name.StartOffset)
		m.add(Member{Key: jsonedit.Key(one), Value: value(t, one.Value), Line: line})
	}
	return m
}

func list(t jsonedit.Text, a *hujson.Array) []any {
	out := make([]any, len(a.Elements))
	for i, e := range a.Elements {
		out[i] = value(t, e)
	}
	return out
}

func value(t jsonedit.Text, v hujson.Value) any {
	switch v := v.Value.(type) {
	case *hujson.Object:
		return object(t, v)
	case *hujson.Array:
		return list(t, v)
	case hujson.Literal:
		switch v.Kind() {
		case '"':
			return v.String()
		case 't', 'f':
			return v.Bool()
		case '0':
			return Number(v)
		}
	}
	return nil
}
