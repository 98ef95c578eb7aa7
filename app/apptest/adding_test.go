package apptest

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bridgekeeper/app/wire"
	"bridgekeeper/test/misbehave"
)

// begin makes the only draft of a source.
func begin(t *testing.T, c *Core, req wire.NewDraft) wire.Draft {
	t.Helper()
	list, err := c.BeginDrafts(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 {
		t.Fatalf("%d drafts, want 1", len(list))
	}
	return list[0]
}

// command is a command line of the test binary in one of misbehave's modes.
func command(t *testing.T, mode string) []string {
	e := Entry(t, mode)
	list := []string{"env"}
	for name, value := range e.Env {
		list = append(list, name+"="+value)
	}
	return append(list, e.Command)
}

func TestAddFromACommand(t *testing.T) {
	c := Start(t, Options{})
	d := begin(t, c, wire.NewDraft{Command: append(command(t, misbehave.Good), "one argument")})
	if d.Install != wire.InstallBinary || len(d.Args) != 1 || d.Args[0] != "one argument" || len(d.Blocked) != 0 {
		t.Fatalf("%+v", d)
	}
	if s := c.Now(); len(s.Servers) != 0 {
		t.Fatal("a draft is a server already")
	}
	r, err := c.ReviewDraft(t.Context(), d.ID, wire.FillDraft{Name: "x"})
	if err != nil || r.Name != "x" || r.Entry.Args[0] != "one argument" || len(r.Lines) == 0 {
		t.Fatalf("%+v %v", r, err)
	}
	added, err := c.AddDraft(t.Context(), d.ID, wire.FillDraft{Name: "x", Trust: wire.TrustFull})
	if err != nil {
		t.Fatal(err)
	}
	if added.State != "ready" || len(added.Tools) == 0 {
		t.Errorf("added %+v", added)
	}
	if _, err := c.Call(t.Context(), "x", wire.CallTool{Tool: "echo", Arguments: json.RawMessage(`{"n":1}`)}); err != nil {
		t.Error(err)
	}
	if _, err := c.AddDraft(t.Context(), d.ID, wire.FillDraft{Name: "y"}); codeOf(err) != wire.CodeNoSuchDraft {
		t.Errorf("a second time: %v", err)
	}
	d = begin(t, c, wire.NewDraft{Command: command(t, misbehave.Good)})
	if _, err := c.AddDraft(t.Context(), d.ID, wire.FillDraft{Name: "x"}); codeOf(err) != wire.CodeServerExists {
		t.Errorf("a name that is taken: %v", err)
	}
	if err := c.DropDraft(t.Context(), d.ID); err != nil {
		t.Error(err)
	}
	if _, err := c.BeginDrafts(t.Context(), wire.NewDraft{Update: "x"}); codeOf(err) != wire.CodeBadDraft {
		t.Errorf("an update of a command: %v", err)
	}
}

// A server that can't start stayed in the config, broken, with its secrets.
func TestAddUndoesWhatFailed(t *testing.T) {
	c := Start(t, Options{Timings: Quick})
	for name, argv := range map[string][]string{
		"exits":   {"sh", "-c", "echo the last words >&2; exit 3"},
		"missing": {"/nowhere/program"},
	} {
		if runtime.GOOS == "windows" && name == "exits" {
			continue
		}
		d := begin(t, c, wire.NewDraft{Command: argv})
		_, err := c.AddDraft(t.Context(), d.ID, wire.FillDraft{Name: name})
		e := wire.AsError(err)
		if err == nil || name == "exits" && (e.Code != wire.CodeServerFailed || !strings.Contains(e.Hint, "the last words")) || name == "missing" && e.Code != wire.CodeMissingProgram && e.Code != wire.CodeServerFailed {
			t.Errorf("%s: %+v", name, e)
		}
		if s := c.Now(); len(s.Servers) != 0 {
			t.Errorf("%s: left %s", name, describe(s))
		}
		if _, err := c.Draft(t.Context(), d.ID); err != nil {
			t.Errorf("%s: the draft is gone, and can't be mended: %v", name, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(c.Home, "bridgekeeper.json"))
	if err == nil && strings.Contains(string(data), "exits") {
		t.Errorf("the config has it:\n%s", data)
	}
}

func TestAddAsksForInputs(t *testing.T) {
	c := Start(t, Options{})
	e := Entry(t, misbehave.Good)
	e.Env["API_KEY"] = "<your key>"
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"My Server": e}})
	if err != nil {
		t.Fatal(err)
	}
	d := begin(t, c, wire.NewDraft{Text: "```json\n" + string(text) + "\n```"})
	if d.Name != "my-server" || len(d.Inputs) != 1 || !d.Inputs[0].Secret {
		t.Fatalf("%+v", d)
	}
	if _, err := c.AddDraft(t.Context(), d.ID, wire.FillDraft{}); codeOf(err) != wire.CodeBadInput {
		t.Errorf("without its key: %v", err)
	}
	added, err := c.AddDraft(t.Context(), d.ID, wire.FillDraft{Values: map[string][]string{"API_KEY": {"s3cr3t-value"}}})
	if err != nil || added.Name != "my-server" {
		t.Fatalf("%+v %v", added, err)
	}
	if s := c.Now(); strings.Contains(fmt.Sprintf("%+v", s), "s3cr3t-value") {
		t.Error("the snapshot shows the key")
	}
}

