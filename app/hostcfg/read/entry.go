package read

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"bridgekeeper/app/hostcfg/known"
)

// Server is one entry in our own words. What of it is a secret is not told apart
// here: it must not be shown.
type Server struct {
	Name   string
	Folder string // "" for all
	Path   []string
	Line   int

	Command string // "" for a remote server
	Args    []string
	Env     map[string]string
	Cwd     string

	// URL, Transport and Headers are a remote server's, also of one that is reached
	// through a bridge started by Command.
	URL       string
	Transport known.Transport
	Headers   map[string]string

	Disabled bool
	Off      []string // tools that the host has switched off
	Needs    []string // names of secrets that the host asked its user for
	Reports  []Report
}

// Blocked reports whether the entry can't run as it is.
func (s *Server) Blocked() bool {
	return slices.ContainsFunc(s.Reports, func(r Report) bool { return r.Level == Blocks })
}

// Context is what reading an entry depends on besides its text.
type Context struct {
	Host    *known.Host
	Windows bool
	Home    string
	// Exists tells whether a program's file is there; nil: nobody knows.
	Exists func(path string) bool
}

// Entry understands one entry. Nothing in it is run, expanded or looked up.
func Entry(raw Raw, c Context) *Server {
	s := &Server{Name: raw.Name, Folder: raw.Folder, Path: raw.Path, Line: raw.Line}
	e := &entry{Server: s, c: c}
	e.conv = converter{dialect: c.Host.Dialect, title: c.Host.Title, windows: c.Windows, report: e.report}
	if raw.Twice {
		e.report(Warns, "It is in the file twice; the last one counts.")
	}
	m, ok := raw.Value.(*Map)
	if !ok {
		e.report(Blocks, "It is no object.")
		return s
	}
	e.read(hoisted(m))
	s.Needs = slices.Sorted(maps.Keys(e.conv.needs))
	return s
}

type entry struct {
	*Server
	c    Context
	conv converter
}

func (e *entry) report(level Level, format string, args ...any) {
	r := Report{level, fmt.Sprintf(format, args...)}
	if !slices.Contains(e.Reports, r) {
		e.Reports = append(e.Reports, r)
	}
}

// hoisted is an entry whose nested parts are where they belong: the command as an
// object of older Zed versions, Cline's and others' transport.
func hoisted(m *Map) *Map {
	out := &Map{Twice: m.Twice}
	for _, key := range []string{"transport", "command"} {
		if inner := m.Map(key); inner != nil {
			out.Members = append(out.Members, inner.Members...)
			for i, one := range out.Members {
				if one.Key == "path" {
					out.Members[i].Key = "command"
				}
			}
		}
	}
	for _, one := range m.Members {
		if _, nested := one.Value.(*Map); nested && (one.Key == "transport" || one.Key == "command") {
			continue
		}
		out.Members = append(out.Members, one)
	}
	return out
}

func (e *entry) read(m *Map) {
	for _, name := range m.Twice {
		e.report(Warns, "%.80q is there twice; the last one counts.", name)
	}
	kind := e.kind(m)
	command, args := e.commandLine(m)
	e.Env = e.texts(m, "env", "environment", "envs")
	address := e.address(m)
	switch {
	case command != "" && address != "" && kind == "":
		if m.Text("serverUrl") == "" || e.c.Host.Name != "antigravity" {
			e.report(Blocks, "It has a command and a URL: take one away.")
		} else {
			command = ""
		}
	case command != "" && address != "" && kind == "stdio":
		address = ""
	case command != "" && address != "":
		command = ""
	}
	switch {
	case command != "":
		e.local(m, command, args)
	case address != "":
		e.remote(m, address, kind)
	default:
		e.report(Blocks, "It has neither a command nor a URL.")
	}
	e.convert()
	e.settings(m)
}

// kind is what the entry says it is: stdio, http, sse, other, or "".
func (e *entry) kind(m *Map) string {
	written := m.Text("type", "transport", "transportType")
	plain := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(written))
	switch plain {
	case "", "stdio", "sse", "http":
		return plain
	case "streamable", "streamablehttp", "httpstream", "remote":
		return "http"
	case "local", "command":
		return "stdio"
	}
	e.report(Blocks, "Its type %.40q is not known here.", written)
	return "other"
}

