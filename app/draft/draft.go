// Package draft holds servers that aren't added yet, from whatever source, and
// turns them into entries once their inputs are known.
//
// It is pure: it reads no file, starts nothing and keeps no value. What makes
// drafts is beside it (paste, app/catalog, app/mcpb); the app shows them to a
// person and adds them.
package draft

import (
	"slices"
	"strings"

	"bridgekeeper/app/wire"
	"bridgekeeper/keychain"
	"bridgekeeper/keychain/ref"
)

// Draft is a server that isn't added yet.
type Draft struct {
	Label       string
	Name        string // proposed: letters, digits and dashes
	Title       string
	Description string
	Source      wire.DraftSource
	Install     string // one of the wire.Install… values
	Package     string
	Version     string
	Pinned      bool

	Command string // as it is: no input can change which program runs
	Args    []Arg
	Env     []Var
	Cwd     string
	URL     string // of a server on the net, with nothing secret in it
	// Bundle is the address of a bundle that has to be fetched before more is
	// known; SHA256 what its file must have, "" when nobody says.
	Bundle string
	SHA256 string
	Inputs []wire.Input

	Disabled bool
	Off      []string // tools that were switched off where it came from

	May      []string // besides what follows from the rest
	Warnings []string
	Blocked  []string
	Needs    []string // programs

	// Found are likely secrets that came with the source, by the names that the
	// entry refers to.
	Found []Secret
}

// Secret is a value that goes into the keychain.
type Secret struct {
	Name  string
	Value keychain.Secret
}

// Arg is one argument, or a flag with its value.
type Arg struct {
	Flag  string // before each value; "" for none
	Value Text
	// Each is an input whose values are one argument each, in the place of Value.
	Each string
	// Switch is an input that decides whether Flag stands alone or not at all.
	Switch string
	// Optional leaves the argument out when an input in it has no value.
	Optional bool
	// With is a variable: without it the argument is left out.
	With string
}

// Var is one variable of the server's environment.
type Var struct {
	Name     string
	Value    Text
	Optional bool // left out when an input in it has no value
}

// Text is a value with inputs in it.
type Text []Part

// Part is a text in the syntax of an entry, or an input.
type Part struct {
	Text  string
	Input string
}

// Literal is a text that stands for itself, whatever is in it.
func Literal(s string) Text { return Text{{Text: ref.Escape(s)}} }

// Literals are arguments that stand for themselves.
func Literals(args ...string) (list []Arg) {
	for _, a := range args {
		list = append(list, Arg{Value: Literal(a)})
	}
	return list
}

// Raw is a text that may hold references of ours.
func Raw(s string) Text { return Text{{Text: s}} }

// Of is an input's value.
func Of(input string) Text { return Text{{Input: input}} }

// Inputs are the names of the inputs in t.
func (t Text) Inputs() (names []string) {
	for _, p := range t {
		if p.Input != "" && !slices.Contains(names, p.Input) {
			names = append(names, p.Input)
		}
	}
	return names
}

// String shows inputs as <NAME>.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t {
		if p.Input != "" {
			b.WriteString("<" + p.Input + ">")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// Block adds a reason why the draft can't be added.
func (d *Draft) Block(sentence string) { d.Blocked = appendOnce(d.Blocked, sentence) }

// Warn adds a sentence that a person should read first.
func (d *Draft) Warn(sentence string) { d.Warnings = appendOnce(d.Warnings, sentence) }

func appendOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// Input returns the input of that name, or nil.
func (d *Draft) Input(name string) *wire.Input {
	if i := slices.IndexFunc(d.Inputs, func(in wire.Input) bool { return in.Name == name }); i >= 0 {
		return &d.Inputs[i]
	}
	return nil
}

// NameOf is a short name for a server, from the name that a registry or package
// has for it: letters, digits and dashes.
func NameOf(full string) string {
	space, name, found := strings.Cut(full, "/")
	if !found {
		space, name = "", full
	}
	if short := shorten(name); short != "" {
		return short
	}
	parts := strings.Split(space, ".")
	for _, part := range slices.Backward(parts) { // com.example.mcp/mcp is example's
		if short := shorten(part); short != "" && part != parts[0] {
			return short
		}
	}
	return "server"
}

func shorten(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			b.WriteRune(r)
		} else {
			b.WriteByte('-')
		}
	}
	var words []string
	for word := range strings.SplitSeq(b.String(), "-") {
		if word != "" && word != "mcp" && word != "server" {
			words = append(words, word)
		}
	}
	name = strings.Join(words, "-")
	return strings.Trim(name[:min(len(name), maxProposed)], "-")
}

