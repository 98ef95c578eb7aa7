package serverjson

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/wire"
)

// unfilled is a template that nobody filled in: in-repository files have them.
var unfilled = regexp.MustCompile(`[$<{]`)

// Drafts makes a draft of each package and each address, those that can be added
// first, otherwise in the order of the file. It fails when there is none.
func (s *Server) Drafts(source wire.DraftSource) ([]*draft.Draft, error) {
	var list []*draft.Draft
	for _, p := range s.Packages {
		list = append(list, s.ofPackage(p))
	}
	for _, r := range s.Remotes {
		d := s.ofRemote(r)
		if len(s.Remotes) > 1 {
			d.Name = draft.NameOf(firstLabel(r.URL) + "-" + d.Name) // one service of several
		}
		list = append(list, d)
	}
	if len(list) == 0 {
		return nil, bad("it names neither a package nor an address")
	}
	for _, d := range list {
		d.Source = source
		if d.Source.From == "" {
			d.Source.From = s.Name
		}
		if s.Status == "deprecated" {
			d.Warn("Its authors call it deprecated.")
		}
		if s.Status == "deleted" {
			d.Block("It was deleted from its registry.")
		}
	}
	slices.SortStableFunc(list, func(a, b *draft.Draft) int { return cmp.Compare(min(len(a.Blocked), 1), min(len(b.Blocked), 1)) })
	return list, nil
}

func (s *Server) draft() *draft.Draft {
	d := &draft.Draft{Name: draft.NameOf(s.Name), Title: s.Title, Description: s.Description}
	if unfilled.MatchString(s.Name) {
		d.Name = "server"
	}
	return d
}

// converter fills one draft.
type converter struct {
	d *draft.Draft
	// variables are those of the environment: a container is told of each.
	container bool
}

// kinds are the names of registries, also those of older schemas.
var kinds = map[string]string{"npm": wire.InstallNPM, "pypi": wire.InstallPyPI, "oci": wire.InstallOCI, "docker": wire.InstallOCI, "nuget": wire.InstallNuGet,
	"mcpb": wire.InstallMCPB, "cargo": wire.InstallCargo, "crates": wire.InstallCargo, "go": wire.InstallGo}

func (s *Server) ofPackage(p Package) *draft.Draft {
	d := s.draft()
	kind := strings.ToLower(cmp.Or(p.RegistryType, p.RegistryName))
	d.Package, d.Version = cmp.Or(p.Identifier, p.Name), cmp.Or(string(p.Version), "")
	d.Install = kinds[kind]
	d.Label = strings.TrimSpace(kind + " " + d.Package + " " + d.Version)
	switch {
	case d.Install == "":
		d.Block(fmt.Sprintf("It is a package of %q, which Bridgekeeper can't install.", kind))
		return d
	case d.Package == "":
		d.Block("Its package has no name.")
		return d
	case unfilled.MatchString(d.Package):
		d.Block(fmt.Sprintf("Its package is called %q: the file is a template that was never filled in.", d.Package))
		return d
	case unfilled.MatchString(d.Version):
		d.Block(fmt.Sprintf("Its version is %q: the file is a template that was never filled in.", d.Version))
		return d
	case strings.HasPrefix(d.Package, "-") || strings.HasPrefix(d.Version, "-"):
		d.Block(fmt.Sprintf("Its package is called %q, which its installer would take for an option.", d.Package))
		return d
	case strings.ContainsAny(d.Package+d.Version, " \t\r\n\x00"):
		d.Block("Its package's name or version has a space in it.")
		return d
	}
	if d.Version == "latest" {
		d.Version = ""
	}
	d.Pinned = d.Version != "" && !strings.ContainsAny(d.Version, "^~*>|") && !strings.HasSuffix(d.Version, ".x")
	c := &converter{d: d, container: d.Install == wire.InstallOCI}
	c.command(p)
	switch t := cmp.Or(p.Transport.Type, "stdio"); t {
	case "stdio":
	default:
		d.Block(fmt.Sprintf("This package speaks %s, and Bridgekeeper starts servers that speak over stdin and stdout.", t))
	}
	d.Describe()
	return d
}

