// Package detect finds likely secrets in a server's entry that is about to be
// saved, so that they go into the keychain and the entry keeps references.
//
// It is pure, owns nothing and never prints a value. It errs on the side of
// asking: a finding that isn't Sure is for the person to confirm. The app calls
// it on every draft: added, imported or pasted.
package detect

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"bridgekeeper/keychain"
)

// Entry is what of a draft may hold secrets.
type Entry struct {
	Server  string // the entry's name, for names of secrets
	Command string
	Args    []string
	Env     map[string]string
	Headers map[string]string
	URL     string
}

// Kind is a part of an entry.
type Kind string

const (
	Env    Kind = "env"
	Arg    Kind = "arg"
	Header Kind = "header"
	URL    Kind = "url"
)

// Reason is why something is taken for a secret.
type Reason string

const (
	ByName    Reason = "name"    // of its variable, flag, header or parameter
	ByShape   Reason = "shape"   // a known prefix, a token, a private key
	ByURL     Reason = "url"     // a password in a URL
	ByHeader  Reason = "header"  // what a header of that name always holds
	ByEntropy Reason = "entropy" // it looks random
)

// Finding is a likely secret: where it is, and the name it would get.
type Finding struct {
	Kind  Kind
	Key   string // the variable or header; for arguments the flag or variable, if any
	Index int    // of the argument
	// Start and End are the value within the field, in bytes.
	Start, End int
	Value      keychain.Secret
	Name       string // proposed
	Reason     Reason
	Sure       bool // moved without a question; otherwise the person confirms

	// variable: the argument is KEY=value for a container's environment, so that
	// the value can leave the command line altogether.
	variable  string
	parameter string // of the URL
}

// Find returns the likely secrets in e: environment, arguments, headers, URL.
// taken tells which names are in use; nil for none. One value at several places
// gets one name.
func Find(e Entry, taken func(name string) bool) []Finding {
	var list []Finding
	for _, key := range slices.Sorted(maps.Keys(e.Env)) {
		for _, f := range judge(key, e.Env[key]) {
			f.Kind, f.Key = Env, key
			list = append(list, f)
		}
	}
	list = append(list, arguments(e)...)
	for _, key := range slices.Sorted(maps.Keys(e.Headers)) {
		for _, f := range header(key, e.Headers[key]) {
			f.Kind, f.Key = Header, key
			list = append(list, f)
		}
	}
	for _, f := range address(e.URL) {
		f.Kind = URL
		list = append(list, f)
	}
	propose(e.Server, list, taken)
	return list
}

// variablePattern is KEY=value as in an environment.
var variablePattern = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=`)

// arguments goes through the command line: flags with their values, variables
// for containers, headers, URLs.
func arguments(e Entry) (list []Finding) {
	add := func(i, offset int, key string, found []Finding) {
		for _, f := range found {
			f.Kind, f.Index, f.Key = Arg, i, key
			f.Start, f.End = f.Start+offset, f.End+offset
			list = append(list, f)
		}
	}
	variable := func(i, offset int, text string) {
		m := variablePattern.FindString(text)
		if m == "" {
			return
		}
		key := strings.TrimSuffix(m, "=")
		found := judge(key, text[len(m):])
		for k := range found {
			if container(e) && found[k].Start == 0 && found[k].End == len(text)-len(m) {
				found[k].variable = key
			}
		}
		add(i, offset+len(m), key, found)
	}
	for i := 0; i < len(e.Args); i++ {
		arg := e.Args[i]
		flag, value, joined := strings.Cut(arg, "=")
		switch {
		case !strings.HasPrefix(arg, "-"):
			if m := variablePattern.FindString(arg); m != "" {
				key := strings.TrimSuffix(m, "=")
				add(i, len(m), key, judge(key, arg[len(m):]))
				continue
			}
			add(i, 0, "", loose(arg))
		case isVariableFlag(flag):
			at, offset, text := i, len(flag)+1, value
			if !joined {
				at, offset = i+1, 0
				if at == len(e.Args) {
					continue
				}
				text = e.Args[at]
				i++
			}
			variable(at, offset, text)
		case container(e) && strings.HasPrefix(arg, "-e"): // -eKEY=value, or -eKEY
			variable(i, 2, arg[2:])
		case isHeaderFlag(flag):
			at, offset, text := i, len(flag)+1, value
			if !joined {
				at, offset = i+1, 0
				if at == len(e.Args) {
					continue
				}
				text = e.Args[at]
				i++
			}
			name, content, ok := strings.Cut(text, ":")
			if !ok {
				add(at, offset, flag, loose(text))
				continue
			}
			add(at, offset+len(name)+1, name, header(name, content))
		case joined:
			add(i, len(flag)+1, flag, judge(flag, value))
		case i+1 < len(e.Args) && !strings.HasPrefix(e.Args[i+1], "-") && secretName(flag):
			i++
			add(i, 0, flag, judge(flag, e.Args[i]))
		default:
			add(i, 0, flag, loose(arg))
		}
	}
	return list
}

// isVariableFlag: docker's and its relatives', which several wrappers share.
func isVariableFlag(flag string) bool { return flag == "-e" || flag == "--env" }

func isHeaderFlag(flag string) bool { return flag == "-H" || flag == "--header" || flag == "--headers" }

// container: the program passes its own environment on for -e KEY.
func container(e Entry) bool {
	name := strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(e.Command, `\`, "/"))), ".exe")
	return name == "docker" || name == "podman" || name == "nerdctl"
}

// Stored is a value that is to be put into the keychain.
type Stored struct {
	Name  string
	Value keychain.Secret
}

// Move returns a copy of e in which the findings are references, and what has to
// be stored under which name. A container's -e KEY=value becomes -e KEY with the
// value in the environment: the command line can be read by everybody.
func Move(e Entry, findings []Finding) (Entry, []Stored) {
	e.Args, e.Env, e.Headers = slices.Clone(e.Args), maps.Clone(e.Env), maps.Clone(e.Headers)
	var stored []Stored
	// From the end, so that the places of the rest stay right.
	order := slices.Clone(findings)
	slices.SortStableFunc(order, func(a, b Finding) int { return b.Start - a.Start })
	for _, f := range order {
		put := func(text string) string {
			return text[:f.Start] + keychain.Ref(f.Name) + text[f.End:]
		}
		switch f.Kind {
		case Env:
			e.Env[f.Key] = put(e.Env[f.Key])
		case Header:
			e.Headers[f.Key] = put(e.Headers[f.Key])
		case URL:
			e.URL = put(e.URL)
		case Arg:
			if _, exists := e.Env[f.variable]; f.variable != "" && !exists {
				if e.Env == nil {
					e.Env = map[string]string{}
				}
				e.Env[f.variable] = keychain.Ref(f.Name)
				e.Args[f.Index] = e.Args[f.Index][:f.Start-1]
				break
			}
			e.Args[f.Index] = put(e.Args[f.Index])
		}
	}
	for _, f := range findings {
		if !slices.ContainsFunc(stored, func(s Stored) bool { return s.Name == f.Name }) {
			stored = append(stored, Stored{f.Name, f.Value})
		}
	}
	return e, stored
}
