package elicit

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

var update = flag.Bool("update", false, "write the golden files anew")

// allKinds is a form of everything a form may hold.
const allKinds = `{"message":"Who\u202e are you?","requestedSchema":{"$schema":"x","type":"object","additionalProperties":false,"properties":{
	"zip":{"type":"string","title":"ZIP","description":"five digits","pattern":"^[0-9]{5}$","minLength":5,"maxLength":5,"default":"12345","x-unknown":{"a":[]}},
	"mail":{"type":"string","format":"email"},
	"phone":{"type":"string","format":"phone"},
	"age":{"type":"integer","minimum":0,"maximum":12345678901234567890,"default":7},
	"ratio":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1e3,"default":0.50},
	"ok":{"type":"boolean","default":false},
	"old":{"type":"string","enum":["r","g"],"enumNames":["Red","Green"],"default":"g"},
	"plain":{"type":"string","enum":["one","two"]},
	"titled":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b"}]},
	"many":{"type":"array","items":{"type":"string","enum":["x","y","z"]},"minItems":1,"maxItems":2,"default":["x"]},
	"rich":{"type":"array","items":{"anyOf":[{"const":"p","title":"P"},{"const":"q","title":"Q"}]}},
	"maybe":{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}],"default":null,"title":"Maybe"},
	"apiKey":{"type":"string"},
	"bad":{"type":"integer","default":"seven"}
},"required":["zip","ok"]}}`

func parse(t testing.TB, params string) *Request {
	t.Helper()
	r, refusal := Parse(json.RawMessage(params))
	if refusal != nil {
		t.Fatalf("refused: %s", refusal.Message)
	}
	return r
}

// form is a form of the given properties.
func form(t testing.TB, properties string, required ...string) *wire.FormDetail {
	t.Helper()
	list, _ := json.Marshal(append([]string{}, required...))
	return parse(t, fmt.Sprintf(`{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{%s},"required":%s}}`, properties, list)).Form
}

func TestParseAllKinds(t *testing.T) {
	r := parse(t, allKinds)
	r.needs = nil
	got, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "all-kinds.json")
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got)+"\n" != string(want) {
		t.Errorf("read as\n%s\nwant\n%s", got, want)
	}
}