// command makes the command line by the package's kind.
func (c *converter) command(p Package) {
	d := c.d
	pinned := func(sep string) string {
		if d.Version == "" {
			return d.Package
		}
		return d.Package + sep + d.Version
	}
	runtime, own := c.arguments(p.RuntimeArguments, "option"), func() []draft.Arg { return c.arguments(p.PackageArguments, "argument") }
	for _, v := range p.EnvironmentVariables {
		c.variable(v)
	}
	c.hint(p)
	switch d.Install {
	case wire.InstallNPM:
		d.Command, d.Args = "npx", runtime
		if p.RuntimeHint == "bunx" {
			d.Command = "bunx"
		} else if !given(runtime, "-y", "--yes") {
			d.Args = append(d.Args, draft.Literals("-y")...)
		}
		d.Args = append(append(d.Args, draft.Literals(pinned("@"))...), own()...)
	case wire.InstallPyPI:
		d.Command = "uvx"
		d.Args = append(append(runtime, draft.Literals(pinned("=="))...), own()...)
	case wire.InstallOCI:
		c.image(p, runtime, own)
	case wire.InstallNuGet:
		d.Command, d.Args = "dnx", append(draft.Literals(pinned("@"), "--yes"), runtime...)
		if args := own(); len(args) > 0 {
			d.Args = append(append(d.Args, draft.Literals("--")...), args...)
		}
	case wire.InstallGo:
		d.Command = "go"
		version := cmp.Or(d.Version, "latest")
		if version[0] >= '0' && version[0] <= '9' {
			version = "v" + version
		}
		d.Args = append(append(append(draft.Literals("run"), runtime...), draft.Literals(d.Package+"@"+version)...), own()...)
	case wire.InstallCargo:
		d.Block(fmt.Sprintf("Cargo builds programs but doesn't run them: build it with `cargo install --locked %s --version %s`, then add the program.", d.Package, cmp.Or(d.Version, "…")))
	case wire.InstallMCPB:
		c.bundle(p)
	}
}

// image runs a container image, which brings its version in its name.
func (c *converter) image(p Package, runtime []draft.Arg, own func() []draft.Arg) {
	d := c.d
	named := d.Package
	tagged := strings.Contains(named, "@") || strings.LastIndexByte(named, ':') > strings.LastIndexByte(named, '/')
	if !tagged && d.Version != "" {
		named += ":" + d.Version // before 2025-10-11
	}
	d.Command = "docker"
	if p.RuntimeHint == "podman" {
		d.Command = "podman"
	}
	d.Args = draft.Literals("run", "-i", "--rm")
	for _, v := range d.Env {
		if !slices.ContainsFunc(runtime, func(a draft.Arg) bool { return a.With == v.Name }) {
			d.Args = append(d.Args, draft.Arg{Flag: "-e", Value: draft.Literal(v.Name), With: v.Name})
		}
	}
	d.Args = append(append(append(d.Args, runtime...), draft.Literals(named)...), own()...)
	got := draft.Recognize("docker", []string{"run", named})
	d.Package, d.Version, d.Pinned = got.Name, got.Version, got.Pinned
	for _, in := range d.Inputs {
		if in.Kind == wire.InputFile || in.Kind == wire.InputDirectory {
			d.Warn(fmt.Sprintf("Its container sees %s only where a -v brings it in.", in.Name))
		}
	}
	if d.Version == "latest" {
		d.Version = ""
	}
}

func (c *converter) bundle(p Package) {
	d := c.d
	d.Bundle, d.SHA256, d.Pinned = d.Package, strings.ToLower(p.FileSHA256), true
	switch {
	case !strings.HasPrefix(d.Bundle, "https://") && !strings.HasPrefix(d.Bundle, "http://127.0.0.1:"):
		d.Block("Its bundle's address doesn't begin with https://.")
	case unfilled.MatchString(d.SHA256) || d.SHA256 != "" && !sha256Form.MatchString(d.SHA256):
		d.Block(fmt.Sprintf("Its bundle's sha256 is %.80q, which is none.", d.SHA256))
	case d.SHA256 == "":
		d.Warn("Nobody says what its bundle's sha256 is, so that it can't be checked.")
	}
}

var sha256Form = regexp.MustCompile(`^[0-9a-f]{64}$`)

// hint looks at what the file says about the program that runs the package.
func (c *converter) hint(p Package) {
	usual := map[string][]string{wire.InstallNPM: {"npx", "bunx", "node", "npm"}, wire.InstallPyPI: {"uvx", "uv", "python", "python3", "pipx"},
		wire.InstallOCI: {"docker", "podman"}, wire.InstallNuGet: {"dnx", "dotnet"}, wire.InstallGo: {"go"}, wire.InstallMCPB: {p.RuntimeHint}, wire.InstallCargo: {"cargo"}}
	if p.RuntimeHint != "" && !slices.Contains(usual[c.d.Install], p.RuntimeHint) {
		c.d.Warn(fmt.Sprintf("It says that %.40q runs it; Bridgekeeper uses the usual program.", p.RuntimeHint))
	}
}

