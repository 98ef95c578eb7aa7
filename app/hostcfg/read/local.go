package read

import (
	"fmt"
	"slices"
	"strings"

	"bridgekeeper/app/hostcfg/known"
)

// commandLine is the program and its arguments, whatever their form. The program
// is "" when there is none.
func (e *entry) commandLine(m *Map) (command string, args []string) {
	var first []string
	for _, key := range commandKeys {
		v, _ := m.Get(key)
		switch v := v.(type) {
		case string:
			if command == "" {
				command = strings.TrimSpace(v)
			}
		case []any: // program and arguments in one list
			if list := e.strings("command", v); len(list) > 0 && command == "" {
				command, first = list[0], list[1:]
			}
		case nil:
		default:
			e.report(Blocks, "Its command is no text.")
		}
	}
	v, _ := m.Get("args")
	switch v := v.(type) {
	case []any:
		args = append(first, e.strings("args", v)...)
	case nil:
		args = first
	case string:
		list, ok := words(v, e.c.Windows)
		if !ok {
			e.report(Blocks, "Its arguments are one text with a quote that isn't closed.")
		} else {
			e.report(Warns, "Its arguments were one text, split here into %d.", len(list))
		}
		args = append(first, list...)
	default:
		e.report(Blocks, "Its args are no list.")
	}
	return command, args
}

func (e *entry) strings(what string, list []any) []string {
	out := make([]string, 0, len(list))
	for i, v := range list {
		if text, ok := e.scalar(fmt.Sprintf("Element %d of %s", i+1, what), v); ok {
			out = append(out, text)
		}
	}
	return out
}

// local reads an entry that starts a program.
func (e *entry) local(m *Map, command string, args []string) {
	command, args = e.oneText(command, args)
	command, args = e.unwrapped(command, args)
	e.Command, e.Args = command, args
	e.Cwd = m.Text("cwd", "working_directory", "workingDirectory")
	e.passedOn(m)
	if relative(e.Command) && e.Cwd == "" {
		e.report(Blocks, "Its command is a path that begins in no known folder: write the whole path, or give it a cwd.")
	}
	if file := m.Text("envFile", "env_file"); file != "" {
		e.report(Warns, "It reads more variables from %.200s, which is not imported: add them.", file)
	}
	e.launcher()
	e.bridge()
}

// oneText takes a whole command line in the command apart. A path with spaces in
// it stays whole.
func (e *entry) oneText(command string, args []string) (string, []string) {
	if !strings.ContainsAny(command, " \t") || e.isPath(command) {
		return command, args
	}
	list, ok := words(command, e.c.Windows)
	if !ok || len(list) == 0 {
		e.report(Blocks, "Its command is one text with a quote that isn't closed.")
		return command, args
	}
	for len(list) > 1 { // PATH=/x program, as one types it
		name, value, ok := strings.Cut(list[0], "=")
		if !ok || !variableName.MatchString(name) {
			break
		}
		if e.Env == nil {
			e.Env = map[string]string{}
		}
		if _, there := e.Env[name]; !there {
			e.Env[name] = value
		}
		list = list[1:]
	}
	if len(list) > 1 {
		e.report(Warns, "Its command was one text, split here into the program and %d arguments.", len(list)-1)
	}
	return list[0], append(list[1:], args...)
}

// isPath reports whether a command with spaces is the path of one program.
func (e *entry) isPath(command string) bool {
	if e.c.Exists != nil && e.c.Exists(command) {
		return true
	}
	if !strings.HasPrefix(command, "/") && (len(command) < 3 || command[1] != ':') {
		return false
	}
	lower := strings.ToLower(command)
	for _, end := range []string{".exe", ".cmd", ".bat", ".com", ".sh"} {
		if strings.HasSuffix(lower, end) && strings.Count(lower, end+" ") == 0 {
			return true
		}
	}
	return false
}

// unwrapped takes the wrapper away that Windows needs for batch files; the core
// puts it back where it starts one.
func (e *entry) unwrapped(command string, args []string) (string, []string) {
	if base(command) != "cmd" {
		return bareBatch(command), args
	}
	i := slices.IndexFunc(args, func(a string) bool { return strings.EqualFold(a, "/c") || strings.EqualFold(a, "/k") })
	if i < 0 || i+1 >= len(args) {
		return command, args
	}
	if slices.ContainsFunc(args[:i], func(a string) bool { return !strings.HasPrefix(a, "/") }) {
		return command, args
	}
	inner := args[i+1:]
	if len(inner) == 1 {
		if list, ok := words(inner[0], true); ok && len(list) > 0 {
			inner = list
		}
	}
	if slices.ContainsFunc(inner, func(a string) bool { return a == "&&" || a == "||" || a == "|" || a == "&" }) {
		return command, args // more than one program
	}
	return bareBatch(inner[0]), slices.Clone(inner[1:])
}

