package directory

import (
	"testing"

	"bridgekeeper/bridge/rpc"
)

// Whatever a server lists: what hosts get of it is JSON with a name and an
// object schema, and needs no further repair.
func FuzzReadItem(f *testing.F) {
	for _, seed := range []string{`{"name":"t"}`, `{"name":"t","inputSchema":{}}`, `{"name":"t","inputSchema":{"type":"object"}}`, `{ "inputSchema" : null , "name":"t"}`,
		`{"name":"t","inputSchema":{"type":["object"],"properties":[]}}`, `{"name":"a","name":"b","inputSchema":1,"inputSchema":{ }}`, `[]`, `{"name":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := rpc.Scan(raw); err != nil {
			return // never comes this far
		}
		it := readItem(raw, tools)
		if it.hidden != "" {
			return
		}
		edits := append([]rpc.Edit{{Span: it.nameAt, With: rpc.Quote("seen")}}, it.repairs...)
		out := rpc.Splice(nil, raw, edits...)
		if _, err := rpc.Scan(out); err != nil {
			t.Fatalf("%s became %s: %v", raw, out, err)
		}
		if again := readItem(out, tools); again.name != "seen" || again.hidden != "" || len(again.repairs) > 0 {
			t.Errorf("%s became %s, which is %+v", raw, out, again)
		}
	})
}