func (e *entry) address(m *Map) string {
	found := ""
	for _, key := range urlKeys {
		one := m.Text(key)
		if one == "" {
			continue
		}
		if found != "" && strings.TrimRight(found, "/") != strings.TrimRight(one, "/") {
			e.report(Warns, "It has two different URLs; that of %s counts.", e.strongest(m))
			return strings.TrimSpace(m.Text(e.strongest(m)))
		}
		if found == "" {
			found = one
		}
	}
	if trimmed := strings.TrimSpace(found); trimmed != found {
		e.report(Warns, "Its URL has space around it, which is left out.")
		found = trimmed
	}
	return found
}

// strongest is the key that counts when an entry has two URLs.
func (e *entry) strongest(m *Map) string {
	for _, key := range []string{"httpUrl", "serverUrl"} {
		if m.Text(key) != "" {
			return key
		}
	}
	for _, key := range urlKeys {
		if m.Text(key) != "" {
			return key
		}
	}
	return urlKeys[0]
}

// texts is an object of texts; numbers and booleans become texts, as most hosts do it.
func (e *entry) texts(m *Map, keys ...string) map[string]string {
	out := map[string]string{}
	for _, key := range keys {
		v, _ := m.Get(key)
		switch v := v.(type) {
		case *Map:
			for _, one := range v.Members {
				text, ok := e.scalar(fmt.Sprintf("%s %.80s", key, one.Key), one.Value)
				if ok {
					out[one.Key] = text
				} else {
					delete(out, one.Key)
				}
			}
		case nil:
		case []any:
			if len(v) > 0 {
				e.list(key, v, out)
			}
		default:
			e.report(Blocks, "Its %s is no object of texts.", key)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// list takes ["KEY=value", ...], as some write env.
func (e *entry) list(key string, list []any, out map[string]string) {
	for _, v := range list {
		name, value, ok := strings.Cut(fmt.Sprint(v), "=")
		if _, text := v.(string); !text || !ok || !variableName.MatchString(name) {
			e.report(Blocks, "Its %s is no object of texts.", key)
			return
		}
		out[name] = value
	}
}

// scalar is a value as a text; ok is false for null, which counts as not there,
// and for what can't be one.
func (e *entry) scalar(what string, v any) (text string, ok bool) {
	switch v := v.(type) {
	case string:
		if strings.ContainsAny(v, "\r\n") && strings.TrimSpace(v) != v {
			e.report(Warns, "%s has a line break at its end or beginning.", what)
		} else if strings.TrimSpace(v) != v {
			e.report(Tells, "%s has space at its end or beginning.", what)
		}
		return v, true
	case Number, bool:
		return fmt.Sprint(v), true
	case nil:
		return "", false
	}
	e.report(Blocks, "%s is neither a text nor a number.", what)
	return "", false
}

// convert turns the host's references into ours.
func (e *entry) convert() {
	for i, arg := range e.Args {
		e.Args[i] = e.conv.value(fmt.Sprintf("Argument %d", i+1), arg)
		if strings.HasPrefix(arg, "~/") || arg == "~" {
			e.report(Warns, "Argument %d begins with ~, which %s passes on as it is written; here it becomes your home folder.", i+1, e.c.Host.Title)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		e.Env[name] = e.conv.value("The variable "+name, e.Env[name])
	}
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		e.Headers[name] = e.conv.value("The header "+name, e.Headers[name])
	}
	e.URL = e.conv.value("The URL", e.URL)
	e.Cwd = e.conv.value("The folder", e.Cwd)
	e.Command = e.program(e.Command)
}

// program converts the command, in which our own entries have no references: what
// runs must be seen as it is.
func (e *entry) program(command string) string {
	if rest, ok := strings.CutPrefix(command, "~/"); ok {
		command = strings.TrimSuffix(e.c.Home, "/") + "/" + rest
	}
	if rest, ok := strings.CutPrefix(command, "${userHome}"); ok {
		command = e.c.Home + rest
	}
	if converted := e.conv.value("The command", command); converted != command {
		e.report(Blocks, "The command has a reference in it: write the program's path.")
	}
	return command
}
