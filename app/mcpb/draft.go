package mcpb

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/wire"
)

// Options are what a manifest's variables stand for.
type Options struct {
	GOOS string
	Home string // the person's folder
	Dir  string // in which the bundle will be, absolute
	// Has tells whether the bundle has a file; nil: nobody knows.
	Has func(name string) bool
}

// platforms are the names that manifests have for systems.
var platforms = map[string]string{"darwin": "darwin", "windows": "win32", "linux": "linux"}

// Draft is what a bundle would run on this system.
func (m *Manifest) Draft(o Options) *draft.Draft {
	d := &draft.Draft{Name: draft.NameOf(m.Name), Title: m.DisplayName, Description: m.Description, Install: wire.InstallMCPB, Package: m.Name, Version: m.Version, Pinned: true,
		Label: "bundle " + m.Name + " " + m.Version}
	c := &converter{Manifest: m, d: d, o: o}
	if unfilled.MatchString(m.Version) || unfilled.MatchString(m.Name) {
		d.Block(fmt.Sprintf("Its version is %q: the manifest is a template that was never filled in.", m.Version))
	}
	if p := m.Compatibility.Platforms; len(p) > 0 && !slices.Contains(p, platforms[o.GOOS]) {
		d.Block(fmt.Sprintf("It is made for %s.", strings.Join(p, ", ")))
	}
	c.inputs()
	config := c.config()
	c.command(config.Command)
	c.arguments(config.Args)
	for _, name := range slices.Sorted(maps.Keys(config.Env)) {
		if !variableName.MatchString(name) {
			d.Block(fmt.Sprintf("Its variable %.40q has no name that a variable can have.", name))
			continue
		}
		t := c.text(string(config.Env[name]), fmt.Sprintf("its variable %s", name))
		d.Env = append(d.Env, draft.Var{Name: name, Value: t, Optional: len(t) == 1 && t[0].Input != ""})
	}
	c.runtimes()
	d.Describe()
	return d
}

