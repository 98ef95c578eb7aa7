package elicit

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestCheckValues(t *testing.T) {
	tests := []struct {
		property, value string
		want            string // in the error; "" for none
	}{
		{`{"type":"string","minLength":2,"maxLength":3}`, `"äöü"`, ""},
		{`{"type":"string","minLength":2,"maxLength":3}`, `"👍🏽"`, ""}, // two code points, four UTF-16 units
		{`{"type":"string","minLength":2}`, `"ä"`, "at least 2 characters"},
		{`{"type":"string","maxLength":1}`, `"ab"`, "at most 1 character, it has 2"},
		{`{"type":"string"}`, `""`, ""},
		{`{"type":"string"}`, `null`, "must be a text"},
		{`{"type":"string"}`, `5`, "must be a text"},
		{`{"type":"string","pattern":"^a+$"}`, `"aaa"`, ""},
		{`{"type":"string","pattern":"^a+$"}`, `"ab"`, "must have the form ^a+$"},
		{`{"type":"string","pattern":"b"}`, `"abc"`, ""}, // not anchored
		{`{"type":"string","pattern":"^(?=.*\\d)(?!.*x).{3,}$"}`, `"ab1"`, ""},
		{`{"type":"string","pattern":"^(?=.*\\d)(?!.*x).{3,}$"}`, `"ax1"`, "must have the form"},
		{`{"type":"string","pattern":"^(.)\\1$"}`, `"aa"`, ""},
		{`{"type":"string","pattern":"^\\u0041\\/$"}`, `"A/"`, ""},
		{`{"type":"string","pattern":"^\\s$"}`, `"\u00a0"`, ""}, // JavaScript's space
		{`{"type":"string","pattern":"^\\p{Lu}$"}`, `"Ä"`, ""},
		{`{"type":"string","pattern":"^(a+)+(?=z)$"}`, `"` + strings.Repeat("a", 40) + `!"`, "takes too long"},
		{`{"type":"string","format":"email"}`, `"a@b.example"`, ""},
		{`{"type":"string","format":"email"}`, `"A <a@b.example>"`, "email address"},
		{`{"type":"string","format":"email"}`, `"a b@c"`, "email address"},
		{`{"type":"string","format":"email"}`, `"@"`, "email address"},
		{`{"type":"string","format":"uri"}`, `"https://a.example/x?y#z"`, ""},
		{`{"type":"string","format":"uri"}`, `"mailto:a@b"`, ""},
		{`{"type":"string","format":"uri"}`, `"/x"`, "full address"},
		{`{"type":"string","format":"uri"}`, `"https://"`, "full address"},
		{`{"type":"string","format":"uri"}`, `"https://a b"`, "full address"},
		{`{"type":"string","format":"date"}`, `"2024-02-29"`, ""},
		{`{"type":"string","format":"date"}`, `"2023-02-29"`, "a date"},
		{`{"type":"string","format":"date"}`, `"2023-2-9"`, "a date"},
		{`{"type":"string","format":"date-time"}`, `"2024-02-29T23:59:60.5+01:00"`, ""},
		{`{"type":"string","format":"date-time"}`, `"2024-02-29t00:00:00z"`, ""},
		{`{"type":"string","format":"date-time"}`, `"2024-02-29T00:00:00"`, "with its zone"},
		{`{"type":"string","format":"date-time"}`, `"2024-02-30T00:00:00Z"`, "with its zone"},
		{`{"type":"string","format":"date-time"}`, `"2024-02-28T24:00:00Z"`, "with its zone"},
		{`{"type":"string","format":"date-time"}`, `"2024-02-28T10:00:00,5Z"`, "with its zone"},
		{`{"type":"string","format":"phone"}`, `"anything"`, ""},
		{`{"type":"integer"}`, `5`, ""},
		{`{"type":"integer"}`, `-0`, ""},
		{`{"type":"integer"}`, `1.0`, "whole number"},
		{`{"type":"integer"}`, `1e3`, "whole number"},
		{`{"type":"integer"}`, `"5"`, "must be a number"},
		{`{"type":"integer","maximum":9007199254740993}`, `9007199254740993`, ""},
		{`{"type":"integer","maximum":9007199254740993}`, `9007199254740994`, "at most 9007199254740993"}, // equal as floats
		{`{"type":"number","minimum":0.1}`, `0.1`, ""},
		{`{"type":"number","minimum":0.1}`, `0.09999999999999999999999999`, "at least 0.1"},
		{`{"type":"number","exclusiveMinimum":0}`, `0`, "more than 0"},
		{`{"type":"number","exclusiveMaximum":1}`, `1e0`, "less than 1"},
		{`{"type":"number"}`, `1e999999999`, "too long"},
		{`{"type":"boolean"}`, `true`, ""},
		{`{"type":"boolean"}`, `"true"`, "true or false"},
		{`{"type":"string","enum":["a","b"]}`, `"b"`, ""},
		{`{"type":"string","enum":["a","b"],"enumNames":["X","Y"]}`, `"X"`, "one of the choices"},
		{`{"type":"string","oneOf":[{"const":"a","title":"A"}]}`, `"A"`, "one of the choices"},
		{`{"type":"array","items":{"enum":["a","b","c"]},"minItems":1,"maxItems":2}`, `["a","c"]`, ""},
		{`{"type":"array","items":{"enum":["a","b","c"]},"minItems":1,"maxItems":2}`, `[]`, "at least 1"},
		{`{"type":"array","items":{"enum":["a","b","c"]},"minItems":1,"maxItems":2}`, `["a","b","c"]`, "at most 2"},
		{`{"type":"array","items":{"enum":["a","b","c"]}}`, `["a","a"]`, "twice"},
		{`{"type":"array","items":{"enum":["a","b","c"]}}`, `["d"]`, `"d" is none`},
		{`{"type":"array","items":{"enum":["a"]}}`, `["a","a"]`, "more entries"},
		{`{"type":"array","items":{"enum":["a"]}}`, `"a"`, "a list of choices"},
		{`{"type":"array","items":{"enum":["a"]}}`, `[1]`, "a list of choices"},
	}
	for _, tt := range tests {
		start := time.Now()
		wrong := Check(form(t, `"p":`+tt.property), json.RawMessage(`{"p":`+tt.value+`}`))
		switch {
		case tt.want == "" && wrong != nil:
			t.Errorf("%s with %s: %v", tt.property, tt.value, wrong)
		case tt.want != "" && (len(wrong) != 1 || wrong[0].Field != "p" || !strings.Contains(wrong[0].Text, tt.want)):
			t.Errorf("%s with %s: %v, want %q", tt.property, tt.value, wrong, tt.want)
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s took %v", tt.property, d)
		}
	}
}

