package draft

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"bridgekeeper/app/wire"
	"bridgekeeper/keychain"
	"bridgekeeper/keychain/detect"
	"bridgekeeper/keychain/ref"
)

const (
	// maxValue bounds one value in bytes: a certificate is a few KiB, and Linux
	// takes no argument above 128.
	maxValue = 64 << 10
	// maxValues bounds how many values one input has.
	maxValues = 100
)

// Values are those of a draft's inputs, and what else its entry depends on.
type Values struct {
	Name   string              // of the server; "" is the proposed one
	Inputs map[string][]string // what isn't named has its default
	Env    map[string]string   // further variables; they win
	Taken  func(string) bool   // names of secrets in use; nil for none
}

// Filled is an entry that can be added.
type Filled struct {
	Name    string
	Entry   wire.Entry // with references in the place of secrets
	Secrets []Secret   // what the references stand for, not kept yet
}

// Fill puts the values in their places. A value that is missing or can't be is an
// error with CodeBadInput that names it; a blocked draft is one with CodeBadDraft.
func Fill(d *Draft, v Values) (*Filled, error) {
	name := v.Name
	if name == "" {
		name = d.Name
	}
	if err := wire.CheckName("server", name); err != nil {
		return nil, err
	}
	if len(d.Blocked) > 0 {
		return nil, &wire.Error{Code: wire.CodeBadDraft, Message: strings.Join(d.Blocked, " ")}
	}
	for given := range v.Inputs {
		if d.Input(given) == nil {
			return nil, badInput(d, "there is no input %.80q", given)
		}
	}
	f := filler{d: d, out: &Filled{Name: name}, values: map[string][]string{}, taken: v.Taken}
	for _, in := range d.Inputs {
		given, named := v.Inputs[in.Name]
		if !named {
			given = in.Default
		}
		values, err := f.checked(in, given)
		if err != nil {
			return nil, err
		}
		f.values[in.Name] = values
	}
	f.entry(v.Env)
	f.detect()
	for _, s := range d.Found { // only those that the entry still refers to
		if f.refersTo(s.Name) {
			f.out.Secrets = append(f.out.Secrets, s)
		}
	}
	return f.out, nil
}

type filler struct {
	d      *Draft
	out    *Filled
	values map[string][]string // in the syntax of an entry
	taken  func(string) bool
}

