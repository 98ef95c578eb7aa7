package supervisor

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// With a few dozen servers configured the idle bridge took hundreds of megabytes.
func TestMemoryPerServer(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's own memory is many times ours")
	}
	const servers, most = 50, 300 // KiB each
	debug.FreeOSMemory()
	before := resident(t)
	h := start(t, Options{LogDir: t.TempDir()})
	var specs []Spec
	for n := range servers {
		specs = append(specs, testSpec(t, fmt.Sprint("s", n), "say=hello,normal"))
	}
	h.Apply(specs)
	for _, s := range specs {
		h.reach(s.Server, Ready)
	}
	each := (resident(t) - before) / servers
	t.Logf("%d KiB a server", each)
	if each > most {
		t.Errorf("%d KiB a server", each)
	}
}

// resident is this process's memory in KiB.
func resident(tb testing.TB) int {
	tb.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		tb.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	n := 0
	fmt.Sscan(rest, &n)
	return n
}
