package sampling

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

const pixel = "iVBORw0KGgo="

// everything has all that a request may have; odd spaces and numbers are to be
// found again.
const everything = ` {"_meta":{"progressToken":1.0},"messages" : [
	{"role":"user","content":{"type":"text","text":"Look \u0061t this","annotations":{"n":1.0}}},
	{"role":"user","content":[{"type":"image","data":"` + pixel + `","mimeType":"image/png"},{"type":"text","text":"and this"}]},
	{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"a","name":"find.it","input":{"z":12345678901234567890,"a":1.0}},{"type":"tool_use","id":"b","name":"find_it","input":{}}]},
	{"role":"user","content":[{"type":"tool_result","toolUseId":"b","content":[],"structuredContent":{"n":2.50}},{"type":"tool_result","toolUseId":"a","isError":true,"content":[{"type":"text","text":"none"},{"type":"resource_link","name":"x","uri":"file:///x"},{"type":"resource","resource":{"uri":"u","text":"inner"}}]}]}
	],"systemPrompt":"Be \"short\"","maxTokens":100,"temperature":0.5,"stopSequences":["END"],"includeContext":"thisServer","metadata":{"k":1.0},
	"modelPreferences":{"hints":[{"name":"sonnet"},{}],"costPriority":0.1,"speedPriority":null,"intelligencePriority":1},
	"tools":[{"name":"find.it","description":"finds","inputSchema":{"type":"object","maximum":12345678901234567890}},{"name":"find_it","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"auto"}} `

func parse(t testing.TB, params string) *Request {
	t.Helper()
	r, refusal := Parse(json.RawMessage(params))
	if refusal != nil {
		t.Fatalf("refused: %s", refusal.Message)
	}
	return r
}

// ask is a request of one text.
func ask(t testing.TB, words string) *Request {
	t.Helper()
	return parse(t, fmt.Sprintf(`{"messages":[{"role":"user","content":{"type":"text","text":%q}}],"maxTokens":10}`, words))
}

func TestParse(t *testing.T) {
	r := parse(t, everything)
	if r.System != `Be "short"` || r.MaxTokens != 100 || r.Temperature != "0.5" || len(r.Stop) != 1 || r.ToolChoice != "auto" || len(r.Tools) != 2 || len(r.Messages) != 4 {
		t.Errorf("read as %+v", r)
	}
	if p := r.Preferences; len(p.Hints) != 1 || p.Hints[0] != "sonnet" || p.Cost != 0.1 || p.Speed != 0 || p.Intelligence != 1 {
		t.Errorf("preferences %+v", p)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "includeContext") {
		t.Errorf("notes %q", r.Notes)
	}
	d, err := json.Marshal(r.Detail())
	if want := `{"system":"Be \"short\"","messages":[{"role":"user","parts":[{"type":"text","text":"Look at this"}]},` +
		`{"role":"user","parts":[{"type":"image","text":"image/png, 9 bytes"},{"type":"text","text":"and this"}]},` +
		`{"role":"assistant","parts":[{"type":"text","text":"I look."},{"type":"tool_use","text":"find.it {\"z\":12345678901234567890,\"a\":1.0}"},{"type":"tool_use","text":"find_it {}"}]},` +
		`{"role":"user","parts":[{"type":"tool_result","text":"{\"n\":2.50}"},{"type":"tool_result","text":"failed:\nnone\nx file:///x\ninner"}]}],` +
		`"maxTokens":100,"tools":["find.it","find_it"]}`; err != nil || string(d) != want {
		t.Errorf("shown as\n%s\nwant\n%s", d, want)
	}
	if r := ask(t, "hid\u200bden"); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "can't be seen") {
		t.Errorf("hidden characters: %q", r.Notes)
	}
}