var (
	unfilled     = regexp.MustCompile(`[$<{]`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
)

type converter struct {
	*Manifest
	d *draft.Draft
	o Options
}

func (c *converter) inputs() {
	names := slices.Clone(c.order)
	for _, name := range slices.Sorted(maps.Keys(c.UserConfig)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	kinds := map[string]string{"string": wire.InputString, "number": wire.InputNumber, "boolean": wire.InputBool, "directory": wire.InputDirectory, "file": wire.InputFile}
	for _, name := range names {
		o, ok := c.UserConfig[name]
		if !ok {
			continue
		}
		in := wire.Input{Name: name, Title: o.Title, Description: o.Description, Kind: kinds[o.Type], Required: o.Required, Secret: o.Sensitive, Min: o.Min, Max: o.Max,
			Multiple: o.Multiple && (o.Type == "directory" || o.Type == "file")}
		if len(o.Default) > 0 {
			list, _ := texts(o.Default) // ParseManifest looked
			for _, value := range list {
				value, _ := c.places(value)
				if value != "" {
					in.Default = append(in.Default, value)
				}
			}
			if !in.Multiple && len(in.Default) > 1 {
				in.Default = in.Default[:1]
			}
		}
		c.d.Ask(in)
	}
}

// config is the command line for this system.
func (c *converter) config() Config {
	var config Config
	if c.Server.Config != nil {
		config = *c.Server.Config
	} else {
		config = c.usual()
	}
	over, ok := config.Overrides[platforms[c.o.GOOS]]
	if !ok {
		return config
	}
	if over.Command != "" {
		config.Command = over.Command
	}
	if over.Args != nil {
		config.Args = over.Args
	}
	if over.Env != nil {
		config.Env = over.Env
	}
	return config
}

// usual is what a bundle runs that only names its entry point.
func (c *converter) usual() Config {
	entry := "${__dirname}/" + c.Server.EntryPoint
	switch c.Server.Type {
	case "node":
		return Config{Command: "node", Args: []string{entry}}
	case "python":
		return Config{Command: "python", Args: []string{entry}, Env: map[string]text{"PYTHONPATH": "${__dirname}/server/lib"}}
	case "uv":
		return Config{Command: "uv", Args: []string{"run", "--directory", "${__dirname}", c.Server.EntryPoint}}
	}
	return Config{Command: entry}
}

// command is the program: one of the bundle's own, or one by its name.
func (c *converter) command(command string) {
	command, left := c.places(command)
	d := c.d
	inside := strings.HasPrefix(command, c.o.Dir+"/") || strings.HasPrefix(command, c.o.Dir+`\`)
	switch {
	case command == "":
		d.Block("Its manifest names no program.")
	case strings.Contains(command, "${user_config."):
		d.Block("Which program it runs would depend on a setting.")
	case left != "":
		d.Block(fmt.Sprintf("Its command has %s in it, and nothing says what that is.", left))
	case inside:
		command = c.own(command)
	case strings.HasPrefix(command, "."):
		command = c.own(c.o.Dir + "/" + command)
	case command == "python" && c.o.GOOS != "windows":
		command = "python3" // the name that every system has
	case slices.Contains([]string{"node", "python", "python3", "uv"}, command):
	case slices.Contains([]string{"npx", "uvx", "bunx", "pipx", "docker", "dnx"}, draft.Program(command)):
		d.Warn(fmt.Sprintf("It runs %s, which downloads other code than the bundle's.", draft.Program(command)))
		d.Pinned = false
	default:
		d.Warn(fmt.Sprintf("It runs %s, which is no part of the bundle.", command))
	}
	d.Command = command
}

// own is a program of the bundle's; on Windows its .exe may be left out.
func (c *converter) own(command string) string {
	name, ok := c.inside(command)
	if !ok {
		c.d.Block(fmt.Sprintf("Its program %.200q lies outside of the bundle.", command))
		return command
	}
	if c.o.GOOS == "windows" {
		command = strings.ReplaceAll(command, "/", `\`)
		if path.Ext(name) == "" && (c.o.Has == nil || !c.o.Has(name)) {
			command, name = command+".exe", name+".exe"
		}
	}
	if c.o.Has != nil && !c.o.Has(name) {
		c.d.Block(fmt.Sprintf("Its program %.200q isn't in the bundle.", name))
	}
	return command
}

// inside is a path's name within the bundle.
func (c *converter) inside(at string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(strings.ReplaceAll(at, `\`, "/"), strings.ReplaceAll(c.o.Dir, `\`, "/")+"/")
	name = path.Clean(rest)
	return name, ok && name != ".." && !strings.HasPrefix(name, "../") && !strings.HasPrefix(name, "/")
}

func (c *converter) arguments(args []string) {
	for i := 0; i < len(args); i++ {
		c.checkPath(args[i], i)
		flag := args[i]
		if i+1 < len(args) && strings.HasPrefix(flag, "-") && !strings.ContainsAny(flag, "= $") && wholeInput(args[i+1]) != "" {
			i++
			c.argument(flag, args[i], i)
			continue
		}
		c.argument("", args[i], i)
	}
}

// checkPath looks whether a file of the bundle that the first argument names is there.
func (c *converter) checkPath(arg string, at int) {
	if at > 0 || c.o.Has == nil || !strings.HasPrefix(arg, "${__dirname}") || strings.Contains(arg, "${user_config") {
		return
	}
	whole, _ := c.places(arg)
	if name, ok := c.inside(whole); ok && path.Ext(name) != "" && !c.o.Has(name) {
		c.d.Block(fmt.Sprintf("Its manifest names %.200q, which isn't in the bundle.", name))
	}
}

var wholeForm = regexp.MustCompile(`^\$\{user_config\.([A-Za-z0-9_][A-Za-z0-9_.-]*)\}$`)

// wholeInput is the setting that an argument is nothing but.
func wholeInput(arg string) string {
	if m := wholeForm.FindStringSubmatch(arg); m != nil {
		return m[1]
	}
	return ""
}

func (c *converter) argument(flag, arg string, at int) {
	name := wholeInput(arg)
	in := c.d.Input(name)
	if in != nil && in.Multiple {
		if flag != "" { // one flag, then each value
			c.d.Args = append(c.d.Args, draft.Literals(flag)...)
		}
		c.d.Args = append(c.d.Args, draft.Arg{Each: name})
		return
	}
	t := c.text(arg, fmt.Sprintf("argument %d", at+1))
	for _, used := range t.Inputs() {
		if in := c.d.Input(used); in.Secret {
			c.d.Warn(fmt.Sprintf("Its secret %s stands in its command line while it runs, where other programs can read it.", used))
		}
	}
	optional := name != "" || len(t.Inputs()) > 0 && strings.HasPrefix(arg, "-") && strings.Contains(arg, "=")
	c.d.Args = append(c.d.Args, draft.Arg{Flag: flag, Value: t, Optional: optional})
}

// variables are ${…} of a manifest.
var variables = regexp.MustCompile(`\$\{[^{}]*\}`)

// text is a value with its settings as inputs.
func (c *converter) text(value, where string) (t draft.Text) {
	for {
		at := variables.FindStringIndex(value)
		if at == nil {
			break
		}
		whole := value[at[0]:at[1]]
		before := value[:at[0]]
		value = value[at[1]:]
		if before != "" {
			t = append(t, draft.Literal(before)...)
		}
		inner := whole[2 : len(whole)-1]
		if name, ok := strings.CutPrefix(inner, "user_config."); ok {
			if c.d.Input(name) == nil {
				c.d.Block(fmt.Sprintf("It uses the setting %.60s in %s, which its manifest doesn't describe.", name, where))
				continue
			}
			t = append(t, draft.Part{Input: name})
			continue
		}
		place, ok := c.place(inner)
		if !ok {
			c.d.Block(fmt.Sprintf("It has %.60s in %s, and nothing says what that is.", whole, where))
		}
		t = append(t, draft.Literal(place)...)
	}
	if value != "" || len(t) == 0 {
		t = append(t, draft.Literal(value)...)
	}
	return t
}

// places puts folders in the places of their variables; left is one that isn't known.
func (c *converter) places(value string) (out, left string) {
	out = variables.ReplaceAllStringFunc(value, func(whole string) string {
		place, ok := c.place(whole[2 : len(whole)-1])
		if !ok {
			if left == "" && !strings.HasPrefix(whole, "${user_config.") {
				left = whole
			}
			return whole
		}
		return place
	})
	return out, left
}

func (c *converter) place(name string) (string, bool) {
	sep := "/"
	if c.o.GOOS == "windows" {
		sep = `\`
	}
	switch name {
	case "__dirname":
		return c.o.Dir, true
	case "HOME":
		return c.o.Home, true
	case "DESKTOP":
		return c.o.Home + sep + "Desktop", true
	case "DOCUMENTS":
		return c.o.Home + sep + "Documents", true
	case "DOWNLOADS":
		return c.o.Home + sep + "Downloads", true
	case "pathSeparator", "/":
		return sep, true
	}
	return "", false
}

// runtimes are the programs that it needs, with the versions that it was made for.
func (c *converter) runtimes() {
	for _, name := range slices.Sorted(maps.Keys(c.Compatibility.Runtimes)) {
		program := name
		if name == "python" && c.o.GOOS != "windows" {
			program = "python3"
		}
		if program == c.d.Command {
			c.d.Needs = append(c.d.Needs, strings.TrimSpace(program+" "+c.Compatibility.Runtimes[name]))
		}
	}
}
