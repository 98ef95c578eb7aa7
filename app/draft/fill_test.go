package draft

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
)

func number(f float64) *float64 { return &f }

func sample() *Draft {
	return &Draft{
		Name: "db", Install: wire.InstallNPM, Package: "db", Command: "npx",
		Args: []Arg{
			{Value: Literal("-y")}, {Value: Literal("db@1.0.0")},
			{Flag: "--url", Value: Text{{Text: "https://"}, {Input: "host"}, {Text: "/"}}, Optional: true},
			{Flag: "--port", Value: Of("port"), Optional: true},
			{Flag: "--dir", Each: "dirs"},
			{Flag: "--verbose", Switch: "verbose"},
			{Flag: "-e", Value: Literal("KEY"), With: "KEY"},
		},
		Env: []Var{{Name: "KEY", Value: Of("key"), Optional: true}, {Name: "MODE", Value: Of("mode"), Optional: true}, {Name: "PLAIN", Value: Literal("${x}")}},
		Inputs: []wire.Input{
			{Name: "host", Kind: wire.InputString}, {Name: "port", Kind: wire.InputNumber, Min: number(1), Max: number(65535)},
			{Name: "dirs", Kind: wire.InputDirectory, Multiple: true}, {Name: "verbose", Kind: wire.InputBool},
			{Name: "key", Kind: wire.InputString, Secret: true}, {Name: "mode", Kind: wire.InputChoice, Choices: []string{"ro", "rw"}, Default: []string{"ro"}, Required: true},
		},
	}
}

func line(e wire.Entry) string {
	s := e.Command + " " + strings.Join(e.Args, " ") + " |"
	var names []string
	for name := range e.Env {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s += " " + name + "=" + e.Env[name]
	}
	return s
}

func TestFill(t *testing.T) {
	for _, c := range []struct {
		name   string
		inputs map[string][]string
		want   string
	}{
		{"defaults", nil, "npx -y db@1.0.0 | MODE=ro PLAIN=$${x}"},
		{"everything", map[string][]string{"host": {"h"}, "port": {"80"}, "dirs": {"/a b", "~/c"}, "verbose": {"yes"}, "key": {"s3cr3t"}, "mode": {"rw"}},
			"npx -y db@1.0.0 --url https://h/ --port 80 --dir /a b --dir ~/c --verbose -e KEY | KEY=${secret:DB_KEY} MODE=rw PLAIN=$${x}"},
		{"what looks like a reference", map[string][]string{"host": {"${env:HOME}"}, "verbose": {"false"}}, "npx -y db@1.0.0 --url https://$${env:HOME}/ | MODE=ro PLAIN=$${x}"},
		{"a secret that is kept already", map[string][]string{"key": {"${secret:MINE}"}}, "npx -y db@1.0.0 -e KEY | KEY=${secret:MINE} MODE=ro PLAIN=$${x}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := Fill(sample(), Values{Inputs: c.inputs})
			if err != nil {
				t.Fatal(err)
			}
			if got := line(f.Entry); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if strings.Contains(fmt.Sprintf("%+v", f), "s3cr3t") {
				t.Error("a secret is printed")
			}
		})
	}
}

func TestFillRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		inputs map[string][]string
		want   string
	}{
		{"a word for a number", map[string][]string{"port": {"x"}}, "port must be a number."},
		{"too large", map[string][]string{"port": {"70000"}}, "port must be at most 65535."},
		{"not a number", map[string][]string{"port": {"NaN"}}, "port must be a number."},
		{"no choice", map[string][]string{"mode": {"x"}}, "mode must be one of ro, rw."},
		{"required", map[string][]string{"mode": {""}}, "mode has no value."},
		{"unknown", map[string][]string{"nope": {"1"}}, `there is no input "nope".`},
		{"two values", map[string][]string{"host": {"a", "b"}}, "host takes one value, not 2."},
		{"neither", map[string][]string{"verbose": {"maybe"}}, "verbose must be true or false."},
		{"zero byte", map[string][]string{"host": {"a\x00"}}, "host has a zero byte in it."},
		{"long", map[string][]string{"host": {strings.Repeat("a", maxValue+1)}}, "host is longer than 64 KiB."},
		{"a path of lines", map[string][]string{"dirs": {"/a\n/b"}}, "dirs can't be a path: it has a line break in it."},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Fill(sample(), Values{Inputs: c.inputs})
			if e := wire.AsError(err); err == nil || e.Code != wire.CodeBadInput || e.Message != c.want {
				t.Fatalf("%v, want %q", err, c.want)
			}
		})
	}
	d := sample()
	d.Block("It is a template.")
	if _, err := Fill(d, Values{}); wire.AsError(err).Code != wire.CodeBadDraft {
		t.Errorf("a blocked draft: %v", err)
	}
	if _, err := Fill(sample(), Values{Name: "a__b"}); wire.AsError(err).Code != wire.CodeBadName {
		t.Errorf("a bad name: %v", err)
	}
}

