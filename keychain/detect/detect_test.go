package detect

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"bridgekeeper/keychain"
)

const rnd = "q7Zp2LxV9tRk4WmB8sYd3HcN" // looks random

// found is what Find says, in short: value, reason, name.
func found(e Entry) (list []string) {
	for _, f := range Find(e, nil) {
		sure := ""
		if !f.Sure {
			sure = "?"
		}
		list = append(list, fmt.Sprintf("%s %s%s %s", f.Value.Reveal(), f.Reason, sure, f.Name))
	}
	return list
}

func TestEnv(t *testing.T) {
	for variable, want := range map[string]string{
		"GITHUB_PERSONAL_ACCESS_TOKEN=abc123":         "abc123 name GITHUB_PERSONAL_ACCESS_TOKEN",
		"API_KEY=hunter2":                             "hunter2 name SRV_API_KEY",
		"apiKey=hunter2":                              "hunter2 name SRV_APIKEY",
		"DB_PASSWORD= p w ":                           "p w name DB_PASSWORD",
		"POSTGRES_PWD=x1":                             "x1 name POSTGRES_PWD",
		"SLACK_CONFIG=xoxb-123456789012-abcdef":       "xoxb-123456789012-abcdef shape SLACK_CONFIG",
		"AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE":      "AKIAIOSFODNN7EXAMPLE shape AWS_ACCESS_KEY_ID",
		"X=glpat-abc123DEF456ghi789jk":                "glpat-abc123DEF456ghi789jk shape X",
		"DATABASE_URL=postgres://u:pw@h/db":           "pw url DATABASE_PASSWORD",
		"AUTH_HEADER=Bearer abc123def456":             "abc123def456 shape AUTH_HEADER",
		"ANYTHING=" + rnd:                             rnd + " entropy? ANYTHING",
		"SECRET=550e8400-e29b-41d4-a716-446655440000": "550e8400-e29b-41d4-a716-446655440000 name SRV_SECRET",
		"HOOK=https://h/hook?token=abcdefgh&x=1":      "abcdefgh name SRV_TOKEN",

		"GITHUB_TOKEN=":                           "",
		"GITHUB_TOKEN=${secret:X}":                "",
		"GITHUB_TOKEN=<your token>":               "",
		"GITHUB_TOKEN=YOUR_TOKEN_HERE":            "",
		"GITHUB_TOKEN=your-api-key":               "",
		"GITHUB_TOKEN=••••":                       "",
		"GITHUB_TOKEN=xxx":                        "",
		"GITHUB_TOKEN=$TOKEN":                     "",
		"MAX_TOKENS=4096":                         "",
		"TOKEN_LIMIT=100000":                      "",
		"KEY_FILE=/home/u/.ssh/id_ed25519":        "",
		"PRIVATE_KEY=/home/u/key.pem":             "",
		"PRIVATE_KEY=~/key.pem":                   "",
		`PRIVATE_KEY=C:\keys\my.pem`:              "",
		"TOKEN_URL=https://auth.example/token":    "",
		"REQUIRE_PASSWORD=true":                   "",
		"AUTH_TYPE=oauth":                         "",
		"PUBLIC_KEY=abcdef":                       "",
		"KEYBOARD=us":                             "",
		"MONKEY=x":                                "",
		"PWD=work":                                "",
		"ID=550e8400-e29b-41d4-a716-446655440000": "",
		"COMMIT=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08": "",
		"VERSION=1.2.3-beta.4+build.5678901234":                                   "",
		"IMAGE=ghcr.io/github/github-mcp-server:v0.9.1":                           "",
		"HOME=/home/ada/some/Long/Path/with/Many0123456789/Parts":                 "",
		"URL=https://example.com/api/v1/things?limit=100&sort=name":               "",
		"URL=http://user@localhost:8080/x":                                        "",
		"LIST=alpha,beta,gamma,delta,epsilon1":                                    "",
		"MODEL=claude-sonnet-4-5-20250929-thinking":                               "",
		"PACKAGE=@modelcontextprotocol/server-filesystem@2025.8.21":               "",
		"LOG=a-very-long-name-of-some-thing-with-number-42":                       "",
		"DATE=2026-12-01T10:11:12.345Z":                                           "",
	} {
		key, value, _ := strings.Cut(variable, "=")
		check(t, variable, Entry{Server: "srv", Env: map[string]string{key: value}}, want)
	}
}

