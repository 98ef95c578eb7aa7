package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What the suite wrote must be understood, or a failure would go unseen.
func TestReadingWhatTheSuiteWrote(t *testing.T) {
	dir := t.TempDir()
	for name, checks := range map[string]string{
		"good":              `[{"id":"a","status":"SUCCESS"},{"id":"b","status":"INFO"},{"id":"c","status":"SKIPPED"}]`,
		"bad":               `[{"id":"a","status":"SUCCESS"},{"id":"b","status":"FAILURE","errorMessage":"no"}]`,
		"could-be-better-2": `[{"id":"a","status":"WARNING"}]`,
		"extra":             `[{"id":"a","status":"FAILURE"}]`,
		"none":              `[]`,
	} {
		at := filepath.Join(dir, "server-"+name+"-2026-12-01T01-42-37-729Z")
		if err := os.Mkdir(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, "checks.json"), []byte(checks), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := &outcome{scenarios: map[string]bool{}}
	o.read(t, dir)
	scored, others := o.score([]string{"extra", "not-run"})
	if o.passed != 2 || o.failed != 2 || scored.passed != 3 || !slices.Equal(scored.failing, []string{"bad"}) || !slices.Equal(others.failing, []string{"extra"}) {
		t.Errorf("%+v, scored %+v, others %+v", o, scored, others)
	}
	if want := []string{"could-be-better-2:a"}; !slices.Equal(o.warnings, want) {
		t.Errorf("warnings %q, want %q", o.warnings, want)
	}
}

// Every file of expected failures belongs to a cell, and each entry has a reason.
func TestExpectedFailuresHaveReasons(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.yml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, f := range files {
		if !slices.ContainsFunc(cells, func(c cell) bool { return c.expected == filepath.Base(f) }) {
			t.Errorf("no cell uses %s", f)
		}
		if failing, warnings := readExpected(t, f); len(failing)+len(warnings) == 0 {
			t.Errorf("%s expects nothing", f)
		}
	}
}
