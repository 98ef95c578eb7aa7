// Package ref expands the references that a server's entry may hold, at the last
// moment before the server is started: ${secret:NAME}, ${env:NAME},
// ${NAME:-default}, and ~/ at the beginning.
//
// It is pure: what names stand for it asks the lookups it is given. It never
// passes on a reference that it couldn't resolve, reads nothing by itself and
// keeps no value. The app calls it, and asks it which secrets an entry names.
//
// The grammar:
//
//	${secret:NAME}          a secret; it has no default, for that would be one in plain text
//	${env:NAME} ${NAME}     a variable
//	${env:NAME:-text}       the text if the variable is unset or empty; it may hold references
//	~ or ~/rest             the person's home, only at the beginning of the value
//	$${                     stands for ${ as it is, and $~ at the beginning for ~
//	$NAME, $$, $            nothing special: they stay
package ref

import (
	"fmt"
	"slices"
	"strings"

	"bridgekeeper/keychain"
)

const (
	// maxDepth bounds references within defaults: nobody reads a third level.
	maxDepth = 8
	// maxShown is how much of a reference that isn't understood an error quotes;
	// it might be a value.
	maxShown = 40
)

// Kind is what a name in a reference is looked up in.
type Kind string

const (
	Secret   Kind = "secret"
	Variable Kind = "env"
)

// Name is a name that a value refers to.
type Name struct {
	Kind     Kind
	Name     string
	Optional bool // it has a default
}

// part is text, or a reference.
type part struct {
	text  string
	kind  Kind // "" is text; home is the home folder
	name  string
	other []part // the default
	has   bool   // whether there is one
}

const home Kind = "home"

// Template is a value whose references have been found.
type Template struct{ parts []part }

