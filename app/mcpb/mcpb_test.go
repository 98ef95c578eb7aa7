package mcpb

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/wire"
)

var update = flag.Bool("update", false, "write what the real manifests give")

// show is a draft in one line: what runs, variables, inputs; or why not.
func show(d *draft.Draft) string {
	if len(d.Blocked) > 0 {
		return fmt.Sprintf("%s refused: %s", d.Name, strings.Join(d.Blocked, " "))
	}
	w := d.Wire()
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", d.Name, strings.Join(append([]string{w.Command}, w.Args...), " "))
	if len(d.Env) > 0 {
		b.WriteString(" |")
		for _, v := range d.Env {
			b.WriteString(" " + v.Name + "=" + v.Value.String())
		}
	}
	for _, in := range w.Inputs {
		b.WriteString(" ?" + in.Name)
		if in.Kind != wire.InputString {
			b.WriteString(":" + in.Kind)
		}
		for _, mark := range []struct {
			on   bool
			sign string
		}{{in.Secret, "!"}, {in.Required, "*"}, {in.Multiple, "+"}, {len(in.Default) > 0, "=" + strings.Join(in.Default, ",")}} {
			if mark.on {
				b.WriteString(mark.sign)
			}
		}
	}
	for _, note := range d.Warnings {
		b.WriteString(" !! " + note)
	}
	return b.String()
}

// TestRealManifests: each line of testdata/want.txt is a manifest's draft on one
// system, or why it is refused there.
func TestRealManifests(t *testing.T) {
	files, _ := filepath.Glob("testdata/manifests/*.json")
	if len(files) != 27 {
		t.Fatalf("%d manifests, want 27", len(files))
	}
	var got bytes.Buffer
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "# %s\n", filepath.Base(file))
		m, err := ParseManifest(data)
		if err != nil {
			fmt.Fprintf(&got, "refused: %s\n", err)
			continue
		}
		lines := map[string]bool{}
		for _, o := range []Options{{GOOS: "linux", Home: "/home/ann", Dir: "/B"}, {GOOS: "darwin", Home: "/home/ann", Dir: "/B"}, {GOOS: "windows", Home: `C:\ann`, Dir: `C:\B`}} {
			if line := show(m.Draft(o)); !lines[line] {
				lines[line] = true
				fmt.Fprintf(&got, "%s %s\n", o.GOOS, line)
			}
		}
	}
	if *update {
		if err := os.WriteFile("testdata/want.txt", got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/want.txt")
	if err != nil {
		t.Fatal(err)
	}
	have, expected := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(have), len(expected)) {
		if i >= len(have) || i >= len(expected) || have[i] != expected[i] {
			t.Fatalf("line %d\ngot  %q\nwant %q", i+1, have[min(i, len(have)-1)], expected[min(i, len(expected)-1)])
		}
	}
}

