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
	entry := reflect.TypeFor[wire.Entry]()
	for i := range entry.NumField() {
		key, _, _ := strings.Cut(entry.Field(i).Tag.Get("json"), ",")
		if !strings.Contains(doc, "\n| `"+key+"` |") {
			t.Errorf("docs/config.md has no key %s", key)
		}
	}
	example := regexp.MustCompile("(?s)```jsonc\n(.*?)```").FindStringSubmatch(doc)
	if example == nil {
		t.Fatal("docs/config.md has no example")
	}
	r, problem := read([]byte(example[1]))
	if problem != nil || len(r.config.Servers) != 2 || len(r.config.Problems)+len(r.config.Warnings) != 0 {
		t.Errorf("the example is read as %+v, %+v", r.config, problem)
	}
}
