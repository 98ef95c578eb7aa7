// Package npm installs pinned packages from npm for tests, once, into a cache
// outside the tree. Without Node, or where npm can't be reached, it skips the
// test and says so. It runs nothing of what it installs: no install scripts.
package npm

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	minNode      = 20 // what brings an npm that installs our pins
	installLimit = 4 * time.Minute
	pipeGrace    = 2 * time.Second // for a process of npm's that outlives it
	// wholeStamp marks a cache whose install was finished.
	wholeStamp = ".complete"
)

// notReached are npm's words for a registry that isn't there.
var notReached = []string{"ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH", "ERR_SOCKET_TIMEOUT", "network"}

// Set is a set of packages that are installed together.
type Set struct {
	For  string // what is not tested without it, as a skip says it
	JSON []byte // its package.json, with exact versions

	once      sync.Once // guards the outcome of install below
	dir, skip string
	failure   error
}

// Dir returns the folder that holds node_modules, or skips the test.
func (s *Set) Dir(t testing.TB) string {
	t.Helper()
	s.once.Do(func() { s.dir, s.skip, s.failure = install(s.JSON) })
	if s.failure != nil {
		t.Fatal(s.failure)
	}
	if s.skip != "" {
		s.Skip(t, s.skip)
	}
	return s.dir
}

// Skip skips the test in the words that test/all.sh repeats in its summary.
func (s *Set) Skip(t testing.TB, why string) {
	t.Helper()
	t.Skipf("SKIPPED: %s NOT TESTED: %s", s.For, why)
}

// install returns the folder, or why there is none: as a reason to skip, or as
// an error.
func install(packageJSON []byte) (dir, skip string, err error) {
	if skip := missing(); skip != "" {
		return "", skip, nil
	}
	cache := os.Getenv("BRIDGEKEEPER_TEST_CACHE")
	if cache == "" {
		if cache, err = os.UserCacheDir(); err != nil {
			return "", "", fmt.Errorf("find a cache folder (set BRIDGEKEEPER_TEST_CACHE): %w", err)
		}
		cache = filepath.Join(cache, "bridgekeeper-test")
	}
	// Other versions, other folder: no half-updated one.
	dir = filepath.Join(cache, fmt.Sprintf("npm-%x", sha256.Sum256(packageJSON))[:16])
	if _, err := os.Stat(filepath.Join(dir, wholeStamp)); err == nil {
		return dir, "", nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), packageJSON, 0o644); err != nil {
		return "", "", err
	}
	if err = npmInstall(dir); err == nil {
		return dir, "", os.WriteFile(filepath.Join(dir, wholeStamp), nil, 0o644)
	}
	for _, word := range notReached {
		if strings.Contains(err.Error(), word) {
			return "", "npm can't be reached: " + firstLine(err.Error()), nil
		}
	}
	if os.Getenv("CI") == "true" {
		return "", "", err
	}
	return "", "npm install failed: " + firstLine(err.Error()), nil
}

// missing tells what is missing on this computer.
func missing() string {
	if why := Older("node", minNode); why != "" {
		return why
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return "npm is not installed"
	}
	return ""
}

// Older tells why a Node program won't do; "" when it has at least that major
// version.
func Older(node string, major int) string {
	out, err := exec.Command(node, "--version").Output()
	if err != nil {
		return "Node is not installed"
	}
	version := strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
	first, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(first); err != nil || n < major {
		return fmt.Sprintf("Node %s is older than %d", version, major)
	}
	return ""
}

func npmInstall(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), installLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", "--loglevel=error",
		// A registry that stumbles is asked again soon, and one that isn't there
		// not for minutes, as npm does otherwise.
		"--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000", "--fetch-timeout=60000")
	cmd.Dir = dir
	cmd.WaitDelay = pipeGrace
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Errorf("npm install: the network is too slow, or not there: not done after %s", installLimit)
	}
	if err != nil {
		return fmt.Errorf("%s (npm install: %w)", strings.TrimSpace(string(out)), err)
	}
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