func check(t *testing.T, what string, e Entry, want string) {
	t.Helper()
	if got := strings.Join(found(e), "; "); got != want {
		t.Errorf("%s: found %q, want %q", what, got, want)
	}
}

func TestArguments(t *testing.T) {
	for line, want := range map[string]string{
		"npx -y pkg --api-key abc123":                              "abc123 name SRV_API_KEY",
		"npx -y pkg --api-key=abc123 --port 8080":                  "abc123 name SRV_API_KEY",
		"npx pkg --token abc123 --password=def456":                 "abc123 name SRV_TOKEN; def456 name SRV_PASSWORD",
		"npx pkg -token abc123":                                    "abc123 name SRV_TOKEN",
		"docker run -i --rm -e TOKEN=abc123 img":                   "abc123 name SRV_TOKEN",
		"docker run --env=TOKEN=abc123 img":                        "abc123 name SRV_TOKEN",
		"docker run -eTOKEN=abc123 img":                            "abc123 name SRV_TOKEN",
		"docker run -e TOKEN img":                                  "",
		"docker run -e TZ=Europe/Berlin -e DEBUG=1 img":            "",
		"env TOKEN=abc123 server":                                  "abc123 name SRV_TOKEN",
		"npx mcp-remote https://h/mcp --header Authorization:_abc": "_abc header SRV_TOKEN",
		"npx mcp-remote https://h/mcp?api_key=abcdefghijkl":        "abcdefghijkl name SRV_API_KEY",
		"server postgresql://ada:pw@localhost:5432/db":             "pw url SRV_PASSWORD",
		"server sk-abcdefghijklmnop1234":                           "sk-abcdefghijklmnop1234 shape SRV_TOKEN",
		"server " + rnd:                                            rnd + " entropy? SRV_TOKEN",
		"server https://mcp.example/s/" + rnd + "/mcp":             rnd + " entropy? SRV_TOKEN",

		"npx -y @modelcontextprotocol/server-filesystem@2025.8.21 /home/ada/notes":                                "",
		"uvx --from git+https://github.com/o/r@9f86d081884c7d659a2feaa0c55ad015a3bf4f1b srv":                      "",
		"docker run -v /a:/b ghcr.io/o/r@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08": "",
		"server --api-key --verbose":                            "",
		"server --api-key-file /run/key":                        "",
		"server --max-tokens 4096":                              "",
		"server --key-path=./k.pem":                             "",
		"server --session 550e8400-e29b-41d4-a716-446655440000": "",
		"server --token ${secret:X} -e":                         "",
		"server --header":                                       "",
		"node /home/ada/dist/Index0123456789abcdefghijk.js":     "",
	} {
		words := strings.Fields(line)
		check(t, line, Entry{Server: "srv", Command: words[0], Args: words[1:]}, want)
	}
}

func TestHeadersAndURL(t *testing.T) {
	e := Entry{
		Server: "git-hub",
		Headers: map[string]string{
			"Authorization": "Bearer abc", "X-API-Key": "k1", "Cookie": "s=1", "Accept": "application/json", "PRIVATE-TOKEN": "t1",
			"X-Request-Id": "550e8400-e29b-41d4-a716-446655440000", "Content-Type": "text/plain", "X-Empty-Token": "",
		},
		URL: "https://ada:pw@h/mcp?key=abcdefghijklmnop&page=2#key=x",
	}
	check(t, "all", e, "abc header GIT_HUB_TOKEN; s=1 header GIT_HUB_COOKIE; t1 name GIT_HUB_PRIVATE_TOKEN; k1 name GIT_HUB_API_KEY; pw url GIT_HUB_PASSWORD; abcdefghijklmnop name GIT_HUB_KEY")
}

