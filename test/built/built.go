// Package built starts the built binary for a test, in a home of its own, and
// ends it, and what it left behind, with the test. Tests only.
package built

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bridgekeeper/test/shipped"
)

// Binary returns the built binary: BRIDGEKEEPER_BIN, or one built now.
func Binary(t testing.TB) string {
	t.Helper()
	if bin := os.Getenv("BRIDGEKEEPER_BIN"); bin != "" {
		return bin
	}
	return Build(t, "bridgekeeper", ".")
}

// Build builds a main package of this module, or of one it depends on, into a
// folder that ends with the test.
func Build(t testing.TB, name, pkg string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("go", "build", "-o", bin, pkg)
	cmd.Dir = Root(t)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", pkg, err, out)
	}
	return bin
}

// Root is the folder with go.mod, seen from a package's own folder.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		t.Fatal("no go.mod above this folder")
	}
}

// Start starts a core in an empty home; it ends with the test.
func Start(t testing.TB, args ...string) *shipped.Core {
	t.Helper()
	return StartWith(t, "", args...)
}

// StartWith is Start with a config file.
func StartWith(t testing.TB, config string, args ...string) *shipped.Core {
	t.Helper()
	// Not t.TempDir: its long path would not fit into a socket's name.
	home, err := os.MkdirTemp("", "bk-t-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if config != "" {
		if err := os.WriteFile(filepath.Join(home, "bridgekeeper.json"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := shipped.Start(t.Context(), shipped.Options{Bin: Binary(t), Home: home, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Kill()
		endLeft(home)
		if t.Failed() {
			t.Logf("the end of the core's log:\n%s", lastLines(c.Log()))
		}
	})
	return c
}

// endLeft ends, by its id, what a failed test left behind.
func endLeft(home string) {
	left, _ := shipped.Left(nil, home) // nothing to be done about an error here
	for _, p := range left {
		if proc, err := os.FindProcess(p.PID); err == nil {
			proc.Kill()
		}
	}
}

// showLines is how much of the core's log a failed test shows.
const showLines = 60

func lastLines(log string) string {
	lines := strings.SplitAfter(log, "\n")
	return strings.Join(lines[max(0, len(lines)-showLines):], "")
}
