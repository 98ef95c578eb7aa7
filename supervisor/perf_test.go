package supervisor

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCosts prints what servers cost; run it with -v and COSTS=1.
func TestCosts(t *testing.T) {
	if os.Getenv("COSTS") == "" {
		t.Skip("COSTS is not set")
	}
	rssOf := func() string {
		b, _ := os.ReadFile("/proc/self/status")
		var out []string
		for _, l := range strings.Split(string(b), "\n") {
			if strings.HasPrefix(l, "VmRSS") || strings.HasPrefix(l, "RssAnon") || strings.HasPrefix(l, "Threads") {
				out = append(out, strings.Join(strings.Fields(l), " "))
			}
		}
		return strings.Join(out, ", ")
	}
	t.Log("no server:", rssOf())
	h := start(t, Options{LogDir: t.TempDir()})
	var specs []Spec
	for n := range 100 {
		specs = append(specs, testSpec(t, fmt.Sprint("s", n), "say=hello,normal"))
	}
	began := time.Now()
	h.Apply(specs)
	for _, s := range specs {
		h.reach(s.Server, Ready)
	}
	t.Logf("100 servers after %v: %s", time.Since(began), rssOf())
	calls := func() string {
		s := h.session("s0")
		var all []time.Duration
		for range 300 {
			began := time.Now()
			s.call(t, "x")
			all = append(all, time.Since(began))
		}
		slices.Sort(all)
		return fmt.Sprintf("p50 %v p99 %v", all[150], all[297])
	}
	t.Log("calls:", calls())
	h.Apply(append(slices.Clone(specs), testSpec(t, "flood", "flood=lines,normal")))
	h.reach("flood", Ready)
	t.Log("calls under flood of lines:", calls())
	began = time.Now()
	h.stop()
	t.Logf("all ended in %v", time.Since(began))
}
