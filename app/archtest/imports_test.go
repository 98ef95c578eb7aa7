package archtest

import (
	"fmt"
	"slices"
)

// rule says what the packages under a folder may import of ours. The first rule
// that fits a package counts.
type rule struct {
	from []string // folders with everything below; exactly "." is main
	may  []string // folders with everything below
	not  []string // exceptions from may
}

// table is the import table of ARCHITECTURE.md: imports point down.
var table = []rule{
	{from: []string{"."}, may: []string{"app", "app/cli", "app/example", "app/wire", "app/client", "app/stdio", "app/attach", "app/home", "ui/run", "ui/tray", "supervisor/proc"}},
	{from: []string{"supervisor"}, may: []string{"supervisor"}},
	{from: []string{"bridge"}, may: []string{"bridge"}},
	{from: []string{"keychain/system", "keychain/agefile", "keychain/memory", "keychain/ref", "keychain/redact"}, may: []string{"keychain"}},
	{from: []string{"keychain/detect"}, may: []string{"keychain", "keychain/redact"}},
	{from: []string{"keychain"}},
	{from: []string{"ui/tray"}, may: []string{"ui/bus", "app/client", "app/plain", "app/sock", "app/wire", "assets"}},
	{from: []string{"ui"}, may: []string{"ui", "app/client", "app/wire", "assets"}},
	{from: []string{"assets/make"}, may: []string{"assets"}},
	{from: []string{"app/wire", "app/example", "assets"}},
	{from: []string{"app/policy"}, may: []string{"app/wire", "app/home"}},
	{from: []string{"app/cli"}, may: []string{"app/cli", "app/client", "app/wire", "assets"}},
	{from: []string{"app/client"}, may: []string{"app/wire", "app/sock", "app/home"}},
	{from: []string{"app/attach"}, may: []string{"app/wire", "app/sock", "app/home", "bridge/shim"}},
	{from: []string{"app/stdio"}, may: []string{"app/stdio", "app/attach", "app/wire", "app/home", "bridge/shim"}},
	{from: []string{"app/demo"}, may: []string{"app/wire", "test/shipped"}},
	{from: []string{"app/apptest", "app/archtest"}, may: []string{"."}},
	{from: []string{"test/shipped"}, may: []string{"app/wire"}},
	{from: []string{"test/misbehave"}},
	{from: []string{"test"}, may: []string{"test", "app/wire"}},
	{from: []string{"app/rawjson", "app/plain"}},
	{from: []string{"app/elicit", "app/sampling"}, may: []string{"app/wire", "app/rawjson", "app/plain", "app/sampling"}},
	// The parts of the core know each other's data, never the whole.
	{from: []string{"app"}, may: []string{"app", "supervisor", "bridge", "keychain", "assets"}, not: []string{"app/cli", "app/client", "app/demo", "app/apptest", "app/archtest"}},
}

// owners are the libraries that only one folder may use, in tests too.
var owners = map[string][]string{
	"fyne.io/fyne":                  {"ui"},
	"github.com/fyne-io/oksvg":      {"assets/make"},
	"github.com/srwiley/rasterx":    {"assets/make"},
	"fyne.io/fyne/v2/app":           {"ui/run"},
	"fyne.io/systray":               {"ui/tray"},
	"github.com/zalando/go-keyring": {"keychain"},
	"github.com/99designs/keyring":  {"keychain"},
	"filippo.io/age":                {"keychain/agefile"},
	"github.com/godbus/dbus":        {"keychain", "ui/bus", "ui/note", "test/desktop"},
	"github.com/spf13/cobra":        {"app/cli"},
	"github.com/tailscale/hujson":   {"app/config", "app/jsonedit", "app/hostcfg/read"},
	"go.yaml.in/yaml":               {"app/hostcfg"},
	"github.com/pelletier/go-toml":  {"app/hostcfg"},
	"github.com/fsnotify/fsnotify":  {"app/config", "app/hostcfg"},

	"github.com/openai/openai-go":            {"app/sampling/provider"},
	"github.com/anthropics/anthropic-sdk-go": {"app/sampling/provider"},
	"github.com/dlclark/regexp2":             {"app/elicit"},
	"golang.org/x/net/idna":                  {"app/elicit"},
}

// sdk is the official SDK: a peer for tests and what the examples are made of,
// never in the data path.
const sdk = "github.com/modelcontextprotocol/go-sdk"

var sdkUsers = []string{"app/example", "app/demo", "app/apptest", "test"}

// imports checks the table. Test files may also use the helpers under test, and
// packages made for tests of the same tree.
func imports(files []*file) (problems []string) {
	for _, f := range files {
		for _, imp := range f.imports {
			if dir, ok := own(imp); ok && !f.test && !allowed(f.dir, dir) {
				problems = append(problems, fmt.Sprintf("%s imports %s, which is not below it", f.name, imp))
			} else if ok && f.test && !allowed(f.dir, dir) && !under(dir, "test", "app/apptest") && !under(dir, f.dir) && crosses(f.dir, dir) {
				problems = append(problems, fmt.Sprintf("%s imports %s, across a boundary that tests keep too", f.name, imp))
			}
			for lib, at := range owners {
				if under(imp, lib) && !under(f.dir, at...) {
					problems = append(problems, fmt.Sprintf("%s imports %s, which belongs to %v", f.name, imp, at))
				}
			}
			if under(imp, sdk) && !f.test && !under(f.dir, sdkUsers...) {
				problems = append(problems, fmt.Sprintf("%s imports the SDK, which is not in the data path", f.name))
			}
		}
	}
	return problems
}

// crosses reports whether an import leaves one of the three trees that know
// nothing of each other and of the app.
func crosses(from, to string) bool {
	for _, tree := range []string{"supervisor", "bridge", "keychain"} {
		if under(from, tree) {
			return !under(to, tree)
		}
	}
	return false
}

func allowed(from, to string) bool {
	i := slices.IndexFunc(table, func(r rule) bool {
		return slices.ContainsFunc(r.from, func(dir string) bool { return dir == from || (dir != "." && under(from, dir)) })
	})
	if i < 0 {
		return false // a new folder wants a line in the table
	}
	r := table[i]
	may := under(to, r.may...) || slices.Contains(r.may, ".")
	if from == "." { // main picks single packages, not trees
		may = slices.Contains(r.may, to)
	}
	return may && !under(to, r.not...)
}