func TestRefusals(t *testing.T) {
	with := func(messages string) string { return `{"maxTokens":5,"messages":[` + messages + `]}` }
	also := func(member string) string {
		return `{"maxTokens":5,"messages":[{"role":"user","content":{"type":"text","text":"x"}}],` + member + `}`
	}
	use := `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"n","input":{}},{"type":"tool_use","id":"b","name":"n","input":{}}]}`
	tests := []struct{ name, params, want string }{
		{"no object", `[]`, "not a JSON object"},
		{"no messages", `{"maxTokens":5}`, "no messages"},
		{"empty messages", with(``), "no messages"},
		{"no maxTokens", `{"messages":[{"role":"user","content":{"type":"text","text":"x"}}]}`, "maxTokens of the request is missing"},
		{"maxTokens of zero", `{"maxTokens":0}`, "at least 1"},
		{"half a token", `{"maxTokens":1.5}`, "at least 1"},
		{"maxTokens as text", `{"maxTokens":"5"}`, "at least 1"},
		{"role", with(`{"role":"system","content":{"type":"text","text":"x"}}`), "Message 1: its role"},
		{"no role", with(`{"content":{"type":"text","text":"x"}}`), "role is missing"},
		{"no content", with(`{"role":"user"}`), "content is missing"},
		{"empty content", with(`{"role":"user","content":[]}`), "content is missing"},
		{"a text for content", with(`{"role":"user","content":"x"}`), "a part is not a JSON object"},
		{"unknown part", with(`{"role":"user","content":{"type":"video"}}`), `type "video"`},
		{"a resource as part", with(`{"role":"user","content":{"type":"resource","resource":{}}}`), `type "resource"`},
		{"no text", with(`{"role":"user","content":{"type":"text"}}`), "the text of a part"},
		{"no base64", with(`{"role":"user","content":{"type":"image","data":"%","mimeType":"image/png"}}`), "no base64"},
		{"no mime", with(`{"role":"user","content":{"type":"audio","data":""}}`), "mimeType"},
		{"input", with(`{"role":"assistant","content":{"type":"tool_use","id":"a","name":"n","input":[]}}`), "is no object"},
		{"a use of the user", with(`{"role":"user","content":{"type":"tool_use","id":"a","name":"n","input":{}}}`), "belongs into a message of the assistant"},
		{"a result of the assistant", with(`{"role":"assistant","content":{"type":"tool_result","toolUseId":"a","content":[]}}`), "belongs into a message of the user"},
		{"mixed", with(use + `,{"role":"user","content":[{"type":"tool_result","toolUseId":"a","content":[]},{"type":"tool_result","toolUseId":"b","content":[]},{"type":"text","text":"x"}]}`), "Message 2: tool results are mixed"},
		{"one missing", with(use + `,{"role":"user","content":[{"type":"tool_result","toolUseId":"a","content":[]}]}`), `the result of the tool_use "b" is missing`},
		{"answered by words", with(use + `,{"role":"user","content":{"type":"text","text":"x"}}`), `the result of the tool_use "a" is missing`},
		{"never answered", with(use), `the tool_use "a" is missing`},
		{"nobody asked", with(`{"role":"user","content":{"type":"tool_result","toolUseId":"a","content":[]}}`), "answers no tool_use"},
		{"an id twice", with(strings.ReplaceAll(use, `"b"`, `"a"`)), "there twice"},
		{"answered twice", with(use + `,{"role":"user","content":[{"type":"tool_result","toolUseId":"a","content":[]},{"type":"tool_result","toolUseId":"a","content":[]}]}`), "answered twice"},
		{"choice", also(`"toolChoice":{"mode":"any"}`), "auto, required or none"},
		{"required without tools", also(`"toolChoice":{"mode":"required"}`), "has no tools"},
		{"tool without schema", also(`"tools":[{"name":"a"}]`), "inputSchema"},
		{"tool without name", also(`"tools":[{"inputSchema":{}}]`), "name of a tool"},
		{"tool twice", also(`"tools":[{"name":"a","inputSchema":{}},{"name":"a","inputSchema":{}}]`), "there twice"},
		{"priority", also(`"modelPreferences":{"costPriority":2}`), "from 0 to 1"},
		{"hints", also(`"modelPreferences":{"hints":["x"]}`), "A hint"},
		{"temperature", also(`"temperature":-1`), "temperature"},
		{"stops", also(`"stopSequences":"x"`), "stopSequences"},
		{"system", also(`"systemPrompt":5`), "systemPrompt"},
		{"twice", also(`"maxTokens":6`), "there twice"},
	}
	for _, tt := range tests {
		r, refusal := Parse(json.RawMessage(tt.params))
		if refusal == nil {
			t.Errorf("%s: read as %+v", tt.name, r)
		} else if refusal.Code != -32602 || !strings.Contains(refusal.Message, tt.want) {
			t.Errorf("%s: %d %q, want %q", tt.name, refusal.Code, refusal.Message, tt.want)
		}
	}
}

