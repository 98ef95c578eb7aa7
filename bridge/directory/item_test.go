package directory

import (
	"testing"

	"bridgekeeper/bridge/rpc"
)

// Whatever a server lists: what hosts get of it is JSON with a name and an
// object schema, and needs no further repair.
func FuzzReadItem(f *testing.F) {
	for _, seed := range []string{`{"name":"t"}`, `{"name":"t","inputSchema":{}}`, `{"name":"t","inputSchema":{"type":"object"}}`, `{ "inputSchema" : null , "name":"t"}`,
		`{"name":"t","inputSchema":{"type":["object"],"properties":[]}}`, `{"name":"a","name":"b","inputSchema":1,"inputSchema":{ }}`, `[]`, `{"name":"\ud800"}`,
		`{"description":null,"title":null,"description":null,"name":"t","outputSchema":null}`, `{"name":"t","outputSchema":{"type":["null","object"]}}`} {
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
		shown, at := it.shown()
		out := rpc.Splice(nil, shown, rpc.Edit{Span: at, With: rpc.Quote("seen")})
		if _, err := rpc.Scan(out); err != nil {
			t.Fatalf("%s became %s: %v", raw, out, err)
		}
		if again := readItem(out, tools); again.name != "seen" || again.hidden != "" || again.fixed != nil {
			t.Errorf("%s became %s, which is %+v", raw, out, again)
		}
		if fixed, hidden := forLegacy(out); hidden == "" {
			if again := readItem(fixed, tools); again.name != "seen" || again.hidden != "" || again.fixed != nil {
				t.Errorf("%s became %s, which is %+v", raw, fixed, again)
			}
		}
	})
}
