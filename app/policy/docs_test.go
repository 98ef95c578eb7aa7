package policy

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

// The manual's examples come out as it says.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.ReplaceAll(string(data), "\r\n", "\n")
	var s Settings
	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(doc)
	if block == nil {
		t.Fatal("no rules")
	}
	if err := json.Unmarshal([]byte(block[1]), &s.Rules); err != nil {
		t.Fatal(err)
	}
	r := compile(t, s)
	rows := regexp.MustCompile(`(?m)^\| (\w+) \| (\w+) \| (\w+) \| (\w+) \| (\d+) \|$`).FindAllStringSubmatch(doc, -1)
	used := make(map[string]bool)
	for _, row := range rows {
		f := call(row[1], row[2], row[3], silent)
		if d := Decide(r, &f); d.Verdict != row[4] || fmt.Sprint(d.Line) != row[5] {
			t.Errorf("%s: %s by rule %d", row[0], d.Verdict, d.Line)
		}
		used[row[5]] = true
	}
	if len(used) != len(s.Rules) {
		t.Errorf("%d of %d rules are shown", len(used), len(s.Rules))
	}
	for _, p := range presets {
		if !strings.Contains(doc, "\n| `"+p+"`") {
			t.Errorf("no preset %s", p)
		}
	}
	for _, v := range []string{wire.VerdictAllow, wire.VerdictAsk, wire.VerdictDeny, wire.VerdictHeld, wire.VerdictOff} {
		if !strings.Contains(doc, "\n| `"+v+"` |") {
			t.Errorf("no verdict %s", v)
		}
	}
	for _, n := range []string{
		fmt.Sprintf("- %d times within a minute", loopCalls), fmt.Sprintf("- %d times within five", slowCalls), fmt.Sprintf("after each %d more", loopCalls),
		fmt.Sprintf("%d KiB", maxDefinition>>10), "at most 1,000 rules", "5,000 characters",
	} {
		if !strings.Contains(doc, n) {
			t.Errorf("the manual doesn't say %q", n)
		}
	}
	if maxRules != 1000 || longText != 5000 {
		t.Error("the manual has other numbers")
	}
}