func TestRefusals(t *testing.T) {
	property := func(schema string) string {
		return `{"message":"m","requestedSchema":{"type":"object","properties":{"good":{"type":"string"},"home":` + schema + `}}}`
	}
	var fields []string
	for i := range maxFields + 1 {
		fields = append(fields, fmt.Sprintf(`"f%d":{"type":"boolean"}`, i))
	}
	tests := []struct{ name, params, want string }{
		{"no object", `[]`, "not a JSON object"},
		{"no JSON", `{`, "not a JSON text"},
		{"absent", ``, "not a JSON text"},
		{"a member twice", `{"message":"a","message":"b"}`, "there twice"},
		{"huge", `{"message":"` + strings.Repeat("a", maxParams) + `"}`, "at most 262144"},
		{"long message", `{"message":"` + strings.Repeat("a", maxMessage+1) + `"}`, "message is 8193 bytes"},
		{"no message", `{"requestedSchema":{"type":"object","properties":{}}}`, "message that tells"},
		{"a message that is no text", `{"message":5}`, "message that tells"},
		{"mode", `{"mode":"Form","message":"m"}`, `mode "Form" is unknown`},
		{"no schema", `{"message":"m"}`, "requestedSchema of the form is missing"},
		{"schema of another type", `{"message":"m","requestedSchema":{"type":"array"}}`, `the type "object"`},
		{"schema by reference", `{"message":"m","requestedSchema":{"$ref":"#/x"}}`, `uses "$ref"`},
		{"too many", `{"message":"m","requestedSchema":{"properties":{` + strings.Join(fields, ",") + `}}}`, "65 properties"},
		{"required but absent", `{"message":"m","requestedSchema":{"properties":{},"required":["home"]}}`, `"home" is required`},
		{"required of no texts", `{"message":"m","requestedSchema":{"properties":{},"required":[1]}}`, "required properties is wrong"},
		{"object", property(`{"type":"object","properties":{}}`), `"home" can't be shown in a form: it is an object`},
		{"list of objects", property(`{"type":"array","items":{"type":"object"}}`), `"home" can't be shown in a form: it is a list of "object"`},
		{"free list", property(`{"type":"array","items":{"type":"string"}}`), "not limited to choices"},
		{"list of nothing", property(`{"type":"array"}`), "what its items are is missing"},
		{"list by reference", property(`{"type":"array","items":{"$ref":"#/x"}}`), "$ref"},
		{"reference", property(`{"$ref":"#/$defs/x"}`), "$ref"},
		{"null", property(`{"type":"null"}`), `its type "null"`},
		{"no type", property(`{}`), "it has no type"},
		{"true", property(`true`), "not a JSON object"},
		{"three types", property(`{"type":["string","number","null"]}`), "is not one of"},
		{"union", property(`{"anyOf":[{"type":"string"},{"type":"number"}]}`), "no const"},
		{"numbers to choose from", property(`{"type":"integer","enum":[1,2]}`), "lists values"},
		{"enum of numbers", property(`{"type":"string","enum":[1]}`), "1 is no text"},
		{"names that don't match", property(`{"type":"string","enum":["a"],"enumNames":[]}`), "enumNames"},
		{"no choices", property(`{"type":"string","enum":[]}`), "no choices"},
		{"a choice twice", property(`{"type":"string","enum":["a","a"]}`), "there twice"},
		{"too many choices", property(`{"type":"string","enum":["a"` + strings.Repeat(`,"b"`, maxOptions) + `]}`), "at most 512"},
		{"a long choice", property(`{"type":"string","enum":["` + strings.Repeat("a", maxLabel+1) + `"]}`), "longer than 2048"},
		{"a long title", property(`{"type":"string","title":"` + strings.Repeat("a", maxLabel+1) + `"}`), "its title"},
		{"lengths", property(`{"type":"string","minLength":3,"maxLength":2}`), "minLength is above"},
		{"negative length", property(`{"type":"string","minLength":-1}`), "minLength must be"},
		{"half a length", property(`{"type":"string","maxLength":1.5}`), "maxLength must be"},
		{"bounds", property(`{"type":"number","minimum":2,"exclusiveMaximum":1}`), "lowest value is above"},
		{"a bound too big to compare", property(`{"type":"number","minimum":1e999999999}`), "can be compared"},
		{"items", property(`{"type":"array","items":{"enum":["a"]},"minItems":2}`), "above the number of choices"},
		{"pattern", property(`{"type":"string","pattern":"("}`), "no regular expression"},
		{"long pattern", property(`{"type":"string","pattern":"` + strings.Repeat("a", maxPattern+1) + `"}`), "longer than"},
		{"no name", `{"message":"m","requestedSchema":{"properties":{"":{"type":"string"}}}}`, "its name must have"},
		{"no url", `{"mode":"url","message":"m"}`, "url is missing"},
		{"a url of another kind", `{"mode":"url","message":"m","url":"file:///etc/passwd"}`, "only http and https"},
		{"id", `{"message":"m","elicitationId":5}`, "elicitationId"},
	}
	for _, tt := range tests {
		r, refusal := Parse(json.RawMessage(tt.params))
		if refusal == nil {
			t.Errorf("%s: read as %+v", tt.name, r)
			continue
		}
		if refusal.Code != -32602 || !strings.Contains(refusal.Message, tt.want) {
			t.Errorf("%s: %d %q, want %q", tt.name, refusal.Code, refusal.Message, tt.want)
		}
	}
}

func TestParseURL(t *testing.T) {
	r := parse(t, `{"mode":"url","message":"Sign in","url":"http://Example.com/login?a=1","elicitationId":"e1"}`)
	if r.Mode != ModeURL || r.Form != nil || r.URL.Host != "example.com" || r.URL.URL != "http://Example.com/login?a=1" || r.URL.Message != "Sign in" || r.ID != "e1" || len(r.Notes) != 1 {
		t.Errorf("read as %+v %+v", r, r.URL)
	}
}

// Old drafts write exclusive bounds as true.
func TestOldExclusiveBounds(t *testing.T) {
	f := form(t, `"n":{"type":"number","minimum":1,"exclusiveMinimum":true,"maximum":5,"exclusiveMaximum":false}`).Fields[0]
	if f.Minimum != "" || f.ExclusiveMinimum != "1" || f.Maximum != "5" || f.ExclusiveMaximum != "" {
		t.Errorf("read as %+v", f)
	}
}

