package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestRemoveMember(t *testing.T) {
	for in, want := range map[string]string{
		`{}`: "", `{"b":1}`: "", `{"a":1}`: `{}`, `{ "a" : 1 }`: `{  }`, `{"a":1,"b":2}`: `{"b":2}`, `{"b":2,"a":1}`: `{"b":2}`,
		`{"b":2 , "a" : {"a":[1,2]} , "c":3}`: `{"b":2 , "c":3}`, `{"\u0061":1,"b":2}`: `{"b":2}`, `{"b":{"a":1}}`: "",
		`{"a":1,"a":2}`: `{"a":1}`, `{"a":1,"b":0,"a":2,"c":3}`: `{"a":1,"b":0,"c":3}`, `{"a":"}","b":2}`: `{"b":2}`,
	} {
		raw := []byte(in)
		e, ok := RemoveMember(raw, Span{0, len(raw)}, "a")
		got := ""
		if ok {
			got = string(Splice(nil, raw, e))
		}
		if got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// pretty writes an object with these members and random white space.
func pretty(r *rand.Rand, members []string) string {
	blank := func() string { return strings.Repeat(" ", r.IntN(3)) + strings.Repeat("\n\t", r.IntN(2)) }
	var b strings.Builder
	b.WriteString("{" + blank())
	for i, m := range members {
		if i > 0 {
			b.WriteString(blank() + "," + blank())
		}
		name, value, _ := strings.Cut(m, "=")
		fmt.Fprintf(&b, "%q%s:%s%s", name, blank(), blank(), value)
	}
	return b.String() + blank() + "}"
}

// Whatever an object holds, a member taken out or put in leaves all others.
func TestMemberProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []string{"1", `"x"`, "{}", "[]", "null", `{"a":{"b":[1,{"a":2}]}}`, `"\"},{"`, "-1.5e9"}
	for range 20_000 {
		var members []string
		want := map[string]any{}
		for range r.IntN(5) {
			name, value := string('a'+rune(r.IntN(8))), values[r.IntN(len(values))]
			if _, twice := want[name]; twice {
				continue
			}
			members = append(members, name+"="+value)
			var v any
			json.Unmarshal([]byte(value), &v)
			want[name] = v
		}
		before, object := strings.Repeat(" ", r.IntN(3))+`{"z":`, pretty(r, members)
		raw := []byte(before + object + "}")
		at := Span{len(before), len(before) + len(object)}

		e, ok := RemoveMember(raw, at, "a")
		if _, there := want["a"]; ok != there {
			t.Fatalf("%s: found %v", raw, ok)
		}
		if ok {
			without := map[string]any{}
			for name, v := range want {
				if name != "a" {
					without[name] = v
				}
			}
			same(t, Splice(nil, raw, e), without)
		}

		added := AppendMember(AppendMember(nil, "new \"x\"", []byte("[1]")), "y", []byte("{}"))
		e = InsertMembers(raw, at, added)
		want[`new "x"`], want["y"] = []any{1.0}, map[string]any{}
		same(t, Splice(nil, raw, e), want)
		if joined := bytes.Join(Pieces(raw, e), nil); !bytes.Equal(joined, Splice(nil, raw, e)) {
			t.Fatalf("pieces %s", joined)
		}
	}
}

func same(t *testing.T, raw []byte, want map[string]any) {
	t.Helper()
	var got struct{ Z map[string]any }
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	if fmt.Sprint(got.Z) != fmt.Sprint(want) {
		t.Fatalf("%s: %v, want %v", raw, got.Z, want)
	}
}

func TestReadError(t *testing.T) {
	for raw, want := range map[string]string{
		`{"code":-1,"message":"a\nb","data":[1.0]}`: `{"code":-1,"message":"a\nb","data":[1.0]}`,
		`{"message":5}`:             `{"code":-32603,"message":""}`,
		`{"code":1.5,"message":""}`: `{"code":-32603,"message":""}`,
		`"x"`:                       `{"code":-32603,"message":""}`,
		`null`:                      `{"code":-32603,"message":""}`,
	} {
		if got := string(ReadError([]byte(raw)).Append(nil)); got != want {
			t.Errorf("%s: %s", raw, got)
		}
	}
}

// FuzzMembers: edits of a valid object leave a valid object.
func FuzzMembers(f *testing.F) {
	for _, in := range []string{"{}", `{"a":1}`, `{"b":1,"a":2}`, ` {"a":{"a":1},"a":2 }`, `{"":{}}`, `{"\u0061":1 , "b":[{}]}`} {
		f.Add([]byte(in), "a")
	}
	f.Fuzz(func(t *testing.T, raw []byte, name string) {
		if _, err := Scan(raw); err != nil {
			return
		}
		start := bytes.IndexByte(raw, '{')
		at := Span{start, bytes.LastIndexByte(raw, '}') + 1}
		count := func(raw []byte) (n int) {
			_ = Members(raw, func(key []byte, _ Span) bool { n++; return true })
			return n
		}
		check := func(what string, out []byte, want int) {
			if _, err := Scan(out); err != nil || count(out) != want {
				t.Fatalf("%s %q in %q: %q (%v)", what, name, raw, out, err)
			}
		}
		if e, ok := RemoveMember(raw, at, name); ok {
			check("remove", Splice(nil, raw, e), count(raw)-1)
		} else if Find(raw, name).Ok() {
			t.Fatalf("%q isn't removed from %q", name, raw)
		}
		check("insert", Splice(nil, raw, InsertMember(raw, at, strings.ToValidUTF8(name, "?"), []byte("null"))), count(raw)+1)
	})
}
