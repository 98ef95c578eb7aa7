package wire

import (
	"strings"
	"testing"
)

func TestCheckName(t *testing.T) {
	for _, name := range []string{"a", "rooms", "my-server_2", "-", "A9", strings.Repeat("x", 64), "a_b_c"} {
		if err := CheckName("server", name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	bad := []string{"", "_a", "a_", "_", "a__b", "a b", "a.b", "a/b", "é", "a\n", "a\x00", strings.Repeat("x", 65)}
	for _, name := range bad {
		err := CheckName("server", name)
		if err == nil || err.Code != CodeBadName || err.Hint == "" {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A person's API key was readable by every program that could list the servers.
func TestMasked(t *testing.T) {
	e := Entry{Command: "x", Env: map[string]string{"KEY": "secret", "EMPTY": ""}}
	m := e.Masked()
	if m.Env["KEY"] != Mask || m.Env["EMPTY"] != Mask || m.Command != "x" {
		t.Errorf("got %+v", m)
	}
	if e.Env["KEY"] != "secret" {
		t.Error("masking changed the entry itself")
	}
	if got := (Entry{}).Masked(); got.Env != nil {
		t.Errorf("got %+v", got)
	}
}