// bundle is a .mcpb whose program starts the test binary.
func bundle(t *testing.T, version, mode, settings string) []byte {
	t.Helper()
	e := Entry(t, mode)
	env := map[string]string{"TOKEN": "${user_config.token}"}
	for name, value := range e.Env {
		env[name] = value
	}
	manifest, err := json.Marshal(map[string]any{"manifest_version": "0.3", "name": "sample", "version": version,
		"server":      map[string]any{"type": "binary", "entry_point": "run.sh", "mcp_config": map[string]any{"command": "${__dirname}/run.sh", "args": []string{}, "env": env}},
		"user_config": json.RawMessage(settings)})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, data := range map[string]string{"manifest.json": string(manifest), "run.sh": "#!/bin/sh\nexec '" + e.Command + "'\n"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// folders are those of unpacked bundles.
func folders(t *testing.T, c *Core) (list []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(c.Home, "data", "bundles", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range all {
		list = append(list, filepath.Base(dir)[:5])
	}
	return list
}

const token = `{"token":{"type":"string","required":true}}`

func TestBundleIsInstalledUpdatedAndRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the bundle's program is a shell script")
	}
	c := Start(t, Options{Timings: Quick})
	path := filepath.Join(t.TempDir(), "sample.mcpb")
	put := func(data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(bundle(t, "1.0.0", misbehave.Good, token))
	d := begin(t, c, wire.NewDraft{Path: path})
	if d.Source.SHA256 == "" || d.Source.Signature != "not signed" || !strings.HasSuffix(d.Command, "run.sh") {
		t.Fatalf("%+v", d)
	}
	if len(folders(t, c)) != 0 {
		t.Fatal("it is unpacked already")
	}
	if _, err := c.AddDraft(t.Context(), d.ID, wire.FillDraft{Values: map[string][]string{"token": {"t"}}}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(folders(t, c)); got != "[1.0.0]" {
		t.Errorf("unpacked %s", got)
	}

	// A new version that can't run leaves the former one as it was.
	put(bundle(t, "2.0.0", misbehave.Good, `{"token":{"type":"string","required":true},"more":{"type":"string","required":true}}`))
	d = begin(t, c, wire.NewDraft{Update: "sample"})
	if d.Replaces != "1.0.0" || !strings.Contains(strings.Join(d.Warnings, " "), "asks for more, too") || len(d.Inputs[0].Default) == 0 {
		t.Errorf("%+v", d)
	}
	put(bundle(t, "3.0.0", "no such mode", token))
	d = begin(t, c, wire.NewDraft{Update: "sample"})
	if _, err := c.AddDraft(t.Context(), d.ID, wire.FillDraft{}); codeOf(err) != wire.CodeServerFailed {
		t.Errorf("a broken version: %v", err)
	}
	c.UntilListed("sample")
	if got := fmt.Sprint(folders(t, c)); got != "[1.0.0]" {
		t.Errorf("unpacked %s", got)
	}

	put(bundle(t, "4.0.0", misbehave.Good, token))
	d = begin(t, c, wire.NewDraft{Update: "sample"})
	if _, err := c.AddDraft(t.Context(), d.ID, wire.FillDraft{}); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(folders(t, c)); got != "[4.0.0]" {
		t.Errorf("unpacked %s", got)
	}
	if err := c.RemoveServer(context.Background(), "sample"); err != nil {
		t.Fatal(err)
	}
	if got := folders(t, c); len(got) != 0 {
		t.Errorf("left %v", got)
	}
}

func TestBundleOfARegistry(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the bundle's program is a shell script")
	}
	data := bundle(t, "1.0.0", misbehave.Good, token)
	sum := ""
	var base string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/sample.mcpb":
			w.Write(data)
		case strings.HasPrefix(r.URL.Path, "/v0.1/servers/io.test/sample/versions/"):
			fmt.Fprintf(w, `{"server":{"name":"io.test/sample","version":"1.0.0","packages":[{"registryType":"mcpb","identifier":"%s/sample.mcpb","version":"1.0.0","fileSha256":%q}]}}`, base, sum)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer web.Close()
	base = web.URL
	sum = strings.Repeat("0", 64)
	c := Start(t, Options{Config: fmt.Sprintf(`{"registry": %q}`, base)})
	d := begin(t, c, wire.NewDraft{Catalog: "io.test/sample"})
	if d.Fetch == "" || d.Command != "" {
		t.Fatalf("%+v", d)
	}
	if _, err := c.AddDraft(t.Context(), d.ID, wire.FillDraft{}); codeOf(err) != wire.CodeBadDraft {
		t.Errorf("before it is fetched: %v", err)
	}
	if _, err := c.FetchDraft(t.Context(), d.ID); codeOf(err) != wire.CodeBadBundle || !strings.Contains(err.Error(), "sha256") {
		t.Errorf("another sha256: %v", err)
	}
	whole := begin(t, c, wire.NewDraft{Text: base + "/sample.mcpb"})
	if err := os.RemoveAll(filepath.Join(c.Home, "state", "registry")); err != nil {
		t.Fatal(err)
	}
	sum = whole.Source.SHA256
	d = begin(t, c, wire.NewDraft{Catalog: "io.test/sample"})
	fetched, err := c.FetchDraft(t.Context(), d.ID)
	if err != nil || !fetched.Source.Checked || fetched.Command == "" {
		t.Fatalf("%+v %v", fetched, err)
	}
	if _, err := c.AddDraft(t.Context(), fetched.ID, wire.FillDraft{Values: map[string][]string{"token": {"t"}}}); err != nil {
		t.Fatal(err)
	}
	c.UntilListed("sample")
	if page, err := c.SearchCatalog(t.Context(), wire.CatalogQuery{Text: "filesystem"}); err != nil || len(page.Servers) != 1 || page.Offline == "" {
		t.Errorf("%+v %v", page, err)
	}
}

// Drafts that nobody looked at any more were kept for ever.
func TestDraftsAreBounded(t *testing.T) {
	c := Start(t, Options{})
	first := begin(t, c, wire.NewDraft{Command: []string{"/opt/x"}})
	for range 50 {
		begin(t, c, wire.NewDraft{Command: []string{"/opt/x"}})
	}
	if _, err := c.Draft(t.Context(), first.ID); codeOf(err) != wire.CodeNoSuchDraft {
		t.Errorf("the oldest of 51: %v", err)
	}
	for _, req := range []wire.NewDraft{{}, {Text: "x", Catalog: "y"}} {
		if _, err := c.BeginDrafts(t.Context(), req); codeOf(err) != wire.CodeBadRequest {
			t.Errorf("%+v: %v", req, err)
		}
	}
	if _, err := c.BeginDrafts(t.Context(), wire.NewDraft{Path: "relative.mcpb"}); codeOf(err) != wire.CodeBadRequest {
		t.Errorf("a relative path: %v", err)
	}
}

func TestCheckUp(t *testing.T) {
	c := Start(t, Options{})
	c.Add("good", misbehave.Good)
	c.Add("junk", misbehave.Junk)
	for _, name := range []string{"good", "junk"} {
		r, err := c.CheckServer(t.Context(), name, wire.CheckServer{})
		if err != nil {
			t.Fatal(err)
		}
		strays := false
		for _, f := range r.Findings {
			strays = strays || f.Code == "stray-stdout"
		}
		if r.Tools == 0 || strays != (name == "junk") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if _, err := c.CheckServer(t.Context(), "none", wire.CheckServer{}); codeOf(err) != wire.CodeNoSuchServer {
		t.Error(err)
	}
}
