package ui

import (
	"encoding/json"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
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

func TestOffersPanes(t *testing.T) {
	l := newLive(t, "a")
	p := l.pages[PageServers].(*serversPage)
	p.open("a")
	p.view.tabs.choose(partResources)
	if !strings.Contains(l.texts(), "Cedar") || !strings.Contains(l.texts(), "rooms://cedar · text/plain\nA room.\nBig.") {
		t.Errorf("got %s", l.texts())
	}
	l.press(t, "Read", 0)
	if !strings.Contains(l.texts(), "hello‹U+001B›[2J\n\n[3 bytes]") {
		t.Errorf("got %s", l.texts())
	}
	p.view.tabs.choose(partPrompts)
	l.press(t, "Fill in", 0)
	if !strings.Contains(l.texts(), "“room” is needed.") {
		t.Errorf("got %s", l.texts())
	}
	p.view.prompts.fields[0].entry.SetText("cedar")
	l.press(t, "Fill in", 0)
	if !strings.Contains(l.texts(), "user: Look at {") {
		t.Errorf("got %s", l.texts())
	}
}

func TestTracePane(t *testing.T) {
	s := newStage(t, nil, sample(), false, WindowSize)
	view := s.pages[PageServers].(*serversPage).view
	s.model.inline = false
	s.pages[PageServers].(*serversPage).open("github")
	if view.trace.stop != nil {
		t.Error("it listens before it is looked at")
	}
	view.tabs.choose(partTrace)
	if view.trace.stop == nil {
		t.Error("it doesn't listen")
	}
	for range 3 * maxTrace {
		view.trace.add(wire.TraceLine{Time: moment, Text: `{"jsonrpc":"2.0","id":"\u202e","method":"ping"}`})
	}
	view.trace.draw()
	if n := len(view.trace.drawn); n > maxTrace || n < maxTrace/2 {
		t.Errorf("%d messages are kept", n)
	}
	view.trace.rows.Select(3)
	if !strings.Contains(view.trace.text.Text, `"method": "ping"`) {
		t.Errorf("it shows %q", view.trace.text.Text)
	}
	s.Seen(false)
	if view.trace.stop != nil {
		t.Error("it listens for nobody")
	}
	for text, want := range map[string]string{
		`{"id":1,"method":"a"}`: "a  #1", `{"method":"b"}`: "b", `{"id":2,"result":{}}`: "answer to #2", `{"id":3,"error":{"message":"no"}}`: "error to #3: no", "junk": "junk",
	} {
		if got := traceWords(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestTerms(t *testing.T) {
	l := newLive(t, "a")
	rule := wire.Rule{Server: "a", Tool: "get_*", Do: wire.VerdictAllow}
	if err := l.fake.AddRule(t.Context(), rule); err != nil {
		t.Fatal(err)
	}
	l.Visit(PageSettings)
	terms := l.pages[PageSettings].(*settingsPage).terms
	if !strings.Contains(l.texts(), "allow get_* of a to every host") {
		t.Errorf("got %s", l.texts())
	}
	terms.ask.SetSelectedIndex(0)
	terms.args.SetChecked(true)
	terms.deadline.OnSubmitted("2m")
	terms.keep.OnSubmitted("64")
	terms.remove(0, rule)
	got, _ := l.fake.Settings(t.Context())
	if got.Ask != wire.PresetEverything || !got.Record.Arguments || got.Record.KeepMiB != 64 || got.Questions.Deadline != "2m" || len(got.Rules) != 0 {
		t.Errorf("settings %+v", got)
	}
	terms.remove(0, rule)
	if !strings.Contains(l.texts(), "The rules changed in the meantime.") {
		t.Errorf("got %s", l.texts())
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
