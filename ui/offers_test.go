package ui

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReadOffers(t *testing.T) {
	offers, next, err := readOffers([]byte(`{"prompts":[{"name":"p","description":"D","arguments":[{"name":"a","required":true},{"name":"b"}]}],
		"resources":[{"uri":"file:///a","name":"A","mimeType":"text/plain"}],"resourceTemplates":[{"uriTemplate":"room://{id}/log{?day,level}","name":"Log"}],"nextCursor":"x"}`))
	if err != nil || next != "x" || len(offers) != 3 {
		t.Fatalf("%+v, %q, %v", offers, next, err)
	}
	log, prompt := offers[1], offers[2]
	if len(log.fields) != 3 || log.fields[1].Name != "day" || len(prompt.fields) != 2 || prompt.fields[1].Required {
		t.Errorf("got %+v and %+v", log, prompt)
	}
	if got := string(log.use(map[string]string{"id": "a b", "day": "1/2", "level": "x"}).Params); got != `{"uri":"room://a%20b/log?day=1%2F2&level=x"}` {
		t.Errorf("read %s", got)
	}
	if got := string(prompt.use(map[string]string{"a": `"`}).Params); got != `{"name":"p","arguments":{"a":"\""}}` {
		t.Errorf("get %s", got)
	}
	if got := string(prompt.complete("a", "x").Params); got != `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"x"}}` {
		t.Errorf("complete %s", got)
	}
	if _, _, err := readOffers([]byte(`[]`)); err == nil {
		t.Error("a list that is none was read")
	}
}

func TestExpand(t *testing.T) {
	values := map[string]string{"a": "x/y", "b": "z"}
	for template, want := range map[string]string{"u/{a}": "u/x%2Fy", "u/{+a}": "u/x/y", "u{/b}": "u/z", "u{?a,b}": "u?a=x%2Fy&b=z", "u{;b}": "u;b=z", "u{#a}": "u#x/y", "u{.b*}": "u.z", "u": "u", "{c}": ""} {
		if got := expand(template, values); got != want {
			t.Errorf("%s: %q, want %q", template, got, want)
		}
	}
}

func TestReadOffer(t *testing.T) {
	for data, want := range map[string]string{
		`{"contents":[{"uri":"a","text":"hello"},{"uri":"b","blob":"AAAA","mimeType":"image/png"}]}`:            "hello\n\n[image/png · 3 bytes]",
		`{"messages":[{"role":"user","content":{"type":"text","text":"hi"}},{"role":"assistant","content":5}]}`: "user: hi\n\nassistant: 5",
	} {
		if got := readOffer([]byte(data)); got != want {
			t.Errorf("%s: %q, want %q", data, got, want)
		}
	}
	if got := readOffer([]byte(`{"odd":1}`)); !strings.Contains(got, `"odd": 1`) {
		t.Errorf("got %q", got)
	}
	if got := readCompletion([]byte(`{"completion":{"values":["a","b"]}}`)); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

func FuzzReadOffers(f *testing.F) {
	f.Add([]byte(`{"resourceTemplates":[{"uriTemplate":"a{?b,c*}"}]}`))
	f.Add([]byte(`{"prompts":[{"name":"p","arguments":[{"name":"a"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		offers, _, _ := readOffers(data)
		for _, o := range offers {
			if req := o.use(map[string]string{}); !json.Valid(req.Params) {
				t.Errorf("params that are no JSON: %s", req.Params)
			}
		}
		_, _ = readOffer(data), readCompletion(data)
	})
}