func TestEdit(t *testing.T) {
	r := parse(t, everything)
	same, err := r.Edit(wire.SamplingEdit{System: &r.System, Texts: r.Texts()})
	if err != nil || string(same.Raw()) != everything {
		t.Errorf("nothing changed, and became %s, %v", same.Raw(), err)
	}
	system := "Be <long>"
	edited, err := r.Edit(wire.SamplingEdit{System: &system, Texts: []string{"Look at this", "and \"that\"", ""}})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(`"Be \"short\""`, `"Be <long>"`, `"and this"`, `"and \"that\""`, `"I look."`, `""`).Replace(everything)
	if string(edited.Raw()) != want || edited.System != system || string(r.Raw()) != everything {
		t.Errorf("became\n%s\nwant\n%s", edited.Raw(), want)
	}
	for _, texts := range [][]string{{}, {"1", "2"}, {"1", "2", "3", "4"}} {
		if _, err := r.Edit(wire.SamplingEdit{Texts: texts}); err == nil {
			t.Errorf("%d texts for 3", len(texts))
		}
	}
	// A system prompt where there was none, or null.
	for params, want := range map[string]string{
		`{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1e1}`:                        `{"systemPrompt":"Be <long>","messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1e1}`,
		`{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"systemPrompt": null ,"maxTokens":10.0}`: `{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"systemPrompt": "Be <long>" ,"maxTokens":10.0}`,
	} {
		edited, err := parse(t, params).Edit(wire.SamplingEdit{System: &system})
		if err != nil || string(edited.Raw()) != want || edited.MaxTokens != 10 {
			t.Errorf("became %s, %v", edited.Raw(), err)
		}
	}
}

func TestFits(t *testing.T) {
	plain := ask(t, "x")
	list := parse(t, `{"maxTokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`)
	sound := parse(t, `{"maxTokens":1,"messages":[{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/wav"}}]}`)
	tools := parse(t, everything)
	for _, tt := range []struct {
		r        *Request
		revision string
		tools    bool
		want     bool
	}{
		{plain, "2024-11-05", false, true}, {plain, "2026-07-28", false, true},
		{sound, "2024-11-05", false, false}, {sound, "2025-03-26", false, true},
		{list, "2025-06-18", true, false}, {list, "2025-11-25", false, true},
		{tools, "2025-11-25", false, false}, {tools, "2025-11-25", true, true}, {tools, "2025-06-18", true, false},
	} {
		if got, why := tt.r.Fits(tt.revision, tt.tools); got != tt.want || got == (why != "") {
			t.Errorf("%.60s for %s, %v: %v %q", tt.r.Raw(), tt.revision, tt.tools, got, why)
		}
	}
}

