package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"bridgekeeper/app/wire"
)

// maxFields bounds a tool's form; what is beyond is left to the JSON view.
const maxFields = 100

// typeJSON is a field that takes any JSON: what no form can draw.
const typeJSON = "json"

// toolInfo is what a tool says of itself, as far as a person reads it.
type toolInfo struct {
	title       string
	description string
	readOnly    bool // these four by its own word
	destructive bool
	idempotent  bool
	openWorld   bool
	fields      []wire.FormField
}

// readTool reads a definition; odd parts are left out, never an error: the
// person may still write arguments as JSON.
func readTool(definition []byte) toolInfo {
	var def struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		Annotations struct {
			Title           string `json:"title"`
			ReadOnlyHint    bool   `json:"readOnlyHint"`
			DestructiveHint *bool  `json:"destructiveHint"`
			IdempotentHint  bool   `json:"idempotentHint"`
			OpenWorldHint   *bool  `json:"openWorldHint"`
		} `json:"annotations"`
	}
	info := toolInfo{destructive: true, openWorld: true}
	if json.Unmarshal(definition, &def) == nil {
		a := def.Annotations
		info.title, info.description = def.Title, def.Description
		if info.title == "" {
			info.title = a.Title
		}
		info.readOnly, info.idempotent = a.ReadOnlyHint, a.IdempotentHint
		info.destructive = !a.ReadOnlyHint && (a.DestructiveHint == nil || *a.DestructiveHint)
		info.openWorld = a.OpenWorldHint == nil || *a.OpenWorldHint
	}
	info.fields = readSchema(definition)
	return info
}

// readSchema turns an inputSchema's properties into fields, in their order.
func readSchema(definition []byte) []wire.FormField {
	var def struct {
		InputSchema struct {
			Properties json.RawMessage `json:"properties"`
			Required   []string        `json:"required"`
		} `json:"inputSchema"`
	}
	if json.Unmarshal(definition, &def) != nil {
		return nil
	}
	properties, err := members(def.InputSchema.Properties)
	if err != nil {
		return nil
	}
	var fields []wire.FormField
	for _, p := range properties[:min(len(properties), maxFields)] {
		f := readProperty(p.value)
		f.Name, f.Required = p.name, slices.Contains(def.InputSchema.Required, p.name)
		fields = append(fields, f)
	}
	return fields
}

func readProperty(data []byte) wire.FormField {
	var p struct {
		Title       string            `json:"title"`
		Description string            `json:"description"`
		Type        json.RawMessage   `json:"type"`
		Format      string            `json:"format"`
		Pattern     string            `json:"pattern"`
		MinLength   *int              `json:"minLength"`
		MaxLength   *int              `json:"maxLength"`
		Minimum     json.Number       `json:"minimum"`
		Maximum     json.Number       `json:"maximum"`
		Enum        []json.RawMessage `json:"enum"`
		Default     json.RawMessage   `json:"default"`
	}
	f := wire.FormField{Type: typeJSON}
	if json.Unmarshal(data, &p) != nil {
		return f
	}
	f.Title, f.Description, f.Default = p.Title, p.Description, p.Default
	var types []string
	if json.Unmarshal(p.Type, &types) != nil {
		types = []string{strings.Trim(string(p.Type), `"`)}
	}
	types = slices.DeleteFunc(types, func(t string) bool { return t == "null" })
	if len(types) != 1 {
		return f
	}
	switch types[0] {
	case "string":
		f.Type, f.Format, f.Pattern, f.MinLength, f.MaxLength = "string", p.Format, p.Pattern, p.MinLength, p.MaxLength
	case "number", "integer":
		f.Type, f.Minimum, f.Maximum = types[0], p.Minimum, p.Maximum
	case "boolean":
		f.Type = "boolean"
	default:
		return f
	}
	if len(p.Enum) > 0 && types[0] == "string" {
		f.Type = "choice"
		for _, raw := range p.Enum {
			var value string
			if json.Unmarshal(raw, &value) == nil {
				f.Options = append(f.Options, wire.FormOption{Value: value})
			}
		}
	}
	return f
}

