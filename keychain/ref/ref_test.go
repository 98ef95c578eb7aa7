package ref

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"bridgekeeper/keychain"
)

var known = Lookups{
	Secret: func(name string) (keychain.Secret, bool) {
		v, ok := map[string]string{"TOKEN": "s3cret", "dotted.name-2": "other", "TRAP": "${secret:TOKEN}$${~/"}[name]
		return keychain.NewSecret(v), ok
	},
	Variable: func(name string) (string, bool) {
		v, ok := map[string]string{"USER": "ada", "EMPTY": "", "ProgramFiles(x86)": `C:\Program Files (x86)`, "TRAP": "${USER}"}[name]
		return v, ok
	},
	Home: "/home/ada",
}

func TestExpand(t *testing.T) {
	for value, want := range map[string]string{
		"":                               "",
		"plain":                          "plain",
		"${secret:TOKEN}":                "s3cret",
		"Bearer ${secret:TOKEN}!":        "Bearer s3cret!",
		"${secret:dotted.name-2}":        "other",
		"${env:USER}-${USER}":            "ada-ada",
		"${ProgramFiles(x86)}":           `C:\Program Files (x86)`,
		"${EMPTY}":                       "",
		"${EMPTY:-fallback}":             "fallback",
		"${UNSET:-}":                     "",
		"${UNSET:-a b:-c}":               "a b:-c",
		"${env:UNSET:-x}":                "x",
		"${USER:-x}":                     "ada",
		"${UNSET:-${secret:TOKEN}}":      "s3cret",
		"${UNSET:-${U2:-${USER}!}?}":     "ada!?",
		"${UNSET:-~/x}":                  "~/x",
		"${UNSET:-$${x}":                 "${x",
		"{${USER}}":                      "{ada}",
		"~":                              "/home/ada",
		"~/notes":                        "/home/ada/notes",
		`~\notes`:                        `/home/ada\notes`,
		"~bob/notes":                     "~bob/notes",
		"a~/b":                           "a~/b",
		"--dir=~/b":                      "--dir=~/b",
		"$~/notes":                       "~/notes",
		"$$~/notes":                      "$~/notes",
		"x$~/notes":                      "x$~/notes",
		"$${secret:TOKEN}":               "${secret:TOKEN}",
		"$$${secret:TOKEN}":              "$${secret:TOKEN}",
		"$USER $$ $":                     "$USER $$ $",
		"pa$$word}":                      "pa$$word}",
		"${secret:TRAP}":                 "${secret:TOKEN}$${~/",
		"${TRAP}":                        "${USER}",
		"grün ${USER} ✓":                 "grün ada ✓",
		"postgres://u:${secret:TOKEN}@h": "postgres://u:s3cret@h",
	} {
		p, err := Parse(value)
		if err != nil {
			t.Errorf("%q: %v", value, err)
			continue
		}
		if got, err := p.Expand(known); err != nil || got != want {
			t.Errorf("%q became %q, %v; want %q", value, got, err, want)
		}
	}
}

// A server got ${GITHUB_TOKEN} as its token, letter for letter, and answered
// "bad credentials".
func TestNothingIsPassedOnLiterally(t *testing.T) {
	for value, want := range map[string]struct{ code, name string }{
		"${secret:NONE}":                        {keychain.CodeSecretMissing, "NONE"},
		"x${env:UNSET}":                         {keychain.CodeVariable, "UNSET"},
		"${UNSET}":                              {keychain.CodeVariable, "UNSET"},
		"${workspaceFolder}/db":                 {keychain.CodeVariable, "workspaceFolder"},
		"${UNSET:-${secret:NONE}}":              {keychain.CodeSecretMissing, "NONE"},
		"${input:token}":                        {keychain.CodeBadRef, ""},
		"${file:/etc/passwd}":                   {keychain.CodeBadRef, ""},
		"${/}":                                  {keychain.CodeBadRef, ""},
		"${}":                                   {keychain.CodeBadRef, ""},
		"${":                                    {keychain.CodeBadRef, ""},
		"${USER":                                {keychain.CodeBadRef, ""},
		"${USER:-x":                             {keychain.CodeBadRef, ""},
		"${{ secrets.TOKEN }}":                  {keychain.CodeBadRef, ""},
		"${secret:}":                            {keychain.CodeBadRef, ""},
		"${secret:a b}":                         {keychain.CodeBadRef, ""},
		"${secret:TOKEN:-x}":                    {keychain.CodeBadRef, ""},
		"${secret:${USER}}":                     {keychain.CodeBadRef, ""},
		"${USER-x}":                             {keychain.CodeBadRef, ""},
		"${A:+x}":                               {keychain.CodeBadRef, ""},
		"${SECRET:TOKEN}":                       {keychain.CodeBadRef, ""},
		strings.Repeat("${A:-", 50):             {keychain.CodeBadRef, ""},
		"${" + strings.Repeat("x", 1000) + "-}": {keychain.CodeBadRef, ""},
	} {
		p, err := Parse(value)
		var got string
		if err == nil {
			got, err = p.Expand(known)
		}
		var e *keychain.Error
		if !errors.As(err, &e) || e.Code != want.code || got != "" || e.Hint == "" {
			t.Errorf("%.60q became %q, %+v; want %s", value, got, err, want.code)
			continue
		}
		if want.name != "" && (len(e.Names) != 1 || e.Names[0] != want.name) {
			t.Errorf("%q names %q, want %s", value, e.Names, want.name)
		}
		if len(e.Message) > 250 {
			t.Errorf("%.60q: a message of %d bytes", value, len(e.Message))
		}
	}
	if p, _ := Parse("~/x"); true {
		if _, err := p.Expand(Lookups{}); keychain.CodeOf(err) != keychain.CodeVariable {
			t.Errorf("~ without a home: %v", err)
		}
	}
}

