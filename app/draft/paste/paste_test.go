package paste

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/wire"
)

// show is a draft in one line: NAME: command, variables, inputs, address.
func show(d *draft.Draft) string {
	w := d.Wire()
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", w.Name, w.Command)
	for _, a := range w.Args {
		b.WriteString(" " + a)
	}
	if len(d.Env) > 0 {
		b.WriteString(" |")
		for _, v := range d.Env {
			b.WriteString(" " + v.Name + "=" + v.Value.String())
		}
	}
	for _, in := range w.Inputs {
		b.WriteString(" ?" + in.Name)
		if in.Secret {
			b.WriteString("!")
		}
	}
	return b.String()
}

func encoded(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) }

const remote = "npx -y " + draft.McpRemote + " "

var samples = []struct{ name, text, want, install string }{
	{"the usual JSON", `{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv"]}}}`,
		"files: npx -y @modelcontextprotocol/server-filesystem /srv", "npm"},
	{"a fragment with a trailing comma", `"files": {"command": "npx", "args": ["-y", "pkg@1.2.3"]},`, "files: npx -y pkg@1.2.3", "npm"},
	{"VS Code with inputs", `{"inputs": [{"type": "promptString", "id": "key", "description": "API key", "password": true}], "servers": {"perplexity": {"type": "stdio", "command": "npx", "args": ["-y", "p"], "env": {"PERPLEXITY_API_KEY": "${input:key}"}}}}`,
		"perplexity: npx -y p | PERPLEXITY_API_KEY=<key> ?key!", "npm"},
	{"a README's placeholder", `{"mcpServers":{"gh":{"command":"docker","args":["run","-i","--rm","-e","GITHUB_PERSONAL_ACCESS_TOKEN","ghcr.io/github/github-mcp-server"],"env":{"GITHUB_PERSONAL_ACCESS_TOKEN":"<YOUR_TOKEN>"}}}}`,
		"gh: docker run -i --rm -e GITHUB_PERSONAL_ACCESS_TOKEN ghcr.io/github/github-mcp-server | GITHUB_PERSONAL_ACCESS_TOKEN=<GITHUB_PERSONAL_ACCESS_TOKEN> ?GITHUB_PERSONAL_ACCESS_TOKEN!", "oci"},
	{"placeholders in words", `{"command":"uvx","args":["mcp-server-x"],"env":{"API_KEY":"your-api-key-here","ROOT":"/path/to/folder","MODE":"fast"}}`,
		"mcp-server-x: uvx mcp-server-x | API_KEY=<API_KEY> MODE=fast ROOT=<ROOT> ?API_KEY! ?ROOT", "pypi"},
	{"a fence around it", "Add this:\n\n```json\n{\"mcpServers\": {\"a\": {\"command\": \"uvx\", \"args\": [\"a==1.0\"]}}}\n```\n\nThen restart.", "a: uvx a==1.0", "pypi"},
	{"opencode", `{"mcp": {"x": {"type": "local", "command": ["npx", "-y", "x@1.0.0"], "environment": {"A": "1"}}}}`, "x: npx -y x@1.0.0 | A=1", "npm"},
	{"a comment first", "// for Claude\n{\"mcpServers\": {\"a\": {\"command\": \"/opt/a\"}}}", "a: /opt/a", "binary"},
	{"a server on the net", `{"mcpServers":{"docs":{"url":"https://mcp.example.com/mcp","headers":{"Authorization":"Bearer <token>"}}}}`,
		"docs: " + remote + "https://mcp.example.com/mcp --transport http-only --header Authorization:$${HEADER_AUTHORIZATION} | HEADER_AUTHORIZATION=Bearer <Authorization> ?Authorization!", "remote"},
	{"an old server on the net", `{"type":"sse","url":"https://mcp.example.com/sse"}`, "example-com: " + remote + "https://mcp.example.com/sse --transport sse-only", "remote"},
	{"a URL alone", "https://mcp.example.com/mcp", "example-com: " + remote + "https://mcp.example.com/mcp --transport http-only", "remote"},

	{"a command line", "npx -y @scope/pkg@1.2.3 --port 3", "pkg: npx -y @scope/pkg@1.2.3 --port 3", "npm"},
	{"with a prompt", "$ uvx mcp-server-time --local-timezone=Europe/Berlin", "mcp-server-time: uvx mcp-server-time --local-timezone=Europe/Berlin", "pypi"},
	{"variables in front", `MODE=fast NAME='a b' npx pkg`, "pkg: npx -y pkg | MODE=fast NAME=a b", "npm"},
	{"env in front", `env MODE=fast /opt/x "two words" ''`, "two-words: /opt/x two words  | MODE=fast", "binary"},
	{"over several lines", "docker run -i --rm \\\n  -e TOKEN \\\n  mcp/x:1.0.2", "x-1-0-2: docker run -i --rm -e TOKEN mcp/x:1.0.2", "oci"},
	{"cmd /c", `cmd /c npx -y pkg`, "pkg: npx -y pkg", "npm"},
	{"a placeholder in the line", "npx -y pkg --api-key <YOUR_KEY>", "pkg: npx -y pkg --api-key <api-key> ?api-key!", "npm"},
	{"git", "uvx --from git+https://github.com/a/b@main srv", "b: uvx --from git+https://github.com/a/b@main srv", "pypi"},
	{"claude mcp add", `claude mcp add --scope user my-db -e MODE=ro -- npx -y dbpkg`, "my-db: npx -y dbpkg | MODE=ro", "npm"},
	{"claude mcp add of a URL", `claude mcp add --transport http notion https://mcp.notion.com/mcp`, "notion: " + remote + "https://mcp.notion.com/mcp --transport http-only", "remote"},
	{"claude mcp add-json", `claude mcp add-json w '{"command":"/opt/w","args":["x"]}'`, "w: /opt/w x", "binary"},
	{"code --add-mcp", `code --add-mcp '{"name":"pw","command":"npx","args":["@playwright/mcp@0.0.1"]}'`, "pw: npx -y @playwright/mcp@0.0.1", "npm"},

	{"Cursor", "cursor://anysphere.cursor-deeplink/mcp/install?name=pg&config=" + encoded(`{"command":"npx","args":["-y","pg@1.0.0"]}`), "pg: npx -y pg@1.0.0", "npm"},
	{"Cursor, one text", "https://cursor.com/en/install-mcp?name=pg&config=" + encoded(`{"command":"npx -y pg@1.0.0"}`), "pg: npx -y pg@1.0.0", "npm"},
	{"Cursor, wrapped", "cursor://anysphere.cursor-deeplink/mcp/install?name=pg&config=" + encoded(`{"pg":{"url":"https://x.example/mcp"}}`), "pg: " + remote + "https://x.example/mcp --transport http-only", "remote"},
	{"VS Code", "vscode:mcp/install?" + url.QueryEscape(`{"name":"gh","command":"npx","args":["gh@1.0.0"]}`), "gh: npx -y gh@1.0.0", "npm"},
	{"VS Code, page", "https://vscode.dev/redirect?url=" + url.QueryEscape("vscode:mcp/install?"+url.PathEscape(`{"name":"gh","type":"http","url":"https://x.example/mcp"}`)), "gh: " + remote + "https://x.example/mcp --transport http-only", "remote"},
	{"VS Code, parts", "https://insiders.vscode.dev/redirect/mcp/install?name=k&config=" + url.QueryEscape(`{"command":"npx","args":["k"],"env":{"T":"${input:t}"}}`) + "&inputs=" + url.QueryEscape(`[{"id":"t","type":"promptString","description":"d"}]`), "k: npx -y k | T=<t> ?t", "npm"},
	{"LM Studio", "lmstudio://add_mcp?name=hf&config=" + encoded(`{"url":"https://huggingface.co/mcp"}`), "hf: " + remote + "https://huggingface.co/mcp --transport http-only", "remote"},
	{"Kiro", "https://kiro.dev/launch/mcp/add?name=aws&config=" + url.QueryEscape(`{"command":"uvx","args":["aws@1.2.3"],"autoApprove":["*"]}`), "aws: uvx aws@1.2.3", "pypi"},
	{"Cherry Studio", "cherrystudio://mcp/install?servers=" + encoded(`{"mcpServers":{"c":{"command":"npx","args":["-y","c"]}}}`), "c: npx -y c", "npm"},
	{"goose", "goose://extension?cmd=npx&arg=-y&arg=pkg&id=x&name=My%20Ext&description=D&env=KEY%3Dget%20one", "my-ext: npx -y pkg | KEY=<KEY> ?KEY!", "npm"},
	{"goose, on the net", "goose://extension?url=https%3A%2F%2Fx.example%2Fmcp&type=streamable_http&name=n&header=K%3DV", "n: " + remote + "https://x.example/mcp --transport http-only --header K:$${HEADER_K} | HEADER_K=V", "remote"},
}

