package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bridgekeeper/app/sampling"
)

const secret = "sk-very-secret-1234567890"

// provider is a fake one: it keeps what it got and answers what it is told.
type provider struct {
	*httptest.Server
	requests []*http.Request
	bodies   []string
	answer   func(http.ResponseWriter, *http.Request)
}

func newProvider(t *testing.T, answer func(http.ResponseWriter, *http.Request)) *provider {
	p := &provider{answer: answer}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		p.requests, p.bodies = append(p.requests, r), append(p.bodies, string(body))
		p.answer(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func says(status int, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func openAI(t *testing.T, e Endpoint) sampling.Model {
	t.Helper()
	m, err := NewOpenAI(e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func claude(t *testing.T, e Endpoint) sampling.Model {
	t.Helper()
	m, err := NewAnthropic(e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

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

func parse(t testing.TB, params string) *sampling.Request {
	t.Helper()
	r, refusal := sampling.Parse(json.RawMessage(params))
	if refusal != nil {
		t.Fatalf("refused: %s", refusal.Message)
	}
	return r
}

// ask is a request of one text.
func ask(t testing.TB, words string) *sampling.Request {
	t.Helper()
	return parse(t, fmt.Sprintf(`{"messages":[{"role":"user","content":{"type":"text","text":%q}}],"maxTokens":10}`, words))
}

const chatAnswer = `{"id":"c","object":"chat.completion","created":1,"model":"gpt-x","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Hello <you>"}}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`
const claudeAnswer = `{"id":"m","type":"message","role":"assistant","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Hello <you>"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":11,"output_tokens":7}}`

// What the SDKs send, whatever is in the environment.
func TestWhatIsSent(t *testing.T) {
	for name, value := range map[string]string{"OPENAI_API_KEY": "env", "OPENAI_ORG_ID": "env", "OPENAI_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_API_KEY": "env", "ANTHROPIC_AUTH_TOKEN": "env", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "OPENAI_CUSTOM_HEADERS": "X-Env: 1", "ANTHROPIC_CUSTOM_HEADERS": "X-Env: 1"} {
		t.Setenv(name, value)
	}
	tests := []struct {
		name, answer, path, auth, body string
		model                          func(*testing.T, Endpoint) sampling.Model
		base                           string
	}{
		{"openai", chatAnswer, "/v1/chat/completions", "Authorization", `{"messages":[{"content":"Be \"short\"","role":"system"},{"content":"Look at this","role":"user"},` +
			`{"content":[{"image_url":{"url":"data:image/png;base64,` + pixel + `"},"type":"image_url"},{"text":"and this","type":"text"}],"role":"user"},` +
			`{"content":"I look.","tool_calls":[{"id":"a","function":{"arguments":"{\"z\":12345678901234567890,\"a\":1.0}","name":"find_it"},"type":"function"},{"id":"b","function":{"arguments":"{}","name":"find_it_2"},"type":"function"}],"role":"assistant"},` +
			`{"content":"{\"n\":2.50}","tool_call_id":"b","role":"tool"},{"content":"The tool failed:\nnone\nx file:///x\ninner","tool_call_id":"a","role":"tool"}],` +
			`"model":"want","max_tokens":50,"temperature":0.5,"stop":["END"],"tool_choice":"auto",` +
			`"tools":[{"function":{"name":"find_it","description":"finds","parameters":{"type":"object","maximum":12345678901234567890}},"type":"function"},{"function":{"name":"find_it_2","parameters":{"type":"object"}},"type":"function"}]}`, openAI, "/v1"},
		{"anthropic", claudeAnswer, "/v1/messages", "X-Api-Key", `{"max_tokens":50,"messages":[{"content":[{"text":"Look at this","type":"text"}],"role":"user"},` +
			`{"content":[{"source":{"data":"` + pixel + `","media_type":"image/png","type":"base64"},"type":"image"},{"text":"and this","type":"text"}],"role":"user"},` +
			`{"content":[{"text":"I look.","type":"text"},{"id":"a","input":{"z":12345678901234567890,"a":1.0},"name":"find_it","type":"tool_use"},{"id":"b","input":{},"name":"find_it_2","type":"tool_use"}],"role":"assistant"},` +
			`{"content":[{"tool_use_id":"b","content":[{"text":"{\"n\":2.50}","type":"text"}],"type":"tool_result"},{"tool_use_id":"a","is_error":true,"content":[{"text":"none","type":"text"},{"text":"x file:///x","type":"text"},{"text":"inner","type":"text"}],"type":"tool_result"}],"role":"user"}],` +
			`"model":"want","temperature":0.5,"stop_sequences":["END"],"system":[{"text":"Be \"short\"","type":"text"}],"tool_choice":{"type":"auto"},` +
			`"tools":[{"input_schema":{"type":"object","maximum":12345678901234567890},"name":"find_it","description":"finds"},{"input_schema":{"type":"object"},"name":"find_it_2"}]}`, claude, ""},
	}
	for _, tt := range tests {
		p := newProvider(t, says(200, tt.answer))
		result, err := tt.model(t, Endpoint{BaseURL: p.URL + tt.base, Key: secret}).Complete(t.Context(), parse(t, everything), "want", 50)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		raw, err := result.Raw("2025-06-18")
		if err != nil || !strings.Contains(string(raw), `"content":{"type":"text","text":"Hello <you>"}`) || result.StopReason != sampling.StopEndTurn || result.InputTokens != 11 || result.OutputTokens != 7 || !strings.HasSuffix(result.Model, "-x") {
			t.Errorf("%s: %s %+v, %v", tt.name, raw, result, err)
		}
		if len(p.requests) != 1 || p.requests[0].URL.Path != tt.path {
			t.Errorf("%s: asked %d times, at %s", tt.name, len(p.requests), p.requests[0].URL.Path)
		}
		if !sameJSON(t, p.bodies[0], tt.body) {
			t.Errorf("%s: sent\n%s\nwant\n%s", tt.name, p.bodies[0], tt.body)
		}
		if !strings.Contains(p.bodies[0], "12345678901234567890") {
			t.Errorf("%s: a big number was rounded", tt.name)
		}
		known := map[string]bool{"Accept": true, "Connection": true, "Accept-Encoding": true, "Content-Length": true, "Content-Type": true, "User-Agent": true, "Anthropic-Version": true, tt.auth: true}
		for header, values := range p.requests[0].Header {
			if !known[header] || strings.Contains(fmt.Sprint(values), "env") {
				t.Errorf("%s: also sends %s: %q", tt.name, header, values)
			}
		}
		if got := p.requests[0].Header.Get("User-Agent"); got != "bridgekeeper" {
			t.Errorf("%s: calls itself %s", tt.name, got)
		}
		if !strings.Contains(p.requests[0].Header.Get(tt.auth), secret) {
			t.Errorf("%s: the key is missing", tt.name)
		}
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var out [2]string
	for i, s := range []string{a, b} {
		var v any
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		raw, _ := json.Marshal(v)
		out[i] = string(raw)
	}
	return out[0] == out[1]
}

func TestNoKeyNoSettings(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "env")
	t.Setenv("ANTHROPIC_API_KEY", "env")
	p := newProvider(t, says(200, chatAnswer))
	if _, err := openAI(t, Endpoint{BaseURL: p.URL, Plain: true}).Complete(t.Context(), parse(t, everything), "m", 5); err != nil {
		t.Fatal(err)
	}
	p.answer = says(200, claudeAnswer)
	if _, err := claude(t, Endpoint{BaseURL: p.URL, Plain: true}).Complete(t.Context(), parse(t, everything), "m", 5); err != nil {
		t.Fatal(err)
	}
	for i, r := range p.requests {
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "" || strings.Contains(p.bodies[i], "temperature") || strings.Contains(p.bodies[i], "END") {
			t.Errorf("sent %v %s", r.Header, p.bodies[i])
		}
	}
}

func TestToolCalls(t *testing.T) {
	chat := `{"object":"chat.completion","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"find_it","arguments":"{\"n\":12345678901234567890}"}},{"id":"2","type":"function","function":{"name":"find_it_2","arguments":""}}]}}]}`
	own := `{"type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"1","name":"find_it","input":{"n":12345678901234567890}},{"type":"tool_use","id":"2","name":"find_it_2","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`
	for name, model := range map[string]sampling.Model{
		"openai":    openAI(t, Endpoint{BaseURL: newProvider(t, says(200, chat)).URL}),
		"anthropic": claude(t, Endpoint{BaseURL: newProvider(t, says(200, own)).URL}),
	} {
		result, err := model.Complete(t.Context(), parse(t, everything), "m", 5)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		raw, err := result.Raw("2025-11-25")
		want := `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"find.it","input":{"n":12345678901234567890}},{"type":"tool_use","id":"2","name":"find_it","input":{}}],"model":"m","stopReason":"toolUse"}`
		if err != nil || string(raw) != want {
			t.Errorf("%s: %s, %v; want %s", name, raw, err, want)
		}
	}
}

func TestStopReasons(t *testing.T) {
	for finish, want := range map[string]string{"stop": sampling.StopEndTurn, "length": sampling.StopMaxTokens, "content_filter": "content_filter"} {
		p := newProvider(t, says(200, `{"choices":[{"finish_reason":"`+finish+`","message":{"content":"x"}}]}`))
		if r, err := openAI(t, Endpoint{BaseURL: p.URL}).Complete(t.Context(), ask(t, "x"), "m", 5); err != nil || r.StopReason != want || r.Model != "m" {
			t.Errorf("openai %s: %+v, %v", finish, r, err)
		}
	}
	for finish, want := range map[string]string{"end_turn": sampling.StopEndTurn, "max_tokens": sampling.StopMaxTokens, "stop_sequence": sampling.StopSequence, "refusal": "refusal"} {
		p := newProvider(t, says(200, `{"type":"message","role":"assistant","content":[],"stop_reason":"`+finish+`"}`))
		if r, err := claude(t, Endpoint{BaseURL: p.URL}).Complete(t.Context(), ask(t, "x"), "m", 5); err != nil || r.StopReason != want || r.Parts[0].Text != "" {
			t.Errorf("anthropic %s: %+v, %v", finish, r, err)
		}
	}
}

func TestErrors(t *testing.T) {
	echo := func(status int) func(http.ResponseWriter, *http.Request) {
		return says(status, `{"type":"error","error":{"type":"x","message":"their words about `+secret+`\nand \u202emore","code":"c"}}`)
	}
	huge := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"`)
		for range maxAnswer>>20 + 1 {
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
		}
		_, _ = io.WriteString(w, `"}}]}`)
	}
	html := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>")
	}
	elsewhere := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusTemporaryRedirect)
	}
	tests := []struct {
		name   string
		answer func(http.ResponseWriter, *http.Request)
		status int
		want   string
	}{
		{"401", echo(401), 401, "refused the key (401)."},
		{"403", echo(403), 403, "refused the key (403)."},
		{"400", echo(400), 400, "refused the prompt (400): their words about •••• and more"},
		{"404", echo(404), 404, `doesn't know the model "m"`},
		{"413", echo(413), 413, "too long"},
		{"429", echo(429), 429, "takes no more for now"},
		{"500", echo(500), 500, "failed (500): their words"},
		{"529", echo(529), 529, "failed (529)"},
		{"no words", says(500, ``), 500, "failed (500)"},
		{"redirect", elsewhere, 307, "sends elsewhere (307)"},
		{"html", html, 0, "no answer that can be read"},
		{"no JSON", says(200, `{"choices":[`), 0, ""},
		{"another shape", says(200, `{"hello":"world"}`), 0, "answered with something that is no"},
		{"another type", says(200, `[1]`), 0, ""},
		{"null", says(200, `null`), 0, ""},
		{"huge", huge, 0, "longer than 8 MiB"},
	}
	for _, tt := range tests {
		p := newProvider(t, tt.answer)
		for name, model := range map[string]sampling.Model{"openai": openAI(t, Endpoint{BaseURL: p.URL, Key: secret}), "anthropic": claude(t, Endpoint{BaseURL: p.URL, Key: secret})} {
			p.requests = nil
			result, err := model.Complete(t.Context(), ask(t, "x"), "m", 5)
			if err == nil {
				t.Errorf("%s, %s: answered %+v", name, tt.name, result)
				continue
			}
			e, ok := errors.AsType[*ModelError](err)
			if !ok || e.Status != tt.status || !strings.Contains(e.Message, tt.want) {
				t.Errorf("%s, %s: %d %q, want %d %q", name, tt.name, e.Status, err, tt.status, tt.want)
			}
			if strings.Contains(err.Error(), secret) || strings.ContainsAny(err.Error(), "\n\u202e") || len(err.Error()) > 2*maxProblem {
				t.Errorf("%s, %s: the error holds what it must not: %q", name, tt.name, err)
			}
			if len(p.requests) != 1 {
				t.Errorf("%s, %s: asked %d times", name, tt.name, len(p.requests))
			}
		}
	}
}

// A slow model is left alone when nobody waits for it any more.
func TestSlow(t *testing.T) {
	release := make(chan struct{})
	began := make(chan struct{}, 4)
	p := newProvider(t, func(_ http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	for name, model := range map[string]func(*testing.T, Endpoint) sampling.Model{"openai": openAI, "anthropic": claude} {
		gone := errors.New("the host has gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		done := inBackground(func() error {
			_, err := model(t, Endpoint{BaseURL: p.URL}).Complete(ctx, ask(t, "x"), "m", 5)
			return err
		})
		<-began
		cancel(gone)
		if err := <-done; !errors.Is(err, gone) {
			t.Errorf("%s: %v", name, err)
		}
		_, err := model(t, Endpoint{BaseURL: p.URL, Timeout: 50 * time.Millisecond}).Complete(t.Context(), ask(t, "x"), "m", 5)
		<-began
		if err == nil || !strings.Contains(err.Error(), "didn't answer within 50ms") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func inBackground(f func() error) chan error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	return done
}

func TestNobodyThere(t *testing.T) {
	p := newProvider(t, says(200, ``))
	address := p.URL
	p.Close()
	for name, model := range map[string]sampling.Model{"openai": openAI(t, Endpoint{BaseURL: address}), "anthropic": claude(t, Endpoint{BaseURL: address})} {
		if _, err := model.Complete(t.Context(), ask(t, "x"), "m", 5); err == nil || !strings.Contains(err.Error(), "can't be reached") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a provider can't take is said before anything is sent.
func TestUnsuited(t *testing.T) {
	block := func(role, content string) string {
		return `{"maxTokens":5,"messages":[{"role":"` + role + `","content":` + content + `}]}`
	}
	result := func(content string) string {
		return `{"maxTokens":5,"messages":[{"role":"assistant","content":{"type":"tool_use","id":"a","name":"n","input":{}}},{"role":"user","content":{"type":"tool_result","toolUseId":"a","content":[` + content + `]}}]}`
	}
	const wav = `{"type":"audio","data":"AAAA","mimeType":"audio/wav"}`
	const svg = `{"type":"image","data":"AAAA","mimeType":"image/svg+xml"}`
	const png = `{"type":"image","data":"` + pixel + `","mimeType":"image/png"}`
	tests := []struct{ name, params, openai, anthropic string }{
		{"wav", block("user", wav), "", "sound"},
		{"ogg", block("user", strings.Replace(wav, "wav", "ogg", 1)), "WAV and MP3 only", "sound"},
		{"svg", block("user", svg), "", "JPEG, PNG, GIF and WebP only"},
		{"no image", block("user", strings.Replace(svg, "image/svg+xml", "text/html", 1)), "none of an image", "only"},
		{"the assistant's image", block("assistant", png), "assistant's words", "assistant's words"},
		{"an image as result", result(png), "doesn't take there", ""},
		{"sound as result", result(wav), "doesn't take there", "sound"},
	}
	p := newProvider(t, nil)
	for _, tt := range tests {
		for want, model := range map[*string]sampling.Model{&tt.openai: openAI(t, Endpoint{BaseURL: p.URL}), &tt.anthropic: claude(t, Endpoint{BaseURL: p.URL})} {
			if p.answer = says(200, chatAnswer); want == &tt.anthropic {
				p.answer = says(200, claudeAnswer)
			}
			p.requests = nil
			_, err := model.Complete(t.Context(), parse(t, tt.params), "m", 5)
			switch {
			case *want == "" && err != nil:
				t.Errorf("%s: %v", tt.name, err)
			case *want != "" && (err == nil || !strings.Contains(err.Error(), *want) || len(p.requests) > 0):
				t.Errorf("%s: %v after %d requests, want %q", tt.name, err, len(p.requests), *want)
			}
		}
	}
}

func TestEndpoints(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://api.openai.com/v1": true, "http://127.0.0.1:11434/v1": true, "http://localhost:1234/v1": true, "http://192.168.1.5/v1": true, "http://[::1]:80/": true,
		"http://api.openai.com/v1": false, "http://8.8.8.8/": false, "ftp://x/": false, "": false, "https://": false, "https://u:p@x.example/": false, "https://x.example/?key=1": false,
	} {
		if _, err := NewOpenAI(Endpoint{BaseURL: address, Key: secret}); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		} else if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%q: the error holds the key", address)
		}
	}
	if _, err := NewOpenAI(Endpoint{BaseURL: "https://x.example", Key: "a\nb"}); err == nil {
		t.Error("took a key of two lines")
	}
	e := Endpoint{Key: secret}
	logged, _ := json.Marshal(e)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "key", e.Key, "endpoint", e)
	if all := fmt.Sprintf("%v %+v %#v %s %s", e, e, e, logged, log.String()); strings.Contains(all, secret) {
		t.Errorf("the key is printed: %s", all)
	}
}

// OpenAI's newer models refuse the old word for the limit, others the new one.
func TestWordForTheLimit(t *testing.T) {
	for address, want := range map[string]string{"https://api.openai.com/v1": `"max_completion_tokens":5`, "http://127.0.0.1:1/v1": `"max_tokens":5`} {
		m, err := NewOpenAI(Endpoint{BaseURL: address})
		if err != nil {
			t.Fatal(err)
		}
		params, err := m.params(ask(t, "x"), "m", 5, toolNames{})
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := json.Marshal(params); err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("%s: %s, %v", address, raw, err)
		}
	}
}
