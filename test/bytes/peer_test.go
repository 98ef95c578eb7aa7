package bytes

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// The environment of the peer.
const (
	peerEra    = "BRIDGEKEEPER_BYTES_ERA"    // legacy or modern; turns this executable into the peer
	peerRecord = "BRIDGEKEEPER_BYTES_RECORD" // the file that gets every line the peer reads
)

// message is what the peer understands of a line.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ProtocolVersion string `json:"protocolVersion"`
		Meta            struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
}

// mark is how a line says which entry of the corpus it is.
var mark = regexp.MustCompile(`case:([a-z0-9-]+)`)

// peer is an MCP server that answers with the corpus' own bytes and keeps those
// it gets. One goroutine runs it.
type peer struct {
	era    string
	out    io.Writer
	record io.Writer
	parked map[string][]string // lines that wait for the answer to a question, by its raw id
}

// runPeer is the peer's life as a process.
func runPeer(era string) error {
	record, err := os.OpenFile(os.Getenv(peerRecord), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer record.Close()
	return (&peer{era: era, out: os.Stdout, record: record}).serve(os.Stdin)
}

func (p *peer) serve(in io.Reader) error {
	p.parked = map[string][]string{}
	for r := bufio.NewReader(in); ; {
		line, err := r.ReadString('\n')
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			if err := p.take(line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// take records a line, then answers it: the order is what tests rely on.
func (p *peer) take(line string) error {
	if _, err := io.WriteString(p.record, line+"\n"); err != nil {
		return err
	}
	m := &message{}
	if err := json.Unmarshal([]byte(line), m); err != nil && m.ID == nil {
		fmt.Fprintln(os.Stderr, "no message:", err)
	}
	if m.Method == "" {
		lines := p.parked[string(m.ID)]
		delete(p.parked, string(m.ID))
		return p.say(lines)
	}
	if m.ID == nil {
		return nil
	}
	if c := find(line); c != nil {
		return p.play(c, m, strings.Contains(line, `"inputResponses"`))
	}
	return p.say([]string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, p.handshake(m))})
}

// play says an entry's lines, all of them behind the answer to its question.
func (p *peer) play(c *entry, m *message, repeated bool) error {
	fill := strings.NewReplacer("@ID@", string(m.ID), "@TOKEN@", string(m.Params.Meta.ProgressToken))
	answer := c.answer
	if repeated && c.again != nil {
		answer = c.again
	}
	var lines []string
	for _, l := range answer {
		lines = append(lines, fill.Replace(l))
	}
	if c.question == "" {
		return p.say(lines)
	}
	p.parked[c.questionID] = lines
	return p.say([]string{c.question})
}

func (p *peer) say(lines []string) error {
	for _, l := range lines {
		if _, err := io.WriteString(p.out, l+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// handshake answers what isn't in the corpus.
func (p *peer) handshake(m *message) string {
	const capabilities = `"capabilities":{"tools":{},"prompts":{},"resources":{"subscribe":true},"logging":{},"completions":{},"extensions":{"io.modelcontextprotocol/tasks":{}},"tasks":{}}`
	legacy, modern := p.era == "legacy", p.era == "modern"
	switch {
	case legacy && m.Method == "initialize":
		return fmt.Sprintf(`"result":{"protocolVersion":%q,%s,"serverInfo":{"name":"peer","version":"1"}}`, m.Params.ProtocolVersion, capabilities)
	case legacy && (m.Method == "ping" || m.Method == "logging/setLevel"):
		return `"result":{}`
	case modern && m.Method == "server/discover":
		return `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],` + capabilities + `,"ttlMs":0,"cacheScope":"private"}`
	case m.Method == "tools/list":
		return `"result":{"resultType":"complete","tools":[{"name":"listed","inputSchema":{"type":"object"}}]}`
	case m.Method == "prompts/list":
		return `"result":{"resultType":"complete","prompts":[]}`
	case m.Method == "resources/list":
		return `"result":{"resultType":"complete","resources":[]}`
	case m.Method == "resources/templates/list":
		return `"result":{"resultType":"complete","resourceTemplates":[]}`
	}
	return `"error":{"code":-32601,"message":"not in the corpus"}`
}

// find returns the entry that a line is about, or nil.
func find(line string) *entry {
	if m := mark.FindStringSubmatch(line); m != nil {
		for i := range corpus {
			if corpus[i].name == m[1] {
				return &corpus[i]
			}
		}
	}
	return nil
}
