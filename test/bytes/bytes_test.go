package bytes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridgekeeper/test/built"
)

func TestMain(m *testing.M) {
	if era := os.Getenv(peerEra); era != "" {
		if err := runPeer(era); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// stage is a core with a server of each era, and what they were sent.
type stage struct {
	url     string
	records map[string]string // by era: the file that has each line it read
}

func newStage(t *testing.T) *stage {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{records: map[string]string{}}
	servers := map[string]any{}
	for _, era := range []string{legacy, modern} {
		s.records[era] = filepath.Join(t.TempDir(), era)
		servers[era] = map[string]any{"command": exe, "era": era, "sampling": map[string]any{"enabled": true}, "env": map[string]string{peerEra: era, peerRecord: s.records[era]}}
	}
	config, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	core := built.StartWith(t, string(config), "--open", "--answers", "allow")
	if _, err := core.UntilReady(t.Context(), legacy, modern); err != nil {
		t.Fatal(err)
	}
	s.url = strings.TrimSuffix(core.URL, "/mcp") + "/servers/"
	return s
}

func (s *stage) connect(t testing.TB, server, version string) *host {
	t.Helper()
	return connect(t, s.url+server+"/mcp", version)
}

// read returns every line that the server of that era read.
func (s *stage) read(t testing.TB, era string) (lines []string) {
	t.Helper()
	raw, err := os.ReadFile(s.records[era])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
}

// got returns those of them that are about the entry.
func (s *stage) got(t testing.TB, era string, e *entry) (lines []string) {
	t.Helper()
	for _, line := range s.read(t, era) {
		if m := mark.FindStringSubmatch(line); m != nil && m[1] == e.name {
			lines = append(lines, line)
		}
	}
	return lines
}

// straight gives the message to the server without anything between, and
// returns what it says.
func straight(t testing.TB, era string, e *entry, message string) (lines []string) {
	t.Helper()
	var out bytes.Buffer
	p := &peer{era: era, out: &out, record: &bytes.Buffer{}, parked: map[string][]string{}}
	if err := p.take(message); err != nil {
		t.Fatal(err)
	}
	if e.question != "" {
		if err := p.take(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, e.questionID, e.reply)); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines
}

func TestNoByteIsChangedThatNeedNotBe(t *testing.T) {
	s := newStage(t)
	for _, c := range []struct{ host, server, version string }{
		{legacy, legacy, "2025-11-25"}, {legacy, legacy, "2025-03-26"}, {modern, modern, "2026-07-28"},
		{legacy, modern, "2025-11-25"}, {modern, legacy, "2026-07-28"},
	} {
		t.Run(c.version+" host, "+c.server+" server", func(t *testing.T) {
			h := s.connect(t, c.server, c.version)
			for i := range corpus {
				if e := &corpus[i]; e.fits(c.host, c.server) {
					t.Run(e.name, func(t *testing.T) { h.t = t; s.compare(t, h, c.server, e) })
				}
			}
		})
	}
}

// fits reports whether the entry is for these eras.
func (e *entry) fits(host, server string) bool {
	switch e.eras {
	case "same":
		return host == server
	case "":
		return true
	}
	return host == e.eras && server == e.eras
}

// compare sends one entry both ways.
func (s *stage) compare(t *testing.T, h *host, server string, e *entry) {
	before := len(s.got(t, server, e))
	sent := h.fill(e)
	want := straight(t, server, e, sent)
	got := h.exchange(sent, e)
	arrived := s.got(t, server, e)[before:]
	if len(arrived) != 1 {
		t.Fatalf("the server got it %d times; the host got %.500q", len(arrived), got)
	}
	up(t, h.era, server, e, arrived[0])
	if len(got) != len(want) {
		t.Fatalf("the host got %d messages, want %d:\n got %.900q\nwant %.900q", len(got), len(want), got, want)
	}
	for i := range got {
		down(t, h.era, server, e, got[i], want[i])
	}
}

// up compares what arrived at the server with what the host sent.
func up(t *testing.T, host, server string, e *entry, arrived string) {
	t.Helper()
	own := ""
	if host == modern && server == modern {
		own = meta
	}
	want := strings.NewReplacer("@META@", own, "@MARK@", "case:"+e.name).Replace(e.message)
	if host != server {
		bare := arrived
		for _, name := range []string{"protocolVersion", "clientCapabilities", "clientInfo"} {
			bare = without(t, bare, "io.modelcontextprotocol/"+name)
		}
		if server == legacy && bare != arrived {
			t.Error("what a host of 2026-07-28 says in _meta about itself reached a legacy server, which may take it for that revision")
		}
		arrived = bare
	}
	if why := match(want, arrived); why != "" {
		t.Errorf("the server got other bytes (%s):\n got %.600s\nwant %.600s", why, arrived, want)
	}
}

// down compares what the host got with what the server said.
func down(t *testing.T, host, server string, e *entry, got, want string) {
	t.Helper()
	switch {
	case e.question != "" && want == e.question:
		want = strings.Replace(want, `"id":`+e.questionID, `"id":@ID@`, 1)
		if why := match(want, got); why != "" {
			t.Errorf("the host was asked with other bytes (%s):\n got %.600s\nwant %.600s", why, got, want)
		}
		return
	case host == legacy && server == modern:
		want = without(t, want, "resultType")
	case host == modern && server == modern && strings.Contains(want, `"resultType":"input_required"`):
		// The one value of a server's own that a host must not read or change.
		sealed, state := part(t, got, "result", "requestState"), part(t, want, "result", "requestState")
		if sealed == state {
			t.Error("the server's requestState works for any host")
		}
		got = strings.Replace(got, sealed, state, 1)
	case host == modern && server == legacy && isResult(want):
		for _, name := range []string{"resultType", "ttlMs", "cacheScope", "_meta"} {
			got = without(t, got, name)
		}
	}
	if got != want {
		t.Errorf("the host got other bytes (from %d):\n got %.600s\nwant %.600s", differ(got, want), got, want)
	}
}

// isResult tells a result from a notification, and from an error whose data looks
// like one. A text too deep for this reader is a result.
func isResult(line string) bool {
	var m struct{ Method, Error json.RawMessage }
	return json.Unmarshal([]byte(line), &m) != nil || m.Error == nil && m.Method == nil
}

// without takes the first member of that name out, where it is there at all.
func without(t *testing.T, line, name string) string {
	t.Helper()
	key := `"` + name + `":`
	head, rest, ok := strings.Cut(line, key)
	if !ok {
		return line
	}
	d := json.NewDecoder(strings.NewReader(rest))
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		t.Fatalf("%s in %.300s: %v", name, line, err)
	}
	rest = rest[d.InputOffset():]
	if tail, ok := strings.CutPrefix(rest, ","); ok {
		return head + tail
	}
	return strings.TrimSuffix(head, ",") + rest
}

// match says where got isn't want, in which @ID@ and @TOKEN@ stand for a value
// of the gateway's own; "" when it is.
func match(want, got string) string {
	rest := got
	for part := range splitAt(want, "@ID@", "@TOKEN@") {
		if part == "" {
			// One value: up to the next comma, bracket or blank; ours have none inside.
			rest = strings.TrimLeft(rest, `"-_`+digitsAndLetters)
			continue
		}
		if !strings.HasPrefix(rest, part) {
			return fmt.Sprintf("at %d", len(got)-len(rest)+differ(rest, part))
		}
		rest = rest[len(part):]
	}
	if rest != "" {
		return fmt.Sprintf("%q behind it", rest)
	}
	return ""
}

const digitsAndLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// splitAt yields the parts between the marks, and "" for each mark.
func splitAt(s string, marks ...string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for s != "" {
			first, length := len(s), 0
			for _, m := range marks {
				if i := strings.Index(s, m); i >= 0 && i < first {
					first, length = i, len(m)
				}
			}
			if first > 0 && !yield(s[:first]) {
				return
			}
			if length > 0 && !yield("") {
				return
			}
			s = s[first+length:]
		}
	}
}