// checked are an input's values as an entry has them: references for secrets.
func (f *filler) checked(in wire.Input, given []string) ([]string, error) {
	var out []string
	if len(given) > 1 && !in.Multiple || len(given) > maxValues {
		return nil, badInput(f.d, "%s takes one value, not %d", in.Name, len(given))
	}
	for _, value := range given {
		if in.Kind != wire.InputString {
			value = strings.TrimSpace(value)
		}
		if value == "" {
			continue
		}
		value, err := checkValue(in, value)
		if err != nil {
			return nil, badInput(f.d, "%s %s", in.Name, err)
		}
		out = append(out, value)
	}
	if len(out) == 0 && in.Required {
		return nil, badInput(f.d, "%s has no value", in.Name)
	}
	if !in.Secret {
		for i := range out {
			if out[i] != "~" && !strings.HasPrefix(out[i], "~/") && !strings.HasPrefix(out[i], `~\`) { // nobody means a folder called ~
				out[i] = ref.Escape(out[i])
			}
		}
		return out, nil
	}
	for i := range out {
		if inner, err := keychain.ParseName(out[i]); err == nil && out[i] == keychain.Ref(inner) {
			continue // one that is kept already
		}
		secret := Secret{f.secretName(in.Name), keychain.NewSecret(out[i])}
		f.out.Secrets = append(f.out.Secrets, secret)
		out[i] = keychain.Ref(secret.Name)
	}
	return out, nil
}

// checkValue returns the value in its usual form, or what is wrong with it; a
// secret is never quoted.
func checkValue(in wire.Input, value string) (string, error) {
	if len(value) > maxValue {
		return "", fmt.Errorf("is longer than %d KiB", maxValue>>10)
	}
	if strings.ContainsRune(value, 0) {
		return "", fmt.Errorf("has a zero byte in it")
	}
	switch in.Kind {
	case wire.InputNumber:
		n, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || math.IsNaN(n) || math.IsInf(n, 0):
			return "", fmt.Errorf("must be a number")
		case in.Min != nil && n < *in.Min:
			return "", fmt.Errorf("must be at least %v", *in.Min)
		case in.Max != nil && n > *in.Max:
			return "", fmt.Errorf("must be at most %v", *in.Max)
		}
	case wire.InputBool:
		switch strings.ToLower(value) {
		case "true", "yes", "on", "1":
			return "true", nil
		case "false", "no", "off", "0":
			return "false", nil
		}
		return "", fmt.Errorf("must be true or false")
	case wire.InputChoice:
		if !slices.Contains(in.Choices, value) {
			return "", fmt.Errorf("must be one of %s", strings.Join(in.Choices, ", "))
		}
	case wire.InputDirectory, wire.InputFile:
		if strings.ContainsAny(value, "\r\n") {
			return "", fmt.Errorf("can't be a path: it has a line break in it")
		}
	}
	return value, nil
}

// secretName is a name for an input's value that nothing has yet.
func (f *filler) secretName(input string) string {
	name := SecretName(f.out.Name, f.variableOf(input))
	for n := 2; ; n++ {
		used := slices.ContainsFunc(f.out.Secrets, func(s Secret) bool { return strings.EqualFold(s.Name, name) }) || f.taken != nil && f.taken(name)
		if !used {
			return name
		}
		end := "_" + strconv.Itoa(n)
		stem := strings.TrimSuffix(name, "_"+strconv.Itoa(n-1))
		name = stem[:min(len(stem), keychain.MaxName-len(end))] + end
	}
}

// variableOf is the variable that an input is the whole value of, else its own name.
func (f *filler) variableOf(input string) string {
	for _, v := range f.d.Env {
		if len(v.Value) == 1 && v.Value[0].Input == input {
			return v.Name
		}
	}
	return input
}

// SecretName is SERVER_INPUT in the letters of a variable, without saying the
// server's name twice.
func SecretName(server, input string) string {
	server, name := keychain.UpperName(server), keychain.UpperName(input)
	switch {
	case name == "":
		name = "SECRET"
	case server != "" && !strings.HasPrefix(name, strings.Split(server, "_")[0]):
		name = server + "_" + name
	}
	name = strings.TrimRight(name[:min(len(name), keychain.MaxName)], "_")
	if !keychain.ValidName(name) {
		return "SECRET"
	}
	return name
}

// entry puts the values in their places.
func (f *filler) entry(more map[string]string) {
	e := &f.out.Entry
	e.Command, e.Cwd, e.Disabled, e.Off = f.d.Command, f.d.Cwd, f.d.Disabled, slices.Clone(f.d.Off)
	e.Env = map[string]string{}
	for _, v := range f.d.Env {
		if value, ok := f.text(v.Value, v.Optional); ok {
			e.Env[v.Name] = value
		}
	}
	for name, value := range more {
		e.Env[name] = ref.Escape(value)
		if _, err := ref.Parse(value); err == nil {
			e.Env[name] = value // a reference of ours
		}
	}
	for _, a := range f.d.Args {
		if _, there := e.Env[a.With]; a.With != "" && !there {
			continue
		}
		e.Args = append(e.Args, f.arg(a)...)
	}
	if len(e.Env) == 0 {
		e.Env = nil
	}
}

func (f *filler) arg(a Arg) (out []string) {
	flagged := func(value string) {
		if a.Flag != "" {
			out = append(out, a.Flag)
		}
		out = append(out, value)
	}
	switch {
	case a.Each != "":
		for _, value := range f.values[a.Each] {
			flagged(value)
		}
	case a.Switch != "":
		if slices.Equal(f.values[a.Switch], []string{"true"}) {
			out = append(out, a.Flag)
		}
	default:
		if value, ok := f.text(a.Value, a.Optional); ok {
			flagged(value)
		}
	}
	return out
}

// text is the value; ok is false when it is to be left out. An input without a
// value is an empty text, never its placeholder.
func (f *filler) text(t Text, optional bool) (value string, ok bool) {
	var b strings.Builder
	for _, p := range t {
		values := f.values[p.Input]
		switch {
		case p.Input == "":
			b.WriteString(p.Text)
		case len(values) == 0 && optional:
			return "", false
		default:
			b.WriteString(strings.Join(values, ","))
		}
	}
	return b.String(), true
}

// detect finds the secrets that nobody declared.
func (f *filler) detect() {
	e := detect.Entry{Server: f.out.Name, Command: f.out.Entry.Command, Args: f.out.Entry.Args, Env: f.out.Entry.Env}
	findings := detect.Find(e, func(name string) bool {
		return f.taken != nil && f.taken(name) || slices.ContainsFunc(f.out.Secrets, func(s Secret) bool { return s.Name == name })
	})
	findings = slices.DeleteFunc(findings, func(x detect.Finding) bool { return !x.Sure })
	moved, stored := detect.Move(e, findings)
	f.out.Entry.Args, f.out.Entry.Env = moved.Args, moved.Env
	for _, s := range stored {
		f.out.Secrets = append(f.out.Secrets, Secret{s.Name, s.Value})
	}
}

func (f *filler) refersTo(secret string) bool {
	is := func(value string) bool { return strings.Contains(value, keychain.Ref(secret)) }
	return slices.ContainsFunc(f.out.Entry.Args, is) || slices.ContainsFunc(slices.Collect(maps.Values(f.out.Entry.Env)), is)
}

func badInput(d *Draft, format string, args ...any) *wire.Error {
	e := &wire.Error{Code: wire.CodeBadInput, Message: fmt.Sprintf(format, args...) + "."}
	var names []string
	for _, in := range d.Inputs {
		names = append(names, in.Name)
	}
	if len(names) > 0 {
		e.Hint = "Its inputs are " + strings.Join(names, ", ") + "."
	} else {
		e.Hint = "It takes none."
	}
	return e
}
