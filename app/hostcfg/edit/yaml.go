package edit

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"bridgekeeper/app/hostcfg/read"
	"bridgekeeper/app/jsonedit"
)

// yamlText is a file taken apart into lines.
type yamlText struct {
	lines []string // with their line ends
	nl    string
	root  *yaml.Node // nil: nothing there
}

func openYAML(data []byte) (*yamlText, error) {
	text, _, err := read.Text(data)
	if err != nil {
		return nil, err
	}
	t := &yamlText{lines: strings.SplitAfter(string(data), "\n"), nl: newline(data)}
	t.root, err = read.Document(text)
	return t, err
}

func (t *yamlText) bytes() []byte { return []byte(strings.Join(t.lines, "")) }

// member finds a key of a mapping and its value.
func member(m *yaml.Node, name string) (key, value *yaml.Node) {
	if m == nil || m.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := len(m.Content) - 2; i >= 0; i -= 2 {
		if m.Content[i].Value == name {
			return m.Content[i], m.Content[i+1]
		}
	}
	return nil, nil
}

// putYAML puts an entry behind the others of the mapping at a path of one name.
func putYAML(data []byte, path []string, name string, entry jsonedit.Object) ([]byte, error) {
	if len(path) != 1 {
		return nil, ErrForm
	}
	data, err := takeYAML(data, path, name)
	if err != nil {
		return nil, err
	}
	t, err := openYAML(data)
	if err != nil {
		return nil, err
	}
	if t.root != nil && (t.root.Kind == yaml.MappingNode && t.root.Style&yaml.FlowStyle != 0) {
		return nil, ErrForm
	}
	key, value := member(t.root, path[0])
	switch {
	case key == nil:
		lines := []string{yamlKey(path[0]) + ":"}
		return t.insert(len(t.lines), append(lines, indented(yamlLines(name, entry), "  ")...)), nil
	case value.Kind == yaml.MappingNode && len(value.Content) > 0 && value.Style&yaml.FlowStyle == 0:
		in := strings.Repeat(" ", value.Content[0].Column-1)
		last := value.Content[len(value.Content)-2]
		return t.insert(t.end(last.Line, last.Column), indented(yamlLines(name, entry), in)), nil
	case value.Kind == yaml.MappingNode && len(value.Content) == 0, value.Kind == yaml.SequenceNode && len(value.Content) == 0, value.ShortTag() == "!!null":
		if value.Anchor != "" || !t.clear(key, value) {
			return nil, ErrForm
		}
		in := strings.Repeat(" ", key.Column+1)
		return t.insert(key.Line, indented(yamlLines(name, entry), in)), nil
	}
	return nil, ErrForm
}

// clear takes what stands for an empty value off the key's line.
func (t *yamlText) clear(key, value *yaml.Node) bool {
	line := t.lines[key.Line-1]
	for _, empty := range []string{"{}", "[]", "null", "~"} {
		if value.Line == key.Line && value.Column > 0 {
			at := offset(line, value.Column)
			if strings.HasPrefix(line[at:], empty) && value.Column > key.Column {
				t.lines[key.Line-1] = strings.TrimRight(line[:at], " ") + line[at+len(empty):]
				return true
			}
		}
	}
	return value.Value == "" && value.Kind == yaml.ScalarNode
}

// offset is the place in bytes of a column, which counts characters.
func offset(line string, column int) int {
	at := 0
	for ; column > 1 && at < len(line); column-- {
		_, n := utf8.DecodeRuneInString(line[at:])
		at += n
	}
	return at
}

// insert puts lines before the line of an index.
func (t *yamlText) insert(at int, add []string) []byte {
	var out strings.Builder
	for _, line := range t.lines[:at] {
		out.WriteString(line)
	}
	if s := out.String(); s != "" && !strings.HasSuffix(s, "\n") && s != "\xef\xbb\xbf" {
		out.WriteString(t.nl)
	}
	for _, line := range add {
		out.WriteString(line + t.nl)
	}
	for _, line := range t.lines[at:] {
		out.WriteString(line)
	}
	return []byte(out.String())
}

// end is the index of the first line behind the member whose key is at a line and
// column. Comments and empty lines behind it are not part of it.
func (t *yamlText) end(line, column int) int {
	end := line
	for i := line; i < len(t.lines); i++ {
		text := strings.TrimRight(t.lines[i], "\r\n")
		trimmed := strings.TrimLeft(text, " ")
		if trimmed == "" {
			continue
		}
		in := len(text) - len(trimmed)
		item := in == column-1 && (trimmed == "-" || strings.HasPrefix(trimmed, "- "))
		if in < column-1 || in == column-1 && !item {
			break
		}
		end = i + 1
	}
	return end
}

func takeYAML(data []byte, path []string, name string) ([]byte, error) {
	if len(path) != 1 {
		return nil, ErrForm
	}
	t, err := openYAML(data)
	if err != nil {
		return nil, err
	}
	parent, m := member(t.root, path[0])
	key, _ := member(m, name)
	if key == nil {
		return data, nil
	}
	if m.Style&yaml.FlowStyle != 0 || key.Line == parent.Line {
		return nil, fmt.Errorf("%q: %w", name, ErrForm)
	}
	end := t.end(key.Line, key.Column)
	t.lines = append(t.lines[:key.Line-1:key.Line-1], t.lines[end:]...)
	if len(m.Content) == 2 {
		line := t.lines[parent.Line-1]
		text := strings.TrimRight(line, "\r\n")
		at := offset(text, parent.Column) + strings.Index(text[offset(text, parent.Column):], ":") + 1
		t.lines[parent.Line-1] = text[:at] + " {}" + text[at:] + line[len(text):]
	}
	return t.bytes(), nil
}

func indented(lines []string, in string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = in + line
	}
	return out
}

// yamlLines writes a member in block style.
func yamlLines(key string, v any) []string {
	var fields []jsonedit.Field
	switch v := v.(type) {
	case jsonedit.Object:
		fields = v
	case jsonedit.Inline:
		fields = v.Given()
	case []string:
		parts := make([]string, len(v))
		for i, s := range v {
			parts[i] = jsonedit.Quote(s)
		}
		return []string{yamlKey(key) + ": [" + strings.Join(parts, ", ") + "]"}
	case string:
		return []string{yamlKey(key) + ": " + yamlScalar(v)}
	default:
		return []string{yamlKey(key) + ": " + fmt.Sprint(v)}
	}
	if len(fields) == 0 {
		return []string{yamlKey(key) + ": {}"}
	}
	lines := []string{yamlKey(key) + ":"}
	for _, f := range fields {
		lines = append(lines, indented(yamlLines(f.Key, f.Value), "  ")...)
	}
	return lines
}

// yamlScalar writes a text plainly where it can't be taken for anything else.
func yamlScalar(s string) string {
	var back any
	if s == "" || strings.ContainsAny(s, "\r\n#\"'{}[],&*!|>%@`") || strings.Contains(s, ": ") || bytes.ContainsAny([]byte{s[0], s[len(s)-1]}, " -?:") ||
		yaml.Unmarshal([]byte(s), &back) != nil || back != any(s) {
		return jsonedit.Quote(s)
	}
	return s
}

func yamlKey(key string) string { return yamlScalar(key) }
