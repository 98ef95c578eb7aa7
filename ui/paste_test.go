package ui

import (
	"fmt"
	"strings"
	"testing"
)

func TestParsePaste(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers":{"b":{"command":"x","args":["1"],"env":{"K":"v"}},"a":{"command":"y"}}}`: "b=x [1] map[K:v]; a=y [] map[]",
		`{"servers":{"a":{"type":"stdio","command":"x"}},"inputs":[]}`:                          "a=x [] map[]",
		`{"mcp":{"servers":{"a":{"command":"x"}}}}`:                                             "a=x [] map[]",
		`{"a":{"command":"x"}}`:                      "a=x [] map[]",
		`"a": {"command":"x"},`:                      "a=x [] map[]",
		`{"command":"x","args":["a"]}`:               "=x [a] map[]",
		"{ // mine\n\"a\": {\"command\":\"x\",},\n}": "a=x [] map[]",
		`{"a":{"command":"// no /* comment"}}`:       "a=// no /* comment [] map[]",
	} {
		adds, err := parsePaste(text)
		var got []string
		for _, a := range adds {
			got = append(got, fmt.Sprintf("%s=%s %v %v", a.Name, a.Entry.Command, a.Entry.Args, a.Entry.Env))
		}
		if err != nil || strings.Join(got, "; ") != want {
			t.Errorf("%s: got %q, want %q (%v)", text, strings.Join(got, "; "), want, err)
		}
	}
	for text, want := range map[string]string{
		"":                                 "nothing",
		"hello":                            "isn't JSON",
		`{"mcpServers":{`:                  "too early",
		`{"mcpServers":[]}`:                "{",
		`{"mcpServers":{}}`:                "no server",
		`{"a":{"url":"https://x"}}`:        "a is an address",
		`{"url":"https://x"}`:              "this is an address",
		`{"a":{"args":[]}}`:                "a has no command",
		`{"a":{"command":"x","args":[1]}}`: "“args” can't be a number",
		`{"a":5}`:                          "a is no object",
		`{"a":{"command":7}}`:              "“command” can't be a number",
		`{"a":"` + strings.Repeat("x", 2<<20) + `"}`: "1 MiB",
	} {
		if adds, err := parsePaste(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %v, %v; want %q", text, adds, err, want)
		}
	}
}

func FuzzParsePaste(f *testing.F) {
	f.Add(`{"mcpServers":{"a":{"command":"x"}}}`)
	f.Add(`"a": {"command":"x",}, // y`)
	f.Add(`{"a":"\`)
	f.Fuzz(func(t *testing.T, text string) {
		adds, err := parsePaste(text)
		if err == nil && len(adds) == 0 {
			t.Error("neither servers nor an error")
		}
		for _, a := range adds { // none beside an error
			if err != nil || a.Entry.Command == "" {
				t.Errorf("an entry without a command: %+v", a)
			}
		}
	})
}