// bareBatch is npx for npx.cmd, found on the PATH of each system.
func bareBatch(command string) string {
	if strings.ContainsAny(command, `/\`) {
		return command
	}
	switch b := base(command); b {
	case "npx", "npm", "pnpm", "yarn", "bunx", "uvx", "dnx":
		return b
	}
	return command
}

func relative(command string) bool {
	return strings.HasPrefix(command, "./") || strings.HasPrefix(command, "../") || strings.HasPrefix(command, `.\`) || strings.HasPrefix(command, `..\`)
}

// passedOn adds the variables that the host takes from its own environment.
func (e *entry) passedOn(m *Map) {
	names := func(key string, ref func(string) string) {
		v, _ := m.Get(key)
		list, _ := v.([]any)
		for _, one := range list {
			name, ok := one.(string)
			if !ok || !variableName.MatchString(name) {
				continue
			}
			if e.Env == nil {
				e.Env = map[string]string{}
			}
			if _, there := e.Env[name]; !there {
				e.Env[name] = ref(name)
			}
		}
	}
	names("env_vars", func(n string) string { return "${env:" + n + "}" })
	names("env_keys", func(n string) string { return "${input:" + n + "}" }) // in the host's own keychain
}

// launcher looks at the programs that start others.
func (e *entry) launcher() {
	switch base(e.Command) {
	case "npx":
		if !slices.ContainsFunc(e.Args, func(a string) bool { return a == "-y" || a == "--yes" }) {
			e.Args = append([]string{"-y"}, e.Args...)
			e.report(Tells, "npx got -y, so that it never waits for an answer.")
		}
		e.unpinned()
	case "uvx", "bunx", "pnpm", "dnx":
		e.unpinned()
	case "docker", "podman", "nerdctl":
		e.container()
	case "sh", "bash", "zsh", "fish", "pwsh", "powershell", "cmd":
		e.report(Warns, "It runs a shell, which runs what its arguments say.")
	}
	for i, arg := range e.Args {
		first, _, spaced := strings.Cut(arg, " ")
		if spaced && i <= 1 && base(e.Command) == "npx" && !strings.HasPrefix(arg, "-") && !strings.ContainsAny(first, `\"'`) {
			e.report(Warns, "Argument %d is two words in one: it may have been meant as two.", i+1)
		}
	}
}

// unpinned tells of packages whose next version runs without being looked at.
func (e *entry) unpinned() {
	for _, arg := range e.Args {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		name := strings.TrimPrefix(arg, "@")
		_, version, pinned := strings.Cut(name, "@")
		git := strings.HasPrefix(arg, "git+") || strings.HasPrefix(arg, "github:")
		if git || !pinned && !strings.Contains(name, "==") || version == "latest" {
			e.report(Tells, "%.120s has no fixed version: it updates itself.", arg)
		}
		return
	}
}

func (e *entry) container() {
	i := slices.Index(e.Args, "run")
	if i < 0 {
		return
	}
	input := false
	for _, arg := range e.Args[i+1:] {
		short := strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && !strings.ContainsAny(arg, "=")
		switch {
		case arg == "--interactive", short && flags(arg) && strings.Contains(arg, "i"):
			input = true
		}
		switch {
		case arg == "--tty", short && flags(arg) && strings.Contains(arg, "t"):
			e.report(Warns, "Its container gets a terminal (-t), which breaks what it says: leave it out.")
		case arg == "--detach", short && flags(arg) && strings.Contains(arg, "d"):
			e.report(Blocks, "Its container is detached (-d): then nobody can talk to it.")
		}
	}
	if !input {
		e.report(Blocks, "Its container gets no input: add -i.")
	}
}

// flags reports whether an argument like -it is nothing but switches.
func flags(arg string) bool { return strings.Trim(arg[1:], "itd") == "" }

// bridge finds the remote server behind a program that only connects to it.
func (e *entry) bridge() {
	at := slices.IndexFunc(e.Args, func(a string) bool {
		name := a
		if i := strings.LastIndexAny(name, `/\`); i >= 0 && !strings.HasPrefix(name, "@") {
			name = name[i+1:]
		}
		name, _, _ = strings.Cut(name, "@")
		return name == "mcp-remote"
	})
	if at < 0 && base(e.Command) != "mcp-remote" {
		return
	}
	rest := e.Args[at+1:]
	e.Headers = map[string]string{}
	e.Transport = known.HTTP
	for i := 0; i < len(rest); i++ {
		flag, value, joined := strings.Cut(rest[i], "=")
		next := func() string {
			if !joined && i+1 < len(rest) {
				i++
				return rest[i]
			}
			return value
		}
		switch {
		case flag == "--header" || flag == "-H":
			if name, v, ok := strings.Cut(next(), ":"); ok {
				e.Headers[strings.TrimSpace(name)] = e.fromEnv(strings.TrimSpace(v))
			}
		case flag == "--transport":
			if strings.HasPrefix(next(), "sse") {
				e.Transport = known.SSE
			}
		case e.URL == "" && (strings.HasPrefix(rest[i], "http://") || strings.HasPrefix(rest[i], "https://")):
			e.URL = rest[i]
		}
	}
	if e.URL != "" {
		e.report(Tells, "mcp-remote only connects to %s.", withoutQuery(e.URL))
	}
}

// fromEnv puts the entry's own variables into a header, as mcp-remote does it.
func (e *entry) fromEnv(value string) string {
	for name, v := range e.Env {
		value = strings.ReplaceAll(value, "${"+name+"}", v)
	}
	return value
}

// withoutQuery is a URL without what may be secret in it.
func withoutQuery(address string) string {
	address, _, _ = strings.Cut(address, "?")
	if scheme, rest, ok := strings.Cut(address, "://"); ok {
		host, path, _ := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			host = host[i+1:]
		}
		address = scheme + "://" + host
		if path != "" {
			address += "/" + path
		}
	}
	return address
}
