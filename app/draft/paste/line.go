package paste

import (
	"strings"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/hostcfg/read"
	"bridgekeeper/app/wire"
)

// Command makes a draft of an argument vector, as a shell has taken it apart.
func Command(argv []string, o Options) ([]*draft.Draft, error) {
	return vector("", nil, argv, o)
}

// line reads a command line as it is typed into a terminal. It expands nothing.
func line(text string, o Options) ([]*draft.Draft, error) {
	text = strings.NewReplacer("\\\r\n", " ", "\\\n", " ", "^\r\n", " ", "`\n", " ").Replace(text)
	text = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(text), "$ "), "> ")
	if strings.ContainsAny(strings.TrimSpace(text), "\n\r") {
		return nil, bad("Paste one server's command.", "these are several lines, of which only one can be a server's command")
	}
	words, err := split(text, o.windows())
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, bad("", "there is no command in the text")
	}
	if argv, ok := installer(words); ok {
		return argv.drafts(o)
	}
	return vector("", nil, words, o)
}

// split takes a line apart. What a shell would do besides starting one program is
// refused by its sign.
func split(text string, windows bool) ([]string, error) {
	const hint = "Bridgekeeper starts one program without a shell: paste that program's line alone."
	quote := rune(0)
	escaped := false
	for i, r := range text {
		switch {
		case escaped:
			escaped = false
		case quote == 0 && strings.ContainsRune("|;&><", r):
			if r == '<' && placeholderAt(text[i:]) {
				continue
			}
			if r == '>' && i > 0 && strings.LastIndexByte(text[:i], '<') >= 0 {
				continue
			}
			return nil, bad(hint, "the line has a %q in it, which only a shell understands", string(r))
		case quote != '\'' && (r == '`' || r == '$' && strings.HasPrefix(text[i:], "$(")):
			return nil, bad(hint, "the line has the output of a command in it")
		case quote != 0 && r == quote:
			quote = 0
		case r == '\\' && !windows && quote != '\'':
			escaped = true
		case quote == 0 && (r == '"' || r == '\'' && !windows):
			quote = r
		}
	}
	words, ok := read.Words(text, windows)
	if !ok {
		return nil, bad("", "the line has a quote that isn't closed")
	}
	return words, nil
}

// placeholderAt: <your key> at the beginning of s.
func placeholderAt(s string) bool {
	end := strings.IndexByte(s, '>')
	return end > 1 && end < 60 && !strings.ContainsAny(s[1:end], "<|;&\n") && s[1] != ' '
}

// installer are the applications' own commands that add a server: what they would
// have added is added here.
func installer(words []string) (found, bool) {
	program := draft.Program(words[0])
	switch {
	case len(words) > 3 && words[1] == "mcp" && words[2] == "add-json" && (program == "claude" || program == "claude.exe"):
		rest := flagsOut(words[3:], &found{})
		if len(rest) == 2 {
			return found{name: rest[0], json: rest[1], from: program}, true
		}
	case len(words) > 3 && words[1] == "mcp" && words[2] == "add":
		f := found{from: program, env: map[string]string{}, headers: map[string]string{}}
		rest := flagsOut(words[3:], &f)
		if len(rest) > 1 {
			f.name, f.argv = rest[0], rest[1:]
			return f, true
		}
	case len(words) == 3 && words[1] == "--add-mcp" && (program == "code" || program == "code-insiders"):
		return found{json: words[2], from: program}, true
	}
	return found{}, false
}

// found is what an application's command would have added.
type found struct {
	from, name, json string
	argv             []string
	transport        string
	env, headers     map[string]string
}

// flagsOut takes the flags of "mcp add" away, up to -- or the server's own command.
func flagsOut(words []string, f *found) (rest []string) {
	for i := 0; i < len(words); i++ {
		flag, value, joined := strings.Cut(words[i], "=")
		if len(rest) > 1 || words[i] == "--" {
			if words[i] == "--" {
				i++
			}
			return append(rest, words[i:]...)
		}
		if !strings.HasPrefix(flag, "-") {
			rest = append(rest, words[i])
			continue
		}
		if !joined && i+1 < len(words) {
			value = words[i+1]
			i++
		}
		switch flag {
		case "-t", "--transport":
			f.transport = value
		case "-e", "--env":
			if key, v, ok := strings.Cut(value, "="); ok && f.env != nil {
				f.env[key] = v
			}
		case "-H", "--header":
			if key, v, ok := strings.Cut(value, ":"); ok && f.headers != nil {
				f.headers[strings.TrimSpace(key)] = strings.TrimSpace(v)
			}
		case "--url":
			rest = append(rest, value)
		}
	}
	return rest
}

func (f found) drafts(o Options) (list []*draft.Draft, err error) {
	switch {
	case f.json != "":
		list, err = object(f.json, o)
	case len(f.argv) == 1 && web(f.argv[0]):
		m := &read.Map{}
		m.Members = append(m.Members, read.Member{Key: "url", Value: f.argv[0]}, read.Member{Key: "type", Value: f.transport}, read.Member{Key: "headers", Value: texts(f.headers)})
		list = []*draft.Draft{entry(read.Raw{Name: f.name, Value: m}, nil, o)}
	default:
		list, err = vector(f.name, f.env, f.argv, o)
	}
	for _, d := range list {
		d.Source = wire.DraftSource{Kind: wire.SourceCommand, From: f.from}
		if f.name != "" {
			d.Name, d.Label = slug(f.name), f.name
		}
	}
	return list, err
}

func texts(m map[string]string) *read.Map {
	out := &read.Map{}
	for key, value := range m {
		out.Members = append(out.Members, read.Member{Key: key, Value: value})
	}
	return out
}

// vector makes a draft of a command, whose variables may stand in front.
func vector(name string, env map[string]string, argv []string, o Options) ([]*draft.Draft, error) {
	if len(argv) > 0 && draft.Program(argv[0]) == "env" {
		argv = argv[1:]
	}
	all := map[string]string{}
	for key, value := range env {
		all[key] = value
	}
	for len(argv) > 0 {
		key, value, ok := strings.Cut(argv[0], "=")
		if !ok || !variableName.MatchString(key) {
			break
		}
		all[key] = value
		argv = argv[1:]
	}
	if len(argv) == 0 || argv[0] == "" {
		return nil, bad("", "there is no command in the text")
	}
	args := make([]any, 0, len(argv))
	for _, a := range argv {
		args = append(args, a)
	}
	m := &read.Map{Members: []read.Member{{Key: "command", Value: args}, {Key: "env", Value: texts(all)}}}
	d := entry(read.Raw{Name: name, Value: m}, nil, o)
	d.Source.Kind = wire.SourceCommand
	if d.Label == "" {
		d.Label = strings.Join(argv[:min(len(argv), 4)], " ")
	}
	return []*draft.Draft{d}, nil
}
