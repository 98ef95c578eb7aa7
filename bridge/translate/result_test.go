package translate

import (
	"strings"
	"testing"

	"bridgekeeper/bridge/rpc"
)

const me = `{"name":"bk","version":"1"}`

func edited(raw string, edit func(edits []rpc.Edit, raw []byte, result rpc.Span) []rpc.Edit) string {
	m, err := rpc.Scan([]byte(raw))
	if err != nil {
		return err.Error()
	}
	return string(rpc.Splice(nil, m.Raw, edit(nil, m.Raw, m.Result)...))
}

func TestModernResult(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/serverInfo":` + me + `}`
	for _, one := range []struct{ method, in, want string }{
		{rpc.CallTool, `{}`, `{"resultType":"complete",` + meta + `}`},
		{rpc.CallTool, `{ "content":[1.0] }`, `{"resultType":"complete",` + meta + `, "content":[1.0] }`},
		{rpc.CallTool, `{"_meta":{}}`, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":` + me + `}}`},
		{rpc.CallTool, `{"resultType":"task","_meta":{"a":1,"io.modelcontextprotocol/serverInfo":{}}}`, `{"resultType":"task","_meta":{"a":1,"io.modelcontextprotocol/serverInfo":{}}}`},
		{rpc.CallTool, `{"resultType":"complete","_meta":null}`, `{"resultType":"complete","_meta":null}`},
		{rpc.CallTool, `"no object"`, `"no object"`},
		{rpc.CallTool, `null`, `null`},
		{rpc.ListTools, `{"tools":[]}`, `{"resultType":"complete","ttlMs":0,"cacheScope":"private",` + meta + `,"tools":[]}`},
		{rpc.ReadResource, `{"ttlMs":5,"_meta":{"x":{}}}`, `{"resultType":"complete","cacheScope":"private","ttlMs":5,"_meta":{"io.modelcontextprotocol/serverInfo":` + me + `,"x":{}}}`},
		{rpc.ReadResource, `{"cacheScope":"public","ttlMs":5,"resultType":"complete","_meta":{}}`, `{"cacheScope":"public","ttlMs":5,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":` + me + `}}`},
	} {
		got := edited(`{"id":1,"result":`+one.in+`}`, func(e []rpc.Edit, raw []byte, at rpc.Span) []rpc.Edit {
			return ModernResult(e, raw, at, one.method, []byte(me))
		})
		if got != `{"id":1,"result":`+one.want+`}` {
			t.Errorf("%s: %s", one.in, got)
		}
	}
}

func TestLegacyResult(t *testing.T) {
	for in, want := range map[string]string{
		`{"resultType":"complete"}`: `{}`, `{"resultType":"complete","a":1.0}`: `{"a":1.0}`, `{"a":1.0 , "resultType" : "complete" }`: `{"a":1.0 }`,
		`{"resultType":"input_required"}`: `{"resultType":"input_required"}`, `{"resultType":5}`: `{"resultType":5}`, `{}`: `{}`, `[]`: `[]`,
		`{"r":{"resultType":"complete"}}`: `{"r":{"resultType":"complete"}}`,
	} {
		if got := edited(`{"result":`+in+`,"id":1}`, LegacyResult); got != `{"result":`+want+`,"id":1}` {
			t.Errorf("%s: %s", in, got)
		}
	}
}

func TestErrors(t *testing.T) {
	for code, want := range map[int][2]int{
		-32002: {-32602, -32002}, -32042: {-32603, -32603}, 0: {-32603, 0}, -32020: {-32603, -32603}, -32099: {-32603, -32603},
		-32019: {-32019, -32019}, -32100: {-32100, -32100}, -32601: {-32601, -32601}, 5: {5, 5},
	} {
		modern, legacy := rpc.Error{Code: code}, rpc.Error{Code: code}
		ModernError(&modern)
		changed := LegacyError(&legacy)
		if modern.Code != want[0] || legacy.Code != want[1] || changed != (legacy.Code != code) {
			t.Errorf("%d: modern %d, legacy %d", code, modern.Code, legacy.Code)
		}
	}
}

// FuzzResult: a result made to fit the other era is valid and keeps its members.
func FuzzResult(f *testing.F) {
	for _, in := range []string{`{}`, `{"_meta":{}}`, `{"_meta":{"a":1},"resultType":"complete","ttlMs":1}`, ` { "resultType" : "complete" } `, `{"_meta":[]}`, `{"_meta":{},"_meta":{ }}`, `[]`} {
		f.Add([]byte(in), true)
	}
	f.Fuzz(func(t *testing.T, result []byte, list bool) {
		raw := append(append([]byte(`{"jsonrpc":"2.0","id":1,"result":`), result...), '}')
		m, err := rpc.Scan(raw)
		if err != nil || m.Repeated || m.Kind() != rpc.Response {
			return
		}
		method := rpc.CallTool
		if list {
			method = rpc.ListTools
		}
		out := rpc.Splice(nil, raw, ModernResult(nil, raw, m.Result, method, []byte(me))...)
		modern, err := rpc.Scan(out)
		if err != nil || modern.Kind() != rpc.Response {
			t.Fatalf("%s became %s: %v", raw, out, err)
		}
		if isObject := raw[m.Result.Start] == '{'; isObject {
			for _, name := range []string{"resultType", "_meta"} {
				if !rpc.Find(modern.Bytes(modern.Result), name).Ok() {
					t.Fatalf("%s has no %s", out, name)
				}
			}
			if list && strings.Count(string(out), "ttlMs") == 0 {
				t.Fatalf("%s has no ttlMs", out)
			}
		}
		back := rpc.Splice(nil, out, LegacyResult(nil, out, modern.Result)...)
		if legacy, err := rpc.Scan(back); err != nil || legacy.Kind() != rpc.Response {
			t.Fatalf("%s became %s: %v", out, back, err)
		}
	})
}
