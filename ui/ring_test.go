package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/wire"
)

func line(server string, seq int, text string) wire.LogLine {
	return wire.LogLine{Seq: uint64(seq), Time: moment, Server: server, Source: "stderr", Text: text}
}

// A server that logged all night took all memory.
func TestRingIsBounded(t *testing.T) {
	r := newRing(100)
	v := &logView{ring: r}
	v.use(logFilter{})
	for i := 1; i <= 250; i++ {
		r.add(line("a", i, fmt.Sprint("line ", i)))
		if i%60 == 0 {
			v.advance()
		}
	}
	gone, changed := v.advance()
	if len(r.lines) != 100 || len(v.lines) != 100 || gone == 0 || !changed {
		t.Fatalf("%d lines kept, %d shown, %d gone", len(r.lines), len(v.lines), gone)
	}
	first, ok := r.at(v.lines[0])
	if !ok || first.Text != "line 151" {
		t.Errorf("the oldest is %q", first.Text)
	}
	if _, ok := r.at(v.lines[0] - 1); ok {
		t.Error("a line that is gone was found")
	}
	if gone, changed := v.advance(); gone != 0 || changed {
		t.Error("nothing happened, and yet it changed")
	}
}

// After the connection was lost, every line stood there twice.
func TestRingKnowsLinesAgain(t *testing.T) {
	r := newRing(100)
	r.began(moment)
	for range 2 {
		for i := 1; i <= 5; i++ {
			r.add(line("a", i, "x"))
			r.add(line("b", i, "x"))
		}
	}
	if _, next := r.bounds(); next != 10 {
		t.Errorf("%d lines", next)
	}
	r.began(moment.Add(time.Hour)) // another core counts from one
	r.add(line("a", 1, "x"))
	if _, next := r.bounds(); next != 11 {
		t.Errorf("%d lines after a restart", next)
	}
}

func TestLogFilter(t *testing.T) {
	r := newRing(100)
	r.add(line("a", 1, "Connection REFUSED"))
	r.add(line("b", 1, "connection refused"))
	l := line("b", 2, "stray")
	l.Source = "stdout"
	r.add(l)
	v := &logView{ring: r}
	for _, c := range []struct {
		filter logFilter
		want   int
	}{{logFilter{}, 3}, {logFilter{server: "b"}, 2}, {logFilter{text: "Refused"}, 2}, {logFilter{server: "b", text: "refused"}, 1},
		{logFilter{source: "stdout"}, 1}, {logFilter{server: "c"}, 0}} {
		if v.use(c.filter); len(v.lines) != c.want {
			t.Errorf("%+v takes %d lines, want %d", c.filter, len(v.lines), c.want)
		}
	}
	v.use(logFilter{server: "b"})
	r.add(line("a", 2, "x"))
	r.add(line("b", 3, "x"))
	if v.advance(); len(v.lines) != 3 {
		t.Errorf("%d lines of b", len(v.lines))
	}
}

func TestRingLines(t *testing.T) {
	r := newRing(2)
	r.add(line("a", 1, strings.Repeat("ü", ringText)))
	r.add(line("a", 2, "\x1b]0;title\x07red \x1b[1;31mtext\x1b[0m\u202e\x00"))
	long, _ := r.at(0)
	if len(long.Text) > ringText || !long.Cut || !strings.HasSuffix(long.Text, "ü") {
		t.Errorf("%d bytes kept", len(long.Text))
	}
	if odd, _ := r.at(1); odd.Text != "red text‹U+202E›‹U+0000›" {
		t.Errorf("got %q", odd.Text)
	}
}

func BenchmarkRingAdd(b *testing.B) {
	r := newRing(ringLines)
	v := &logView{ring: r}
	v.use(logFilter{text: "needle"})
	for i := 0; b.Loop(); i++ {
		r.add(line("a", i+1, "GET /repos/acme/shop/issues 200 (212 ms)"))
		if i%1000 == 0 {
			v.advance()
		}
	}
}
