package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// A provider's key was in the snapshot that every client gets.
func TestMaskedShowsNoSecretAndSharesNothing(t *testing.T) {
	e := Entry{Command: "x", Args: []string{"a"}, Env: map[string]string{"K": "secret"}, Off: []string{"o"}, Roots: []string{"/"},
		Limits: &Limits{AtOnce: 1}, Sampling: &SamplingTerms{Enabled: true}}
	s := Settings{Rules: []Rule{{Do: "ask"}}, Hosts: map[string]HostTerms{"h": {Limits: &Limits{AtOnce: 1}}},
		Questions: QuestionTerms{Deadlines: map[string]string{"form": "10m"}},
		Models:    []Model{{Name: "with", Key: "secret"}, {Name: "without"}}}
	me, ms := e.Masked(), s.Masked()
	text, err := json.Marshal([]any{me, ms})
	if err != nil || strings.Contains(string(text), "secret") || ms.Models[0].Key != Mask || ms.Models[1].Key != "" || me.Env["K"] != Mask {
		t.Errorf("%v: %s", err, text)
	}
	me.Args[0], me.Off[0], me.Roots[0], me.Limits.AtOnce, me.Sampling.Enabled = "!", "!", "!", 9, false
	ms.Rules[0].Do, ms.Hosts["h"].Limits.AtOnce, ms.Hosts["new"], ms.Questions.Deadlines["form"] = "!", 9, HostTerms{}, "!"
	if e.Args[0] != "a" || e.Off[0] != "o" || e.Roots[0] != "/" || e.Limits.AtOnce != 1 || !e.Sampling.Enabled || e.Env["K"] != "secret" {
		t.Errorf("the entry became %+v", e)
	}
	if s.Rules[0].Do != "ask" || len(s.Hosts) != 1 || s.Hosts["h"].Limits.AtOnce != 1 || s.Questions.Deadlines["form"] != "10m" || s.Models[0].Key != "secret" {
		t.Errorf("the settings became %+v", s)
	}
}

func TestEditHostChangesOnlyWhatIsNamed(t *testing.T) {
	never, empty, zero, five := "never", "", 0, 5
	base := HostTerms{Ask: "changes", Questions: "host", Limits: &Limits{PerMinute: 60, AtOnce: 4}}
	for _, c := range []struct {
		edit EditHost
		want HostTerms
	}{
		{EditHost{}, base},
		{EditHost{Ask: &never}, HostTerms{"never", "host", &Limits{60, 4}}},
		{EditHost{Questions: &empty, AtOnce: &five}, HostTerms{"changes", "", &Limits{60, 5}}},
		{EditHost{PerMinute: &zero}, HostTerms{"changes", "host", &Limits{0, 4}}},
		{EditHost{PerMinute: &zero, AtOnce: &zero, Ask: &empty}, HostTerms{"", "host", nil}},
	} {
		if got := c.edit.Apply(base); !reflect.DeepEqual(got, c.want) {
			t.Errorf("got %+v, want %+v", got, c.want)
		}
	}
	if *base.Limits != (Limits{60, 4}) {
		t.Error("the former terms were changed")
	}
}
