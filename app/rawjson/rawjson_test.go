package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
)

func TestMembers(t *testing.T) {
	text := []byte(" {\"b\" : [1, {\"x\":\"}\\\"\"}] ,\n\"a\":-1.0e5,\"\\u0063\":true , \"d\":{} } ")
	members, err := Members(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ name, value, kind string }{{"b", `[1, {"x":"}\""}]`, "array"}, {"a", "-1.0e5", "number"}, {"c", "true", "boolean"}, {"d", "{}", "object"}}
	if len(members) != len(want) {
		t.Fatalf("%d members, want %d", len(members), len(want))
	}
	for i, m := range members {
		if m.Name != want[i].name || string(m.Of(text)) != want[i].value || Kind(m.Of(text)) != want[i].kind {
			t.Errorf("member %d is %q = %q, a %s; want %v", i, m.Name, m.Of(text), Kind(m.Of(text)), want[i])
		}
	}
	list, err := Elements(members[0].Of(text))
	if err != nil || len(list) != 2 || string(members[0].In(list[1]).Of(text)) != `{"x":"}\""}` {
		t.Errorf("elements %v, %v", list, err)
	}
	if got := Splice(text, []Edit{{members[1].Span, []byte("2")}, {members[3].Span, []byte("null")}}); string(got) != " {\"b\" : [1, {\"x\":\"}\\\"\"}] ,\n\"a\":2,\"\\u0063\":true , \"d\":null } " {
		t.Errorf("spliced: %s", got)
	}
}

func TestNotMembers(t *testing.T) {
	for text, want := range map[string]error{``: ErrNotJSON, `{`: ErrNotJSON, `[]`: ErrNotObject, `"{}"`: ErrNotObject, `{"a":1,"\u0061":2}`: ErrTwice, "{\"\xff\":1}": ErrNotJSON, `{} x`: ErrNotJSON} {
		if _, err := Members([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	if _, err := Elements([]byte(`{}`)); !errors.Is(err, ErrNotArray) {
		t.Errorf("an object as array: %v", err)
	}
}

func TestQuote(t *testing.T) {
	if got := Quote("<a & \"b\">\n"); string(got) != `"<a & \"b\">\n"` {
		t.Errorf("quoted %s", got)
	}
}

// The spans must be what encoding/json reads.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1}`, `[1,"]",{}]`, ` { "a" : [ ] , "b":null}`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if members, err := Members(text); err == nil {
			var want map[string]json.RawMessage
			if err := json.Unmarshal(text, &want); err != nil || len(want) != len(members) {
				t.Fatalf("%d members of %q, want %d, %v", len(members), text, len(want), err)
			}
			for _, m := range members {
				if !bytes.Equal(m.Of(text), want[m.Name]) {
					t.Fatalf("%q: %q, want %q", m.Name, m.Of(text), want[m.Name])
				}
			}
		}
		if list, err := Elements(text); err == nil {
			var want []json.RawMessage
			if err := json.Unmarshal(text, &want); err != nil || len(want) != len(list) {
				t.Fatalf("%d elements of %q, want %d, %v", len(list), text, len(want), err)
			}
			for i, s := range list {
				if !bytes.Equal(s.Of(text), want[i]) {
					t.Fatalf("element %d: %q, want %q", i, s.Of(text), want[i])
				}
			}
		}
	})
}
