package elicit

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestCheckURL(t *testing.T) {
	tests := []struct{ url, host, open, note string }{
		{"https://example.com/login?a=1&b=2#c", "example.com", "https://example.com/login?a=1&b=2#c", ""},
		{"HTTPS://Example.COM", "example.com", "https://example.com/", ""},
		{"https://example.com?x", "example.com", "https://example.com/?x", ""},
		{"https://example.com:443/", "example.com", "https://example.com/", ""},
		{"https://a_b.example.com/", "a_b.example.com", "https://a_b.example.com/", ""},
		{"http://example.com/", "example.com", "http://example.com/", "not encrypted"},
		{"https://example.com:8443/", "example.com", "https://example.com:8443/", "port 8443"},
		{"https://example.com/ü|'\"<>^`{}%zz%41", "example.com", "https://example.com/%C3%BC%7C%27%22%3C%3E%5E%60%7B%7D%25zz%41", ""},
		{"https://example.com/@x:y@z", "example.com", "https://example.com/@x:y@z", ""},
		{"https://bücher.example/", "xn--bcher-kva.example", "https://xn--bcher-kva.example/", "letters beyond a to z"},
		{"https://xn--bcher-kva.example/", "xn--bcher-kva.example", "https://xn--bcher-kva.example/", "bücher.example"},
		{"https://аррӏе.com/", "xn--80ak6aa92e.com", "https://xn--80ak6aa92e.com/", `looks like "apple"`},
		{"https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com", "https://xn--80ak6aa92e.com/", `looks like "apple"`},
		{"https://pаypal.com/", "xn--pypal-4ve.com", "https://xn--pypal-4ve.com/", "mixes scripts (Latin, Cyrillic)"},
		{"https://ｇoogle.com/", "google.com", "https://google.com/", ""},
		{"https://日本ひらカタabc.jp/", "xn--abc-0c4bpeui6e2846bdoc.jp", "", "letters beyond"},
		{"https://127.0.0.1:8080/x", "127.0.0.1", "https://127.0.0.1:8080/x", "this computer"},
		{"https://[::1]/", "::1", "https://[::1]/", "this computer"},
		{"https://[::ffff:10.0.0.1]/", "::ffff:10.0.0.1", "https://[::ffff:10.0.0.1]/", "network here"},
		{"https://169.254.169.254/latest", "169.254.169.254", "https://169.254.169.254/latest", "right beside"},
		{"https://8.8.8.8/", "8.8.8.8", "https://8.8.8.8/", "a number, not a name"},
		{"https://localhost:1/", "localhost", "https://localhost:1/", "leads to this computer"},
		{"https://printer/", "printer", "https://printer/", "network here"},
		{"https://example.com/" + strings.Repeat("a", longURL), "example.com", "", "is long"},
	}
	for _, tt := range tests {
		got, err := CheckURL(tt.url)
		p, _ := readPage(tt.url)
		if err != nil {
			t.Errorf("%s: %v", tt.url, err)
			continue
		}
		notes := strings.Join(got.Notes, " ")
		if got.URL != tt.url || got.Host != tt.host || tt.open != "" && p.open != tt.open || tt.note == "" && notes != "" || !strings.Contains(notes, tt.note) {
			t.Errorf("%s: %+v opens %s; want host %s, opens %s, note %q", tt.url, got, p.open, tt.host, tt.open, tt.note)
		}
	}
}

func TestURLsOfOneScriptAreNotMixed(t *testing.T) {
	for _, u := range []string{"https://日本ひらカタabc.jp/", "https://пример.рф/", "https://bücher.example/", "https://한국abc.kr/"} {
		got, err := CheckURL(u)
		if err != nil || strings.Contains(strings.Join(got.Notes, " "), "mixes") {
			t.Errorf("%s: %v %v", u, got.Notes, err)
		}
	}
}

func TestRefusedURLs(t *testing.T) {
	for u, want := range map[string]string{
		"":                                                     "https://",
		"example.com":                                          "https://",
		"//example.com/":                                       "https://",
		"javascript:alert(1)":                                  "only http and https",
		"file:///etc/passwd":                                   "only http and https",
		"ms-settings:x":                                        "only http and https",
		"https:example.com":                                    "no host",
		"https:///x":                                           "no host",
		"https://:443/":                                        "no host",
		"https://user:pass@example.com":                        "user name",
		"https://example.com@evil.com/":                        "user name",
		"https://@evil.com/":                                   "user name",
		"https://exa%6dple.com/":                               "percent-encoded",
		"https://example.com\\@evil/":                          "U+005C",
		"https://example.com/a b":                              "U+0020",
		" https://example.com/":                                "U+0020",
		"https://example.com/\n":                               "U+000A",
		"https://example.com/\x00":                             "U+0000",
		"https://example.com/\u202emoc":                        "U+202E",
		"https://exa\u200bmple.com/":                           "U+200B",
		"https://exa\u00admple.com/":                           "U+00AD",
		"https://example.com/\xff":                             "no proper text",
		"https://2130706433/":                                  "in disguise",
		"https://0x7f.1/":                                      "in disguise",
		"https://0177.0.0.1/":                                  "in disguise",
		"https://127.1/":                                       "in disguise",
		"https://[fe80::1%25eth0]/":                            "percent-encoded",
		"https://example.com:0/":                               "port",
		"https://example.com:99999/":                           "port",
		"https://example.com:/":                                "port",
		"https://example..com/":                                "name is none",
		"https://-x.example/":                                  "name is none",
		"https://exa$(id)mple.com/":                            "",
		"https://xn--zzzzzzz--/":                               "name is none",
		"https://" + strings.Repeat("a", 64) + ".example/":     "name is none",
		"https://example.com/" + strings.Repeat("a", maxURL):   "longer than",
		"https://" + strings.Repeat("a.", 150) + "example.com": "name is none",
	} {
		if got, err := CheckURL(u); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %q", u, got, err, want)
		}
	}
}

