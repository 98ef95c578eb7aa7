package app

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	p := newPace(8)
	at := time.Duration(0)
	step := func(busy float64, want int) {
		t.Helper()
		at += sampleEvery
		if got := p.next(at, busy); got != want {
			t.Fatalf("at %v, busy %.2f: %d processors, want %d", at, busy, got, want)
		}
	}
	step(0.5, 1)
	step(0.9, 4)
	for range 19 {
		step(0.1, 4) // kept for a while: load comes in bursts
	}
	step(0.9, 1) // that much of several fits on one
	step(0.95, 4)
	for range 39 {
		step(0.95, 4) // it did not: kept for twice as long
	}
	step(0.95, 1)
	for range 200 {
		step(0.3, 1)
	}
	step(0.99, 4)
	step(3.9, 4)
	if one := newPace(2); one.next(0, 5) != 1 {
		t.Error("more than half of the machine")
	}
}