func TestFits(t *testing.T) {
	ask := func(property string) string {
		return `{"message":"m","requestedSchema":{"type":"object","properties":{"p":` + property + `}}}`
	}
	tests := []struct {
		name, params string
		fits         map[string]bool
	}{
		{"text", ask(`{"type":"string","pattern":"a"}`), map[string]bool{"2024-11-05": false, "2025-03-26": false, "2025-06-18": true, "2025-11-25": true, "2026-07-28": true, "": false, "x": false}},
		{"old choice", ask(`{"type":"string","enum":["a"],"enumNames":["A"]}`), map[string]bool{"2025-06-18": true, "2025-11-25": true}},
		{"titled choice", ask(`{"type":"string","oneOf":[{"const":"a","title":"A"}]}`), map[string]bool{"2025-06-18": false, "2025-11-25": true}},
		{"several", ask(`{"type":"array","items":{"type":"string","enum":["a"]}}`), map[string]bool{"2025-06-18": false, "2026-07-28": true}},
		{"maybe null", ask(`{"type":["string","null"]}`), map[string]bool{"2025-06-18": false, "2026-07-28": false}},
		{"page", `{"mode":"url","message":"m","url":"https://a.example"}`, map[string]bool{"2025-06-18": false, "2025-11-25": true}},
	}
	for _, tt := range tests {
		r := parse(t, tt.params)
		for revision, want := range tt.fits {
			if got, why := r.Fits(revision); got != want || got == (why != "") {
				t.Errorf("%s for %q: %v %q, want %v", tt.name, revision, got, why, want)
			}
		}
	}
}

func TestSensitive(t *testing.T) {
	yes := []string{"password", "userPassword", "DB_PASSWORD", "passwd", "API key", "apiKey", "APIKey", "api-key", "ACCESS_TOKEN", "token", "clientSecret", "PIN", "pinCode", "pin_code", "pass phrase", "key", "2fa code", "OTP", "CVV2", "creditCardNumber", "seed phrase", "Passwort", "mot de passe", "请输入密码", "sshKey", "privatekey"}
	no := []string{"keyboard", "monkey", "tokenizer", "pinned", "spinning", "secretary", "passenger", "compass", "name", "opinion", "donkeyCount", "maxTokens", "shipping", "author"}
	for _, name := range yes {
		if !sensitive(wire.FormField{Name: name}) {
			t.Errorf("%q isn't sensitive", name)
		}
	}
	for _, name := range no {
		if sensitive(wire.FormField{Name: name}) {
			t.Errorf("%q is sensitive", name)
		}
	}
	if !sensitive(wire.FormField{Name: "x", Description: "Your API key of the service"}) || sensitive(wire.FormField{Name: "x", Description: "Press a key"}) {
		t.Error("descriptions are read wrongly")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(allKinds))
	f.Add([]byte(`{"mode":"url","message":"m","url":"https://xn--80ak6aa92e.com:8080/%zz?q=|#"}`))
	f.Add([]byte(`{"message":"m","requestedSchema":{"properties":{"a":{"type":["null","string"],"pattern":"(?=a)\\1"}}}}`))
	f.Fuzz(func(t *testing.T, params []byte) {
		r, refusal := Parse(params)
		switch {
		case refusal != nil:
			if r != nil || refusal.Message == "" || refusal.Code != CodeInvalidParams {
				t.Fatalf("%+v with %+v", refusal, r)
			}
			return
		case (r.Form == nil) == (r.URL == nil):
			t.Fatal("neither a form nor a page")
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		r.Fits("2025-06-18")
		if r.Form == nil {
			return
		}
		// What is filled in is what the server may be sent.
		values := Values{}
		for _, field := range r.Form.Fields {
			if texts := Texts(field); texts != nil {
				values[field.Name] = texts
			}
		}
		if content, wrong := Content(r.Form, values); wrong == nil {
			if again := Check(r.Form, content); again != nil {
				t.Fatalf("%s: %v", content, again)
			}
		}
	})
}