// maxProposed keeps SERVER__TOOL within what hosts take.
const maxProposed = 40

// Ask adds an input. One of the same name is asked for once: it stays, and is
// required or secret when either is.
func (d *Draft) Ask(in wire.Input) {
	if have := d.Input(in.Name); have != nil {
		have.Required, have.Secret = have.Required || in.Required, have.Secret || in.Secret
		if len(have.Default) == 0 {
			have.Default = in.Default
		}
		if have.Description == "" {
			have.Description = in.Description
		}
		return
	}
	d.Inputs = append(d.Inputs, in)
}

// Wire is the draft as a client sees it. Needs are filled in by who can look.
func (d *Draft) Wire() wire.Draft {
	w := wire.Draft{Label: d.Label, Name: d.Name, Title: d.Title, Description: d.Description, Source: d.Source, Install: d.Install, Package: d.Package,
		Version: d.Version, Pinned: d.Pinned, Command: d.Command, Cwd: d.Cwd, URL: d.URL, Inputs: slices.Clone(d.Inputs), May: d.may(),
		Fetch: d.Bundle, Warnings: slices.Clone(d.Warnings), Blocked: slices.Clone(d.Blocked), Folders: d.folders()}
	for _, a := range d.Args {
		if a.Flag != "" {
			w.Args = append(w.Args, a.Flag)
		}
		switch {
		case a.Each != "":
			w.Args = append(w.Args, "<"+a.Each+">…")
		case a.Switch == "":
			w.Args = append(w.Args, a.Value.String())
		}
	}
	for _, v := range d.Env {
		w.Env = append(w.Env, v.Name)
	}
	for _, name := range d.Needs {
		w.Needs = append(w.Needs, wire.Need{Program: name})
	}
	for i := range w.Inputs {
		if w.Inputs[i].Secret && len(w.Inputs[i].Default) > 0 {
			w.Inputs[i].Default = []string{wire.Mask}
		}
	}
	return w
}

// folders are what the server is given of the person's files, as far as its
// inputs tell.
func (d *Draft) folders() (list []string) {
	for _, in := range d.Inputs {
		if in.Kind == wire.InputDirectory || in.Kind == wire.InputFile {
			list = append(list, in.Default...)
			if len(in.Default) == 0 {
				list = append(list, "<"+in.Name+">")
			}
		}
	}
	return list
}

// may says in sentences what the server may do once it is added.
func (d *Draft) may() []string {
	var list []string
	switch d.Install {
	case wire.InstallOCI:
		list = append(list, "It runs in a container and sees only the folders and variables that are named here.")
	case wire.InstallRemote:
		list = append(list, "What its tools are given leaves this computer: it is a server on the net.")
	default:
		list = append(list, "It runs with your rights: it can read and change your files and use the net.")
	}
	switch {
	case d.Install == wire.InstallBinary || d.Install == wire.InstallMCPB:
	case d.Package != "":
		list = append(list, "Its first start downloads "+d.Package+".")
	}
	if !d.Pinned && d.Package != "" && d.Install != wire.InstallRemote {
		list = append(list, "It has no fixed version: other code may run next time.")
	}
	return append(list, d.May...)
}
