package supervisor

import (
	"context"
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	timings := Timings{}.withDefaults()
	var b backoff
	now := time.Now()
	for n, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		now = now.Add(time.Minute)
		_, loop := b.failed(&timings, now, time.Second)
		if loop {
			t.Fatal("a crash a minute is no loop")
		}
		want *= time.Second
		if got := b.pause(&timings, 0.5); got != want {
			t.Errorf("pause %d: %v, want %v", n, got, want)
		}
		for _, random := range []float64{0, 0.999} {
			if got := b.pause(&timings, random); got < timings.BackoffFirst || got > timings.BackoffMost || got < want*3/4 || got > want*5/4 {
				t.Errorf("pause %d with jitter: %v", n, got)
			}
		}
	}
	if b.failed(&timings, now.Add(time.Hour), 5*time.Minute); b.failures != 1 {
		t.Error("five stable minutes should begin anew")
	}
	b.reset()
	for n := range 5 {
		_, loop := b.failed(&timings, now.Add(time.Duration(n)*29*time.Second), 0)
		if loop != (n == 4) {
			t.Errorf("crash %d: loop %v", n+1, loop)
		}
	}
}

func TestIsRunner(t *testing.T) {
	for _, c := range []struct {
		want bool
		argv []string
	}{
		{true, []string{"npx", "-y", "x"}},
		{true, []string{"/usr/bin/npx", "x"}},
		{true, []string{`C:\Program Files\nodejs\NPX.CMD`, "x"}},
		{true, []string{"uvx", "x"}},
		{true, []string{"uv", "--quiet", "tool", "run", "x"}},
		{true, []string{"docker", "run", "x"}},
		{true, []string{"cmd", "/c", "npx", "x"}},
		{false, []string{"uv", "pip"}},
		{false, []string{"node", "npx"}},
		{false, []string{"npm"}},
		{false, []string{"cmd", "/c"}},
	} {
		if got := isRunner(c.argv[0], c.argv[1:]); got != c.want {
			t.Errorf("%q: %v", c.argv, got)
		}
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Minute: "1m", 10 * time.Minute: "10m", 2 * time.Hour: "2h", 90 * time.Second: "1m30s", 100 * time.Millisecond: "100ms", 30 * time.Second: "30s",
	} {
		if got := short(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// TestAcquireIsFree: every call of every host passes here.
func TestAcquireIsFree(t *testing.T) {
	h := start(t, Options{})
	h.Apply([]Spec{testSpec(t, "a", "normal")})
	h.reach("a", Ready)
	ctx := context.Background()
	if n := testing.AllocsPerRun(100, func() { h.Acquire(ctx, Key{Server: "a"}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkAcquire(b *testing.B) {
	h := start(b, Options{})
	h.Apply([]Spec{testSpec(b, "a", "normal")})
	h.reach("a", Ready)
	ctx := context.Background()
	for b.Loop() {
		h.Acquire(ctx, Key{Server: "a"})
	}
}
