package httpd

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestContentTypeAndAccept(t *testing.T) {
	d := open(t)
	s := d.begin("2025-06-18")
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for line, status := range map[string]int{
		"Content-Type: application/json; charset=utf-8": 200, "Content-Type: Application/JSON": 200,
		"-Content-Type": 415, "Content-Type: text/plain": 415, "Content-Type: application/jsonx": 415,
		"Content-Type: application/x-www-form-urlencoded": 415, "Content-Type: ;": 415,
		"-Accept": 200, "Accept: */*": 200, "Accept: application/json": 200, "Accept: text/event-stream, application/json;q=0.9": 200,
		"Accept: application/*": 200, "Accept: text/html": 406, "Accept: image/png, text/plain": 406,
	} {
		d.want(line, d.post(list, s, line), status)
	}
	d.want("GET that wants no events", d.do(d.request("GET", "/mcp", "", s, "Accept: application/json")), 406)
}

func TestBodies(t *testing.T) {
	d := open(t)
	s := d.begin("2025-06-18")
	for _, one := range []struct {
		what, body string
		status     int
		parts      []string
	}{
		{"BOM", "\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, []string{`{"jsonrpc":"2.0","id":1,"result":{}}`}},
		{"pretty-printed", "\r\n {\n\t\"jsonrpc\": \"2.0\",\r\n \"id\" :\n 7,\r\"method\": \"tools/call\",\n\"params\": {\n\"name\": \"rooms__status\"\n}\n}\n", 200, []string{`"id":7`, "free"}},
		{"escaped method", `{"jsonrpc":"2.0","id":1,"method":"\u0070ing"}`, 200, []string{`"result":{}`}},
		{"odd id", `{"jsonrpc":"2.0","id":"\u0000 \"x\" 😀","method":"ping"}`, 200, []string{`"id":"\u0000 \"x\" 😀"`}},
		{"large id", `{"jsonrpc":"2.0","id":123456789012345678901234567890.5e3,"method":"ping"}`, 200, []string{`"id":123456789012345678901234567890.5e3,`}},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, []string{"-32600"}},
		{"empty", "", 400, []string{"-32700", `"id":null`}},
		{"junk", "hello", 400, []string{"-32700"}},
		{"two messages", `{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, 400, []string{"-32700"}},
		{"no UTF-8", "{\"id\":1,\"method\":\"ping\",\"x\":\"\xff\"}", 400, []string{"-32700", "UTF-8"}},
		{"a number", "5", 400, []string{"-32600"}},
		{"neither request nor response", `{"jsonrpc":"2.0","id":1}`, 400, []string{"-32600"}},
		{"method twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, 400, []string{"-32600", `"id":1`}},
		{"name twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rooms__status","name":"rooms__wait"}}`, 400, []string{"twice"}},
		{"name in two spellings", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rooms__status","Name":"rooms__wait"}}`, 400, []string{"two spellings"}},
		{"name escaped twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rooms__status","n\u0061me":"rooms__wait"}}`, 400, []string{"twice"}},
		{"params no object", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["rooms__status"]}`, 200, []string{"-32602"}},
		{"method no string", `{"jsonrpc":"2.0","id":1,"method":5}`, 400, []string{"-32600"}},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, 200, []string{"-32601", "no/such"}},
		{"unknown notification", `{"jsonrpc":"2.0","method":"no/such"}`, 202, nil},
		{"late answer", `{"jsonrpc":"2.0","id":"bk-99","result":{}}`, 202, nil},
		{"too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000) + `}`, 400, []string{"-32700"}},
	} {
		d.want(one.what, d.post(one.body, s), one.status, one.parts...)
	}
}

func TestLargeBodies(t *testing.T) {
	d := open(t)
	s := d.begin("2025-06-18")
	text := strings.Repeat("x", 100_000)
	for _, chunked := range []bool{false, true} {
		r := d.request("POST", "/mcp", call("1", "rooms__status", `,"x":"`+text+`"`), s)
		if chunked {
			r.ContentLength, r.Body = -1, io.NopCloser(io.MultiReader(r.Body))
		}
		d.want("100 kB", d.do(r), 200, "free")
		r = d.request("POST", "/mcp", "", s)
		r.Body, r.ContentLength = io.NopCloser(io.LimitReader(blanks{}, maxBody+1)), maxBody+1
		if chunked {
			r.ContentLength = -1
		}
		d.want("over 32 MiB", d.do(r), 413, "32 MiB")
	}
	r := d.request("POST", "/mcp", "", s)
	r.Body, r.ContentLength = io.NopCloser(io.LimitReader(blanks{}, maxBody)), maxBody
	d.want("exactly 32 MiB of nothing", d.do(r), 400, "-32700")
}

type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// A host whose body broke off got an empty 200.
func TestHalfABody(t *testing.T) {
	d := open(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"half", strings.TrimPrefix(d.base, "http://"))
	conn.(*net.TCPConn).CloseWrite()
	conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || res.StatusCode != 400 {
		t.Errorf("got %v, %v", res, err)
	}
}

// Bodies are read into buffers that the next request uses again: what a call
// needs of one must not change under it.
func TestBuffersAreNotShared(t *testing.T) {
	d := open(t)
	s := d.begin("2025-06-18")
	h := d.hold("tools/call")
	const n = 50
	var answers []<-chan reply
	for i := range n {
		answers = append(answers, d.later(d.request("POST", "/mcp", call(fmt.Sprintf(`"call-%d"`, i), "rooms__wait", fmt.Sprintf(`,"_meta":{"progressToken":"token-%d"}`, i)), s)))
	}
	for range n {
		m := h.next(t)
		h.progress(m, 1)
		for range 3 {
			d.post(`{"jsonrpc":"2.0","id":"filler-filler","method":"ping"}`, s)
		}
		h.progress(m, 2)
		h.Reply(m, `{"content":[]}`)
	}
	for i, a := range answers {
		got := await(t, a)
		d.want("call", got, 200, fmt.Sprintf(`"id":"call-%d"`, i), fmt.Sprintf(`"progressToken":"token-%d"`, i))
		if strings.Contains(got.body, "#") || strings.Contains(got.body, "filler") {
			t.Errorf("foreign bytes in %s", got.body)
		}
	}
}