func TestCheckWhole(t *testing.T) {
	f := form(t, `"b":{"type":"string"},"a":{"type":"integer"},"o":{"type":"boolean"}`, "a", "b")
	tests := []struct {
		content string
		want    []FieldError
	}{
		{`{"a":1,"b":""}`, nil},
		{`{}`, []FieldError{{"b", "is required"}, {"a", "is required"}}},
		{`{"a":1,"b":"x","more":1}`, []FieldError{{"more", "is not in the form"}}},
		{`{"a":1,"b":"x","o":null}`, []FieldError{{"o", "must be true or false"}}},
		{`[]`, []FieldError{{"", "The answer is no proper JSON object: not a JSON object."}}},
		{`null`, []FieldError{{"", "The answer is no proper JSON object: not a JSON object."}}},
		{``, []FieldError{{"", "The answer is no proper JSON object: not a JSON text."}}},
		{`{"a":1,"a":2}`, []FieldError{{"", `The answer is no proper JSON object: "a" is there twice.`}}},
		{`{"b":"` + strings.Repeat("x", maxContent) + `"}`, []FieldError{{"", "The answer is longer than 262144 bytes."}}},
	}
	for _, tt := range tests {
		got := Check(f, json.RawMessage(tt.content))
		if len(got) != len(tt.want) {
			t.Errorf("%.60s: %v, want %v", tt.content, got, tt.want)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%.60s: %v, want %v", tt.content, got[i], tt.want[i])
			}
		}
	}
}

