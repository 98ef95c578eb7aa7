package ui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const zoo = `{"name":"book","title":"Book","description":"Books a room.","annotations":{"readOnlyHint":false,"destructiveHint":false},
"inputSchema":{"type":"object","required":["room","hours"],"properties":{
 "room":{"type":"string","enum":["huddle","hall"]},
 "hours":{"type":"integer","minimum":1,"maximum":8,"default":2},
 "note":{"type":["string","null"],"maxLength":5},
 "loud":{"type":"boolean"},
 "guests":{"type":"array","items":{"type":"string"}},
 "either":{"anyOf":[{"type":"string"},{"type":"number"}]}}}}`

func TestReadTool(t *testing.T) {
	info := readTool([]byte(zoo))
	if info.title != "Book" || info.readOnly || info.destructive || len(info.fields) != 6 {
		t.Fatalf("got %+v", info)
	}
	var got []string
	for _, f := range info.fields {
		got = append(got, fmt.Sprintf("%s:%s:%v:%d:%s", f.Name, f.Type, f.Required, len(f.Options), initial(f)))
	}
	want := "room:choice:true:2: hours:integer:true:0:2 note:string:false:0: loud:boolean:false:0: guests:json:false:0: either:json:false:0:"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	for _, odd := range []string{``, `5`, `{}`, `{"inputSchema":5}`, `{"inputSchema":{"properties":[]}}`, `{"inputSchema":{"properties":{"a":true}}}`} {
		if info := readTool([]byte(odd)); len(info.fields) > 1 || !info.destructive {
			t.Errorf("%s: %+v", odd, info)
		}
	}
}

func TestArguments(t *testing.T) {
	fields := readTool([]byte(zoo)).fields
	got, wrong := arguments(fields, map[string]string{"room": "hall", "hours": "3", "note": "<é>\"", "loud": "true", "guests": `["a"]`})
	if wrong != nil || string(got) != `{"room":"hall","hours":3,"note":"<é>\"","loud":true,"guests":["a"]}` {
		t.Errorf("got %s, %v", got, wrong)
	}
	_, wrong = arguments(fields, map[string]string{"hours": "9", "note": "too long", "guests": "a"})
	if len(wrong) != 4 {
		t.Errorf("got %v", wrong)
	}
	for text, want := range map[string]string{"x": "no number", "1.5": "whole", "0": "at least 1", "": "needed"} {
		if _, err := argument(fields[1], text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	// A number that no float holds must reach the server as it was typed.
	fields[1].Maximum = ""
	if got, err := argument(fields[1], "12345678901234567890"); err != nil || string(got) != "12345678901234567890" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestReadResult(t *testing.T) {
	text, failed := readResult([]byte(`{"content":[{"type":"text","text":"a\nb"},{"type":"image","mimeType":"image/png"}],"isError":true}`))
	if text != "a\nb\n[image · image/png]" || !failed {
		t.Errorf("got %q, %v", text, failed)
	}
	if text, _ := readResult([]byte(`{"odd":1}`)); !strings.Contains(text, `"odd": 1`) {
		t.Errorf("got %q", text)
	}
}

func FuzzReadTool(f *testing.F) {
	f.Add([]byte(zoo))
	f.Add([]byte(`{"inputSchema":{"properties":{"a":{"type":[]}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		info := readTool(data)
		texts := map[string]string{}
		for _, field := range info.fields {
			texts[field.Name] = initial(field)
		}
		if got, wrong := arguments(info.fields, texts); wrong == nil && !json.Valid(got) {
			t.Errorf("arguments that are no JSON: %s", got)
		}
		_, _ = readResult(data)
	})
}
