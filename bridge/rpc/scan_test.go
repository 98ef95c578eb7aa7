package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestScanFindsTheSpansAGatewayRoutesBy(t *testing.T) {
	raw := []byte(` {"params":{"arguments":{"a":[1,{"id":"no"}]},"na\u006de":"x__y","_meta":{"progressToken":0,
		"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"uri":"a:\/\/b"} , "method":"tools/call","id":9007199254740993} `)
	m, err := Scan(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, got, want string }{
		{"id", string(m.Bytes(m.ID)), "9007199254740993"},
		{"method", m.MethodName(), "tools/call"},
		{"name", m.Text(m.Name), "x__y"},
		{"uri", m.Text(m.URI), "a://b"},
		{"arguments", string(m.Bytes(m.Arguments)), `{"a":[1,{"id":"no"}]}`},
		{"token", string(m.Bytes(m.MetaProgressToken)), "0"},
		{"version", m.Text(m.MetaVersion), "2026-07-28"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
	if m.Kind() != Request || m.Repeated {
		t.Errorf("kind %v, repeated %v", m.Kind(), m.Repeated)
	}
}

func TestKind(t *testing.T) {
	for raw, want := range map[string]Kind{
		`{"jsonrpc":"2.0","id":0,"method":"ping"}`: Request,
		`{"id":"","method":"ping"}`:                Request,
		`{"id":null,"method":"ping"}`:              Invalid,
		`{"id":{},"method":"ping"}`:                Invalid,
		`{"method":"x"}`:                           Notification,
		`{"method":7}`:                             Invalid,
		`{"id":1,"result":null}`:                   Response,
		`{"id":1,"error":{"code":0,"message":""}}`: Response,
		`{"id":null,"error":{"code":-32700,"message":"could not parse"}}`: Response,
		`{"id":1,"result":{},"error":{}}`:                                 Invalid,
		`{}`:                                                              Invalid,
	} {
		m, err := Scan([]byte(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if got := m.Kind(); got != want {
			t.Errorf("%s: kind %v, want %v", raw, got, want)
		}
	}
}

// A host could get one tool past the gate and run another: we read the last
// "name", a server written in Go may take "Name" or the first.
func TestScanFlagsWhatTwoReadersCouldReadDifferently(t *testing.T) {
	for raw, want := range map[string]bool{
		`{"id":1,"method":"tools/call","params":{"name":"a","name":"b"}}`:           true,
		`{"id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}`:           true,
		`{"id":1,"method":"tools/call","params":{"name":"a","n\u0061me":"b"}}`:      true,
		`{"id":1,"Method":"ping","method":"tools/call"}`:                            true,
		`{"id":1,"method":"tools/call","params":{},"params":{"name":"b"}}`:          true,
		`{"id":1,"method":"tools/call","params":{"arguments":{"name":1,"name":2}}}`: false,
	} {
		m, err := Scan([]byte(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
		}
		if m.Repeated != want {
			t.Errorf("%s: repeated %v, want %v", raw, m.Repeated, want)
		}
	}
}

func TestScanRefuses(t *testing.T) {
	for raw, want := range map[string]error{
		"":                     ErrNotJSON,
		"hello":                ErrNotJSON,
		"{":                    ErrNotJSON,
		`{"a":1}x`:             ErrNotJSON,
		`{"a":01}`:             ErrNotJSON,
		`{"a":"` + "\n" + `"}`: ErrNotJSON,
		`{"a":"\x"}`:           ErrNotJSON,
		`{"a":[1,2}`:           ErrNotJSON,
		`{"a":{"b":1]}`:        ErrNotJSON,
		`{"a":1,}`:             ErrNotJSON,
		"{\"a\":\"\xff\"}":     ErrUTF8,
		`[{"id":1}]`:           ErrNotObject,
		`"text"`:               ErrNotObject,
		`[`:                    ErrNotJSON,
		`{"a":` + strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1) + "}": ErrTooDeep,
	} {
		if _, err := Scan([]byte(raw)); !errors.Is(err, want) {
			t.Errorf("%.60q: got %v, want %v", raw, err, want)
		}
	}
	deep := `{"a":` + strings.Repeat(`[{"b":`, MaxDepth/2) + "1" + strings.Repeat(`}]`, MaxDepth/2) + "}"
	if _, err := Scan([]byte(deep)); err != nil {
		t.Errorf("at the depth limit: %v", err)
	}
}

func TestSpliceKeepsEveryOtherByte(t *testing.T) {
	raw := []byte(`{"id":"abc", "n":1.0e400,"params":{"name":"rooms__x","é":"\u0000"}}`)
	m, err := Scan(raw)
	if err != nil {
		t.Fatal(err)
	}
	got := Splice(nil, raw, Edit{m.Name, []byte(`"x"`)}, Edit{m.ID, []byte("7")}, InsertMember(raw, m.Params, "_meta", []byte(`{}`)))
	want := `{"id":7, "n":1.0e400,"params":{"_meta":{},"name":"x","é":"\u0000"}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	empty := []byte(`{"params":{ }}`)
	m, _ = Scan(empty)
	if got := string(Splice(nil, empty, InsertMember(empty, m.Params, "a", []byte("1")))); got != `{"params":{"a":1 }}` {
		t.Error(got)
	}
}

func TestFlatten(t *testing.T) {
	raw := []byte("{\r\n \"a\":\n1}\n")
	Flatten(raw)
	if string(raw) != "{   \"a\": 1} " {
		t.Errorf("%q", raw)
	}
}

func TestMembersAndElements(t *testing.T) {
	if got := string(sub([]byte(`{"a":[],"b":{"c":1}, "b":2}`), Find([]byte(`{"a":[],"b":{"c":1}, "b":2}`), "b"))); got != "2" {
		t.Error(got)
	}
	raw := []byte(` [ 1, {"a":[2]} ,"x" ] `)
	var got []string
	if err := Elements(raw, func(v Span) bool { got = append(got, string(raw[v.Start:v.End])); return true }); err != nil {
		t.Fatal(err)
	}
	if strings.Join(got, "|") != `1|{"a":[2]}|"x"` {
		t.Error(got)
	}
	if Elements([]byte(`{}`), nil) == nil || Members([]byte(`[]`), nil) == nil {
		t.Error("the wrong container was accepted")
	}
}

func sub(b []byte, s Span) []byte { return b[s.Start:s.End] }

func TestQuoteIsReadBackByOthers(t *testing.T) {
	for _, text := range []string{"", "plain", "a\"b\\c\nd\x00\x1f\x7fé\u2028🙂"} {
		var back string
		if err := json.Unmarshal(Quote(text), &back); err != nil || back != text {
			t.Errorf("%q: %q, %v", text, back, err)
		}
		if Text(Quote(text)) != text {
			t.Errorf("%q: Text reads %q", text, Text(Quote(text)))
		}
	}
}

// FuzzScan holds the scanner against encoding/json: both accept the same texts
// (ours also wants UTF-8, one object and a bounded depth), and the members it
// finds are those that a decoder finds.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{`{"id":1,"method":"a","params":{"name":"x"}}`, `[1]`, `{"a":-0.1e+5,"b":"\ud83d"}`, "{\"a\":\"12345678\\\"\"}", `{"":{"":[{},[]]}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := Scan(raw)
		valid := json.Valid(raw)
		switch {
		case err == nil && !valid:
			t.Fatalf("accepted %q", raw)
		case valid && errors.Is(err, ErrNotJSON):
			t.Fatalf("refused %q: %v", raw, err)
		}
		if err != nil || m.Repeated {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(raw, &want); err != nil {
			return
		}
		if id := m.Bytes(m.ID); string(id) != string(want["id"]) {
			t.Fatalf("%q: id %q, want %q", raw, id, want["id"])
		}
		if p := m.Bytes(m.Params); string(p) != string(want["params"]) {
			t.Fatalf("%q: params %q, want %q", raw, p, want["params"])
		}
	})
}

func BenchmarkScan(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000} {
		for shape, body := range map[string]string{
			"text":    `"` + strings.Repeat("abcdefgh", size/8) + `"`,
			"objects": "[" + strings.TrimSuffix(strings.Repeat(`{"k":1234,"v":"some text"},`, size/27+1), ",") + "]",
		} {
			raw := []byte(`{"jsonrpc":"2.0","id":12,"result":{"content":` + body + `}}`)
			b.Run(fmt.Sprintf("%s/%d", shape, size), func(b *testing.B) {
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Scan(raw); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