func TestNames(t *testing.T) {
	e := Entry{Server: "My Server!", Env: map[string]string{"API_KEY": "one", "B_TOKEN": "two", "C_TOKEN": "two", strings.Repeat("LONG_", 30) + "KEY": "three"}, Args: []string{"--api-key", "four"}}
	taken := func(name string) bool { return name == "B_TOKEN" }
	var names []string
	for _, f := range Find(e, taken) {
		if !keychain.ValidName(f.Name) || taken(f.Name) {
			t.Errorf("proposed %q", f.Name)
		}
		names = append(names, f.Name)
	}
	want := []string{"MY_SERVER_API_KEY", "B_TOKEN_2", "B_TOKEN_2", strings.Repeat("LONG_", 13)[:64], "MY_SERVER_API_KEY_2"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("got %q", names)
	}
}

func TestMove(t *testing.T) {
	e := Entry{
		Server:  "srv",
		Command: "/usr/bin/docker",
		Args:    []string{"run", "-e", "TOKEN=abc123", "--env=PASS=pw12", "-eKEY=k123", "img", "--dsn", "mysql://u:one1@a/ mysql://u:two2@b/"},
		Env:     map[string]string{"API_KEY": " spaced ", "PLAIN": "x"},
		Headers: map[string]string{"Authorization": "Bearer abc123"},
		URL:     "https://h/?token=ttt1&secret=sss1",
	}
	before, _ := json.Marshal(e)
	got, stored := Move(e, Find(e, nil))
	want := Entry{
		Server:  "srv",
		Command: "/usr/bin/docker",
		Args:    []string{"run", "-e", "TOKEN", "--env=PASS", "-eKEY", "img", "--dsn", "mysql://u:${secret:SRV_PASSWORD}@a/ mysql://u:${secret:SRV_PASSWORD_2}@b/"},
		Env:     map[string]string{"API_KEY": " ${secret:SRV_API_KEY} ", "PLAIN": "x", "TOKEN": "${secret:SRV_TOKEN}", "PASS": "${secret:SRV_PASS}", "KEY": "${secret:SRV_KEY}"},
		Headers: map[string]string{"Authorization": "Bearer ${secret:SRV_TOKEN}"},
		URL:     "https://h/?token=${secret:SRV_TOKEN_2}&secret=${secret:SRV_SECRET}",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if after, _ := json.Marshal(e); string(after) != string(before) {
		t.Error("the draft itself was changed")
	}
	if len(stored) != 8 {
		t.Errorf("to store: %v", stored)
	}
	if again := Find(got, nil); len(again) != 0 {
		t.Errorf("found again: %+v", again)
	}
	// What is moved shows nothing, however it is printed.
	if text := fmt.Sprintf("%v %+v %#v", stored, Find(e, nil), stored); strings.Contains(text, "abc123") || strings.Contains(text, "sss1") {
		t.Errorf("printed: %s", text)
	}
}

func FuzzMove(f *testing.F) {
	f.Add("docker", "-e", "TOKEN=abc123", "API_KEY", "x", "https://u:p@h/?key=abcdefghijklmn")
	f.Add("x", "--header", "Authorization: Bearer abc", "Y", "Basic dXNlcjpwYXNz", "a://b")
	f.Fuzz(func(t *testing.T, command, a, b, key, value, address string) {
		e := Entry{Server: "s", Command: command, Args: []string{a, b}, Env: map[string]string{key: value}, Headers: map[string]string{key: value}, URL: address}
		findings := Find(e, nil)
		moved, stored := Move(e, findings)
		values := map[string]string{}
		for _, s := range stored {
			if !keychain.ValidName(s.Name) || s.Value.IsZero() {
				t.Fatalf("to store: %q, empty %v", s.Name, s.Value.IsZero())
			}
			values[s.Name] = s.Value.Reveal()
		}
		back := func(s string) string {
			for name, v := range values {
				s = strings.ReplaceAll(s, keychain.Ref(name), v)
			}
			return s
		}
		if back(moved.URL) != e.URL || back(moved.Env[key]) != value || back(moved.Headers[key]) != value {
			t.Fatalf("%+v from %+v", moved, e)
		}
	})
}
