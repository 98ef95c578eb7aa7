package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestFormFields(t *testing.T) {
	const definition = `{"inputSchema":{"properties":{"b":{"type":"string","description":"d"},"a":{"type":["integer","null"]},"on":{"type":"boolean","default":true},
		"kind":{"enum":["x",2]},"list":{"type":"array"},"any":true,"n":{"type":"number"}},"required":["b","kind"]}}`
	fields, err := properties([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p := &program{stdin: strings.NewReader("7\n\n\nx\na,b\n{\"q\":1.0}\n1.50\n"), out: newPrinter(&out), err: newPrinter(&out)}
	ask := p.prompter()
	got := map[string]string{}
	for _, f := range fields {
		value, err := ask.field(f)
		if err != nil {
			t.Fatal(err)
		}
		got[f.name] = string(value)
	}
	want := map[string]string{"b": `"7"`, "a": "", "on": "", "kind": `"x"`, "list": `["a","b"]`, "any": `{"q":1.0}`, "n": "1.50"}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %s, want %s", name, got[name], value)
		}
	}
	if order := fields[0].name + fields[1].name; order != "ba" {
		t.Errorf("the order of the schema is lost: %s", order)
	}
}

func TestFormRefuses(t *testing.T) {
	for typed, f := range map[string]property{
		"1.5":   {Type: "integer"},
		"true":  {Type: "number"},
		"maybe": {Type: "boolean"},
		"{":     {Type: "object"},
		"z":     {Enum: []json.RawMessage{[]byte(`"x"`)}},
	} {
		if value, why := f.read(typed); why == "" {
			t.Errorf("%s as %v is %s", typed, f.Type, value)
		}
	}
}