func TestContent(t *testing.T) {
	f := form(t, `"name":{"type":"string"},"age":{"type":"integer"},"x":{"type":"number"},"ok":{"type":"boolean"},
		"color":{"type":"string","enum":["r","g"],"enumNames":["Red","Green"]},"n":{"type":"string","enum":["2","1"]},
		"tags":{"type":"array","items":{"anyOf":[{"const":"a","title":"One, two"},{"const":"b","title":"B"}]}},
		"must":{"type":"array","items":{"enum":["u"]}}`, "name", "must")
	tests := []struct {
		values Values
		want   string // content, or an error after "!"
	}{
		{Values{"name": {"<Ann> \"A\""}, "must": {}}, `{"name":"<Ann> \"A\"","must":[]}`},
		{Values{"name": {"a"}, "must": {"u"}, "age": {""}, "x": {""}, "ok": {""}, "color": {""}, "tags": {}}, `{"name":"a","must":["u"]}`},
		{Values{"name": {"a"}, "must": {"u"}, "age": {" +007 "}, "x": {"-.50"}, "ok": {"Yes"}, "color": {"green"}, "tags": {"One, two"}}, `{"name":"a","age":7,"x":-0.50,"ok":true,"color":"g","tags":["a"],"must":["u"]}`},
		{Values{"name": {"a"}, "must": {"u"}, "age": {"1e3"}, "x": {"1e3"}, "ok": {"n"}, "color": {"2"}, "tags": {"b, a"}}, `{"name":"a","age":1000,"x":1e3,"ok":false,"color":"g","tags":["b","a"],"must":["u"]}`},
		{Values{"name": {"a"}, "must": {"u"}, "age": {"12345678901234567890.0"}, "n": {"1"}, "tags": {"a", "b"}}, `{"name":"a","age":12345678901234567890,"n":"1","tags":["a","b"],"must":["u"]}`},
		{Values{"name": {"a"}, "must": {"u"}, "age": {"0"}, "x": {"00"}}, `{"name":"a","age":0,"x":0,"must":["u"]}`},
		{Values{"must": {"u"}}, `!"name" is required`},
		{Values{"name": {""}, "must": {"u"}}, `!"name" is required`},
		{Values{"name": {"a"}}, `!"must" is required`},
		{Values{"name": {"a", "b"}, "must": {}}, `!"name" takes one value`},
		{Values{"name": {"a"}, "must": {}, "age": {"1.5"}}, `!"age" must be a whole number`},
		{Values{"name": {"a"}, "must": {}, "age": {"many"}}, `!"age" must be a number`},
		{Values{"name": {"a"}, "must": {}, "x": {"1,5"}}, `!"x" must be a number; write the decimals`},
		{Values{"name": {"a"}, "must": {}, "ok": {"perhaps"}}, `!"ok" must be yes or no`},
		{Values{"name": {"a"}, "must": {}, "color": {"3"}}, `!"color" must be one of the choices`},
		{Values{"name": {"a"}, "must": {}, "tags": {"a,a"}}, `!"tags" has the choice "a" twice`},
		{Values{"name": {"a"}, "must": {}, "more": {"a"}}, `!"more" is not in the form`},
	}
	for _, tt := range tests {
		content, wrong := Content(f, tt.values)
		switch {
		case strings.HasPrefix(tt.want, "!"):
			if content != nil || len(wrong) != 1 || !strings.HasPrefix(wrong[0].Error(), tt.want[1:]) {
				t.Errorf("%v: %s %v, want %s", tt.values, content, wrong, tt.want)
			}
		case wrong != nil || string(content) != tt.want:
			t.Errorf("%v: %s %v, want %s", tt.values, content, wrong, tt.want)
		}
	}
}

// Defaults that are filled in come back as they were.
func TestDefaultsComeBack(t *testing.T) {
	f := parse(t, allKinds).Form
	values := Values{}
	for _, field := range f.Fields {
		if texts := Texts(field); texts != nil {
			values[field.Name] = texts
		}
	}
	content, wrong := Content(f, values)
	if want := `{"zip":"12345","age":7,"ratio":0.50,"ok":false,"old":"g","many":["x"]}`; wrong != nil || string(content) != want {
		t.Errorf("%s %v, want %s", content, wrong, want)
	}
}

func FuzzCheck(f *testing.F) {
	form := parse(f, allKinds).Form
	f.Add([]byte(`{"zip":"12345","ok":true,"age":5,"many":["x"],"ratio":0.5,"mail":"a@b"}`))
	f.Add([]byte(`{"zip":1e5,"more":{}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		if wrong := Check(form, content); wrong == nil {
			var typed struct {
				Zip *string
				OK  *bool
				Age *json.Number
			}
			if err := json.Unmarshal(content, &typed); err != nil || typed.Zip == nil || len(*typed.Zip) != 5 {
				t.Fatalf("passed %s: %v", content, err)
			}
		}
	})
}

func FuzzContent(f *testing.F) {
	form := parse(f, allKinds).Form
	f.Add("12345", "1", ".5", "x,y")
	f.Fuzz(func(t *testing.T, zip, age, ratio, many string) {
		content, wrong := Content(form, Values{"zip": {zip}, "ok": {"y"}, "age": {age}, "ratio": {ratio}, "many": {many}})
		if wrong == nil && (!json.Valid(content) || Check(form, content) != nil) {
			t.Fatalf("built %s", content)
		}
	})
}
