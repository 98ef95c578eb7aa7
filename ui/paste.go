package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fyne.io/fyne/v2/lang"
	"io"
	"strings"

	"bridgekeeper/app/wire"
)

// maxPaste bounds a pasted text: the largest host's file seen is a few KiB.
const maxPaste = 1 << 20

// parsePaste reads what hosts have in their files and READMEs show: an object
// with mcpServers or servers, its inside, or a single entry, which then has no
// name. Entries keep their order.
func parsePaste(text string) ([]wire.AddServer, error) {
	text = strings.TrimSpace(text)
	switch {
	case len(text) > maxPaste:
		return nil, errors.New(lang.L("this is larger than 1 MiB: paste the servers alone"))
	case text == "":
		return nil, errors.New(lang.L("there is nothing yet"))
	case strings.HasPrefix(text, `"`): // the inside of an object, as READMEs show it
		text = "{" + strings.TrimSuffix(text, ",") + "}"
	}
	top, err := members(withoutComments([]byte(text)))
	if err != nil {
		return nil, errors.New(lang.L("this isn't JSON: {{.Reason}}", named{"Reason": err}))
	}
	for _, m := range top {
		switch m.name {
		case "mcpServers", "servers", "context_servers":
			return entries(m.value)
		case "mcp": // older VS Code settings
			if inner, err := members(m.value); err == nil && len(inner) > 0 && inner[0].name == "servers" {
				return entries(inner[0].value)
			}
		case "command":
			add, err := readEntry("", withoutComments([]byte(text)))
			if err != nil {
				return nil, err
			}
			return []wire.AddServer{add}, nil
		case "url", "serverUrl", "httpUrl":
			return nil, errRemote(lang.L("this"))
		}
	}
	return entries(withoutComments([]byte(text)))
}

func errRemote(name string) error {
	return errors.New(lang.L("{{.Name}} is an address on the net: Bridgekeeper runs commands on this computer only", named{"Name": name}))
}

// entries reads an object of entries by name.
func entries(object []byte) ([]wire.AddServer, error) {
	list, err := members(object)
	if err != nil {
		return nil, errors.New(lang.L("the servers aren't an object: {{.Reason}}", named{"Reason": err}))
	}
	if len(list) == 0 {
		return nil, errors.New(lang.L("there is no server in it"))
	}
	var adds []wire.AddServer
	for _, m := range list {
		add, err := readEntry(m.name, m.value)
		if err != nil {
			return nil, err
		}
		adds = append(adds, add)
	}
	return adds, nil
}

func readEntry(name string, data []byte) (wire.AddServer, error) {
	var e struct {
		Command   string            `json:"command"`
		Args      []string          `json:"args"`
		Env       map[string]string `json:"env"`
		Cwd       string            `json:"cwd"`
		Disabled  bool              `json:"disabled"`
		URL       string            `json:"url"`
		ServerURL string            `json:"serverUrl"`
		HTTPURL   string            `json:"httpUrl"`
	}
	called := name
	if called == "" {
		called = lang.L("the entry")
	}
	if err := json.Unmarshal(data, &e); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return wire.AddServer{}, errors.New(lang.L("{{.Name}}: “{{.Field}}” can't be a {{.Type}}", named{"Name": called, "Field": wrong.Field, "Type": wrong.Value}))
		}
		return wire.AddServer{}, errors.New(lang.L("{{.Name}} is no object with a command", named{"Name": called}))
	}
	if e.Command == "" {
		if e.URL != "" || e.ServerURL != "" || e.HTTPURL != "" {
			return wire.AddServer{}, errRemote(called)
		}
		return wire.AddServer{}, errors.New(lang.L("{{.Name}} has no command", named{"Name": called}))
	}
	return wire.AddServer{Name: name, Entry: wire.Entry{Command: e.Command, Args: e.Args, Env: e.Env, Cwd: e.Cwd, Disabled: e.Disabled}}, nil
}

type member struct {
	name  string
	value json.RawMessage
}

// members returns an object's members in their order.
func members(data []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	t, err := d.Token()
	if err != nil {
		return nil, plainJSON(err)
	}
	if t != json.Delim('{') {
		return nil, errors.New(lang.L("it doesn't begin with {"))
	}
	var list []member
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, plainJSON(err)
		}
		m := member{name: key.(string)} // the decoder lets nothing else be a key
		if err := d.Decode(&m.value); err != nil {
			return nil, plainJSON(err)
		}
		list = append(list, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, plainJSON(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New(lang.L("there is more behind its end"))
	}
	return list, nil
}

func plainJSON(err error) error {
	text := err.Error()
	if strings.Contains(text, "EOF") {
		return errors.New(lang.L("it ends too early"))
	}
	return errors.New(strings.TrimPrefix(text, "json: "))
}

// withoutComments blanks comments and commas before a closing bracket, which
// hosts' own files may have.
func withoutComments(data []byte) []byte {
	out := bytes.Clone(data)
	comma := -1 // place of a comma behind which nothing stands yet
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
			comma = -1
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			for ; i < end; i++ {
				out[i] = ' '
			}
			i--
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma = ' ', -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return out
}

func commentEnd(data []byte, start int) int {
	stop := []byte("\n")
	if data[start+1] == '*' {
		stop = []byte("*/")
	}
	if n := bytes.Index(data[start+2:], stop); n >= 0 {
		return start + 2 + n + len(stop)
	}
	return len(data)
}
