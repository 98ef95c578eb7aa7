package translate

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"bridgekeeper/bridge/rpc"
)

func TestAnswers(t *testing.T) {
	for _, one := range []struct {
		method, raw string
		want        bool
	}{
		{rpc.Elicit, `{"action":"accept","content":{}}`, true}, {rpc.Elicit, `{"action":"decline"}`, true}, {rpc.Elicit, `{"action":"cancel"}`, true},
		{rpc.Elicit, `{"action":"Accept"}`, false}, {rpc.Elicit, `{"action":true}`, false}, {rpc.Elicit, `{}`, false}, {rpc.Elicit, `"accept"`, false}, {rpc.Elicit, `null`, false},
		{rpc.ListRoots, `{"roots":[]}`, true}, {rpc.ListRoots, `{"roots":{}}`, false}, {rpc.ListRoots, `[]`, false},
		{rpc.CreateMessage, `{"role":"assistant","content":{"type":"text"}}`, true}, {rpc.CreateMessage, `{"role":"assistant","content":[]}`, true},
		{rpc.CreateMessage, `{"role":"assistant","content":"x"}`, false}, {rpc.CreateMessage, `{"content":{}}`, false},
		{"acme/ask", `{}`, true}, {"acme/ask", `5`, false},
	} {
		if got := Answers(one.method, []byte(one.raw)); got != one.want {
			t.Errorf("%s %s: %v", one.method, one.raw, got)
		}
	}
}

func TestSameValue(t *testing.T) {
	for _, one := range []struct {
		header, argument string
		want             bool
	}{
		{"a", `"a"`, true}, {"a", `"\u0061"`, true}, {"A", `"a"`, false}, {"", `""`, true}, {"1", `"1"`, true}, {"1.0", `"1"`, false},
		{"1", "1", true}, {"1.0", "1", true}, {"-0", "0", true}, {"1e2", "100", true}, {"1", "1.5", false}, {"", "1", false},
		{"true", "true", true}, {"True", "true", false}, {" 1", "1", false}, {"+1", "1", false}, {"1/1", "1", false}, {"1_0", "10", false},
		{"1e101", "1E101", false}, {"1e101", "1e101", true}, {strings.Repeat("0", 100), "0", false}, {"Inf", "1", false},
	} {
		if got := SameValue(one.header, []byte(one.argument)); got != one.want {
			t.Errorf("%q, %s: %v", one.header, one.argument, got)
		}
	}
}

// A header with a power of ten that takes long to write out held up its connection.
func TestLargePowers(t *testing.T) {
	for _, text := range []string{"1e101", "1e-101", "1e999999", "1e99999999999999999999"} {
		if _, ok := number(text); ok {
			t.Errorf("%s is computed", text)
		}
	}
}

func TestParamHeaders(t *testing.T) {
	deep := strings.Repeat(`{"properties":{"a":`, 40) + `{"x-mcp-header":"Deep"}` + strings.Repeat(`}}`, 40)
	for _, one := range []struct {
		schema string
		want   string
	}{
		{`{"properties":{"a":{"x-mcp-header":"A"},"b":{"properties":{"c":{"x-mcp-header":"C"}}}}}`, "A a;C b/c;"},
		{`{"properties":{"a":{"x-mcp-header":""},"b":{"x-mcp-header":5},"c":{"x-mcp-header":"x y"},"d":{"x-mcp-header":"x:"},"e":{"x-mcp-header":"ü"}}}`, ""},
		{`{"properties":["x-mcp-header"]}`, ""}, {`{"properties":{"a":5}}`, ""}, {deep, ""},
	} {
		got := ""
		for _, h := range ParamHeaders([]byte(`{"inputSchema":` + one.schema + `,"x-mcp-header":1}`)) {
			got += h.Name + " " + strings.Join(h.Path, "/") + ";"
		}
		if got != one.want {
			t.Errorf("%s: %q", one.schema, got)
		}
	}
}

// Whatever a server writes as a result or an error, what we make of it is JSON.
func FuzzRounds(f *testing.F) {
	f.Add([]byte(`{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"url","url":"x","elicitationId":"e"}},"b":5},"requestState":"s"}`))
	f.Add([]byte(`{"elicitations":[{"mode":"url","url":"https://x"},{}],"resultType":"input_required","inputRequests":{"":{"method":5,"params":[]}}}`))
	f.Add([]byte(`{"action":"accept","inputSchema":{"properties":{"a":{"x-mcp-header":"A"}}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := rpc.Scan(raw); err != nil {
			return
		}
		requests := Pages(raw)
		if need, ok := InputRequired(raw, rpc.Span{End: len(raw)}); ok {
			requests = append(requests, need.Requests...)
			if need.State != nil && !json.Valid(need.State) {
				t.Fatalf("state %q", need.State)
			}
		}
		for _, q := range requests {
			m, note := Question(q)
			if !json.Valid(m.Raw) || note != nil && !json.Valid(note) || q.Params != nil && !json.Valid(ModernQuestion(q.Params)) {
				t.Fatalf("question %q, note %q", m.Raw, note)
			}
			PageOf(q)
		}
		if out := AppendInputRequired(nil, requests, "s"); !json.Valid(out) {
			t.Fatalf("result %q", out)
		}
		Answers(rpc.Elicit, raw)
		for _, h := range ParamHeaders(raw) {
			h.Argument(raw)
		}
	})
}

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"1", "-1.5e3", "1e400", "0x1", "1/2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r, ok := number(text); ok {
			if want, known := new(big.Rat).SetString(text); !known || !json.Valid([]byte(text)) || r.Cmp(want) != 0 {
				t.Fatalf("%q is %v", text, r)
			}
		}
	})
}