func TestCommands(t *testing.T) {
	const page = "https://example.com/?a=1&b=%22"
	tests := []struct {
		goos, name, value string
		want              []string // the first command
	}{
		{"linux", "", "", []string{"xdg-open", page}},
		{"freebsd", "", "", []string{"xdg-open", page}},
		{"linux", "BROWSER", "firefox", []string{"firefox", page}},
		{"linux", "BROWSER", "firefox --new-window %s:lynx", []string{"firefox", "--new-window", page}},
		{"linux", "BROWSER", "app --url=%s", []string{"app", "--url=" + page}},
		{"linux", "BROWSER", "sh -c 'evil $0' ", []string{"sh", "-c", "'evil", "$0'", page}},
		{"linux", "BROWSER", "%s", []string{"xdg-open", page}},
		{"linux", "BROWSER", ":: ", []string{"xdg-open", page}},
		{"darwin", "BROWSER", "firefox", []string{"/usr/bin/open", page}},
		{"windows", "SystemRoot", `D:\Win`, []string{`D:\Win\System32\rundll32.exe`, "url.dll,FileProtocolHandler", page}},
		{"windows", "", "", []string{`C:\Windows\System32\rundll32.exe`, "url.dll,FileProtocolHandler", page}},
	}
	for _, tt := range tests {
		env := func(name string) string {
			if name == tt.name {
				return tt.value
			}
			return ""
		}
		if got := commands(tt.goos, env, page); !slices.Equal(got[0], tt.want) {
			t.Errorf("%s with %s=%q: %q, want %q", tt.goos, tt.name, tt.value, got[0], tt.want)
		}
	}
}

// TestMain also plays the browser: it writes down its arguments.
func TestMain(m *testing.M) {
	if file := os.Getenv("TEST_BROWSER_WRITES"); file != "" {
		text := strings.Join(os.Args[1:], "\n") + "\n" + os.Getenv("BRIDGEKEEPER_HOME")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil || os.Getenv("TEST_BROWSER_FAILS") != "" {
			os.Exit(3)
		}
		if address := os.Getenv("TEST_BROWSER_STAYS"); address != "" {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				os.Exit(4)
			}
			_, _ = conn.Read(make([]byte, 1)) // until the test is done
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestOpen(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the browser can be chosen only where $BROWSER is read")
	}
	out := filepath.Join(t.TempDir(), "args")
	t.Setenv("TEST_BROWSER_WRITES", out)
	t.Setenv("BRIDGEKEEPER_HOME", "/secret")
	t.Setenv("BROWSER", os.Args[0]+" -url")
	t.Setenv("PATH", t.TempDir())
	if err := Open(t.Context(), "https://bücher.example/?q='x'"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil || string(got) != "-url\nhttps://xn--bcher-kva.example/?q=%27x%27\n" {
		t.Errorf("the browser got %q, %v", got, err)
	}

	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	if err := Open(t.Context(), "file:///etc/passwd"); err == nil || !strings.Contains(err.Error(), "only http") {
		t.Errorf("a file: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Open(ended, "https://example.com"); err == nil {
		t.Error("opened after its end")
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a browser was started for a page that is refused, or after the end")
	}

	t.Setenv("TEST_BROWSER_FAILS", "1")
	if err := Open(t.Context(), "https://example.com"); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("a browser that fails: %v", err)
	}
	t.Setenv("BROWSER", "")
	if err := Open(t.Context(), "https://example.com"); err == nil || !strings.Contains(err.Error(), "no browser was found") {
		t.Errorf("no browser: %v", err)
	}
}

// Some browsers stay in front of the program that opened them: that is no reason
// to wait for them, nor to end them.
func TestOpenLeavesABrowser(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the browser can be chosen only where $BROWSER is read")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("TEST_BROWSER_WRITES", filepath.Join(t.TempDir(), "args"))
	t.Setenv("TEST_BROWSER_STAYS", l.Addr().String())
	t.Setenv("BROWSER", os.Args[0])
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan error, 1)
	go func() { opened <- Open(ctx, "https://example.com") }()
	browser, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-opened; err != nil {
		t.Errorf("an open browser is an error: %v", err)
	}
	if _, err := browser.Write([]byte("x")); err != nil {
		t.Errorf("the browser was ended: %v", err)
	}
	// It ends by itself: its end of the connection closes.
	if _, err := browser.Read(make([]byte, 1)); err == nil {
		t.Error("the browser said something")
	}
	browser.Close()
}

func FuzzCheckURL(f *testing.F) {
	for _, u := range []string{"https://example.com/", "https://bücher.example:80/?#", "http://[::1]/%", "https://xn--80ak6aa92e.com", "https://a@b"} {
		f.Add(u)
	}
	f.Fuzz(func(t *testing.T, u string) {
		p, err := readPage(u)
		if err != nil {
			return
		}
		if !strings.HasPrefix(p.open, "http") || strings.ContainsAny(p.open, " \t\r\n\"'`\\<>|^{}") || !ascii(p.open) || p.host == "" {
			t.Fatalf("%q opens %q", u, p.open)
		}
		// What is opened is what was shown, and reads the same again.
		again, err := readPage(p.open)
		if err != nil || again.host != p.host || again.open != p.open {
			t.Fatalf("%q opens %q, which reads as %+v, %v", u, p.open, again, err)
		}
	})
}