// argument turns what stands in a field into JSON; nil leaves the argument out.
func argument(f wire.FormField, text string) (json.RawMessage, error) {
	if text == "" {
		if f.Required && f.Type != "string" {
			return nil, errors.New(lang.L("this is needed"))
		}
		if !f.Required {
			return nil, nil
		}
	}
	switch f.Type {
	case "number", "integer":
		return numberArgument(f, strings.TrimSpace(text))
	case "boolean":
		if text != "true" && text != "false" {
			return nil, errors.New(lang.L("this is needed"))
		}
		return json.RawMessage(text), nil
	case typeJSON:
		if !json.Valid([]byte(text)) {
			return nil, errors.New(lang.L("this isn't JSON yet; text needs quotes"))
		}
		return json.RawMessage(text), nil
	}
	n := len([]rune(text))
	if f.MinLength != nil && n < *f.MinLength {
		return nil, errors.New(lang.N("at least {{.Count}} characters", *f.MinLength, named{"Count": *f.MinLength}))
	}
	if f.MaxLength != nil && n > *f.MaxLength {
		return nil, errors.New(lang.N("at most {{.Count}} characters", *f.MaxLength, named{"Count": *f.MaxLength}))
	}
	return quoteJSON(text), nil
}

func numberArgument(f wire.FormField, text string) (json.RawMessage, error) {
	var n float64
	if !json.Valid([]byte(text)) || json.Unmarshal([]byte(text), &n) != nil {
		return nil, errors.New(lang.L("this is no number"))
	}
	if f.Type == "integer" && strings.ContainsAny(text, ".eE") {
		return nil, errors.New(lang.L("this is no whole number"))
	}
	if least, err := f.Minimum.Float64(); err == nil && n < least {
		return nil, errors.New(lang.L("at least {{.N}}", named{"N": f.Minimum}))
	}
	if most, err := f.Maximum.Float64(); err == nil && n > most {
		return nil, errors.New(lang.L("at most {{.N}}", named{"N": f.Maximum}))
	}
	return json.RawMessage(text), nil
}

// initial is what stands in a field at first: the schema's own default.
func initial(f wire.FormField) string {
	if len(f.Default) == 0 || string(f.Default) == "null" {
		return ""
	}
	var text string
	if json.Unmarshal(f.Default, &text) == nil {
		return text
	}
	return string(f.Default)
}

// arguments builds the object of what the fields hold, in the schema's order.
func arguments(fields []wire.FormField, texts map[string]string) (json.RawMessage, map[string]error) {
	var object bytes.Buffer
	wrong := map[string]error{}
	object.WriteByte('{')
	for _, f := range fields {
		value, err := argument(f, texts[f.Name])
		switch {
		case err != nil:
			wrong[f.Name] = err
		case value != nil:
			if object.Len() > 1 {
				object.WriteByte(',')
			}
			object.Write(quoteJSON(f.Name))
			object.WriteByte(':')
			object.Write(value)
		}
	}
	object.WriteByte('}')
	if len(wrong) > 0 {
		return nil, wrong
	}
	return object.Bytes(), nil
}

func quoteJSON(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // strings always encode
	return bytes.TrimSpace(b.Bytes())
}

// readResult makes a CallToolResult readable: its texts, else its JSON.
func readResult(data []byte) (text string, failed bool) {
	var r struct {
		Content []struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			MimeType string `json:"mimeType"`
			URI      string `json:"uri"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if json.Unmarshal(data, &r) != nil {
		return string(data), false
	}
	var parts []string
	for _, c := range r.Content {
		switch c.Type {
		case "text":
			parts = append(parts, c.Text)
		default:
			parts = append(parts, "["+join(c.Type, c.MimeType, c.URI)+"]")
		}
	}
	if len(r.Structured) > 0 {
		parts = append(parts, indented(r.Structured))
	}
	if len(parts) == 0 {
		return indented(data), r.IsError
	}
	return strings.Join(parts, "\n"), r.IsError
}

func indented(data []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return string(data)
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
