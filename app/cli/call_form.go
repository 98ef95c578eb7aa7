package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bridgekeeper/app/client"
	"bridgekeeper/app/wire"
)

// property is one argument of a tool, as far as a form knows it.
type property struct {
	name        string
	Type        any               `json:"type"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Default     json.RawMessage   `json:"default"`
	Enum        []json.RawMessage `json:"enum"`
	required    bool
}

// formArguments asks for a tool's arguments one by one.
func (p *program) formArguments(ctx context.Context, core *client.Client, server, tool string) (json.RawMessage, error) {
	tools, err := core.Tools(ctx, server)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(tools, func(t wire.Tool) bool { return t.Name == tool })
	if i < 0 {
		return nil, &wire.Error{Code: wire.CodeNoSuchTool, Message: fmt.Sprintf("the server %s has no tool called %q", server, tool), Hint: "See `bridgekeeper server tools " + server + "`."}
	}
	fields, err := properties(tools[i].Definition)
	if err != nil {
		return nil, &wire.Error{Code: wire.CodeBadRequest, Message: "the tool's inputSchema can't be shown as a form: " + err.Error(), Hint: "Write its arguments as JSON."}
	}
	ask := p.prompter()
	var out bytes.Buffer
	out.WriteByte('{')
	for _, f := range fields {
		value, err := ask.field(f)
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		name, _ := json.Marshal(f.name) // a text: it can't fail
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// properties are a tool's arguments, in the order of its schema.
func properties(definition []byte) ([]property, error) {
	var d struct {
		InputSchema struct {
			Properties json.RawMessage `json:"properties"`
			Required   []string        `json:"required"`
		} `json:"inputSchema"`
	}
	if err := json.Unmarshal(definition, &d); err != nil {
		return nil, err
	}
	if len(d.InputSchema.Properties) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(d.InputSchema.Properties))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("its properties are no object")
	}
	var list []property
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		var f property
		if json.Unmarshal(raw, &f) != nil {
			f = property{} // true, or something odd: any JSON
		}
		f.name, _ = key.(string)
		f.required = slices.Contains(d.InputSchema.Required, f.name)
		list = append(list, f)
	}
	return list, nil
}

// kind is the type that a field is read as; "" takes any JSON, or a text.
func (f *property) kind() string {
	switch t := f.Type.(type) {
	case string:
		return t
	case []any: // ["string", "null"]
		for _, one := range t {
			if s, ok := one.(string); ok && s != "null" {
				return s
			}
		}
	}
	return ""
}

// field asks for one argument until its value can be one. nil: it is left out.
func (a *prompter) field(f property) (json.RawMessage, error) {
	about := []string{f.kind()}
	if about[0] == "" {
		about[0] = "JSON"
	}
	if len(f.Enum) > 0 {
		about[0] = strings.Join(each(f.Enum, func(v json.RawMessage) string { return string(v) }), " | ")
	}
	switch {
	case len(f.Default) > 0:
		about = append(about, "Enter: "+string(f.Default))
	case f.required:
		about = append(about, "needed")
	default:
		about = append(about, "Enter: none")
	}
	if f.Description != "" {
		a.p.err.line("%s", visible(firstLine(f.Description)))
	}
	for {
		answer, err := a.ask(fmt.Sprintf("%s (%s): ", visible(f.name), visible(strings.Join(about, "; "))), false)
		if err != nil {
			return nil, err
		}
		if answer == "" && (len(f.Default) > 0 || !f.required) {
			return nil, nil
		}
		value, why := f.read(answer)
		if why == "" {
			return value, nil
		}
		if !a.person() {
			return nil, usage("%s %s", f.name, why)
		}
		a.p.err.line("%s", why)
	}
}

// read turns what was typed into JSON, or says why it can't be.
func (f *property) read(typed string) (value json.RawMessage, why string) {
	quoted, _ := json.Marshal(typed) // a text: it can't fail
	trimmed := strings.TrimSpace(typed)
	if len(f.Enum) > 0 {
		for _, option := range f.Enum {
			if string(option) == trimmed || string(option) == string(quoted) {
				return option, ""
			}
		}
		return nil, "must be one of them"
	}
	switch f.kind() {
	case "string":
		return quoted, ""
	case "boolean":
		switch strings.ToLower(trimmed) {
		case "true", "yes", "y":
			return json.RawMessage("true"), ""
		case "false", "no", "n":
			return json.RawMessage("false"), ""
		}
		return nil, "must be true or false"
	case "integer":
		if _, err := strconv.ParseInt(trimmed, 10, 64); err != nil {
			return nil, "must be a whole number"
		}
		return json.RawMessage(trimmed), ""
	case "number":
		if !json.Valid([]byte(trimmed)) || strings.ContainsAny(trimmed, `"{[tfn`) {
			return nil, "must be a number"
		}
		return json.RawMessage(trimmed), ""
	case "array":
		if strings.HasPrefix(trimmed, "[") {
			break
		}
		list, _ := json.Marshal(strings.Split(trimmed, ",")) // texts: it can't fail
		return list, ""
	case "":
		if !json.Valid([]byte(trimmed)) {
			return quoted, ""
		}
	}
	if !json.Valid([]byte(trimmed)) {
		return nil, "must be JSON"
	}
	return json.RawMessage(trimmed), ""
}
