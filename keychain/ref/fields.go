package ref

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"bridgekeeper/keychain"
)

// Fields are the parts of a server's entry that may hold references. The command
// is not among them: what runs must be seen as it is.
type Fields struct {
	Args    []string
	Env     map[string]string
	Headers map[string]string
	Cwd     string
}

// Problem is a reference that can't be expanded, with the place where it stands.
type Problem struct {
	Field string // "env TOKEN", "argument 3", "header Authorization", "cwd"
	Err   *keychain.Error
}

// Problems are all that is wrong with an entry, in a fixed order. It is an error;
// errors.Is and errors.As find each one's keychain.Error.
type Problems []Problem

func (p Problems) Error() string {
	var lines []string
	for _, one := range p {
		lines = append(lines, one.Field+": "+one.Err.Message)
	}
	return strings.Join(lines, "; ")
}

func (p Problems) Unwrap() []error {
	var list []error
	for _, one := range p {
		list = append(list, one.Err)
	}
	return list
}

// Missing are the names of one kind that have no value, sorted, each once.
func (p Problems) Missing(kind Kind) []string {
	code := keychain.CodeSecretMissing
	if kind == Variable {
		code = keychain.CodeVariable
	}
	var names []string
	for _, one := range p {
		if one.Err.Code == code {
			names = append(names, one.Err.Names...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// walk calls f for each value, in a fixed order, with its place.
func (f Fields) walk(visit func(field, value string, put func(string))) {
	for i, v := range f.Args {
		visit("argument "+strconv.Itoa(i+1), v, func(s string) { f.Args[i] = s })
	}
	for _, k := range slices.Sorted(maps.Keys(f.Env)) {
		visit("env "+k, f.Env[k], func(s string) { f.Env[k] = s })
	}
	for _, k := range slices.Sorted(maps.Keys(f.Headers)) {
		visit("header "+k, f.Headers[k], func(s string) { f.Headers[k] = s })
	}
}

// Expand returns a copy with everything in its place, or Problems with every
// reference that can't be resolved. It holds secrets: it goes to the process that
// is about to be started, and is not kept.
func (f Fields) Expand(l Lookups) (Fields, error) {
	out := Fields{Args: slices.Clone(f.Args), Env: maps.Clone(f.Env), Headers: maps.Clone(f.Headers)}
	var problems Problems
	one := func(field, value string, put func(string)) {
		t, err := Parse(value)
		if err == nil {
			value, err = t.Expand(l)
		}
		if err != nil {
			problems = append(problems, Problem{field, asError(err)})
			return
		}
		put(value)
	}
	out.walk(one)
	one("cwd", f.Cwd, func(s string) { out.Cwd = s })
	if len(problems) > 0 {
		return Fields{}, problems
	}
	return out, nil
}

func asError(err error) *keychain.Error {
	if e, ok := errors.AsType[*keychain.Error](err); ok {
		return e
	}
	return &keychain.Error{Code: keychain.CodeBadRef, Message: err.Error()}
}

// Use is one name at one place.
type Use struct {
	Field string
	Name
}

// Uses are all names that the entry refers to and where, without resolving any:
// for what needs to be fetched before a start, and for `secret where`. Values
// that can't be parsed are the Problems; the rest is returned all the same.
func (f Fields) Uses() ([]Use, error) {
	var uses []Use
	var problems Problems
	one := func(field, value string, _ func(string)) {
		t, err := Parse(value)
		if err != nil {
			problems = append(problems, Problem{field, asError(err)})
			return
		}
		for _, n := range t.Names() {
			uses = append(uses, Use{field, n})
		}
	}
	f.walk(one)
	one("cwd", f.Cwd, nil)
	if len(problems) > 0 {
		return uses, problems
	}
	return uses, nil
}

// Secrets are the names of the secrets that the entry refers to, sorted, each
// once; it gets these and no others.
func (f Fields) Secrets() []string {
	uses, _ := f.Uses()
	var names []string
	for _, u := range uses {
		if u.Kind == Secret {
			names = append(names, u.Name.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Rename returns a value in which references to the secret from are to the
// secret to; everything else stays byte for byte. Values that can't be parsed
// are returned as they are.
func Rename(value, from, to string) string {
	if _, err := Parse(value); err != nil {
		return value
	}
	old, other := keychain.Ref(from), keychain.Ref(to)
	var out strings.Builder
	for value != "" {
		switch {
		case strings.HasPrefix(value, "$${"):
			out.WriteString("$${")
			value = value[3:]
		case strings.HasPrefix(value, old):
			out.WriteString(other)
			value = value[len(old):]
		default:
			out.WriteByte(value[0])
			value = value[1:]
		}
	}
	return out.String()
}
