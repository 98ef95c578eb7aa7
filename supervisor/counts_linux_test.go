package supervisor

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

type left struct{ goroutines, files, children int }

func counts(tb testing.TB) left {
	tb.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		tb.Fatal(err)
	}
	threads, _ := os.ReadDir("/proc/self/task")
	children := 0
	for _, t := range threads {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%s/children", t.Name()))
		children += len(strings.Fields(string(b)))
	}
	return left{runtime.NumGoroutine(), len(files), children}
}

func (l left) more(o left) bool {
	return l.goroutines > o.goroutines || l.files > o.files || l.children > o.children
}
