package serverjson

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/wire"
)

var update = flag.Bool("update", false, "write what the real files give")

// TestRealFiles: each line of testdata/want.txt is a draft, or why it is refused.
func TestRealFiles(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.json")
	if len(files) != 25 {
		t.Fatalf("%d files, want 25", len(files))
	}
	var got bytes.Buffer
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "# %s\n", filepath.Base(file))
		s, err := Parse(data)
		var list []*draft.Draft
		if err == nil {
			list, err = s.Drafts(wire.DraftSource{Kind: wire.SourceRegistry})
		}
		if err != nil {
			fmt.Fprintf(&got, "refused: %s\n", err)
		}
		for _, d := range list {
			fmt.Fprintln(&got, show(d))
		}
		if !IsServer(data) {
			t.Errorf("%s isn't recognised", file)
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
		var a, b string
		if i < len(have) {
			a = have[i]
		}
		if i < len(expected) {
			b = expected[i]
		}
		if a != b {
			t.Errorf("line %d\ngot  %s\nwant %s", i+1, a, b)
		}
	}
}

func open(t *testing.T, data []byte) []*draft.Draft {
	t.Helper()
	s, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Drafts(wire.DraftSource{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func run(t *testing.T, d *draft.Draft, inputs map[string][]string) string {
	t.Helper()
	f, err := draft.Fill(d, draft.Values{Inputs: inputs})
	if err != nil {
		t.Fatal(err)
	}
	out := strings.Join(append([]string{f.Entry.Command}, f.Entry.Args...), " ")
	var names []string
	for name := range f.Entry.Env {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		out += " | " + name + "=" + f.Entry.Env[name]
	}
	return out
}

func TestFilled(t *testing.T) {
	for _, c := range []struct {
		file, install string
		inputs        map[string][]string
		want          string
	}{
		{"hashicorp__terraform-mcp-server.json", "oci", nil, "docker run -i --rm -e TFE_ADDRESS=https://app.terraform.io -e ENABLE_TF_OPERATIONS=false docker.io/hashicorp/terraform-mcp-server:1.2.0"},
		{"hashicorp__terraform-mcp-server.json", "oci", map[string][]string{"token": {"s3"}, "enabled": {"true"}},
			"docker run -i --rm -e TFE_ADDRESS=https://app.terraform.io -e TFE_TOKEN -e ENABLE_TF_OPERATIONS=true docker.io/hashicorp/terraform-mcp-server:1.2.0 | TFE_TOKEN=${secret:TERRAFORM_TFE_TOKEN}"},
		{"awslabs__mcp__src_ecs-mcp-server_server.json", "pypi", nil, "uvx mcp-proxy-for-aws==1.1.1 https://ecs-mcp.us-east-1.api.aws/mcp --service ecs-mcp --profile default --region us-east-1"},
		{"ChromeDevTools__chrome-devtools-mcp.json", "npm", nil, "npx -y chrome-devtools-mcp@1.7.0"},
		{"firecrawl__firecrawl-mcp-server.json", "npm", nil, "npx -y firecrawl-mcp@3.24.0"},
		{"upstash__context7.json", "remote", map[string][]string{"Authorization": {"Bearer k"}}, "npx -y " + draft.McpRemote + " https://mcp.context7.com/mcp --transport http-only --header Authorization:$${HEADER_AUTHORIZATION} | HEADER_AUTHORIZATION=${secret:CONTEXT7_HEADER_AUTHORIZATION}"},
		{"upstash__context7.json", "remote", nil, "npx -y " + draft.McpRemote + " https://mcp.context7.com/mcp --transport http-only"},
	} {
		data, err := os.ReadFile("testdata/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		list := open(t, data)
		i := slices.IndexFunc(list, func(d *draft.Draft) bool { return d.Install == c.install })
		if got := run(t, list[i], c.inputs); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.file, got, c.want)
		}
	}
}

// wrap is a server with one package.
func wrap(kind, identifier, rest string) []byte {
	return fmt.Appendf(nil, `{"name":"x.y/thing","version":"1.0.0","packages":[{"registryType":%q,"identifier":%q,"version":"1.2.3"%s}]}`, kind, identifier, rest)
}

func TestPackages(t *testing.T) {
	for _, c := range []struct {
		name   string
		data   []byte
		inputs map[string][]string
		want   string
	}{
		{"nuget", wrap("nuget", "P", `,"packageArguments":[{"type":"positional","value":"start"}]`), nil, "dnx P@1.2.3 --yes -- start"},
		{"go", wrap("go", "example.com/x", ""), nil, "go run example.com/x@v1.2.3"},
		{"-y is there", wrap("npm", "p", `,"runtimeArguments":[{"type":"named","name":"-y"}]`), nil, "npx -y p@1.2.3"},
		{"bunx", wrap("npm", "p", `,"runtimeHint":"bunx"`), nil, "bunx p@1.2.3"},
		{"an old image", wrap("oci", "ghcr.io/a/b", ""), nil, "docker run -i --rm ghcr.io/a/b:1.2.3"},
		{"a digest", wrap("oci", "ghcr.io/a/b@sha256:00", ""), nil, "docker run -i --rm ghcr.io/a/b@sha256:00"},
		{"a port", wrap("oci", "a/b:1", `,"runtimeArguments":[{"type":"named","name":"-p","value":"80:80"}]`), nil, "docker run -i --rm -p 127.0.0.1:80:80 a/b:1"},
		{"a home folder", wrap("oci", "a/b:1", `,"runtimeArguments":[{"type":"named","name":"-v","isRequired":true}]`), map[string][]string{"v": {"~/x:/x"}}, "docker run -i --rm -v ~/x:/x a/b:1"},
		{"repeated", wrap("npm", "p", `,"packageArguments":[{"type":"named","name":"--dir","isRepeated":true,"format":"filepath"}]`), map[string][]string{"dir": {"/a", "/b"}}, "npx -y p@1.2.3 --dir /a --dir /b"},
		{"optional", wrap("npm", "p", `,"packageArguments":[{"type":"named","name":"--dir","description":"d"},{"type":"positional","valueHint":"file"}]`), nil, "npx -y p@1.2.3"},
		{"a switch", wrap("npm", "p", `,"packageArguments":[{"type":"named","name":"--fast","format":"boolean"}]`), map[string][]string{"fast": {"true"}}, "npx -y p@1.2.3 --fast"},
		{"unknown braces stay", wrap("npm", "p", `,"packageArguments":[{"type":"positional","value":"{a} {b}","variables":{"b":{"default":"x"}}}]`), nil, "npx -y p@1.2.3 {a} x"},
		{"ours are literal", wrap("npm", "p", `,"packageArguments":[{"type":"positional","value":"${env:HOME}"}]`), nil, "npx -y p@1.2.3 $${env:HOME}"},
		{"snake case", []byte(`{"name":"x.y/z","version_detail":{"version":"1"},"packages":[{"registry_type":"npm","identifier":"p","version":"1.0.0","environment_variables":[{"name":"A_B","is_required":true,"default":8080},{"name":"C","value":"{some_name}","variables":{"some_name":{"is_secret":true}}}]}]}`),
			map[string][]string{"some_name": {"q"}}, "npx -y p@1.0.0 | A_B=8080 | C=${secret:Z_C}"},
		{"from an answer", []byte(`{"server":` + string(wrap("npm", "p", "")) + `,"_meta":{}}`), nil, "npx -y p@1.2.3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := open(t, c.data)
			if got := run(t, list[0], c.inputs); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestRefusedPackages(t *testing.T) {
	for _, c := range []struct{ kind, identifier, rest, want string }{
		{"cargo", "p", "", "cargo install --locked p --version 1.2.3"},
		{"brew", "p", "", `a package of "brew"`},
		{"npm", "-p", "", "take for an option"},
		{"npm", "a b", "", "has a space"},
		{"npm", "", "", "has no name"},
		{"mcpb", "http://x.example/a.mcpb", "", "https://"},
		{"mcpb", "https://x.example/a.mcpb", `,"fileSha256":"12"`, "which is none"},
		{"npm", "p", `,"transport":{"type":"sse","url":"http://x"}`, "speaks sse"},
		{"npm", "p", `,"environmentVariables":[{"name":"A=B"}]`, "no name that a variable"},
	} {
		d := open(t, wrap(c.kind, c.identifier, c.rest))[0]
		if got := strings.Join(d.Blocked, " "); !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %q, want %q", c.kind, c.identifier, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"{":                           "isn't JSON",
		"[]":                          "no object",
		`{"packages":[]}`:             "no name",
		`{"name":"a/b"} x`:            "behind its end",
		`{"name":"a/b","packages":3}`: "another kind",
		`{"name":` + strings.Repeat(`[`, 50) + strings.Repeat(`]`, 50) + `}`: "within each other",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || wire.AsError(err).Code != wire.CodeBadDraft {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestIsServer(t *testing.T) {
	for text, want := range map[string]bool{
		`{"name":"a","packages":[]}`:                                    true,
		`{"server":{"name":"a","remotes":[]}}`:                          true,
		`{"name":"a","command":"x"}`:                                    false,
		`{"mcpServers":{}}`:                                             false,
		`{"$schema":"https://x/schemas/2025-12-11/server.schema.json"}`: true,
	} {
		if IsServer([]byte(text)) != want {
			t.Error(text)
		}
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.json")
	for _, file := range files {
		data, _ := os.ReadFile(file)
		f.Add(data)
	}
	f.Add(wrap("oci", "a", `,"runtimeArguments":[{"type":"named","name":"-e","value":"A={b}","isSecret":true,"variables":{"b":{}}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse(data)
		if err != nil {
			return
		}
		list, err := s.Drafts(wire.DraftSource{})
		if err != nil {
			return
		}
		for _, d := range list {
			d.Wire()
			values := map[string][]string{}
			for _, in := range d.Inputs {
				values[in.Name] = []string{"1"}
			}
			_, _ = draft.Fill(d, draft.Values{Inputs: values})
		}
	})
}
