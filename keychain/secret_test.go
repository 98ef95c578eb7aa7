package keychain

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

type named struct{ S Secret }

func TestSecretShowsNothing(t *testing.T) {
	s := NewSecret("hunter2")
	type deep struct {
		S    Secret
		P    *Secret
		Any  any
		List []Secret
		Map  map[string]Secret
		priv Secret
	}
	d := deep{s, &s, s, []Secret{s}, map[string]Secret{"k": s}, s}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%T", "%10.3s", "%U", "%w"} {
		for _, v := range []any{s, &s, d, &d, []any{s}, []Secret{s}, map[string]Secret{"k": s}, errors.Join(fmt.Errorf("x %v", s))} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("x", "secret", s, "pointer", &s, "deep", d, slog.Group("g", "s", s))
	}
	for _, v := range []any{s, &s, d.List, d.Map, struct{ S Secret }{s}} {
		b, err := json.Marshal(v)
		if err != nil || !strings.Contains(string(b), Mask) {
			t.Errorf("JSON: %s, %v", b, err)
		}
		out.Write(b)
	}
	if b, err := xml.Marshal(named{s}); err != nil {
		t.Error(err)
	} else {
		out.Write(b)
	}
	if err := gob.NewEncoder(&out).Encode(struct{ S Secret }{s}); err != nil {
		t.Error(err)
	}
	for _, leak := range []string{"hunter2", fmt.Sprintf("%x", "hunter2"), fmt.Sprintf("%X", "hunter2"), "aHVudGVyMg"} {
		if strings.Contains(out.String(), leak) {
			t.Errorf("it shows: %q", leak)
		}
	}
	if s.Reveal() != "hunter2" || !s.Equal(NewSecret("hunter2")) || s.IsZero() || !(Secret{}).IsZero() || (Secret{}).Reveal() != "" {
		t.Error("the secret itself is wrong")
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"GITHUB_TOKEN": true, "a": true, "a.b-c": true, "0x": true, strings.Repeat("x", 64): true,
		"": false, "-a": false, ".probe": false, "a b": false, "a#1": false, "a:b": false, "a/b": false, "ä": false, "a}": false, strings.Repeat("x", 65): false,
	} {
		if ValidName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
		for _, s := range []string{name, Ref(name)} {
			if got, err := ParseName(s); (err == nil) != want || want && got != name {
				t.Errorf("%q: %q, %v", s, got, err)
			}
		}
	}
}

func TestErrorsAreFoundByCode(t *testing.T) {
	err := fmt.Errorf("start: %w", notFound("A", "B"))
	if !errors.Is(err, ErrNotFound) || errors.Is(err, ErrLocked) || CodeOf(err) != CodeSecretMissing || CodeOf(errors.New("x")) != "" {
		t.Error("not told apart")
	}
	if !strings.Contains(err.Error(), "A, B") {
		t.Errorf("%v", err)
	}
}
