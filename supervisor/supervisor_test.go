package supervisor

import (
	"testing"
)

func TestStartCallStop(t *testing.T) {
	h := start(t, Options{})
	h.Apply([]Spec{testSpec(t, "a", "normal")})
	st := h.reach("a", Ready)
	if st.PID == 0 || st.Gen != 1 || st.Started.IsZero() {
		t.Errorf("status %+v", st)
	}
	s := h.session("a")
	if got := s.call(t, "hi"); got != "hi" {
		t.Errorf("got %q", got)
	}
	if err := h.Stop("a"); err != nil {
		t.Fatal(err)
	}
	pid := st.PID
	st = h.reach("a", Stopped)
	if st.PID != 0 || !gone(pid) {
		t.Errorf("still there: %+v", st)
	}
	if got := s.cause.Load(); got != errStopped.Error() {
		t.Errorf("session closed with %q", got)
	}
	if _, err := h.Acquire(t.Context(), Key{Server: "a"}); err == nil {
		t.Error("a stopped server was handed out")
	}
	if err := h.Start("a"); err != nil {
		t.Fatal(err)
	}
	if st = h.reach("a", Ready); st.Gen != 2 || st.Restarts != 0 {
		t.Errorf("status %+v", st)
	}
}
