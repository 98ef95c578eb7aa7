package ui

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseCommand(t *testing.T) {
	for text, want := range map[string]string{
		"npx -y @acme/server":        "npx|-y|@acme/server",
		"  a   b\t c\n":              "a|b|c",
		`a "b c" 'd e'`:              "a|b c|d e",
		`a "" ''`:                    "a||",
		`a b\ c "d\"e" 'f\g'`:        `a|b c|d"e|f\g`,
		"a \\\n b":                   "a|b",
		`a x="1 2"`:                  "a|x=1 2",
		`KEY=v\ 1 OTHER= a --k=v`:    "KEY=v 1,OTHER=|a|--k=v",
		`docker run -e "A=B" mcp/db`: "docker|run|-e|A=B|mcp/db",
	} {
		e, err := parseCommand(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := strings.Join(append([]string{e.Command}, e.Args...), "|")
		var env []string
		for _, k := range sortedKeys(e.Env) {
			env = append(env, k+"="+e.Env[k])
		}
		if len(env) > 0 {
			got = strings.Join(env, ",") + "|" + got
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", "  ", "A=b", `a "b`, "a 'b", "a | b", "a && b", "a > f"} {
		if e, err := parseCommand(text); err == nil {
			t.Errorf("%q: taken as %+v", text, e)
		}
	}
	got, err := splitWords(`C:\tools\a.exe "C:\Program Files\x" --name it's "say \"hi\""`, true)
	if want := []string{`C:\tools\a.exe`, `C:\Program Files\x`, "--name", "it's", `say "hi"`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("on Windows: %q, %v", got, err)
	}
}

// What the form shows of an entry, unchanged, must save the same entry.
func FuzzCommandLine(f *testing.F) {
	f.Add("npx", "-y", "a b")
	f.Add(`C:\x`, "it's", `"`)
	f.Add("a\nb", "", `\`)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) || !utf8.ValidString(c) {
			t.Skip()
		}
		words := []string{a, b, c}
		line := quoteWord(a, false) + " " + quoteWord(b, false) + " " + quoteWord(c, false)
		if got, err := splitWords(line, false); err != nil || !slices.Equal(got, words) {
			t.Errorf("%q became %q, then %q (%v)", words, line, got, err)
		}
		_, _ = splitWords(a+b+c, true) // must not panic
	})
}
