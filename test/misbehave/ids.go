package misbehave

import (
	"fmt"
	"sort"
	"strings"
)

// OwnIDs are the ids of the requests that OddIDs sends, byte for byte. Each is
// legal; each has broken somebody.
var OwnIDs = []string{`0`, `"a string"`, `""`, `"7"`, `9007199254740993`, `-1`, `"caf\u00e9 \ud83d\ude00"`}

// NobodyAsked are the answers to unknown requests that OddIDs writes.
var NobodyAsked = []string{
	`{"jsonrpc":"2.0","id":987654321,"result":{}}`,
	`{"jsonrpc":"2.0","id":"nobody","result":{"content":[]}}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what was that?"}}`,
	`{"jsonrpc":"2.0","id":18446744073709551616,"error":{"code":1,"message":""}}`,
}

// oddIDs has one tool, ask: it pings the client once with each of OwnIDs, and
// tells which ids came back, as they were written, when all have.
func (s *server) oddIDs() {
	s.add("ask", "send requests of my own", "")
	var caller *message
	var got []string
	s.call = func(m *message) bool {
		if m.Params.Name != "ask" {
			return false
		}
		caller, got = m, nil
		s.write(NobodyAsked...)
		for _, id := range OwnIDs {
			s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id))
		}
		return true
	}
	s.other = func(m *message) {
		if caller == nil {
			return
		}
		got = append(got, string(m.ID))
		if len(got) == len(OwnIDs) {
			s.result(caller, IDsSeen(got))
			caller = nil
		}
	}
	s.serve()
}

// IDsSeen is the result of ask when these ids came back, in any order.
func IDsSeen(ids []string) string {
	ids = append([]string(nil), ids...)
	sort.Strings(ids)
	return text(strings.Join(ids, " "))
}
