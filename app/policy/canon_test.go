package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestArgsDigest(t *testing.T) {
	same := [][]string{
		{``, `{}`, " { } \n"},
		{`{"a":1,"b":[1,2]}`, `{"b" : [1, 2], "a": 1}`, "{\n\t\"b\":[1,2]\r\n,\"a\":1}"},
		{`{"a":{"c":1,"b":2}}`, `{"a":{"b":2,"c":1}}`},
		{`{"path":"é/ü"}`, `{"path":"\u00e9\/\u00FC"}`, `{"\u0070ath":"é/ü"}`},
		{`"\n\u0001\"\\"`, `"\u000a\u0001\u0022\u005C"`},
		{`"😀"`, `"\ud83d\ude00"`},
		{`null`, ` null `},
	}
	other := []string{
		`{"a":1,"b":[2,1]}`, `{"a":1.0,"b":[1,2]}`, `{"a":1}`, `{"a":1e0}`, `{"a":10000000000000000001}`, `{"a":10000000000000000002}`, `{"a":"1"}`, `{"a":true}`,
		`"\ud800"`, `"\ud801"`, "\"\xff\"", "\"\xfe\"", `"\ufffd"`, `"\\ud800"`, `{"a":[]}`, `{"a":{}}`, `[]`, `""`,
		`{"a":1,"a":2}`, `{"a":2,"a":1}`, `{`, `{"a":1,}`, `{"a" 1}`, `{"a":01}`, `[1 2]`, `{"a":tru}`, `"\x"`, `{} {}`, "\"\n\"", `{"required":["a","b"]}`, `{"required":["b","a"]}`,
	}
	seen := make(map[string]string)
	note := func(raw, digest string) {
		if was, twice := seen[digest]; twice {
			t.Errorf("%s has the digest of %s", raw, was)
		}
		seen[digest] = raw
		if len(digest) != argsDigits || strings.Trim(digest, "0123456789abcdef") != "" {
			t.Errorf("digest %q", digest)
		}
	}
	for _, group := range same {
		d := ArgsDigest([]byte(group[0]))
		note(group[0], d)
		for _, raw := range group[1:] {
			if ArgsDigest([]byte(raw)) != d {
				t.Errorf("%q isn't %q", raw, group[0])
			}
		}
	}
	for _, raw := range other {
		note(raw, ArgsDigest([]byte(raw)))
	}
	deep := strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2)
	if ArgsDigest([]byte(deep)) == ArgsDigest([]byte(" "+deep)) || ArgsDigest([]byte(deep)) != ArgsDigest([]byte(deep)) {
		t.Error("what is too deep is known by its bytes")
	}
}

func TestFingerprint(t *testing.T) {
	base := `{"name":"write","title":"Write","description":"Writes.","inputSchema":{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x","y"]},"b":{}},"required":["a","b"]},"annotations":{"readOnlyHint":false},"icons":[{"src":"https://a/b.png"}],"_meta":{"ui":{"resourceUri":"ui://a"}},"later":1}`
	want := Fingerprint([]byte(base))
	for _, raw := range []string{
		`{"later":1,"_meta":{"ui":{"resourceUri":"ui://a"}},"icons":[{"src":"https://a/b.png"}],"annotations":{"readOnlyHint":false},"inputSchema":{"required":["a","b"],"properties":{"b":{},"a":{"enum":["x","y"],"type":["string","null"]}},"type":"object"},"description":"Writes.","title":"Write","name":"write"}`,
		strings.Replace(base, `["a","b"]`, `[ "b" , "a" ]`, 1),
		strings.Replace(base, `["x","y"]`, `["y","x"]`, 1),
		strings.Replace(base, `["string","null"]`, `["null","string"]`, 1),
		strings.Replace(base, `"Writes."`, `"\u0057rites."`, 1),
	} {
		if Fingerprint([]byte(raw)) != want {
			t.Errorf("another fingerprint for %s", raw)
		}
	}
	for _, edit := range [][2]string{
		{`"write"`, `"writes"`}, {`"Write"`, `"Write!"`}, {`Writes.`, `Writes`}, {`Writes.`, "Writes.\u200b"}, {`"object"`, `"array"`}, {`"b":{}`, `"b":true`},
		{`["a","b"]`, `["a"]`}, {`["x","y"]`, `["x","y","z"]`}, {`["x","y"]`, `["x",["y"]]`}, {`false`, `true`}, {`b.png`, `c.png`}, {`ui://a`, `ui://b`}, {`"later":1`, `"later":2`}, {`,"later":1`, ``},
	} {
		if raw := strings.Replace(base, edit[0], edit[1], 1); raw == base || Fingerprint([]byte(raw)) == want {
			t.Errorf("%s for %s is the same", edit[1], edit[0])
		}
	}
	// The order of lists that are no sets counts, and of sets that hold more than texts.
	for _, pair := range [][2]string{{`{"examples":["a","b"]}`, `{"examples":["b","a"]}`}, {`{"enum":[1,"a"]}`, `{"enum":["a",1]}`}, {`{"enum":[["a","b"]]}`, `{"enum":[["b","a"]]}`}} {
		if Fingerprint([]byte(pair[0])) == Fingerprint([]byte(pair[1])) {
			t.Errorf("%s is %s", pair[0], pair[1])
		}
	}
}