// Parse understands a value. Every ${ must begin a reference of the grammar, so
// that what another program would have expanded is never taken for a value.
func Parse(value string) (Template, error) {
	var head []part
	switch {
	case value == "~" || strings.HasPrefix(value, "~/") || strings.HasPrefix(value, `~\`):
		head, value = []part{{kind: home}}, value[1:]
	case escapedHome(value):
		value = value[1:]
	}
	parts, _, err := parse(value, 0, false)
	if err != nil {
		return Template{}, err
	}
	return Template{append(head, parts...)}, nil
}

// escapedHome: dollars and a ~ at the beginning stand for themselves without the
// first dollar, so that each such value can be written.
func escapedHome(value string) bool {
	return strings.HasPrefix(value, "$") && strings.HasPrefix(strings.TrimLeft(value, "$"), "~")
}

// parse reads parts up to the end, or within a default up to its }.
func parse(s string, depth int, inner bool) (parts []part, rest string, err error) {
	if depth > maxDepth {
		return nil, "", bad(s, fmt.Sprintf("has more than %d references within each other", maxDepth))
	}
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			parts = append(parts, part{text: text.String()})
			text.Reset()
		}
	}
	for s != "" {
		switch {
		case strings.HasPrefix(s, "$${"):
			text.WriteString("${")
			s = s[3:]
		case strings.HasPrefix(s, "${"):
			flush()
			var p part
			if p, s, err = reference(s, depth); err != nil {
				return nil, "", err
			}
			parts = append(parts, p)
		case inner && s[0] == '}':
			flush()
			return parts, s, nil
		default:
			text.WriteByte(s[0])
			s = s[1:]
		}
	}
	flush()
	return parts, "", nil
}

// reference reads what begins with ${ and returns what follows its }.
func reference(s string, depth int) (p part, rest string, err error) {
	body := s[2:]
	end := strings.IndexAny(body, "}$")
	if def := strings.Index(body, ":-"); def >= 0 && (end < 0 || def < end) {
		end = def
	}
	if end < 0 {
		return part{}, "", bad(s, "has no closing }")
	}
	p, err = named(s, body[:end])
	if err != nil {
		return part{}, "", err
	}
	rest = body[end:]
	if after, ok := strings.CutPrefix(rest, ":-"); ok {
		if p.kind == Secret {
			return part{}, "", bad(s, "gives a secret a default, which would be a secret in plain text")
		}
		p.has = true
		if p.other, rest, err = parse(after, depth+1, true); err != nil {
			return part{}, "", err
		}
	}
	if rest, ok := strings.CutPrefix(rest, "}"); ok {
		return p, rest, nil
	}
	return part{}, "", bad(s, "has no closing }")
}

// named understands NAME, env:NAME and secret:NAME.
func named(s, inner string) (part, error) {
	kind, name, found := strings.Cut(inner, ":")
	if !found {
		kind, name = string(Variable), inner
	}
	switch Kind(kind) {
	case Secret:
		if !keychain.ValidName(name) {
			return part{}, bad(s, "names no secret: a name has letters, digits, _, - and .")
		}
	case Variable:
		if !validVariable(name) {
			return part{}, bad(s, "names no variable: a name has letters, digits and _")
		}
	default:
		return part{}, bad(s, fmt.Sprintf("is of the kind %.20q, which Bridgekeeper doesn't know", kind))
	}
	return part{kind: Kind(kind), name: name}, nil
}

// validVariable is the shell's rule, and the parentheses of ProgramFiles(x86).
func validVariable(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || !('0' <= c && c <= '9' || c == '(' || c == ')')) {
			return false
		}
	}
	return s != ""
}

func bad(s, sentence string) *keychain.Error {
	shown := s
	if end := strings.IndexByte(s, '}'); end >= 0 {
		shown = s[:end+1]
	}
	if len(shown) > maxShown {
		shown = strings.ToValidUTF8(shown[:maxShown], "") + "..."
	}
	return &keychain.Error{
		Code:    keychain.CodeBadRef,
		Message: fmt.Sprintf("the reference %q %s", shown, sentence),
		Hint:    "Possible are ${secret:NAME}, ${env:NAME} and ${NAME:-default}. For ${ as it is write $${.",
	}
}

// Names are the names that the value refers to, each once, in order.
func (t Template) Names() []Name {
	var names []Name
	var walk func([]part)
	walk = func(parts []part) {
		for _, p := range parts {
			if p.kind != Secret && p.kind != Variable {
				continue
			}
			if n := (Name{Kind: p.kind, Name: p.name, Optional: p.has}); !slices.Contains(names, n) {
				names = append(names, n)
			}
			walk(p.other)
		}
	}
	walk(t.parts)
	return names
}

// Plain reports whether the value refers to nothing.
func (t Template) Plain() bool {
	return !slices.ContainsFunc(t.parts, func(p part) bool { return p.kind != "" })
}

// Lookups say what names stand for. A nil one knows nothing.
type Lookups struct {
	Secret   func(name string) (keychain.Secret, bool)
	Variable func(name string) (string, bool)
	Home     string // the person's home folder; "" if there is none
}

// Expand returns the value with everything in its place. The first reference
// that can't be resolved is the error, by name. Values are not expanded again.
func (t Template) Expand(l Lookups) (string, error) {
	var out strings.Builder
	if err := expand(&out, t.parts, l); err != nil {
		return "", err
	}
	return out.String(), nil
}

func expand(out *strings.Builder, parts []part, l Lookups) error {
	for _, p := range parts {
		switch p.kind {
		case "":
			out.WriteString(p.text)
		case home:
			if l.Home == "" {
				return &keychain.Error{Code: keychain.CodeVariable, Message: "~ can't be replaced: the home folder isn't known", Hint: "Write the whole path. For ~ as it is write $~.", Names: []string{"HOME"}}
			}
			out.WriteString(l.Home)
		case Secret:
			v, ok := keychain.Secret{}, false
			if l.Secret != nil {
				v, ok = l.Secret(p.name)
			}
			if !ok {
				return &keychain.Error{Code: keychain.CodeSecretMissing, Message: "there is no secret " + p.name, Hint: "Store it with: bridgekeeper secret set " + p.name, Names: []string{p.name}}
			}
			out.WriteString(v.Reveal())
		case Variable:
			v, ok := "", false
			if l.Variable != nil {
				v, ok = l.Variable(p.name)
			}
			switch {
			case p.has && v == "":
				if err := expand(out, p.other, l); err != nil {
					return err
				}
			case !ok:
				return &keychain.Error{Code: keychain.CodeVariable, Message: "the variable " + p.name + " is not set", Hint: "Set it, give it a default with ${" + p.name + ":-text}, or store a secret and write ${secret:" + p.name + "}.", Names: []string{p.name}}
			default:
				out.WriteString(v)
			}
		}
	}
	return nil
}

// Escape returns a value that expands to s.
func Escape(s string) string {
	s = strings.ReplaceAll(s, "${", "$${")
	if strings.HasPrefix(s, "~") || escapedHome(s) {
		s = "$" + s
	}
	return s
}
