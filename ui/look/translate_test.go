package look_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bridgekeeper/assets"
	"bridgekeeper/ui/look"
	"bridgekeeper/ui/look/looktest"

	"fyne.io/fyne/v2/lang"
)

// languages are those that must be complete.
var languages = []string{"de"}

// callers are functions whose texts are translated, besides those of lang.
var callers = map[string]bool{"runs": true, "checkCount": true}

// keys are the texts in a package's source that are translated; true for those
// with a plural.
func keys(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	out := map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			plural := false
			switch fn := call.Fun.(type) {
			case *ast.SelectorExpr:
				x, _ := fn.X.(*ast.Ident)
				if x == nil || x.Name != "lang" || fn.Sel.Name != "L" && fn.Sel.Name != "N" {
					return true
				}
				plural = fn.Sel.Name == "N"
			case *ast.Ident:
				if !callers[fn.Name] {
					return true
				}
				plural = fn.Name == "checkCount"
			default:
				return true
			}
			for _, arg := range call.Args {
				if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					s, _ := strconv.Unquote(lit.Value)
					out[s] = out[s] || plural
				}
			}
			return true
		})
	}
	return out
}

var placeholder = regexp.MustCompile(`\{\{[^}]*\}\}`)

// A text without a translation stands in English among the others.
func TestTranslationsAreComplete(t *testing.T) {
	dirs := []string{"..", "../look", "../ask"}
	more, _ := filepath.Glob("../*/")
	for _, dir := range more {
		if base := filepath.Base(dir); base != "look" && base != "ask" {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		abs, _ := filepath.Abs(dir)
		pkg := filepath.Base(abs)
		want := keys(t, dir)
		for _, l := range languages {
			raw, err := os.ReadFile("../../assets/translations/" + pkg + "." + l + ".json")
			if os.IsNotExist(err) && len(want) == 0 {
				continue
			}
			if err != nil {
				t.Errorf("%s has %d texts: %v", pkg, len(want), err)
				continue
			}
			var got map[string]any
			if err := json.Unmarshal(raw, &got); err != nil {
				t.Fatalf("%s.%s: %v", pkg, l, err)
			}
			compareKeys(t, pkg+"."+l, want, got)
		}
		english(t, pkg, want)
	}
}

func compareKeys(t *testing.T, name string, want map[string]bool, got map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		value, ok := got[key]
		if !ok {
			t.Errorf("%s lacks %q", name, key)
			continue
		}
		texts := []string{}
		switch v := value.(type) {
		case string:
			if want[key] {
				t.Errorf("%s: %q has a plural", name, key)
			}
			texts = append(texts, v)
		case map[string]any:
			for _, form := range []string{"one", "other"} {
				s, _ := v[form].(string)
				texts = append(texts, s)
			}
		}
		need := placeholder.FindAllString(key, -1)
		slices.Sort(need)
		for _, text := range texts {
			has := placeholder.FindAllString(text, -1)
			slices.Sort(has)
			if text == "" || !slices.Equal(has, need) {
				t.Errorf("%s: %q is translated as %q", name, key, text)
			}
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s has %q, which nothing says", name, key)
		}
	}
}

// english checks the one form that English needs besides the text in the code.
func english(t *testing.T, pkg string, want map[string]bool) {
	raw, err := assets.Translations.ReadFile("translations/" + pkg + ".en.json")
	var got map[string]map[string]string
	if err == nil {
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatalf("%s.en: %v", pkg, err)
		}
	}
	for key, plural := range want {
		if plural && (got[key]["one"] == "" || got[key]["other"] == "") {
			t.Errorf("%s.en lacks the forms of %q", pkg, key)
		}
	}
}

func TestTranslate(t *testing.T) {
	looktest.Language(t, "de_DE")
	if got := lang.L("just now"); got != "gerade eben" {
		t.Errorf("in German: %q", got)
	}
	looktest.Language(t, "en_GB")
	if got := lang.L("just now"); got != "just now" {
		t.Errorf("in English: %q", got)
	}
	if err := look.Translate(); err != nil {
		t.Error(err)
	}
}
