//go:build !linux

package supervisor

import (
	"runtime"
	"testing"
)

type left struct{ goroutines int }

func counts(testing.TB) left { return left{runtime.NumGoroutine()} }

func (l left) more(o left) bool {
	return l.goroutines > o.goroutines
}
