package paste

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"bridgekeeper/app/draft"
	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/app/hostcfg/read"
	"bridgekeeper/app/wire"
	"bridgekeeper/keychain/detect"
	"bridgekeeper/keychain/ref"
)

// host stands for the application that a text was written for: nobody knows which.
var host = &known.Host{Name: "paste", Title: "the application that it was written for", Format: known.JSONC,
	Dialect: known.Dialect{Vars: known.Env | known.Braces | known.Editor | known.Inputs | known.Curly | known.Vault, PlainURL: known.HTTP}}

// object reads the JSON of any application.
func object(text string, o Options) ([]*draft.Draft, error) {
	f, err := read.Parse([]byte(text), known.JSONC)
	if err != nil {
		return nil, bad("Paste the whole of it, from the first { to the last }.", "this isn't JSON: %s", err)
	}
	return servers(f.Root, f, o)
}

func servers(root *read.Map, f *read.File, o Options) ([]*draft.Draft, error) {
	raws := read.Servers(f, host)
	if len(raws) == 0 {
		return nil, bad("Bridgekeeper looks for mcpServers, servers, or an object with a command or a url.", "there is no server in this text")
	}
	described := inputsOf(root)
	var list []*draft.Draft
	for _, raw := range raws {
		d := entry(raw, described, o)
		d.Source.Kind = wire.SourceJSON
		list = append(list, d)
	}
	return list, nil
}

// inputsOf are VS Code's descriptions of inputs, by id.
func inputsOf(root *read.Map) map[string]wire.Input {
	out := map[string]wire.Input{}
	v, _ := root.Get("inputs")
	list, _ := v.([]any)
	for _, one := range list {
		m, ok := one.(*read.Map)
		if !ok || m.Text("id") == "" {
			continue
		}
		in := wire.Input{Name: m.Text("id"), Description: m.Text("description"), Kind: wire.InputString, Required: true}
		password, there := m.Get("password")
		in.Secret = password == true
		if !there && m.Text("type") == "promptString" {
			in.Secret = false
		}
		if def := m.Text("default"); def != "" {
			in.Default = []string{def}
		}
		if m.Text("type") == "pickString" {
			in.Kind = wire.InputChoice
			options, _ := m.Get("options")
			choices, _ := options.([]any)
			for _, c := range choices {
				switch c := c.(type) {
				case string:
					in.Choices = append(in.Choices, c)
				case *read.Map:
					in.Choices = append(in.Choices, cmp.Or(c.Text("value"), c.Text("label")))
				}
			}
		}
		out[in.Name] = in
	}
	return out
}

// entry makes a draft of one entry.
func entry(raw read.Raw, described map[string]wire.Input, o Options) *draft.Draft {
	s := read.Entry(raw, read.Context{Host: host, Windows: o.windows(), Home: o.Home, Exists: o.Exists})
	d := &draft.Draft{Name: slug(read.Suggest(s)), Label: s.Name, Disabled: s.Disabled, Off: s.Off, Command: s.Command, Cwd: s.Cwd}
	if s.Name != d.Name {
		d.Title = s.Name
	}
	for _, r := range s.Reports {
		switch r.Level {
		case read.Blocks:
			d.Block(r.Text)
		case read.Warns:
			d.Warn(r.Text)
		}
	}
	b := builder{d: d, described: described, server: d.Name, taken: o.Taken}
	b.hide(s)
	if s.Command == "" {
		b.remote(s)
	} else {
		b.local(s)
	}
	d.Describe()
	if d.Label == "" {
		d.Label = strings.TrimSpace(d.Command + " " + d.Package)
	}
	return d
}

// slug is a name of ours for a server.
func slug(name string) string { return read.Slug(name, nil) }

func suggestAddress(url string) string { return read.Suggest(&read.Server{URL: url}) }

type builder struct {
	d         *draft.Draft
	described map[string]wire.Input
	server    string
	taken     func(string) bool
	hidden    []string // names of the secrets that came with the text
}

// hide takes likely secrets out of an entry before anybody sees it.
func (b *builder) hide(s *read.Server) {
	e := detect.Entry{Server: b.server, Command: s.Command, Args: s.Args, Env: s.Env, Headers: s.Headers, URL: s.URL}
	if s.Command != "" {
		e.Headers, e.URL = nil, "" // they are in the arguments, too
	}
	findings := detect.Find(e, b.taken)
	findings = slices.DeleteFunc(findings, func(f detect.Finding) bool {
		_, asks := placeholder(f.Value.Reveal())
		return asks
	})
	moved, stored := detect.Move(e, findings)
	s.Args, s.Env = moved.Args, moved.Env
	if s.Command == "" {
		s.Headers, s.URL = moved.Headers, moved.URL
	}
	for _, one := range stored {
		b.d.Found = append(b.d.Found, draft.Secret{Name: one.Name, Value: one.Value})
		b.hidden = append(b.hidden, one.Name)
	}
}

