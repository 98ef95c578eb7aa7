package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// firstID has as many digits as every later one, so that all requests of a size
// are equally long and only ten bytes change.
const firstID = 1_000_000_000

// request is a tools/call whose id can be changed in place.
type request struct {
	body []byte
	at   int // of the id
}

// modernMeta is what each request of 2026-07-28 says of its host.
const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + modernRevision +
	`","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},`

func newRequest(tool string, size int, modern bool) *request {
	head, meta := `{"jsonrpc":"2.0","id":`, ""
	if modern {
		meta = modernMeta
	}
	body := fmt.Sprintf(`%s%d,"method":"tools/call","params":{%s"name":%q,"arguments":{"text":"%s"}}}`, head, firstID, meta, tool, payload(size))
	return &request{[]byte(body), len(head)}
}

func (r *request) setID(n int) { strconv.AppendInt(r.body[r.at:r.at], int64(firstID+n), 10) }

// payload is text as tools produce it: words, with an escape now and then.
func payload(size int) string {
	const words = `the quick brown fox said \"no\" and went home at 17:45;\n`
	s := strings.Repeat(words, size/len(words)+1)[:size]
	return strings.TrimRight(s, `\`) // an escape cut in half
}

// answers reports whether body holds the result of the request with this id.
func answers(body []byte, r *request) bool {
	id := append([]byte(`"id":`), r.body[r.at:r.at+10]...)
	return bytes.Contains(body, id) && !bytes.Contains(body, []byte(`"error":{`)) && !bytes.Contains(body, []byte(`"isError":true`))
}
