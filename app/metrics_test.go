package app

import (
	"fmt"
	"testing"
	"time"

	"bridgekeeper/app/wire"
)

func TestCallsByTheMinute(t *testing.T) {
	m := newMetrics()
	at := time.Unix(6_000_000, 0)
	for _, minute := range []int{0, 2, 2, 2, 29, 29} {
		m.called("s", at.Add(time.Duration(minute)*time.Minute))
	}
	shown := func(minute int) string {
		s := wire.Server{Name: "s"}
		m.of(&s, at.Add(time.Duration(minute)*time.Minute))
		return fmt.Sprint(s.CallsPerMinute)
	}
	if got := shown(31); got != fmt.Sprint(append(append([]int{3}, make([]int, 26)...), 2, 0, 0)) {
		t.Errorf("two minutes later: %s", got)
	}
	if got := shown(200); got != fmt.Sprint(make([]int, wire.CallMinutes)) {
		t.Errorf("hours later: %s", got)
	}
	m.forget(func(string) bool { return false })
	s := wire.Server{Name: "s"}
	if m.of(&s, at); s.CallsPerMinute != nil {
		t.Error("it is still known")
	}
}
