package redact

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"sync"
	"testing"

	"bridgekeeper/keychain"
)

const (
	token = "tok/En+9:å \"q\"&<z>=~!x"
	plain = "abcdefghijklmnop0123456789"
	pem   = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END PRIVATE KEY-----\n"
)

func redactor(values map[string]string) *Redactor {
	var r Redactor
	var list []Value
	for name, v := range values {
		list = append(list, Value{name, keychain.NewSecret(v)})
	}
	r.Use(list)
	return &r
}

func mask(name string) string { return "••••(" + name + ")" }

func TestForms(t *testing.T) {
	r := redactor(map[string]string{"TOKEN": token, "PLAIN": plain, "SIX": "sixsix"})
	quoted, _ := json.Marshal(token)
	twice, _ := json.Marshal(string(quoted))
	wrapped := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("before ", 10) + token + strings.Repeat(" after", 10)))
	for _, text := range []string{
		token,
		string(quoted),
		string(twice),
		`"tok/En+9:\u00e5 \"q\"&<z>=~!x"`,
		`"tok\/En+9:å \"q\"&<z>=~!x"`,
		url.QueryEscape(token),
		url.PathEscape(token),
		"tok%2fEn%2b9%3a%c3%a5%20%22q%22%26%3cz%3e%3d~!x",
		html.EscapeString(token),
		hex.EncodeToString([]byte(token)),
		strings.ToUpper(hex.EncodeToString([]byte(token))),
		base64.StdEncoding.EncodeToString([]byte(token)),
		base64.URLEncoding.EncodeToString([]byte(token)),
		base64.RawURLEncoding.EncodeToString([]byte(token)),
		base64.StdEncoding.EncodeToString([]byte("x" + token + "y")),
		base64.StdEncoding.EncodeToString([]byte("xy" + token + "yz")),
		base64.URLEncoding.EncodeToString([]byte("xyz" + token + "yzw")),
		base64.StdEncoding.EncodeToString([]byte("user:" + token)),
		wrapped[:76] + "\n" + wrapped[76:],
		plain[:1] + "\n" + plain[1:],
		plain[:3] + "\r\n" + plain[3:],
		plain[:13] + "\n" + plain[13:],
		"sixsix",
		base64.StdEncoding.EncodeToString([]byte("sixsix")),
	} {
		got := r.String("<" + text + "> end")
		if leaks(got) || !strings.Contains(got, "••••(") || !strings.HasPrefix(got, "<") || !strings.HasSuffix(got, " end") {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// leaks reports whether six bytes of a value are in text, in any form that
// doesn't depend on the neighbours.
func leaks(text string) bool {
	flat := strings.NewReplacer("\n", "", "\r", "").Replace(text)
	for _, v := range []string{token, plain} {
		for i := 0; i+6 <= len(v); i++ {
			if strings.Contains(flat, v[i:i+6]) {
				return true
			}
		}
		for shift := range 3 {
			b := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + v))[4:]
			for i := 0; i+8 <= len(b)-2; i++ {
				if strings.Contains(flat, b[i:i+8]) {
					return true
				}
			}
		}
	}
	return false
}