func TestResult(t *testing.T) {
	r, err := NewResult("m<1>", StopEndTurn, []Part{{Type: PartText, Text: "<a>"}}, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := r.Raw("2024-11-05")
	if want := `{"role":"assistant","content":{"type":"text","text":"<a>"},"model":"m<1>","stopReason":"endTurn"}`; err != nil || string(raw) != want {
		t.Errorf("written as %s, %v", raw, err)
	}
	edited, err := r.Edit(wire.SamplingEdit{Texts: []string{"b"}})
	if err != nil || edited.Parts[0].Text != "b" || edited.InputTokens != 3 || r.Parts[0].Text != "<a>" {
		t.Errorf("edited to %+v, %v", edited, err)
	}
	two, err := NewResult("m", StopEndTurn, []Part{{Type: PartText, Text: "a"}, {Type: PartText, Text: "b"}}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := two.Raw("2025-06-18"); err != nil || !strings.Contains(string(raw), `"content":{"type":"text","text":"a\n\nb"}`) {
		t.Errorf("two texts before 2025-11-25: %s, %v", raw, err)
	}
	if raw, err := two.Raw("2025-11-25"); err != nil || !strings.Contains(string(raw), `"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`) {
		t.Errorf("two texts since 2025-11-25: %s, %v", raw, err)
	}
	call, err := NewResult("m", StopToolUse, []Part{{Type: PartToolUse, ID: "i", Name: "n", Input: json.RawMessage(`{"a":1.0}`)}}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := call.Raw("2026-07-28"); err != nil || !strings.Contains(string(raw), `"content":{"type":"tool_use","id":"i","name":"n","input":{"a":1.0}}`) {
		t.Errorf("a call: %s, %v", raw, err)
	}
	if _, err := call.Raw("2025-06-18"); err == nil || !strings.Contains(err.Error(), "asks for a tool") {
		t.Errorf("a call before 2025-11-25: %v", err)
	}

	// A host's own answer passes as it is.
	const theirs = `{"model":"x","role":"assistant","content": {"type":"text","text":"hi"} ,"_meta":{"n":1.0}}`
	host, err := ParseResult(json.RawMessage(theirs))
	if err != nil || host.Model != "x" {
		t.Fatalf("%+v, %v", host, err)
	}
	if raw, err := host.Raw("2025-06-18"); err != nil || string(raw) != theirs {
		t.Errorf("a host's answer became %s, %v", raw, err)
	}
	if d := host.Detail(); d.Model != "x" || d.Result.Parts[0].Text != "hi" {
		t.Errorf("shown as %+v", d)
	}
	for _, bad := range []string{`{}`, `[]`, `{"role":"assistant","content":{"type":"tool_result","toolUseId":"a","content":[]}}`} {
		if _, err := ParseResult(json.RawMessage(bad)); err == nil {
			t.Errorf("read %s", bad)
		}
	}
}

func TestChoose(t *testing.T) {
	models := []ModelConfig{
		{Name: "local", Model: "llama3.1:8b", Cost: 1, Speed: 0.4, Intelligence: 0.2},
		{Name: "work", Model: "claude-sonnet-5", Cost: 0.4, Speed: 0.6, Intelligence: 0.8, Default: true},
		{Name: "best", Model: "claude-opus-5", Cost: 0.1, Speed: 0.3, Intelligence: 1},
	}
	tests := []struct {
		name string
		p    Preferences
		want string
	}{
		{"nothing", Preferences{}, "work"},
		{"a hint", Preferences{Hints: []string{"opus"}, Cost: 1}, "best"},
		{"the first that fits", Preferences{Hints: []string{"gpt", "LLAMA", "opus"}}, "local"},
		{"a name of the config", Preferences{Hints: []string{"best"}}, "best"},
		{"several fit", Preferences{Hints: []string{"claude"}, Intelligence: 1}, "best"},
		{"several fit, no wish", Preferences{Hints: []string{"claude"}}, "work"},
		{"none fits", Preferences{Hints: []string{"gpt"}, Cost: 1, Intelligence: 0.1}, "local"},
		{"speed", Preferences{Speed: 1}, "work"},
	}
	for _, tt := range tests {
		if got, ok := Choose(tt.p, models); !ok || got.Name != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got.Name, tt.want)
		}
	}
	if got, _ := Choose(Preferences{}, models[:1]); got.Name != "local" {
		t.Errorf("no default: %s", got.Name)
	}
	if _, ok := Choose(Preferences{}, nil); ok {
		t.Error("chose of nothing")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything), "a", "b")
	f.Add([]byte(`{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":1e3,"systemPrompt":null}`), "", "")
	f.Fuzz(func(t *testing.T, params []byte, system, words string) {
		r, refusal := Parse(params)
		if refusal != nil {
			if r != nil || refusal.Message == "" {
				t.Fatalf("%v with %v", refusal, r)
			}
			return
		}
		_, _ = json.Marshal(r.Detail())
		r.Fits("2025-06-18", true)
		r.guess()
		texts := r.Texts()
		same, err := r.Edit(wire.SamplingEdit{Texts: texts, System: &r.System})
		if err != nil || string(same.Raw()) != string(params) {
			t.Fatalf("no change changes %q to %q, %v", params, same.Raw(), err)
		}
		system, words = strings.ToValidUTF8(system, "?"), strings.ToValidUTF8(words, "?")
		for i := range texts {
			texts[i] = words
		}
		edited, err := r.Edit(wire.SamplingEdit{Texts: texts, System: &system})
		if err != nil {
			t.Fatalf("the edit of %q fails: %v", params, err)
		}
		for _, got := range append(edited.Texts(), words) {
			if got != words || edited.System != system {
				t.Fatalf("edited %q to %q", params, edited.Raw())
			}
		}
	})
}

func FuzzParseResult(f *testing.F) {
	f.Add([]byte(`{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"a","name":"n","input":{}}],"model":"m"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := ParseResult(raw)
		if err != nil {
			return
		}
		for _, revision := range []string{"2024-11-05", "2025-11-25"} {
			if out, err := r.Raw(revision); err == nil && !json.Valid(out) {
				t.Fatalf("%q became %q", raw, out)
			}
		}
	})
}