// A secret that nobody had declared as one went into the config in plain text.
func TestUndeclaredSecrets(t *testing.T) {
	d := &Draft{Name: "dt", Command: "npx", Env: []Var{{Name: "DT_PLATFORM_TOKEN", Value: Of("DT_PLATFORM_TOKEN"), Optional: true}}, Inputs: []wire.Input{{Name: "DT_PLATFORM_TOKEN", Kind: wire.InputString}}}
	f, err := Fill(d, Values{Inputs: map[string][]string{"DT_PLATFORM_TOKEN": {"dt0s16.ABCDEFGH.0123456789abcdef"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Entry.Env["DT_PLATFORM_TOKEN"]; got != "${secret:DT_PLATFORM_TOKEN}" || len(f.Secrets) != 1 {
		t.Errorf("entry has %q, %d secrets", got, len(f.Secrets))
	}
}

// Two servers with an input of one name shared a secret: the second replaced the first's.
func TestSecretNamesThatAreTaken(t *testing.T) {
	f, err := Fill(sample(), Values{Inputs: map[string][]string{"key": {"v"}}, Taken: func(name string) bool { return name == "DB_KEY" || name == "DB_KEY_2" }})
	if err != nil || f.Secrets[0].Name != "DB_KEY_3" {
		t.Fatal(f, err)
	}
}

func TestRecognize(t *testing.T) {
	for line, want := range map[string]Package{
		"npx -y @a/b@1.2.3 x":                    {"npm", "@a/b", "1.2.3", true, 1},
		"npx -y b":                               {"npm", "b", "", false, 1},
		"npx -y b@latest":                        {"npm", "b", "latest", false, 1},
		"npx -y b@^1.0.0":                        {"npm", "b", "^1.0.0", false, 1},
		"npx -y -p b@1.0.0 bin":                  {"npm", "b", "1.0.0", true, 2},
		"npx -y github:o/r":                      {"npm", "github:o/r", "", false, 1},
		"pnpm dlx b@2.0.0":                       {"npm", "b", "2.0.0", true, 1},
		"uvx a==1.0":                             {"pypi", "a", "1.0", true, 0},
		"uvx --python 3.12 --from a[x]==1.0 srv": {"pypi", "a", "1.0", true, 3},
		"uv tool run a@1.1":                      {"pypi", "a", "1.1", true, 2},
		"docker run -i --rm -e A -v /a:/b g.io/x:1.2 y": {"oci", "g.io/x", "1.2", true, 7},
		"docker run -i x@sha256:ab":                     {"oci", "x", "sha256:ab", true, 2},
		"docker run -i localhost:5000/x":                {"oci", "localhost:5000/x", "", false, 2},
		"dnx P@1.0.0-beta --yes":                        {"nuget", "P", "1.0.0-beta", true, 0},
		"go run example.com/x@v1.2.3":                   {"go", "example.com/x", "v1.2.3", true, 1},
		"/opt/x a":                                      {"binary", "", "", false, -1},
	} {
		words := strings.Fields(line)
		if got := Recognize(words[0], words[1:]); got != want {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestDescribe(t *testing.T) {
	d := &Draft{Command: "docker", Args: Literals("run", "-i", "-v", "/var/run/docker.sock:/s", "--network=host", "-p", "80:80", "--privileged", "x:1.0")}
	d.Describe()
	if len(d.Warnings) != 4 || !slices.Contains(d.May, "Its container sees /var/run/docker.sock of this computer.") {
		t.Errorf("%q %q", d.Warnings, d.May)
	}
	d = &Draft{Command: "bash", Args: Literals("-c", "x")}
	d.Describe()
	if len(d.Warnings) != 1 {
		t.Errorf("a shell: %q", d.Warnings)
	}
}