// differ returns the first place where two texts differ.
func differ(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// The comparison must be able to fail.
func TestMatchFindsChanges(t *testing.T) {
	const want = `{"id":@ID@,"t":@TOKEN@,"n":1.0}`
	if why := match(want, `{"id":17,"t":"bk-3","n":1.0}`); why != "" {
		t.Errorf("equal but for the spans: %s", why)
	}
	for _, got := range []string{`{"id":17,"t":"bk-3","n":1}`, `{"id":17,"t":2,"n":1.0,"x":1}`, `{"id":17,"n":1.0}`, `{"id":17, "t":2,"n":1.0}`, `{"id":17,"t":2,"n":1.0} `} {
		if match(want, got) == "" {
			t.Errorf("%s was taken for %s", got, want)
		}
	}
	if got := without(t, `{"a":{"b":"}"},"c":1}`, "a"); got != `{"c":1}` {
		t.Errorf("without a first member: %s", got)
	}
	if got := without(t, `{"c":1,"a":2}`, "a"); got != `{"c":1}` {
		t.Errorf("without a last member: %s", got)
	}
	names := map[string]bool{}
	for _, e := range corpus {
		if names[e.name] || !strings.Contains(e.message, "@MARK@") {
			t.Errorf("entry %s is there twice, or has no mark", e.name)
		}
		names[e.name] = true
	}
	if eras := []string{"", "same", "never", legacy, modern}; slices.ContainsFunc(corpus, func(e entry) bool { return !slices.Contains(eras, e.eras) }) {
		t.Error("an entry for no era")
	}
}
