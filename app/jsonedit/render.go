package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Object is a JSON object whose members have an order, written over several lines.
type Object []Field

// Field is one member of an Object.
type Field struct {
	Key   string
	Value any
}

// Inline is an object on one line. Members whose value is nil are left out.
type Inline []Field

// Given are the members that have a value.
func (o Inline) Given() Inline {
	return slices.DeleteFunc(slices.Clone(o), func(f Field) bool {
		nested, ok := f.Value.(Inline)
		return f.Value == nil || ok && len(nested.Given()) == 0
	})
}

// Opt is a value, or nil for one that isn't given.
func Opt[T comparable](value T) any {
	var zero T
	if value == zero {
		return nil
	}
	return value
}

// Raw is a value as it is to be written.
type Raw string

// Rows is a list with a line for each element.
type Rows []any

// render writes a value: objects and rows over several lines, all else on one.
func (e *Editor) render(value any, in string) string {
	switch v := value.(type) {
	case Object:
		if len(v) == 0 {
			return "{}"
		}
		nl, deeper := Newline(e.Text.Src), in+e.Text.Unit()
		var lines []string
		for _, f := range v {
			lines = append(lines, deeper+Quote(f.Key)+": "+e.render(f.Value, deeper))
		}
		return "{" + nl + strings.Join(lines, ","+nl) + nl + in + "}"
	case Rows:
		nl, deeper := Newline(e.Text.Src), in+e.Text.Unit()
		var lines []string
		for _, row := range v {
			lines = append(lines, deeper+e.render(row, deeper))
		}
		return "[" + nl + strings.Join(lines, ","+nl) + nl + in + "]"
	case Inline:
		var members []string
		for _, f := range v.Given() {
			members = append(members, Quote(f.Key)+": "+e.render(f.Value, in))
		}
		return "{" + strings.Join(members, ", ") + "}"
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = Quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case string:
		return Quote(v)
	case Raw:
		return string(v)
	}
	return fmt.Sprint(value) // numbers and booleans
}

// Quote writes a text as JSON, with < and & as people write them.
func Quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Same reports whether a value of the file is this string, number or boolean already.
func Same(v hujson.Value, value any) bool {
	lit, ok := v.Value.(hujson.Literal)
	if !ok {
		return false
	}
	switch value := value.(type) {
	case string:
		return lit.Kind() == '"' && lit.String() == value
	case bool:
		return lit.Kind() == hujson.Bool(value).Kind()
	case int:
		return string(lit) == fmt.Sprint(value)
	}
	return false
}

// Render writes a value as a text of its own, over several lines.
func Render(value any) string {
	var e Editor
	return e.render(value, "") + "\n"
}

// Compact writes a value on one line.
func Compact(value any) string {
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(Render(value))); err != nil {
		panic(err) // what render writes is JSON
	}
	return out.String()
}
