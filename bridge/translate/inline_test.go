package translate

import (
	"fmt"
	"strings"
	"testing"

	"bridgekeeper/bridge/rpc"
)

func inline(schema []byte) ([]byte, bool) {
	allowance := MaxInlineWork
	return InlineRefs(schema, &allowance)
}

func TestInlineRefs(t *testing.T) {
	chain := func(n int, line string) string { // each definition uses the one before
		var b strings.Builder
		b.WriteString(`{"properties":{"a":{"$ref":"#/$defs/d` + fmt.Sprint(n) + `"}},"$defs":{"d0":{"type":"string"}`)
		for i := 1; i <= n; i++ {
			fmt.Fprintf(&b, `,"d%d":`+strings.ReplaceAll(line, "BEFORE", fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i-1)), i)
		}
		return b.String() + "}}"
	}
	for _, c := range []struct{ what, schema, want string }{
		{"none", `{"type":"object" , "x":1.0}`, `{"type":"object" , "x":1.0}`},
		{"one", `{"properties":{"a":{"$ref":"#/$defs/A"}, "b":{}},"$defs":{"A":{"type":"string","n":1.0}}}`, `{"properties":{"a":{"type":"string","n":1.0}, "b":{}}}`},
		{"definitions first", `{"definitions":{"A":true},"items":{"$ref":"#/definitions/A"}}`, `{"items":true}`},
		{"escapes", `{"items":{"\u0024ref":"#/$defs/a~1b~0c%20d"},"$defs":{"a/b~c d":{}}}`, `{"items":{}}`},
		{"lists", `{"anyOf":[{"$ref":"#/$defs/A/oneOf/1"},{"items":[{"$ref":"#/$defs/A"}]}],"$defs":{"A":{"oneOf":[1,{"x":2}]}}}`, `{"anyOf":[{"x":2},{"items":[{"oneOf":[1,{"x":2}]}]}]}`},
		{"through another", chain(2, "BEFORE"), `{"properties":{"a":{"type":"string"}}}`},
		{"annotations", `{"items":{"$ref":"#/$defs/A","description":"mine"},"$defs":{"A":{"description":"its","type":"string"}}}`, `{"items":{"description":"mine","type":"string"}}`},
		{"more beside it", `{"items":{"maxLength":5,"$ref":"#/$defs/A"},"$defs":{"A":{"type":"string"}}}`, `{"items":{"maxLength":5,"allOf":[{"type":"string"}]}}`},
		{"beside false", `{"items":{"title":"t","$ref":"#/$defs/A"},"$defs":{"A":false}}`, `{"items":{"title":"t","allOf":[false]}}`},
		{"at the root", `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object"}}}`, `{"type":"object"}`},
		{"data", `{"const":{"$ref":"#/x"},"enum":[{"$ref":"#/x"}],"properties":{"$ref":{"type":"string"},"const":{"$ref":"#/$defs/A"},"$defs":{}},"$defs":{"A":{}}}`, `{"const":{"$ref":"#/x"},"enum":[{"$ref":"#/x"}],"properties":{"$ref":{"type":"string"},"const":{},"$defs":{}}}`},
		{"a named root", `{"$id":"https://x/y","items":{"$ref":"#/$defs/A"},"$defs":{"A":{}}}`, `{"$id":"https://x/y","items":{}}`},
		{"twice the same", chain(1, `{"anyOf":[BEFORE,BEFORE]}`), `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"string"}]}}}`},
		{"a long chain", chain(50, "BEFORE"), `{"properties":{"a":{"type":"string"}}}`},
		{"a chain over the bound", chain(70, "BEFORE"), ""},
		{"a blow-up", chain(40, `{"anyOf":[BEFORE,BEFORE]}`), ""},
		{"into itself", `{"$defs":{"A":{"items":{"$ref":"#/$defs/A"}}},"items":{"$ref":"#/$defs/A"}}`, ""},
		{"into the root", `{"items":{"$ref":"#"}}`, ""},
		{"itself in two spellings", `{"$defs":{"A":{"$ref":"#/$defs/%41"}},"items":{"$ref":"#/$defs/A"}}`, ""},
		{"outside", `{"items":{"$ref":"https://x/y"}}`, ""},
		{"an anchor", `{"items":{"$ref":"#A"},"$defs":{"A":{"$anchor":"A"}}}`, ""},
		{"nowhere", `{"items":{"$ref":"#/$defs/A"}}`, ""},
		{"no schema", `{"items":{"$ref":"#/title"},"title":"x"}`, ""},
		{"no text", `{"items":{"$ref":5}}`, ""},
		{"a base inside", `{"items":{"$ref":"#/$defs/A/items"},"$defs":{"A":{"$id":"a","items":{}}}}`, ""},
		{"a named part", `{"items":{"$id":"a","items":{"$ref":"#/$defs/A"}},"$defs":{"A":{}}}`, ""},
		{"dynamic", `{"items":{"$dynamicRef":"#A"}}`, ""},
		{"allOf beside it", `{"items":{"$ref":"#/$defs/A","allOf":[]},"$defs":{"A":{}}}`, ""},
		{"too large", `{"title":"` + strings.Repeat("x", 300<<10) + `"}`, ""},
	} {
		out, ok := inline([]byte(c.schema))
		if ok != (c.want != "") || ok && string(out) != c.want {
			t.Errorf("%s: got %v %.300s\nwant %s", c.what, ok, out, c.want)
		}
	}
}

// Schemas come from servers: no text may take the process down or more than its
// share of it.
func FuzzInlineRefs(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"$ref":"#/$defs/A","title":"t"}},"$defs":{"A":{"items":{"$ref":"#/$defs/B"}},"B":{"anyOf":[{},true]}}}`))
	f.Add([]byte(`{"items":{"$ref":"#"},"allOf":[{"$ref":"#/items"}]}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		if _, err := rpc.Scan(schema); err != nil || schema[0] != '{' {
			return
		}
		out, ok := inline(schema)
		if !ok {
			return
		}
		if _, err := rpc.Scan(out); err != nil && out[0] == '{' {
			t.Fatalf("%s became %s: %v", schema, out, err)
		}
		if len(out) > maxInlined {
			t.Fatalf("%d bytes", len(out))
		}
		if again, ok := inline(out); !ok || string(again) != string(out) {
			t.Errorf("%s became %s, and that %s", schema, out, again)
		}
	})
}
