package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridgekeeper/test/built"
)

// cell is one pair of wires: the suite's, which is the host's, and the one that
// the server behind us is held to.
type cell struct {
	host     string // the revision that the suite speaks
	all      bool   // it has no list of requirements: every scenario that applies
	server   string // a name of servers
	scored   int    // scenarios
	others   int
	expected string   // the file of what can't pass; "" for none
	failing  []string // scenarios among the others that fail, and nobody counts
}

// The servers behind us.
const (
	sdkLegacy = "sdk-legacy" // the SDK's own fixture, as a server of 2025-11-25
	sdkModern = "sdk-modern" // the same, as one of 2026-07-28
	ownLegacy = "own-legacy" // ours, which asks the right way on each wire
	ownModern = "own-modern" // the same, with the tasks extension
)

// noTasks are the scenarios of the tasks extension, which the SDK's fixture
// doesn't have, and which doesn't exist on the legacy wire.
var noTasks = []string{
	"tasks-capability-negotiation", "tasks-dispatch-and-envelope", "tasks-lifecycle", "tasks-mrtr-composition", "tasks-mrtr-input",
	"tasks-request-headers", "tasks-request-state-removal", "tasks-required-task-error", "tasks-wire-fields",
}

var cells = []cell{
	{host: "2025-11-25", server: sdkLegacy, scored: 30, others: 3},
	{host: "2025-06-18", server: sdkLegacy, scored: 27, all: true},
	{host: "2025-03-26", server: sdkLegacy, scored: 1, all: true},
	{host: "2025-11-25", server: sdkModern, scored: 30, others: 3, expected: "legacy-host-sdk-modern.yml"},
	{host: "2026-07-28", server: sdkModern, scored: 37, others: 13, failing: noTasks},
	{host: "2026-07-28", server: sdkLegacy, scored: 37, others: 13, failing: noTasks, expected: "modern-host-sdk-legacy.yml"},
	{host: "2025-11-25", server: ownLegacy, scored: 30, others: 3},
	{host: "2025-11-25", server: ownModern, scored: 30, others: 3},
	{host: "2026-07-28", server: ownModern, scored: 37, others: 13},
	{host: "2026-07-28", server: ownLegacy, scored: 37, others: 13, failing: noTasks, expected: "modern-host-own-legacy.yml"},
}

func (c *cell) name() string { return c.host + " host, " + c.server + " server" }

func TestConformance(t *testing.T) {
	s := newSuite(t)
	sdk := built.Build(t, "everything-server", "github.com/modelcontextprotocol/go-sdk/conformance/everything-server")
	own := built.Build(t, "fixture", "./test/conformance/fixture")
	servers := map[string]any{}
	for _, s := range []struct{ name, command, era string }{
		{sdkLegacy, sdk, "legacy"}, {sdkModern, sdk, "modern"}, {ownLegacy, own, "legacy"}, {ownModern, own, "modern"},
	} {
		servers[s.name] = map[string]any{"command": s.command, "era": s.era, "sharing": "per-session", "sampling": map[string]any{"enabled": true}}
	}
	config, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	// The suite can send no token; and it plays the person, so questions are the
	// host's and no call needs an approval.
	c := built.StartWith(t, string(config), "--open", "--answers", "allow")
	// One after the other: a scenario that waits 30 s is a failure, so no cell
	// may be slow because of another.
	for _, cell := range cells {
		url := strings.TrimSuffix(c.URL, "/mcp") + "/servers/" + cell.server + "/mcp"
		t.Run(cell.name(), func(t *testing.T) { cell.run(t, s, url) })
	}
}

func (c *cell) run(t *testing.T, s *suite, url string) {
	args := []string{"--requirements", c.host}
	var unscored []string
	if c.all {
		args = []string{"--suite", "all", "--spec-version", c.host}
	} else {
		unscored = s.unscored(t, c.host)
	}
	var failing, warnings []string
	if c.expected != "" {
		file, err := filepath.Abs(filepath.Join("testdata", c.expected))
		if err != nil {
			t.Fatal(err)
		}
		failing, warnings = readExpected(t, file)
		args = append(args, "--expected-failures", file)
	}
	o, verdict := s.run(t, url, args...)
	scored, others := o.score(unscored)
	t.Logf("%s: %d/%d scored scenarios, %d/%d others; checks: %d passed, %d failed, %d warnings",
		c.name(), scored.passed, scored.all(), others.passed, others.all(), o.passed, o.failed, len(o.warnings))
	if scored.all() != c.scored || others.all() != c.others {
		t.Errorf("%d scored and %d other scenarios ran, want %d and %d: is it another suite?", scored.all(), others.all(), c.scored, c.others)
	}
	if !slices.Equal(scored.failing, failing) {
		t.Errorf("failing %q, expected %q", scored.failing, failing)
	}
	if !slices.Equal(others.failing, c.failing) {
		t.Errorf("failing without being counted %q, expected %q", others.failing, c.failing)
	}
	if !slices.Equal(o.warnings, warnings) {
		t.Errorf("warnings %q, expected %q", o.warnings, warnings)
	}
	if verdict != nil {
		t.Errorf("the suite's verdict: %v", verdict)
	}
	if t.Failed() {
		t.Logf("what it said:\n%s", strings.Join(o.details, "\n"))
	}
}

// readExpected returns the entries of an expected-failures file: scenarios, and
// single checks that are only warnings. Each must have its reason: nobody may
// silence a scenario in passing.
func readExpected(t *testing.T, file string) (failing, warnings []string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		entry, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok {
			continue
		}
		name, why, _ := strings.Cut(entry, "#")
		name = strings.TrimSpace(name)
		if len(strings.Fields(why)) < 5 {
			t.Errorf("%s: %s has no reason beside it", filepath.Base(file), name)
		}
		if strings.Contains(name, ":") {
			warnings = append(warnings, name)
		} else {
			failing = append(failing, name)
		}
	}
	slices.Sort(failing)
	slices.Sort(warnings)
	return failing, warnings
}