func given(args []draft.Arg, words ...string) bool {
	return slices.ContainsFunc(args, func(a draft.Arg) bool {
		return slices.Contains(words, a.Flag) || slices.Contains(words, a.Value.String())
	})
}

func (s *Server) ofRemote(r Remote) *draft.Draft {
	d := s.draft()
	c := &converter{d: d}
	kind := strings.ToLower(cmp.Or(r.Type, r.TransportType, "streamable-http"))
	sse := kind == "sse"
	d.Label = kind + " " + r.URL
	if !strings.HasPrefix(r.URL, "https://") && !strings.HasPrefix(r.URL, "http://") && !strings.HasPrefix(r.URL, "{") {
		d.Install = wire.InstallRemote
		d.Block(fmt.Sprintf("Its address %.80q is none of the web.", r.URL))
		return d
	}
	address := c.template(r.URL, r.Variables, func(in *wire.Input) { in.Required = in.Required || len(in.Default) == 0 })
	for _, p := range address {
		if m := placeholders.FindString(p.Text); m != "" || strings.ContainsAny(p.Text, "<>") {
			d.Block(fmt.Sprintf("Its address has %s in it, and nothing says what that is.", cmp.Or(m, p.Text)))
		}
	}
	var headers []draft.Header
	for _, h := range r.Headers {
		if h.Name == "" {
			continue
		}
		headers = append(headers, draft.Header{Name: h.Name, Value: c.value(h, h.Name), Optional: !h.IsRequired})
	}
	d.Remote(address, headers, draft.TransportOf(sse, r.URL))
	d.Describe()
	return d
}

// firstLabel is the first part of an address's host.
func firstLabel(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	label, _, _ := strings.Cut(rest, ".")
	return strings.Trim(label, "{}")
}

// placeholders are {name}.
var placeholders = regexp.MustCompile(`\{[A-Za-z_][A-Za-z0-9_.-]*\}`)

// template is a text whose {name} are inputs, where variables has them; others
// stay what they are.
func (c *converter) template(value string, variables map[string]Input, change func(*wire.Input)) draft.Text {
	var t draft.Text
	add := func(s string) {
		if s != "" {
			t = append(t, draft.Literal(s)...)
		}
	}
	for {
		at := placeholders.FindStringIndex(value)
		for at != nil {
			if _, ok := variables[value[at[0]+1:at[1]-1]]; ok {
				break
			}
			next := placeholders.FindStringIndex(value[at[1]:])
			if next == nil {
				at = nil
				break
			}
			at = []int{next[0] + at[1], next[1] + at[1]}
		}
		if at == nil {
			add(value)
			return t
		}
		name := value[at[0]+1 : at[1]-1]
		in := input(name, variables[name])
		if change != nil {
			change(&in)
		}
		c.d.Ask(in)
		add(value[:at[0]])
		t = append(t, draft.Part{Input: name})
		value = value[at[1]:]
	}
}

// input is what has to be asked for under a name.
func input(name string, i Input) wire.Input {
	in := wire.Input{Name: name, Description: i.Description, Kind: wire.InputString, Required: i.IsRequired, Secret: i.IsSecret, Placeholder: string(i.Placeholder)}
	switch strings.ToLower(i.Format) {
	case "number", "integer":
		in.Kind = wire.InputNumber
	case "boolean":
		in.Kind = wire.InputBool
	case "filepath", "file":
		in.Kind = wire.InputFile
	}
	for _, c := range i.Choices {
		in.Choices = append(in.Choices, string(c))
	}
	if len(in.Choices) > 0 {
		in.Kind = wire.InputChoice
	}
	def := i.Default
	if def == "" {
		def = i.Value // a variable may have one of its own
	}
	if def != "" {
		in.Default = []string{string(def)}
	}
	return in
}

// value is an argument's, variable's or header's: fixed, or asked for as name.
func (c *converter) value(a Argument, name string) draft.Text {
	if a.Value != "" {
		return c.template(string(a.Value), a.Variables, func(in *wire.Input) { in.Secret = in.Secret || a.IsSecret })
	}
	c.d.Ask(input(name, a.Input))
	return draft.Of(name)
}

