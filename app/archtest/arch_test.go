package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// checks are all of them, by name.
var checks = map[string]func([]*file) []string{"imports": imports, "docs": docs, "sizes": sizes, "sleeps": sleeps}

func TestRepository(t *testing.T) {
	root := filepath.Join("..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatalf("find the repository: %v", err)
	}
	files, err := load(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("only %d files found", len(files))
	}
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			for _, p := range check(files) {
				t.Error(p)
			}
		})
	}
}

// A checker that can't fail keeps nothing: each must find its fault, and only
// that, in a small tree.
func TestChecksFindFaults(t *testing.T) {
	long := "// Package rpc is long.\npackage rpc\n" + strings.Repeat("\n", maxFileLines)
	longFunc := "// Package rpc has a long function.\npackage rpc\nfunc f() {\n" + strings.Repeat("\tprintln()\n", maxFuncLines) + "}\n"
	tests := []struct {
		name  string
		check string
		files map[string]string
		want  string // in the one problem; "" for none
	}{
		{"down", "imports", pkg("app/gate", `import _ "bridgekeeper/supervisor"`), ""},
		{"up", "imports", pkg("supervisor", `import _ "bridgekeeper/app/wire"`), "supervisor/x.go imports bridgekeeper/app/wire"},
		{"sideways", "imports", pkg("bridge/rpc", `import _ "bridgekeeper/supervisor/stdio"`), "bridge/rpc/x.go imports"},
		{"sideways in a test", "imports", test("bridge/rpc", `import _ "bridgekeeper/supervisor/stdio"`), "tests keep too"},
		{"a helper in a test", "imports", test("bridge/rpc", `import _ "bridgekeeper/test/misbehave"`), ""},
		{"core into its client", "imports", pkg("app/gate", `import _ "bridgekeeper/app/client"`), "app/gate/x.go imports"},
		{"the command line into the core", "imports", pkg("app/cli", `import _ "bridgekeeper/app/config"`), "app/cli/x.go imports"},
		{"wire", "imports", pkg("app/wire", `import _ "bridgekeeper/supervisor"`), "app/wire/x.go imports"},
		{"main", "imports", pkg(".", `import _ "bridgekeeper/app/config"`), "x.go imports"},
		{"main, as planned", "imports", pkg(".", `import _ "bridgekeeper/app"`), ""},
		{"a folder that isn't in the table", "imports", pkg("misc", `import _ "bridgekeeper/app/wire"`), "misc/x.go imports"},
		{"fyne", "imports", pkg("app/gate", `import _ "fyne.io/fyne/v2/widget"`), "belongs to [ui]"},
		{"fyne in its place", "imports", pkg("ui", `import _ "fyne.io/fyne/v2/widget"`), ""},
		{"keyring", "imports", pkg("app/config", `import _ "github.com/zalando/go-keyring"`), "belongs to [keychain]"},
		{"age", "imports", pkg("app/config", `import _ "filippo.io/age"`), "belongs to [keychain/agefile]"},
		{"the store of secrets into a part of it", "imports", pkg("keychain", `import _ "bridgekeeper/keychain/system"`), "keychain/x.go imports"},
		{"a part of the store of secrets", "imports", pkg("keychain/system", `import _ "bridgekeeper/keychain"`), ""},
		{"secrets into the supervisor", "imports", pkg("supervisor", `import _ "bridgekeeper/keychain"`), "supervisor/x.go imports"},
		{"the SDK", "imports", pkg("bridge/upstream", `import _ "github.com/modelcontextprotocol/go-sdk/mcp"`), "not in the data path"},
		{"the SDK in a test", "imports", test("bridge/upstream", `import _ "github.com/modelcontextprotocol/go-sdk/mcp"`), ""},
		{"no comment", "docs", map[string]string{"a/x.go": "package a\n"}, "has 0 package comments"},
		{"two comments", "docs", map[string]string{"a/x.go": "// Package a one.\npackage a\n", "a/y.go": "// Package a two.\npackage a\n"}, "has 2 package comments"},
		{"another's comment", "docs", map[string]string{"a/x.go": "// Package b is elsewhere.\npackage a\n"}, `want "Package a "`},
		{"one comment", "docs", map[string]string{"a/x.go": "// Package a one.\npackage a\n", "a/y.go": "package a\n"}, ""},
		{"long file", "sizes", map[string]string{"a/x.go": long}, "has 602 lines"},
		{"long function", "sizes", map[string]string{"a/x.go": longFunc}, "f has 102 lines"},
		{"a sleep", "sleeps", test("a", "import \"time\"\nfunc f() { time.Sleep(1) }"), "a/x_test.go:3:12 sleeps"},
		{"a hidden sleep", "sleeps", test("a", "import clock \"time\"\nvar nap = clock.Sleep"), "sleeps"},
		{"another's sleep", "sleeps", test("a", "import \"time\"\nfunc f(bed interface{ Sleep(time.Duration) }) { bed.Sleep(1) }"), ""},
		{"a sleep in a bubble", "sleeps", test("a", "import (\n\"testing/synctest\"\n\"time\"\n)\nfunc f() { synctest.Test(nil, func() { time.Sleep(1) }) }"), ""},
		{"a sleep beside a bubble", "sleeps", test("a", "import (\n\"testing/synctest\"\n\"time\"\n)\nfunc f() { synctest.Test(nil, func() {}); time.Sleep(1) }"), "sleeps"},
		{"a sleep in a helper's bubble", "sleeps", test("a", "import (\n\"testing/synctest\"\n\"time\"\n)\nfunc b(f func()) { synctest.Test(nil, f) }\nfunc f() { b(func() { time.Sleep(1) }) }"), ""},
		{"a sleep in no helper", "sleeps", test("a", "import (\n\"testing/synctest\"\n\"time\"\n)\nfunc b(f func()) { synctest.Test(nil, func() {}) }\nfunc f() { b(func() { time.Sleep(1) }) }"), "sleeps"},
		{"a sleep in the product", "sleeps", pkg("a", "import \"time\"\nfunc f() { time.Sleep(1) }"), ""},
	}
	for _, tt := range tests {
		fsys := fstest.MapFS{}
		for name, src := range tt.files {
			fsys[name] = &fstest.MapFile{Data: []byte(src)}
		}
		// Never looked at, whatever is in them.
		fsys["a/testdata/bad.go"] = &fstest.MapFile{Data: []byte("no Go")}
		files, err := load(fsys)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got := checks[tt.check](files)
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("%s: found %q in a good tree", tt.name, got)
		case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
			t.Errorf("%s: found %q, want one problem with %q", tt.name, got, tt.want)
		}
	}
}

func TestBrokenSourceIsAnError(t *testing.T) {
	if _, err := load(fstest.MapFS{"a/x.go": {Data: []byte("package")}}); err == nil {
		t.Error("no error for half a file")
	}
}

// pkg is a tree with one file of a package, test the same with a test file.
func pkg(dir, body string) map[string]string {
	return map[string]string{at(dir, "x.go"): source(dir, body)}
}
func test(dir, body string) map[string]string {
	return map[string]string{at(dir, "x_test.go"): source(dir, body)}
}

func at(dir, name string) string { return filepath.ToSlash(filepath.Join(dir, name)) }

func source(dir, body string) string {
	parts := strings.Split(dir, "/")
	name := parts[len(parts)-1]
	if slices.Contains(parts, ".") {
		name = "main"
	}
	return fmt.Sprintf("package %s\n%s\n", name, body)
}
