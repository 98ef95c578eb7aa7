package thirdparty

import (
	"context"
	"crypto/sha256"
	_ "embed"
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

//go:embed package.json
var packageJSON []byte

const (
	minNode      = 20
	installLimit = 4 * time.Minute
	installTries = 2 // a registry that stumbles once is no reason to skip
	// wholeStamp marks a cache whose install was finished.
	wholeStamp = ".complete"
)

// notReached are npm's words for a registry that isn't there.
var notReached = []string{"ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH", "ERR_SOCKET_TIMEOUT", "network"}

// packages returns the folder that holds node_modules, or skips the test.
func packages(t *testing.T) string {
	t.Helper()
	once.Do(func() { dir, skip, failure = install() })
	if failure != nil {
		t.Fatal(failure)
	}
	if skip != "" {
		// test/all.sh repeats this line in its summary.
		t.Skipf("SKIPPED: third-party servers and client NOT TESTED: %s", skip)
	}
	return dir
}

// The outcome of install, once for all tests.
var (
	once      sync.Once
	dir, skip string
	failure   error
)

// install returns the folder, or why there is none: as a reason to skip, or as
// an error.
func install() (dir, skip string, err error) {
	if skip := node(); skip != "" {
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
	for range installTries {
		if err = npmInstall(dir); err == nil {
			return dir, "", os.WriteFile(filepath.Join(dir, wholeStamp), nil, 0o644)
		}
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

// node tells what is missing.
func node() string {
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		return "Node is not installed"
	}
	version := strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < minNode {
		return fmt.Sprintf("Node %s is older than %d", version, minNode)
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return "npm is not installed"
	}
	return ""
}

func npmInstall(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), installLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s (npm install: %w)", strings.TrimSpace(string(out)), err)
	}
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
