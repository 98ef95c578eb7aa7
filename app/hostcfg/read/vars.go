package read

import (
	"fmt"
	"regexp"
	"strings"

	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/keychain"
)

var (
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	leadingName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)
	percentName  = regexp.MustCompile(`^%([A-Za-z_][A-Za-z0-9_()]*)%`)
)

// windowsVariables are those that people write in paths though the host doesn't
// expand them.
var windowsVariables = map[string]bool{"APPDATA": true, "LOCALAPPDATA": true, "USERPROFILE": true, "PROGRAMFILES": true,
	"PROGRAMDATA": true, "SYSTEMROOT": true, "TEMP": true, "TMP": true, "HOMEPATH": true}

// converter turns one host's references into ours: ${env:NAME}, ${secret:NAME}.
// Nothing is looked up.
type converter struct {
	dialect known.Dialect
	title   string
	windows bool
	report  func(Level, string, ...any)
	needs   map[string]bool // names of secrets that somebody must give a value
}

func (c *converter) has(v known.Vars) bool { return c.dialect.Vars&v != 0 }

// value converts one text; where says for reports what it is.
func (c *converter) value(where, s string) string {
	var out strings.Builder
	for s != "" {
		piece, rest := c.reference(where, s)
		out.WriteString(piece)
		s = rest
	}
	return out.String()
}

// reference converts what s begins with: a reference, or one character of text.
func (c *converter) reference(where, s string) (piece, rest string) {
	switch {
	case strings.HasPrefix(s, "${{"):
		if end := strings.Index(s, "}}"); end > 0 {
			return c.vault(where, strings.TrimSpace(s[3:end]), s[:end+2]), s[end+2:]
		}
	case strings.HasPrefix(s, "${"):
		if end := closing(s); end > 0 {
			return c.braces(where, s[2:end], s[:end+1]), s[end+1:]
		}
		c.report(Blocks, "%s has a ${ without its }.", where)
		return "$${", s[2:]
	case strings.HasPrefix(s, "$(") && c.has(known.Commands):
		c.report(Blocks, "%s has the output of a command in it, which is not run here: put the value there.", where)
	case strings.HasPrefix(s, "{{"):
		if end := strings.Index(s, "}}"); end > 0 {
			c.report(Blocks, "%s has %.60s, which only %s knows: put a value there.", where, s[:end+2], c.title)
			return s[:end+2], s[end+2:]
		}
	case strings.HasPrefix(s, "{env:") && c.has(known.Curly):
		if end := strings.IndexByte(s, '}'); end > 0 && variableName.MatchString(s[5:end]) {
			return c.variable(s[5:end]), s[end+1:]
		}
	case strings.HasPrefix(s, "{file:") && c.has(known.Files):
		c.report(Blocks, "%s has the contents of a file in it, which is not read here: put the value there.", where)
	case s[0] == '$' && c.has(known.Dollar):
		if name := leadingName.FindString(s[1:]); name != "" {
			return c.variable(name), s[1+len(name):]
		}
	case s[0] == '%' && c.windows:
		if m := percentName.FindStringSubmatch(s); m != nil && (c.has(known.Percent) || windowsVariables[strings.ToUpper(m[1])]) {
			if !c.has(known.Percent) {
				c.report(Warns, "%s has %s, which %s passed on as it is written; here it becomes its value.", where, m[0], c.title)
			}
			if !variableName.MatchString(m[1]) {
				c.report(Blocks, "%s has %s: put its value there.", where, m[0])
				return m[0], s[len(m[0]):]
			}
			return c.variable(m[1]), s[len(m[0]):]
		}
	}
	return s[:1], s[1:]
}

// closing is the place of the } that ends the ${ at the beginning, or 0.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "${"):
			depth++
			i++
		case s[i] == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

func (c *converter) variable(name string) string {
	if c.dialect.Unset == known.Blank {
		return "${env:" + name + ":-}"
	}
	return "${env:" + name + "}"
}

func (c *converter) secret(where, name, whole string) string {
	if !keychain.ValidName(name) {
		c.report(Blocks, "%s has %.60s: give the value a name of letters, digits, - and _.", where, whole)
		return escaped(whole)
	}
	if c.needs == nil {
		c.needs = map[string]bool{}
	}
	c.needs[name] = true
	return keychain.Ref(name)
}

func (c *converter) vault(where, inner, whole string) string {
	if name, ok := strings.CutPrefix(inner, "secrets."); ok {
		return c.secret(where, name, whole)
	}
	c.report(Blocks, "%s has %.60s, which only %s knows: put a value there.", where, whole, c.title)
	return escaped(whole)
}

// braces converts ${inner}.
func (c *converter) braces(where, inner, whole string) string {
	kind, name, named := strings.Cut(inner, ":")
	switch {
	case named && kind == "env" && variableName.MatchString(name):
		return c.variable(name)
	case named && kind == "input":
		return c.secret(where, name, whole)
	case named && kind == "secret" && keychain.ValidName(name):
		return keychain.Ref(name)
	case named && kind == "file":
		c.report(Blocks, "%s has the contents of a file in it, which is not read here: put the value there.", where)
		return escaped(whole)
	case inner == "userHome":
		return "${env:" + map[bool]string{true: "USERPROFILE", false: "HOME"}[c.windows] + "}"
	case inner == "pathSeparator" || inner == "/":
		return map[bool]string{true: `\`, false: "/"}[c.windows]
	case strings.HasPrefix(inner, "workspaceFolder"):
		c.report(Blocks, "%s has %.60s: it needs a folder. Put the folder there, or give the server a cwd.", where, whole)
		return escaped(whole)
	}
	name, other, hasDefault := strings.Cut(inner, ":-")
	if !variableName.MatchString(name) {
		c.report(Blocks, "%s has %.60s, which is not understood: put a value there.", where, whole)
		return escaped(whole)
	}
	if c.dialect.Vars&(known.Braces|known.Env) == 0 {
		c.report(Warns, "%s has %.60s, which %s passes on as it is written; here it becomes the variable's value.", where, whole, c.title)
	}
	if hasDefault {
		return "${env:" + name + ":-" + c.value(where, other) + "}"
	}
	return c.variable(name)
}

// escaped makes our own references take a text for what it is.
func escaped(s string) string { return strings.ReplaceAll(s, "${", "$${") }

// Level is how much a report matters.
type Level string

const (
	Tells  Level = "info"    // worth knowing
	Warns  Level = "warning" // it may not work as it did
	Blocks Level = "blocks"  // it can't run before a person has changed something
)

// Report is something about one server.
type Report struct {
	Level Level  `json:"level"`
	Text  string `json:"text"`
}

func (r Report) String() string { return fmt.Sprintf("%s: %s", r.Level, r.Text) }
