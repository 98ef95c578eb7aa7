package misbehave

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// message is what the server understands of a line.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name            string          `json:"name"`
		Arguments       json.RawMessage `json:"arguments"`
		ProtocolVersion string          `json:"protocolVersion"`
		Meta            struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`

	raw string
}

// server is an honest little server whose parts a mode replaces. One goroutine
// (Main's) runs it.
type server struct {
	in   io.Reader
	out  io.Writer
	errs io.Writer

	write     func(lines ...string)  // lines without their end
	tools     map[string]string      // name to definition
	call      func(m *message) bool  // answers a call; false: not one of mine
	other     func(m *message)       // an answer to a request of ours
	before    func(m *message)       // sees each message first
	order     []string               // names in the order of the list
	modern    bool                   // it speaks 2026-07-28 only
	cancelled []string               // raw notifications/cancelled, as they came
	next      func() (string, error) // the next line
}

func newServer(in io.Reader, out, errs io.Writer) *server {
	s := &server{in: in, out: out, errs: errs, tools: map[string]string{}}
	s.write = func(lines ...string) { s.raw(strings.Join(lines, "\n") + "\n") }
	s.call = func(*message) bool { return false }
	s.other = func(*message) {}
	s.before = func(*message) {}
	r := bufio.NewReaderSize(in, 1<<20)
	s.next = func() (string, error) { return r.ReadString('\n') }
	for _, name := range commonTools {
		s.add(name, "common tool "+name, "")
	}
	return s
}

// commonTools are understood in every mode:
// echo answers with its arguments, hang never answers, die exits with code 7
// instead, count {"to":N} sends N progress notes first, cancelled tells which
// notifications/cancelled came in.
var commonTools = []string{"echo", "hang", "die", "count", "cancelled"}

// add lists a tool. All are read-only, so that a gate lets them through. extra
// is spliced into the definition, with a comma in front.
func (s *server) add(name, description, extra string) {
	if _, ok := s.tools[name]; !ok {
		s.order = append(s.order, name)
	}
	s.tools[name] = definition(name, description, extra)
}

func definition(name, description, extra string) string {
	return fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}%s}`,
		quote(name), quote(description), extra)
}

// serve answers until stdin ends.
func (s *server) serve() {
	for {
		line, err := s.next()
		if strings.TrimSpace(line) != "" {
			s.handle(line)
		}
		if err != nil {
			return
		}
	}
}

func (s *server) handle(line string) {
	m := &message{raw: strings.TrimSpace(line)}
	if err := json.Unmarshal([]byte(line), m); err != nil {
		fmt.Fprintf(s.errs, "got a line that is no message: %v\n", err)
		return
	}
	s.before(m)
	switch {
	case m.Method == "":
		s.other(m)
	case m.Method == "notifications/cancelled":
		s.cancelled = append(s.cancelled, m.raw)
	case m.ID == nil:
	case s.modern && m.Method == "server/discover":
		s.result(m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`)
	case s.modern && m.Method == "initialize":
		s.fail(m, -32601, "no method initialize")
	case m.Method == "initialize":
		s.result(m, fmt.Sprintf(`{"protocolVersion":%s,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"misbehave","version":"1"}}`,
			quote(m.Params.ProtocolVersion)))
	case m.Method == "ping":
		s.result(m, `{}`)
	case m.Method == "tools/list":
		defs := make([]string, len(s.order))
		for i, name := range s.order {
			defs[i] = s.tools[name]
		}
		kind := ""
		if s.modern {
			kind = `"resultType":"complete","ttlMs":0,"cacheScope":"private",`
		}
		s.result(m, `{`+kind+`"tools":[`+strings.Join(defs, ",")+`]}`)
	case m.Method == "tools/call":
		if !s.call(m) && !s.common(m) {
			s.fail(m, -32602, "no tool "+m.Params.Name)
		}
	default:
		s.fail(m, -32601, "no method "+m.Method)
	}
}

func (s *server) common(m *message) bool {
	switch m.Params.Name {
	case "echo":
		s.result(m, text(string(m.Params.Arguments)))
	case "hang":
	case "die":
		fmt.Fprintln(s.errs, "fatal: asked to die in the middle of a call")
		os.Exit(7)
	case "count":
		var args struct{ To int }
		_ = json.Unmarshal(m.Params.Arguments, &args) // nonsense counts to 0
		for i := range args.To {
			if m.Params.Meta.ProgressToken != nil {
				s.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":%d}}`,
					m.Params.Meta.ProgressToken, i+1, args.To))
			}
		}
		s.result(m, text(fmt.Sprint("counted to ", args.To)))
	case "cancelled":
		s.result(m, text("["+strings.Join(s.cancelled, ",")+"]"))
	default:
		return false
	}
	return true
}

// result answers m with a result, given as JSON.
func (s *server) result(m *message, result string) { s.write(answer(m.ID, result)) }

func (s *server) fail(m *message, code int, text string) {
	s.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, m.ID, code, quote(text)))
}

func answer(id []byte, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// raw writes bytes as they are. When nobody reads any more there is nothing
// left to do.
func (s *server) raw(text string) {
	if _, err := io.WriteString(s.out, text); err != nil {
		os.Exit(0)
	}
}

// text is a tool result with one text.
func text(s string) string { return `{"content":[{"type":"text","text":` + quote(s) + `}]}` }

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(b)
}
