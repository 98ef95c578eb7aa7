package conformance

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"bridgekeeper/test/npm"
)

//go:embed package.json
var packageJSON []byte

var packages = &npm.Set{For: "conformance with the protocol's revisions", JSON: packageJSON}

const (
	suiteNode  = 22              // the suite doesn't start with an older one
	suiteLimit = 3 * time.Minute // one cell takes ten seconds; a scenario that hangs takes thirty
)

// suite is the installed suite.
type suite struct{ node, script string }

func newSuite(t *testing.T) *suite {
	t.Helper()
	modules := filepath.Join(packages.Dir(t), "node_modules")
	s := &suite{script: filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	exe := filepath.Join("bin", "node")
	system := runtime.GOOS
	if system == "windows" {
		system, exe = "win", filepath.Join("bin", "node.exe")
	}
	s.node = filepath.Join(modules, "node-"+system+"-"+arch, exe)
	if _, err := os.Stat(s.node); err != nil {
		s.node = "node" // npm has no Node for this computer
	}
	if why := npm.Older(s.node, suiteNode); why != "" {
		packages.Skip(t, why)
	}
	return s
}

// outcome is what one run of the suite found.
type outcome struct {
	passed, failed int             // checks
	scenarios      map[string]bool // each that ran: true when no check failed
	warnings       []string        // scenario:check of each SHOULD that isn't met
	details        []string        // why checks failed, for people
}

// score counts the scenarios that passed and names those that failed, of the
// scored ones and of the others.
func (o *outcome) score(unscored []string) (scored, others score) {
	for name, ok := range o.scenarios {
		at := &scored
		if slices.Contains(unscored, name) {
			at = &others
		}
		if ok {
			at.passed++
		} else {
			at.failing = append(at.failing, name)
		}
	}
	slices.Sort(scored.failing)
	slices.Sort(others.failing)
	return scored, others
}

type score struct {
	passed  int
	failing []string
}

func (s score) all() int { return s.passed + len(s.failing) }

// run lets the suite loose on url. The error is the suite's own verdict, which
// counts what it was told to expect.
func (s *suite) run(t *testing.T, url string, args ...string) (*outcome, error) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), suiteLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.node, append([]string{s.script, "server", "--url", url, "-o", dir}, args...)...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	verdict := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](verdict); verdict != nil && (!ok || exit.ExitCode() != 1) {
		t.Fatalf("the suite itself: %v\n%s", verdict, out.Bytes())
	}
	if verdict != nil {
		verdict = fmt.Errorf("%w\n%s", verdict, tail(out.String()))
	}
	o := &outcome{scenarios: map[string]bool{}}
	o.read(t, dir)
	if len(o.scenarios) == 0 {
		t.Fatalf("the suite ran no scenario:\n%s", out.Bytes())
	}
	return o, verdict
}

// tail is what the suite says at its end about what it expected.
func tail(out string) string {
	if _, end, ok := strings.Cut(out, "=== SUMMARY ==="); ok {
		return end
	}
	return out
}

// unscored asks the suite which server scenarios it runs for a revision without
// scoring them: extensions, and what was added after the revision's release.
func (s *suite) unscored(t *testing.T, revision string) (names []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), s.node, s.script, "list", "--requirements", revision).Output()
	if err != nil {
		t.Fatalf("list the requirements of %s: %v", revision, err)
	}
	_, rest, ok := strings.Cut(string(out), "never scored:")
	for _, m := range unscoredLine.FindAllStringSubmatch(rest, -1) {
		names = append(names, m[1])
	}
	if !ok || len(names) == 0 {
		t.Fatalf("the suite lists nothing that isn't scored:\n%s", out)
	}
	return names
}

var (
	unscoredLine = regexp.MustCompile(`(?m)^ +- (\S+)(?: \[server\])?$`)
	resultFolder = regexp.MustCompile(`^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)
)

// read adds the results that the suite wrote, a folder a scenario.
func (o *outcome) read(t *testing.T, dir string) {
	t.Helper()
	folders, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		m := resultFolder.FindStringSubmatch(f.Name())
		if m == nil {
			t.Fatalf("the suite wrote %s", f.Name())
		}
		raw, err := os.ReadFile(filepath.Join(dir, f.Name(), "checks.json"))
		if err != nil {
			t.Fatal(err)
		}
		var checks []struct{ ID, Status, ErrorMessage string }
		if err := json.Unmarshal(raw, &checks); err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		name := m[1]
		o.scenarios[name] = true
		for _, c := range checks {
			switch c.Status {
			case "SUCCESS":
				o.passed++
			case "FAILURE":
				o.failed++
				o.scenarios[name] = false
				o.details = append(o.details, fmt.Sprintf("%s:%s: %s", name, c.ID, c.ErrorMessage))
			case "WARNING":
				o.warnings = append(o.warnings, name+":"+c.ID)
				o.details = append(o.details, fmt.Sprintf("%s:%s (warning): %s", name, c.ID, c.ErrorMessage))
			}
		}
	}
	slices.Sort(o.warnings)
}
