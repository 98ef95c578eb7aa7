package app

import (
	"context"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

// script is a child's lines.
type script struct{ read []string }

func (s *script) ReadLine() ([]byte, error) {
	line := s.read[0]
	s.read = s.read[1:]
	return []byte(line), nil
}
func (s *script) Free([]byte)                             {}
func (s *script) WriteLine(context.Context, []byte) error { return nil }
func (s *script) Stray([]byte)                            {}

// A person who looked at a chatty server made it wait for the window.
func TestTraceNeverWaits(t *testing.T) {
	ts := newTraces()
	lines := &traced{&script{read: make([]string, maxBehind+10)}, ts, "s", ""}
	one, closeTap := ts.open("s")
	other, closeOther := ts.open("other")
	if err := lines.WriteLine(t.Context(), []byte(strings.Repeat("x", maxTraced+1))); err != nil {
		t.Fatal(err)
	}
	for range maxBehind + 4 {
		if _, err := lines.ReadLine(); err != nil {
			t.Fatal(err)
		}
	}
	if l := <-one.lines; l.Direction != wire.TraceOut || !l.Cut || l.Bytes != maxTraced+1 || len(l.Text) != maxTraced {
		t.Errorf("the first: %s, cut %v, %d bytes", l.Direction, l.Cut, l.Bytes)
	}
	if len(one.lines) != maxBehind-1 || one.lost.Load() != 5 || len(other.lines) != 0 {
		t.Errorf("%d wait, %d are lost, another server's reader has %d", len(one.lines), one.lost.Load(), len(other.lines))
	}
	closeTap()
	closeOther()
	if ts.on.Load() != 0 {
		t.Error("still on")
	}
}
