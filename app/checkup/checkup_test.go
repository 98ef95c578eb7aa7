package checkup

import (
	"encoding/json"
	"testing"
)

func TestTools(t *testing.T) {
	const good = `{"name":"read_file","description":"Reads one file.","inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Path"}}},"annotations":{"title":"R","readOnlyHint":true}}`
	for _, c := range []struct{ tool, want string }{
		{good, ""},
		{`{"name":"a b","description":"Does a thing.","inputSchema":{"type":"object"}}`, "tool-name"},
		{`{"name":"a","inputSchema":{"type":"object"}}`, "description"},
		{`{"name":"a","description":"Reads.","inputSchema":{"type":"object"}}`, "description"},
		{`{"name":"a","description":"Does a thing.","inputSchema":{"type":"object","properties":{"x":{"type":"string"}}}}`, "input-description"},
		{`{"name":"a","description":"Does a thing.","inputSchema":{"type":"object"},"annotations":{"readOnly":true}}`, "annotation-key"},
		{`{"name":"a","description":"Does a thing."}`, "input-schema"},
		{`{"name":"a","description":"Does a thing.","inputSchema":{"type":"array"}}`, "input-schema"},
		{`{"name":"a","description":"Does a thing.","inputSchema":{"type":"object"},"outputSchema":{"type":"string"}}`, "output-schema"},
		{`{"name":"a","description":"Does a thing.","inputSchema":{"type":"object","$schema":"http://json-schema.org/draft-04/schema#"}}`, "input-schema"},
		{`{"name":7}`, "input-schema"},
	} {
		list := Tools([]json.RawMessage{json.RawMessage(c.tool)})
		got := ""
		if len(list) == 1 {
			got = list[0].Code
		}
		if got != c.want || len(list) > 1 {
			t.Errorf("%s: %+v, want %q", c.tool, list, c.want)
		}
	}
	if list := Tools([]json.RawMessage{[]byte(good), []byte(good)}); len(list) != 1 || list[0].Code != "tool-name" {
		t.Errorf("twice: %+v", list)
	}
}