// FuzzCanonical checks against the standard library: the canonical form says the
// same, has itself as its form, and only what says the same has it.
func FuzzCanonical(f *testing.F) {
	for _, s := range []string{`{"b":1,"a":[true,null,"\ud83d\ude00\u0000"]}`, `{"a":1,"a":2}`, `"\ud800"`, `[1e5,-0.1]`, `{}`, `[`, "\"\xff\"", `{"":{"":{}},"a":[{},[]]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, err := canonical(raw)
		if valid := json.Valid(raw); valid != (err == nil) && err != errDeep {
			t.Fatalf("valid is %v, error %v", valid, err)
		}
		ArgsDigest(raw)
		Fingerprint(raw)
		HintsOf(raw)
		n, perr := parse(raw)
		if (perr == nil) != (err == nil) {
			t.Fatalf("parsed with %v, written with %v", perr, err)
		}
		Diff(raw, raw)
		if err != nil {
			return
		}
		again, err := canonical(out)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%q became %q, then %q, %v", raw, out, again, err)
		}
		var a, b any
		da, db := json.NewDecoder(bytes.NewReader(raw)), json.NewDecoder(bytes.NewReader(out))
		da.UseNumber()
		db.UseNumber()
		if da.Decode(&a) != nil || db.Decode(&b) != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%q became %q", raw, out)
		}
		_ = n
	})
}

func TestHints(t *testing.T) {
	absent := Hints{Destructive: true, OpenWorld: true}
	tests := []struct {
		annotations string
		want        Hints
	}{
		{`{}`, absent},
		{`null`, absent},
		{`{"title":"x"}`, absent},
		{`{"readOnlyHint":true}`, Hints{ReadOnly: true, OpenWorld: true, Said: true}},
		{`{"readOnlyHint":"true"}`, absent},
		{`{"READONLYHINT":true}`, absent},
		{`{"readOnly\u0048int":true}`, Hints{ReadOnly: true, OpenWorld: true, Said: true}},
		{`{"readOnlyHint":false}`, Hints{Destructive: true, OpenWorld: true, Said: true}},
		{`{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`, Hints{Idempotent: true, Said: true}},
		{`{"readOnlyHint":true,"readOnlyHint":false}`, Hints{Destructive: true, OpenWorld: true, Said: true}},
		{`{"readOnlyHint":true,"destructiveHint":true}`, Hints{Destructive: true, OpenWorld: true, Said: true}},
		{`{"destructiveHint":false,"destructiveHint":true}`, Hints{Destructive: true, OpenWorld: true, Said: true}},
		{`[`, absent},
	}
	for _, tt := range tests {
		if got := HintsOf([]byte(`{"name":"a","inputSchema":{"annotations":{"readOnlyHint":true}},"annotations":` + tt.annotations + `}`)); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.annotations, got, tt.want)
		}
	}
	for _, raw := range []string{``, `[]`, `{"name":"a"}`, `"annotations"`} {
		if got := HintsOf([]byte(raw)); got != absent {
			t.Errorf("%s: %+v", raw, got)
		}
	}
}

// definition is one of the usual size.
func definition(i int) []byte {
	return fmt.Appendf(nil, `{"name":"tool_%d","title":"Tool","description":"%s","inputSchema":{"type":"object","properties":{%s},"required":["p1","p0"]},"annotations":{"readOnlyHint":true,"openWorldHint":false}}`,
		i, strings.Repeat("Reads a file within the allowed folders and returns it. ", 8),
		strings.TrimSuffix(strings.Repeat(`"path":{"type":"string","description":"Where the file is, from the root of the first folder."},`, 8), ","))
}

func BenchmarkFingerprint(b *testing.B) {
	raw := definition(1)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		Fingerprint(raw)
	}
}

func BenchmarkArgsDigest(b *testing.B) {
	raw := []byte(`{"path":"/home/me/notes/today.md","content":"# Today\n\nA line of text.","mode":"append"}`)
	b.ReportAllocs()
	for b.Loop() {
		ArgsDigest(raw)
	}
}

func BenchmarkHints(b *testing.B) {
	raw := definition(1)
	b.ReportAllocs()
	for b.Loop() {
		HintsOf(raw)
	}
}
