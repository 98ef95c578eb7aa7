// Package checkup says what the authors of a server should mend in its tools.
//
// It is pure: it judges definitions, and calls nothing. The app runs a copy of
// the server and asks it.
package checkup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"bridgekeeper/app/wire"
)

const (
	specTools  = "2025-11-25, Server Features, Tools"
	specSchema = "2025-11-25, Basic, JSON Schema usage"
)

// toolName is the specification's rule.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// hints are the annotations that hosts read.
var hints = []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}

type schema struct {
	Dialect    string                     `json:"$schema"`
	Type       any                        `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// Tools judges tools by their definitions, as the server wrote them.
func Tools(definitions []json.RawMessage) (list []wire.Finding) {
	seen := map[string]bool{}
	for _, raw := range definitions {
		var t struct {
			Name         string                     `json:"name"`
			Description  string                     `json:"description"`
			InputSchema  json.RawMessage            `json:"inputSchema"`
			OutputSchema json.RawMessage            `json:"outputSchema"`
			Annotations  map[string]json.RawMessage `json:"annotations"`
		}
		add := func(level, code, spec, mend, format string, args ...any) {
			list = append(list, wire.Finding{Level: level, Code: code, Tool: t.Name, Text: fmt.Sprintf(format, args...), Mend: mend, Spec: spec})
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			add(wire.FindError, "input-schema", specTools, "Compare it with the schema of a Tool.", "A tool's definition can't be read: %s.", err)
			continue
		}
		if !toolName.MatchString(t.Name) {
			add(wire.FindError, "tool-name", specTools, "Use letters, digits, _, - and ., at most 128.", "The name %.140q has characters that it may not have, or too many.", t.Name)
		}
		if seen[t.Name] {
			add(wire.FindError, "tool-name", specTools, "Give each tool a name of its own.", "Two tools have this name.")
		}
		seen[t.Name] = true
		switch words := strings.Fields(t.Description); {
		case len(words) == 0:
			add(wire.FindWarning, "description", specTools, "Say what it does and when to use it.", "It has no description, so that a model has to guess.")
		case len(words) == 1:
			add(wire.FindWarning, "description", specTools, "Say what it does and when to use it.", "Its description is a single word.")
		}
		for _, key := range slices.Sorted(maps.Keys(t.Annotations)) {
			if key != "title" && !slices.Contains(hints, key) && slices.Contains(hints, key+"Hint") {
				add(wire.FindError, "annotation-key", specTools, "Write "+key+"Hint.", "The annotation %s has no Hint at its end: every host ignores it.", key)
			}
		}
		if s := readSchema(t.InputSchema, "input", add); s != nil {
			for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
				var p struct{ Description, Title string }
				if json.Unmarshal(s.Properties[name], &p) == nil && p.Description == "" && p.Title == "" {
					add(wire.FindWarning, "input-description", specTools, "Give it a description.", "Nobody describes its input %.80s.", name)
				}
			}
		}
		if len(t.OutputSchema) > 0 {
			readSchema(t.OutputSchema, "output", add)
		}
	}
	return list
}

// readSchema judges a schema as a whole; nil when nothing more can be said of it.
func readSchema(raw []byte, which string, add func(level, code, spec, mend, format string, args ...any)) *schema {
	code := which + "-schema"
	var s schema
	switch {
	case len(raw) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null")):
		add(wire.FindError, code, specTools, `Write {"type": "object"} for a tool without inputs.`, "It has no %sSchema.", which)
		return nil
	case json.Unmarshal(raw, &s) != nil:
		add(wire.FindError, code, specTools, "Make it a JSON Schema object.", "Its %sSchema is no schema of an object.", which)
		return nil
	case s.Type != "object":
		add(wire.FindError, code, specTools, `Give it "type": "object" at the top.`, "Its %sSchema isn't of the type object.", which)
	}
	switch dialect := strings.TrimSuffix(s.Dialect, "#"); dialect {
	case "", "https://json-schema.org/draft/2020-12/schema":
	case "http://json-schema.org/draft-07/schema":
		add(wire.FindNote, code, specSchema, "Leave $schema out, or use 2020-12.", "Its %sSchema is of draft-07; the default is 2020-12.", which)
	default:
		add(wire.FindWarning, code, specSchema, "Use 2020-12.", "Its %sSchema is of the dialect %.100s, which hosts don't have to read.", which, dialect)
	}
	return &s
}