func TestBundles(t *testing.T) {
	for _, c := range []struct{ file, sha, signature string }{
		{"node-notes.mcpb", "04830ce99e20cb03", "not signed"},
		{"node-notes.signed.mcpb", "cc63483559f8f1bb", "signed by “"},
		{"override-clock.mcpb", "53cab69903190b6f", "not signed"},
	} {
		data, err := os.ReadFile("testdata/bundles/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		b, err := OpenBytes(data)
		if err != nil {
			t.Fatalf("%s: %s", c.file, err)
		}
		if !strings.HasPrefix(b.SHA256, c.sha) || !strings.HasPrefix(b.Signature, c.signature) {
			t.Errorf("%s: sha256 %s, %s", c.file, b.SHA256, b.Signature)
		}
		if d := b.Draft(Options{GOOS: "linux", Home: "/home/ann", Dir: "/B"}); len(d.Blocked) > 0 {
			t.Errorf("%s: %v", c.file, d.Blocked)
		}
	}
}

// A setting without a value reached the server as the text ${user_config.region}.
func TestUnsetSettings(t *testing.T) {
	data, err := os.ReadFile("testdata/bundles/node-notes.mcpb")
	if err != nil {
		t.Fatal(err)
	}
	b, err := OpenBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	d := b.Draft(Options{GOOS: "linux", Home: "/home/ann", Dir: "/B"})
	f, err := draft.Fill(d, draft.Values{Inputs: map[string][]string{"token": {"t0k3n"}, "note_dirs": {"/a", "/b c"}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.Entry.Args, f.Entry.Env); got != "[/B/server/index.js /a /b c] map[NOTES_TOKEN:${secret:SAMPLE_NOTES_NOTES_TOKEN} NOTES_VERBOSE:false]" {
		t.Error(got)
	}
	if _, err := draft.Fill(d, draft.Values{}); wire.AsError(err).Code != wire.CodeBadInput {
		t.Errorf("without the token: %v", err)
	}
	if f, err = draft.Fill(d, draft.Values{Inputs: map[string][]string{"token": {"t"}}}); err != nil || f.Entry.Args[1] != "/home/ann/Documents" {
		t.Errorf("the default: %v %v", f, err)
	}
}

func manifest(rest string) []byte {
	return []byte(`{"manifest_version":"0.3","name":"x","version":"1.0.0",` + rest + `}`)
}

func TestCommands(t *testing.T) {
	has := func(name string) bool { return name == "run.exe" || name == "a/b.js" }
	for _, c := range []struct{ goos, rest, want string }{
		{"linux", `"server":{"type":"binary","mcp_config":{"command":"${__dirname}/../x"}}`, "lies outside"},
		{"linux", `"server":{"type":"binary","mcp_config":{"command":"${__dirname}/gone"}}`, `"gone" isn't in the bundle`},
		{"windows", `"server":{"type":"binary","mcp_config":{"command":"${__dirname}/run"}}`, `x: C:\B\run.exe`},
		{"linux", `"server":{"type":"node","mcp_config":{"command":"node","args":["${__dirname}/gone.js"]}}`, `"gone.js", which isn't in the bundle`},
		{"linux", `"server":{"type":"node","mcp_config":{"command":"${user_config.a}"}},"user_config":{"a":{"type":"string"}}`, "would depend on a setting"},
		{"linux", `"server":{"type":"node","mcp_config":{"command":"node","args":["${NOPE}"]}}`, "has ${NOPE} in argument 1"},
		{"linux", `"server":{"type":"node","mcp_config":{"command":"node","args":["${user_config.b}"]}}`, "uses the setting b in argument 1"},
		{"linux", `"server":{"type":"node","mcp_config":{"command":"/bin/sh","args":["-c","x"]}}`, "no part of the bundle. !! It runs a shell"},
		{"linux", `"server":{"type":"python","entry_point":"a/b.js"}`, "x: python3 /B/a/b.js | PYTHONPATH=/B/server/lib"},
		{"linux", `"server":{"type":"node","mcp_config":{"command":"node","args":["--k","${user_config.a}","--j=${user_config.a}"]}},"user_config":{"a":{"type":"string","sensitive":true}}`, "secret a stands in its command line"},
		{"linux", `"server":{"type":"node","mcp_config":{"command":"node","env":{"A B":"x"}}}`, "no name that a variable"},
	} {
		m, err := ParseManifest(manifest(c.rest))
		if err != nil {
			t.Fatal(err)
		}
		o := Options{GOOS: c.goos, Home: "/h", Dir: "/B", Has: has}
		if c.goos == "windows" {
			o.Dir = `C:\B`
		}
		if got := show(m.Draft(o)); !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot  %s\nwant %s", c.rest, got, c.want)
		}
	}
}

func TestBadManifests(t *testing.T) {
	for text, want := range map[string]string{
		`{`: "can't be read", `{"name":"x"}`: "no manifest_version", `{"manifest_version":"1.0"}`: "version \"1.0\"", `{"manifest_version":"0.1"}`: "no name",
		`{"manifest_version":"0.1","name":"x"}`:                                                                                                             "no version",
		`{"manifest_version":"0.1","name":"x","version":"1","server":{"type":"perl"}}`:                                                                      "type \"perl\"",
		`{"manifest_version":"0.1","name":"x","version":"1","server":{"type":"node"}}`:                                                                      "nothing of what to run",
		`{"manifest_version":"0.1","name":"x","version":"1","server":{"type":"node","entry_point":"a"},"user_config":{"a":{"type":"color"}}}`:               "\"color\", which isn't known",
		`{"manifest_version":"0.1","name":"x","version":"1","server":{"type":"node","entry_point":"a"},"user_config":{"a b":{"type":"string"}}}`:            "no name that can be used",
		`{"manifest_version":"0.1","name":"x","version":"1","server":{"type":"node","entry_point":"a"},"user_config":{"a":{"type":"string","default":{}}}}`: "an object where a text",
	} {
		if _, err := ParseManifest([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || wire.AsError(err).Code != wire.CodeBadBundle {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzManifest(f *testing.F) {
	files, _ := filepath.Glob("testdata/manifests/*.json")
	for _, file := range files {
		data, _ := os.ReadFile(file)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseManifest(data)
		if err != nil {
			return
		}
		for _, o := range []Options{{GOOS: "linux", Home: "/h", Dir: "/B"}, {GOOS: "windows", Home: `C:\h`, Dir: `C:\B`}} {
			d := m.Draft(o)
			d.Wire()
			values := map[string][]string{}
			for _, in := range d.Inputs {
				values[in.Name] = []string{"1"}
			}
			_, _ = draft.Fill(d, draft.Values{Inputs: values})
		}
	})
}