func TestReplaced(t *testing.T) {
	r := redactor(map[string]string{
		"PLAIN": plain, "LONGER": plain + "-and-more", "TAIL": "56789-tail", "SHORT": "pin7", "TINY": "x", "PEM": pem,
		"DB": "postgres://ada:pw@db.example/x",
	})
	for text, want := range map[string]string{
		"":                        "",
		"nothing here":            "nothing here",
		"a " + plain + " b":       "a " + mask("PLAIN") + " b",
		plain + plain:             mask("PLAIN") + mask("PLAIN"),
		plain + "-and-more":       mask("LONGER"),
		plain + "-tail":           mask("PLAIN"),
		"pin7 (pin7) pin77 apin7": mask("SHORT") + " (" + mask("SHORT") + ") pin77 apin7",
		"x stays":                 "x stays",
		"cut: " + plain[:20]:      "cut: " + mask("LONGER"),
		"cut: " + plain[:8]:       "cut: " + plain[:8],
		"a\n" + plain + "\nb\n":   "a\n" + mask("PLAIN") + "\nb\n",
		"a " + plain[:9] + "\n" + plain[9:] + " b": "a " + mask("PLAIN") + "\n" + mask("PLAIN") + " b",
		"key:\n" + pem + "done":                    "key:\n" + strings.Repeat(mask("PEM")+"\n", 4) + "done",
		"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC":         mask("PEM"),
		"postgres://ada:pw@db.example/x":           mask("DB"),
		"Bearer " + plain:                          "Bearer " + mask("PLAIN"),
		"https://u:" + plain + "@h/":               "https://u:" + mask("PLAIN") + "@h/",
	} {
		if got := r.String(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
		if got := r.String(want); got != want {
			t.Errorf("a second time, %q became %q", want, got)
		}
	}
	if missing := (&Redactor{}).Use([]Value{{"A", keychain.NewSecret("ab")}, {"B", keychain.NewSecret("abc")}}); len(missing) != 1 || missing[0] != "A" {
		t.Errorf("uncovered: %v", missing)
	}
}

func TestShapes(t *testing.T) {
	const m = "••••"
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	for text, want := range map[string]string{
		"key sk-abcdefghijklmnop1234 end":                                            "key " + m + " end",
		"sk-proj-abc_DEF-0123456789abcdef":                                           m,
		`{"t":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}`:                           `{"t":"` + m + `"}`,
		"token=glpat-abc123DEF456ghi789jk.":                                          "token=" + m + ".",
		"xoxb-123456789012-abcdef":                                                   m,
		"AKIAIOSFODNN7EXAMPLE":                                                       m,
		"jwt " + jwt + ", ok":                                                        "jwt " + m + ", ok",
		"Authorization: Bearer abc123def":                                            "Authorization: Bearer " + m,
		`"authorization":"bearer abcDEF123+/="`:                                      `"authorization":"bearer ` + m + `"`,
		"Authorization: Basic dXNlcjpwYXNz":                                          "Authorization: Basic " + m,
		"mongodb+srv://root:hunter2@h/db?x=1":                                        "mongodb+srv://root:" + m + "@h/db?x=1",
		"https://u:p%40ss@w@h:80/ and http://a:b@c":                                  "https://u:" + m + "@h:80/ and http://a:" + m + "@c",
		"-----BEGIN RSA PRIVATE KEY-----\\nabc\\n-----END RSA PRIVATE KEY-----\\n\"": m + "\\n\"",
		pem + "after": m + "\n" + m + "\n" + m + "\n" + m + "\nafter",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk": m + "\n" + m,
	} {
		if got := new(Redactor).String(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		"https://example.com:8080/a@b", "http://user@host/", "see http://h/p:q@r", "mailto:a@b.c", "git@github.com:o/r.git", "://:@", "a://b:@c",
		"task-force-of-the-year-2026 disk-usage-0123456789abcdef", "sk-learn-is-not-a-token-at-all", "ghp_short", "npm_config_registry_and_something_else",
		"Bearer token required", "bearer authentication", "Basic authentication failed", "the bearer of 1 ring",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\nMIIB", "----- BEGIN -----",
		"550e8400-e29b-41d4-a716-446655440000", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"/usr/lib/node_modules/sk-0123456789", "eyJhbGciOiJIUzI1NiJ9", "v1.2.3-rc.4", "••••(NAME)",
	} {
		if got := new(Redactor).String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestBytesAreNotCopiedInVain(t *testing.T) {
	r := redactor(map[string]string{"PLAIN": plain})
	text := []byte("a line with nothing in it\n")
	if got := r.Bytes(text); &got[0] != &text[0] {
		t.Error("copied")
	}
	if n := testing.AllocsPerRun(100, func() { r.Bytes(text) }); n != 0 {
		t.Errorf("%v allocations for a clean line", n)
	}
}

func TestLines(t *testing.T) {
	r := redactor(map[string]string{"PLAIN": plain})
	got := r.Lines([]string{"one", "x " + plain[:10], plain[10:] + " y", "", "two"})
	want := []string{"one", "x " + mask("PLAIN"), mask("PLAIN") + " y", "", "two"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q", got)
	}
	if got := r.Lines(nil); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

// However a stream is cut, what comes out is what the whole text becomes.
func TestWriterAtEveryCut(t *testing.T) {
	r := redactor(map[string]string{"PLAIN": plain, "TOKEN": token, "PEM": pem, "SHORT": "pin7"})
	text := "start " + plain + "\nagain " + plain[:7] + "\n" + plain[7:] + " pin7 rest\n" + token + "\n" +
		"Authorization: Bearer abc123def456\nurl https://u:hunter2@h/\n" + pem +
		"-----BEGIN RSA PRIVATE KEY-----\nOTHERKEYab01\n-----END RSA PRIVATE KEY-----\n" +
		base64.StdEncoding.EncodeToString([]byte("u:"+token)) + "\nsk-abcdefghijklmnop1234 end\n"
	want := r.String(text)
	if leaks(want) || strings.Contains(want, "hunter2") || strings.Contains(want, "OTHERKEY") {
		t.Fatalf("whole: %q", want)
	}
	for i := 0; i <= len(text); i++ {
		for _, j := range []int{i, min(i+1, len(text)), min(i+5, len(text)), min(i+40, len(text))} {
			if got := written(t, r, text[:i], text[i:j], text[j:]); got != want {
				t.Fatalf("cut at %d and %d: %q, want %q", i, j, got, want)
			}
		}
	}
	for _, size := range []int{1, 2, 3, 7, 64} {
		if got := written(t, r, chunks(text, size)...); got != want {
			t.Fatalf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
}

func chunks(text string, size int) (list []string) {
	for len(text) > size {
		list, text = append(list, text[:size]), text[size:]
	}
	return append(list, text)
}

func written(t testing.TB, r *Redactor, pieces ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := r.NewWriter(&out)
	for _, p := range pieces {
		if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := w.Flush(); err != nil || w.Held() {
		t.Fatal(err, w.Held())
	}
	return out.String()
}

// A person who watched a log saw each line only when the next one came.
func TestWriterPassesLinesAtOnce(t *testing.T) {
	r := redactor(map[string]string{"PLAIN": plain, "DB": "postgres://ada:pw@db/x"})
	var out bytes.Buffer
	w := r.NewWriter(&out)
	for _, line := range []string{"listening on 8080\n", "a\n", "\n", plain + "\n", "token abc\n"} {
		out.Reset()
		fmt.Fprint(w, line)
		if got := out.String(); got != r.String(line) {
			t.Errorf("%q came out as %q", line, got)
		}
	}
	out.Reset()
	fmt.Fprint(w, "Password: ")
	w.Flush()
	if out.String() != "Password: " {
		t.Errorf("after a flush: %q", out.String())
	}
	out.Reset()
	fmt.Fprint(w, "half: "+plain[:15])
	w.Flush()
	if out.String() != "half: "+mask("PLAIN") {
		t.Errorf("half a value, flushed: %q", out.String())
	}
}

// A private key that came so slowly that the log was flushed meanwhile showed
// its second half.
func TestWriterSlowKey(t *testing.T) {
	var out bytes.Buffer
	w := new(Redactor).NewWriter(&out)
	for line := range strings.Lines(pem + "after it [1]\n") {
		fmt.Fprint(w, line)
		w.Flush()
	}
	if got := out.String(); strings.Contains(got, "MII") || strings.Contains(got, "BKcw") || !strings.HasSuffix(got, "after it [1]\n") {
		t.Errorf("got %q", got)
	}
}

func TestWriterIsBounded(t *testing.T) {
	r := redactor(map[string]string{"PLAIN": plain})
	w := r.NewWriter(&bytes.Buffer{})
	for range 200 {
		fmt.Fprint(w, strings.Repeat("A", 10_000))
	}
	if len(w.held) > maxHold {
		t.Errorf("%d bytes are kept back", len(w.held))
	}
}

func TestConcurrentUse(t *testing.T) {
	r := redactor(map[string]string{"PLAIN": plain})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 50 {
				r.Use([]Value{{"PLAIN", keychain.NewSecret(plain)}, {fmt.Sprint("N", i), keychain.NewSecret("another value")}})
				if got := r.String("x " + plain); got != "x "+mask("PLAIN") {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	all.Wait()
}

func FuzzWriter(f *testing.F) {
	f.Add("some text ", " and more\n", uint8(3), uint8(0))
	f.Add("-----BEGIN PRIVATE KEY-----", "://a:b@", uint8(1), uint8(12))
	f.Fuzz(func(t *testing.T, before, after string, size, broken uint8) {
		r := redactor(map[string]string{"PLAIN": plain, "SHORT": "pin7"})
		value := plain
		if n := int(broken) % len(plain); n > 0 {
			value = plain[:n] + "\n" + plain[n:]
		}
		if strings.Contains(before+after, plain[3:20]) {
			return
		}
		for _, got := range []string{
			r.String(before + value + after),
			written(t, r, chunks(before+value+after, int(size)+1)...),
		} {
			if flat := unbroken(got); strings.Contains(flat, plain) || strings.Contains(flat, plain[indexed-1:]) && !strings.Contains(before+after, plain[indexed-1:]) {
				t.Fatalf("%q shows the value", got)
			}
		}
	})
}

func benchLine(b *testing.B, line string) {
	var values []Value
	for i := range 50 {
		sum := sha256.Sum256([]byte{byte(i)})
		values = append(values, Value{fmt.Sprint("SECRET", i), keychain.NewSecret(base64.RawURLEncoding.EncodeToString(sum[:]))})
	}
	var r Redactor
	r.Use(values)
	line = strings.ReplaceAll(line, "VALUE", values[7].Secret.Reveal())
	text := []byte(line)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r.Bytes(text)
	}
}

const logLine = `2026-12-01T10:11:12.345Z INFO server.http request finished method=POST path=/api/v1/items/42 status=200 dur=12.3ms user=ada trace=4bf92f3577b34da6a3ce929d0e0e4736 note="nothing to see here, all is well"`

func BenchmarkCleanLine(b *testing.B)  { benchLine(b, logLine+"\n") }
func BenchmarkSecretLine(b *testing.B) { benchLine(b, logLine+" key=VALUE\n") }
func BenchmarkUse(b *testing.B) {
	var values []Value
	for i := range 50 {
		values = append(values, Value{fmt.Sprint("SECRET", i), keychain.NewSecret(fmt.Sprintf("%040d", i*7919))})
	}
	for b.Loop() {
		new(Redactor).Use(values)
	}
}
