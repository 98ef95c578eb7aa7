package misbehave

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestEchoAnswersABatchInOneWrite(t *testing.T) {
	writes := inProcess(EchoMode, initLine, callLine(7, "echo", `{"text":"a\"b\\","x":[1,{"text":"no"}]}`), pingLine,
		`{"method":"tools/call","params":{"arguments":{},"name":"echo"},"id":"s","jsonrpc":"2.0"}`)
	want := strings.Join([]string{
		`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"a\"b\\"}]}}`, pong,
		`{"jsonrpc":"2.0","id":"s","result":{"content":[{"type":"text","text":""}]}}`, ""}, "\n")
	if len(writes) != 1 || !strings.HasSuffix(writes[0], want) || !strings.HasPrefix(writes[0], `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion"`) {
		t.Errorf("got %d writes: %q", len(writes), writes)
	}
}

func TestEchoGrowsAndShrinks(t *testing.T) {
	long := strings.Repeat("é\\n", 2<<20)
	small := answer([]byte("2"), text("x")) + "\n"
	var out bytes.Buffer
	in := callLine(1, "echo", `{"text":"`+long+`"}`) + "\n" + callLine(2, "echo", `{"text":"x"}`) + "\n"
	if err := Echo(strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if want := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + long + "\"}]}}\n" + small; out.String() != want {
		t.Errorf("got %d bytes, want %d", out.Len(), len(want))
	}
}

func TestEchoOfTheOtherEra(t *testing.T) {
	var out bytes.Buffer
	in := initLine + "\n" + strings.Replace(pingLine, "ping", "server/discover", 1) + "\n" + callLine(2, "echo", `{"text":"x"}`) + "\n"
	if err := EchoModern(strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || !strings.Contains(lines[0], "-32601") || !strings.Contains(lines[1], `"supportedVersions":["2026-07-28"]`) ||
		lines[2] != `{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"x"}]}}` {
		t.Errorf("got %q", lines)
	}
}

// FuzzScan: whatever encoding/json takes for a call, the scanner takes the same
// spans from; whatever it doesn't, the scanner survives.
func FuzzScan(f *testing.F) {
	f.Add([]byte(callLine(1, "echo", `{"text":"x"}`)))
	f.Add([]byte(`{"id":null,"params":[1,"]"],"method":"\u0074ools/call"}`))
	f.Add([]byte(` { "params" : { "arguments" : { "text" : "\\" } } , "id" : -1.5e3 } `))
	f.Add([]byte(`{"a":`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var c echoCall
		ok := c.scan(line)
		var top map[string]json.RawMessage
		if json.Unmarshal(line, &top) != nil || top == nil || bytes.Contains(line, []byte(`\u`)) || duplicated(line) {
			return
		}
		// Parameters and arguments of another kind are all that it refuses.
		if want := object(top, "params") && object(nested(top["params"]), "arguments"); ok != want {
			t.Fatalf("scan says %v of %q", ok, line)
		}
		if ok && string(c.id) != string(top["id"]) {
			t.Errorf("id %q, want %q", c.id, top["id"])
		}
	})
}

// object reports whether the member is absent or an object.
func object(of map[string]json.RawMessage, key string) bool {
	return len(of[key]) == 0 || of[key][0] == '{'
}

func nested(raw json.RawMessage) (m map[string]json.RawMessage) {
	_ = json.Unmarshal(raw, &m) // no object: no members
	return m
}

// duplicated reports whether a key that matters may occur twice: the two
// readers may then choose differently.
func duplicated(line []byte) bool {
	for _, key := range []string{`"id"`, `"params"`, `"arguments"`} {
		if bytes.Count(line, []byte(key)) > 1 {
			return true
		}
	}
	return false
}