func TestTexts(t *testing.T) {
	for _, c := range samples {
		t.Run(c.name, func(t *testing.T) {
			list, err := Parse(c.text, Options{GOOS: "linux", Home: "/home/ann"})
			if err != nil {
				t.Fatal(err)
			}
			if len(list) != 1 {
				t.Fatalf("%d drafts, want 1", len(list))
			}
			if got := show(list[0]); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if list[0].Install != c.install {
				t.Errorf("install %q, want %q", list[0].Install, c.install)
			}
			if len(list[0].Blocked) > 0 {
				t.Errorf("blocked: %v", list[0].Blocked)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", " \n", "nothing in the text"},
		{"two programs", "npx a && npx b", `has a "&" in it`},
		{"a pipe", "curl https://x.example/i.sh | sh", `has a "|" in it`},
		{"a file", "npx a > out", `has a ">" in it`},
		{"an output", "npx a --key $(pass show x)", "output of a command"},
		{"an output in quotes", "npx a \"`id`\"", "output of a command"},
		{"a quote", `npx "a`, "quote that isn't closed"},
		{"lines", "npx a\nnpx b", "several lines"},
		{"broken JSON", `{"mcpServers": {`, "isn't JSON"},
		{"no server", `{"theme": "dark"}`, "no server in this text"},
		{"a link without", "cursor://anysphere.cursor-deeplink/mcp/install?name=x", "no config"},
		{"a link that is no base64", "lmstudio://add_mcp?name=x&config=a*b", "isn't base64"},
		{"a link of another sort", "windsurf://windsurf-mcp-registry?serverName=x", "carries no server"},
		{"goose and a shell", "goose://extension?cmd=bash&arg=-c&arg=id&name=x", "goose itself refuses"},
		{"a link's size", "cursor://x/mcp/install?config=" + strings.Repeat("A", maxLink), "longer than"},
		{"bytes", "npx \xff", "isn't UTF-8"},
		{"variables alone", "A=1 B=2", "no command"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.text, Options{GOOS: "linux"})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %q", err, c.want)
			}
			if e := wire.AsError(err); e.Code != wire.CodeBadDraft {
				t.Errorf("code %s", e.Code)
			}
		})
	}
}

