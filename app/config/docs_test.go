package config

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

func TestDocsHaveEveryKey(t *testing.T) {
	data, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := string(data)
	for head, keys := range map[string][]string{
		"| Key | Value | Meaning |\n|---|---|---|\n| `command` |":    keysOf[wire.Entry](),
		"| Key | Value | Meaning |\n|---|---|---|\n| `mcpServers` |": rootKeys,
		"| Key of a rule |":      keysOf[wire.Rule](),
		"| Key of a host |":      keysOf[wire.HostTerms](),
		"| Key of `questions` |": keysOf[wire.QuestionTerms](),
		"| Key of a model |":     keysOf[wire.Model](),
		"| Key of `record` |":    keysOf[wire.RecordTerms](),
	} {
		_, table, ok := strings.Cut(doc, head)
		table, _, _ = strings.Cut(table, "\n\n")
		if !ok {
			t.Errorf("docs/config.md has no table %q", head)
		}
		table = head + table
		for _, key := range keys {
			if !regexp.MustCompile("(?m)^\\|[^|]*`" + key + "`[^|]*\\|").MatchString(table) {
				t.Errorf("docs/config.md has no key %s in the table %q", key, head)
			}
		}
	}
	for _, key := range append(keysOf[wire.Limits](), keysOf[wire.SamplingTerms]()...) {
		if !strings.Contains(doc, `"`+key+`": `) {
			t.Errorf("docs/config.md has no %s", key)
		}
	}
	for _, values := range [][]string{presetValues, trustValues, changesValues, doValues, questionValues, modelKinds, askKinds} {
		for _, value := range values {
			if !strings.Contains(doc, "`"+value+"`") {
				t.Errorf("docs/config.md has no value %s", value)
			}
		}
	}
	example := regexp.MustCompile("(?s)```jsonc\n(.*?)```").FindStringSubmatch(doc)
	if example == nil {
		t.Fatal("docs/config.md has no example")
	}
	r, problem := read([]byte(example[1]))
	if problem != nil || len(r.config.Servers) != 2 || len(r.config.Problems)+len(r.config.Warnings)+len(r.mistakes) != 0 {
		t.Errorf("the example is read as %+v, %+v, %+v", r.config, r.mistakes, problem)
	}
	for key, value := range byKey(r.config.Settings) {
		if key != legacySSEKey && key != registryKey && reflect.ValueOf(value).IsZero() {
			t.Errorf("the example has no %s", key)
		}
	}
}