func (b *builder) local(s *read.Server) {
	for i, arg := range s.Args {
		name := ""
		if i > 0 && strings.HasPrefix(s.Args[i-1], "-") {
			name = strings.TrimLeft(s.Args[i-1], "-")
		}
		b.d.Args = append(b.d.Args, draft.Arg{Value: b.text(cmp.Or(name, fmt.Sprintf("argument-%d", i+1)), arg, name == "" || isPlainFlag(s.Args[i-1]))})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		b.d.Env = append(b.d.Env, draft.Var{Name: name, Value: b.text(name, s.Env[name], false), Optional: true})
	}
}

// isPlainFlag: flags whose next argument is a package or a mount, where <x> is
// part of a usage text.
func isPlainFlag(flag string) bool { return flag == "-y" || flag == "--yes" || flag == "run" }

func (b *builder) remote(s *read.Server) {
	var headers []draft.Header
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		headers = append(headers, draft.Header{Name: name, Value: b.text(name, s.Headers[name], false)})
	}
	b.d.Remote(b.text("url", s.URL, true), headers, draft.TransportOf(s.Transport == known.SSE, s.URL))
}

// secretRef finds our references to secrets in a value.
var secretRef = regexp.MustCompile(`\$\{secret:([^}]*)\}`)

// text is a value in which what a person has to enter is an input: references to
// secrets that its application asked for, and placeholders. whole lets only a
// placeholder that is the whole value count.
func (b *builder) text(name, value string, loose bool) draft.Text {
	if m, ok := placeholder(value); ok && (!loose || strings.HasPrefix(value, "<") || strings.Contains(strings.ToLower(value), "your")) {
		in := wire.Input{Name: name, Kind: wire.InputString, Required: true, Placeholder: value, Secret: secretive(name)}
		if pathlike(name, value) {
			in.Kind, in.Secret = wire.InputDirectory, false
		}
		b.d.Ask(in)
		return draft.Text{{Text: m.before}, {Input: name}}
	}
	var t draft.Text
	for {
		at := secretRef.FindStringSubmatchIndex(value)
		if at == nil {
			break
		}
		secret := value[at[2]:at[3]]
		if slices.Contains(b.hidden, secret) {
			t = append(t, draft.Part{Text: value[:at[1]]})
		} else {
			in, ok := b.described[secret]
			if !ok {
				in = wire.Input{Name: secret, Kind: wire.InputString, Required: true, Secret: true}
			}
			b.d.Ask(in)
			t = append(t, draft.Part{Text: value[:at[0]]}, draft.Part{Input: secret})
		}
		value = value[at[1]:]
	}
	if value != "" || len(t) == 0 {
		if _, err := ref.Parse(value); err != nil {
			value = ref.Escape(value)
		}
		t = append(t, draft.Part{Text: value})
	}
	return slices.DeleteFunc(t, func(p draft.Part) bool { return p == draft.Part{} })
}

type held struct{ before string }

var (
	angled = regexp.MustCompile(`^((?:Bearer |Basic |token )?)<[^<>]{1,80}>$`)
	// yours are the words of READMEs for a value that a person has to fill in.
	yours = regexp.MustCompile(`(?i)^((?:Bearer |Basic |token )?)(your[-_ ].{1,60}|[a-z0-9._-]{0,12}your[-_](api[-_])?(key|token|secret|password).{0,30}|(replace|insert|enter|add|put)[-_ ].{0,20}(here|key|token|this|me)|x{4,}|\*{3,}|\.{3}|…|sk-\.{3}|(api|access)[-_ ]?(key|token)[-_ ]here|change[-_ ]?me|/path/to/.*|/users/(username|yourname|you)/.*|c:\\path\\to\\.*)$`)
)

// placeholder reports whether a value only stands for one that a person has, and
// what stands before it.
func placeholder(value string) (held, bool) {
	for _, pattern := range []*regexp.Regexp{angled, yours} {
		if m := pattern.FindStringSubmatch(value); m != nil {
			return held{m[1]}, true
		}
	}
	return held{}, false
}

var secretWords = regexp.MustCompile(`(?i)(token|secret|passw|api_?-?key|apikey|credential|private_?key|authorization|access_?key|_pat$|^pat$|bearer|^key$|_key$)`)

func secretive(name string) bool { return secretWords.MatchString(name) }

func pathlike(name, value string) bool {
	lower := strings.ToLower(name + " " + value)
	for _, word := range []string{"/path/to/", `c:\path\to\`, "/users/", "directory", "folder", "_dir ", "workspace"} {
		if strings.Contains(lower, word) {
			return true
		}
	}
	return false
}
