package ask

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"bridgekeeper/app/wire"
	"bridgekeeper/ui/look"
	"bridgekeeper/ui/look/looktest"
)

// written is a page as text, with hidden characters in brackets.
func written(ls []line) string {
	var b strings.Builder
	for _, l := range ls {
		b.WriteString(strings.Repeat(" ", l.indent))
		for _, s := range l.spans {
			if s.ink == inkHidden {
				b.WriteString("[" + s.text + "]")
			} else {
				b.WriteString(s.text)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestLines(t *testing.T) {
	looktest.Language(t, "en_GB")
	for raw, want := range map[string]string{
		`{}`:                  "none\n",
		`{"b":1,"a":2,"b":3}`: "b 1\na 2\nb 3\n",
		`{"big":12345678901234567890.000,"e":1E400}`:   "big 12345678901234567890.000\ne 1E400\n",
		`{"on":true,"off":false,"no":null,"s":"a\"b"}`: "on true\noff false\nno null\ns \"a\"b\"\n",
		`{"list":[1,{"a":[]},"x"],"o":{"p":{}}}`:       "list [\n  1\n  {\n    a []\n  }\n  \"x\"\n]\no {\n  p {}\n}\n",
		`{"t":"one\ntwo\n"}`:                           "t text of 3 lines\n  │ one\n  │ two\n  │ \n",
		`{"s":"a\u202eb\u0007"}`:                       "s \"a[‹U+202E›]b[‹U+0007›]\"\n",
		`{"s":"end\n"}`:                                "s \"end[‹line break›]\"\n",
		"{\"tab\":\"a\tb\"}":                           "{\"tab\":\"a→   b\"}\n", // a raw tab is no JSON: shown as it is
		`{"a b":1,"":2,"x\u200b":3}`:                   "\"a b\" 1\n\"\" 2\n\"x[‹U+200B›]\" 3\n",
		`{"a":1} {"b":2}`:                              "{\"a\":1} {\"b\":2}\n",
		`[1,2]`:                                        "[\n  1\n  2\n]\n",
		`no json`:                                      "no json\n",
		``:                                             "\n",
		`{"s":"\ud800"}`:                               "s \"[‹U+FFFD›]\"\n",
	} {
		if got := written(lines(json.RawMessage(raw))); got != want {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", raw, got, want)
		}
	}
}

func FuzzLines(f *testing.F) {
	for _, q := range samples() {
		if q.Call != nil {
			f.Add([]byte(q.Call.Arguments), 40)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, columns int) {
		ls := lines(raw)
		for _, l := range ls {
			for _, s := range l.spans {
				if s.ink != inkHidden && look.Show(s.text) != s.text && !strings.ContainsAny(s.text, "\u200c\u200d\ufe0e\ufe0f") {
					t.Errorf("%q hides something", s.text)
				}
			}
		}
		p := newPaper(ls)
		p.wrap(columns % 300)
		at := 0
		for _, r := range p.rows {
			if r.from != at || r.to < r.from {
				t.Fatalf("a row begins at %d after %d", r.from, at)
			}
			at = r.to
			for _, s := range p.spans(r) {
				if utf8.ValidString(p.text) && !utf8.ValidString(p.text[s.from:s.to]) {
					t.Errorf("a letter is cut in %q", p.text[s.from:s.to])
				}
			}
		}
		if at != len(p.text) {
			t.Errorf("rows end at %d of %d", at, len(p.text))
		}
	})
}

func TestWrap(t *testing.T) {
	p := newPaper([]line{{spans: []span{{"0123456789 abcdefghij klmnopqrst", inkText}}, indent: 4}, {}})
	p.wrap(19)
	var got []string
	for _, r := range p.rows {
		got = append(got, strings.Repeat(".", r.column)+p.text[r.from:r.to])
	}
	if want := "....0123456789 abcd|......efghij klmnop|......qrst|"; strings.Join(got, "|") != want {
		t.Errorf("%s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestCommandDiff(t *testing.T) {
	looktest.Language(t, "en_GB")
	before := &wire.CommandDetail{Command: "npx", Args: []string{"-y", "good"}, Env: []string{"A"}}
	got := written(commandLines(&wire.CommandDetail{Command: "npx", Args: []string{"-y", "bad\n+ argument x"}, Env: []string{"A", "B"}, Cwd: "/", Before: before}))
	want := "  command  npx\n  argument -y\n− argument good\n+ argument bad[‹line break›]+ argument x\n+ folder   /\n  variable A\n+ variable B\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestHints(t *testing.T) {
	looktest.Language(t, "en_GB")
	for raw, want := range map[string]string{
		``:                      "The server doesn't say what this tool does to things, so it may change or delete them. | effect unknown",
		`{"title":"x"}`:         "The server doesn't say what this tool does to things, so it may change or delete them. | effect unknown",
		`{"readOnlyHint":true}`: "Says the server itself: it only reads, and may reach the internet. You don't trust its word yet. | says it only reads",
		`{"readOnlyHint":false,"openWorldHint":false}`:    "Says the server itself: it may change or delete things. You don't trust its word yet. | changes things, destructive",
		`{"destructiveHint":false,"idempotentHint":true}`: "Says the server itself: it adds things and deletes none. Running it twice does no more than once. It may reach the internet. You don't trust its word yet. | changes things",
	} {
		h := readHints(json.RawMessage(raw))
		var tags []string
		for _, o := range h.tags() {
			tags = append(tags, textOf(o))
		}
		if got := h.words("rooms", false) + " | " + strings.Join(tags, ", "); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", raw, got, want)
		}
	}
	if h := readHints(json.RawMessage(`{"readOnlyHint":true}`)); strings.Contains(h.words("rooms", true), "trust") {
		t.Error("a trusted server's word is doubted")
	}
}
