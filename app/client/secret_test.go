package client

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadSecret(t *testing.T) {
	for _, in := range []string{"abc", "abc\n", "abc\r\n"} {
		if got, err := readSecret(strings.NewReader(in)); err != nil || got != "abc" {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "\n", "a b", "a\nb", "a\x00", "é", strings.Repeat("x", maxSecret+1)} {
		if got, err := readSecret(strings.NewReader(in)); err == nil {
			t.Errorf("%.20q: taken as %q", in, got)
		}
	}
	broken := errors.New("broken")
	if _, err := readSecret(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}