func (c *converter) variable(v Argument) {
	if !variableForm.MatchString(v.Name) {
		c.d.Block(fmt.Sprintf("Its variable %.40q has no name that a variable can have.", v.Name))
		return
	}
	if slices.ContainsFunc(c.d.Env, func(have draft.Var) bool { return have.Name == v.Name }) {
		return
	}
	c.d.Env = append(c.d.Env, draft.Var{Name: v.Name, Value: c.value(v, v.Name), Optional: true})
}

var variableForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

func (c *converter) arguments(list []Argument, word string) (args []draft.Arg) {
	for i, a := range list {
		args = append(args, c.argument(a, fmt.Sprintf("%s-%d", word, i+1))...)
	}
	return args
}

// free is a name for an input that no other argument has; one without a name of
// its own is asked for by itself.
func (c *converter) free(name string) string {
	for n := 2; ; n++ {
		if c.d.Input(name) == nil {
			return name
		}
		name = fmt.Sprintf("%s-%d", strings.TrimSuffix(name, fmt.Sprintf("-%d", n-1)), n)
	}
}

func (c *converter) argument(a Argument, unnamed string) []draft.Arg {
	named := a.Type == "named" || a.Type == "" && strings.HasPrefix(a.Name, "-")
	if c.container && named && (a.Name == "-e" || a.Name == "--env") {
		if arg, ok := c.containerVariable(a); ok {
			return []draft.Arg{arg}
		}
	}
	flag := ""
	if named {
		flag = a.Name
	}
	if named && (a.Name == "-p" || a.Name == "--publish") && c.container {
		a.Value, a.Default = loopbackPort(a.Value), loopbackPort(a.Default)
	}
	asked := a.Description != "" || a.Default != "" || a.Placeholder != "" || len(a.Choices) > 0 || a.Format != "" || a.IsRequired || a.IsRepeated || a.IsSecret
	if named && a.Value == "" && !asked {
		return draft.Literals(a.Name) // nothing but a switch
	}
	if a.Value != "" {
		t := c.value(a, "")
		c.exposed(t)
		return []draft.Arg{{Flag: flag, Value: t, Optional: !a.IsRequired && len(t.Inputs()) > 0}}
	}
	name := strings.TrimLeft(a.Name, "-")
	if !named {
		name = a.ValueHint
	}
	if !inputName.MatchString(name) {
		name = unnamed
	}
	name = c.free(name)
	in := input(name, a.Input)
	in.Multiple = a.IsRepeated
	c.d.Ask(in)
	c.exposed(draft.Of(name))
	switch {
	case a.IsRepeated:
		return []draft.Arg{{Flag: flag, Each: name}}
	case named && in.Kind == wire.InputBool && !slices.Equal(in.Default, []string{"true"}):
		return []draft.Arg{{Flag: flag, Switch: name}}
	}
	return []draft.Arg{{Flag: flag, Value: draft.Of(name), Optional: true}}
}

var inputName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// exposed warns of secrets in arguments.
func (c *converter) exposed(t draft.Text) {
	for _, name := range t.Inputs() {
		if in := c.d.Input(name); in != nil && in.Secret {
			c.d.Warn(fmt.Sprintf("Its secret %s stands in its command line while it runs, where other programs can read it.", name))
		}
	}
}

// containerVariable turns -e NAME={secret} into -e NAME, with the value in the
// environment of the program that starts the container.
func (c *converter) containerVariable(a Argument) (draft.Arg, bool) {
	name, value, ok := strings.Cut(string(a.Value), "=")
	secret := a.IsSecret || slices.ContainsFunc(slices.Collect(maps.Values(a.Variables)), func(i Input) bool { return i.IsSecret })
	if !ok || !secret || !variableForm.MatchString(name) {
		return draft.Arg{}, false
	}
	t := c.template(value, a.Variables, func(in *wire.Input) { in.Secret = in.Secret || a.IsSecret })
	c.d.Env = append(c.d.Env, draft.Var{Name: name, Value: t, Optional: true})
	return draft.Arg{Flag: a.Name, Value: draft.Literal(name), With: name}, true
}

// loopbackPort keeps a container's port on this computer: 8080:80 alone can be
// reached from others.
func loopbackPort(value text) text {
	if portPair.MatchString(string(value)) {
		return "127.0.0.1:" + value
	}
	return value
}

var portPair = regexp.MustCompile(`^[0-9]+:[0-9]+(/tcp|/udp)?$`)