func TestFields(t *testing.T) {
	f := Fields{
		Args:    []string{"--token", "${secret:TOKEN}", "~/notes"},
		Env:     map[string]string{"A": "${secret:NONE}", "B": "${UNSET}", "C": "${input:x}", "D": "${UNSET:-${secret:TOKEN}}"},
		Headers: map[string]string{"Authorization": "Bearer ${secret:TOKEN}"},
		Cwd:     "~/work",
	}
	_, err := f.Expand(known)
	var p Problems
	if !errors.As(err, &p) || len(p) != 3 || p[0].Field != "env A" || p[1].Field != "env B" || p[2].Field != "env C" {
		t.Fatalf("got %v", err)
	}
	if !errors.Is(err, keychain.ErrNotFound) {
		t.Error("not ErrNotFound")
	}
	if got := p.Missing(Secret); !reflect.DeepEqual(got, []string{"NONE"}) {
		t.Errorf("missing %v", got)
	}
	if got := p.Missing(Variable); !reflect.DeepEqual(got, []string{"UNSET"}) {
		t.Errorf("missing %v", got)
	}
	if got := f.Secrets(); !reflect.DeepEqual(got, []string{"NONE", "TOKEN"}) {
		t.Errorf("secrets %v", got)
	}
	uses, err := f.Uses()
	want := []Use{
		{"argument 2", Name{Secret, "TOKEN", false}},
		{"env A", Name{Secret, "NONE", false}},
		{"env B", Name{Variable, "UNSET", false}},
		{"env D", Name{Variable, "UNSET", true}},
		{"env D", Name{Secret, "TOKEN", false}},
		{"header Authorization", Name{Secret, "TOKEN", false}},
	}
	if err == nil || !reflect.DeepEqual(uses, want) {
		t.Errorf("uses %v, %v", uses, err)
	}

	before := f.Env["A"]
	f.Env = map[string]string{"D": f.Env["D"]}
	got, err := f.Expand(known)
	wantFields := Fields{
		Args:    []string{"--token", "s3cret", "/home/ada/notes"},
		Env:     map[string]string{"D": "s3cret"},
		Headers: map[string]string{"Authorization": "Bearer s3cret"},
		Cwd:     "/home/ada/work",
	}
	if err != nil || !reflect.DeepEqual(got, wantFields) {
		t.Errorf("got %v, %v", got, err)
	}
	if f.Args[1] != "${secret:TOKEN}" || before != "${secret:NONE}" {
		t.Error("the entry itself was changed")
	}
}

func TestRename(t *testing.T) {
	for value, want := range map[string]string{
		"a ${secret:OLD} ${secret:OLDER} $${secret:OLD} ${OLD}": "a ${secret:NEW} ${secret:OLDER} $${secret:OLD} ${OLD}",
		"${X:-${secret:OLD}}": "${X:-${secret:NEW}}",
		"${secret:OLD":        "${secret:OLD",
	} {
		if got := Rename(value, "OLD", "NEW"); got != want {
			t.Errorf("%q became %q", value, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"~/x", "$~", "$${", "${secret:A}", "${A:-${B:-c}}", "${", "$$${a}", "${a:-$${}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// Whatever is escaped comes back as it was.
		p, err := Parse(Escape(s))
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if got, err := p.Expand(Lookups{}); err != nil || got != s {
			t.Fatalf("%q came back as %q, %v", s, got, err)
		}
		if p, err = Parse(s); err != nil {
			if keychain.CodeOf(err) != keychain.CodeBadRef {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		// With nothing known, a value is expanded only if it needs nothing.
		got, err := p.Expand(Lookups{})
		for _, n := range p.Names() {
			if !n.Optional && n.Kind == Secret && err == nil && !strings.Contains(s, ":-") {
				t.Fatalf("%q needs %s and became %q", s, n.Name, got)
			}
		}
		if p.Plain() != (len(p.Names()) == 0 && !strings.HasPrefix(s, "~/") && s != "~" && !strings.HasPrefix(s, `~\`)) {
			t.Fatalf("%q: plain is %v", s, p.Plain())
		}
		if len(p.Names()) == 0 && p.Plain() && !strings.Contains(s, "$${") && !escapedHome(s) && got != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
}