// A secret in a pasted text was shown in the review, and would have gone into the config.
func TestPastedSecretsAreHidden(t *testing.T) {
	const token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	for _, text := range []string{
		`{"mcpServers":{"gh":{"command":"npx","args":["-y","gh"],"env":{"GITHUB_TOKEN":"` + token + `"}}}}`,
		`{"mcpServers":{"gh":{"command":"docker","args":["run","-i","--rm","-e","GITHUB_TOKEN=` + token + `","x"]}}}`,
		`{"mcpServers":{"gh":{"url":"https://x.example/mcp","headers":{"Authorization":"Bearer ` + token + `"}}}}`,
		"GITHUB_TOKEN=" + token + " npx -y gh",
		"npx -y gh --token " + token,
	} {
		list, err := Parse(text, Options{GOOS: "linux"})
		if err != nil {
			t.Fatal(err)
		}
		d := list[0]
		if shown := fmt.Sprintf("%+v %v %+v", d.Wire(), show(d), d.Env); strings.Contains(shown, token) {
			t.Errorf("%s\nshows the secret: %s", text, shown)
		}
		filled, err := draft.Fill(d, draft.Values{})
		if err != nil {
			t.Fatal(err)
		}
		if len(filled.Secrets) != 1 || filled.Secrets[0].Value.Reveal() != token {
			t.Errorf("%s\nkept %v", text, filled.Secrets)
		}
		if strings.Contains(fmt.Sprint(filled.Entry), token) {
			t.Errorf("the entry has the secret: %v", filled.Entry)
		}
	}
}

func TestSeveral(t *testing.T) {
	list, err := Parse(`{"mcpServers":{"a":{"command":"npx","args":["-y","a"]},"b":{"command":"x && y"},"c":{"type":"http"}}}`, Options{GOOS: "linux"})
	if err != nil || len(list) != 3 {
		t.Fatal(list, err)
	}
	if len(list[2].Blocked) == 0 {
		t.Error("an entry without command and URL isn't blocked")
	}
}

func TestBundleAddress(t *testing.T) {
	for text, want := range map[string]bool{"https://x.example/a.mcpb": true, "https://x.example/a.DXT?x=1": true, "https://x.example/mcp": false, "a.mcpb": false, "https://x.example/a.mcpb and": false} {
		if _, ok := Bundle(text); ok != want {
			t.Errorf("%s: %v", text, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range samples {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Parse(text, Options{GOOS: "linux", Home: "/home/ann"})
		if err != nil {
			if wire.AsError(err).Code != wire.CodeBadDraft {
				t.Fatal(err)
			}
			return
		}
		for _, d := range list {
			d.Wire()
			values := map[string][]string{}
			for _, in := range d.Inputs {
				values[in.Name] = []string{"v"}
				if in.Kind == wire.InputChoice {
					values[in.Name] = in.Choices[:min(1, len(in.Choices))]
				}
			}
			_, _ = draft.Fill(d, draft.Values{Inputs: values})
		}
	})
}
