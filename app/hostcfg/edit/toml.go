package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"bridgekeeper/app/jsonedit"
)

// putTOML appends a table of our own: that is right wherever the others are.
func putTOML(data []byte, path []string, name string, entry jsonedit.Object) ([]byte, error) {
	data, err := takeTOML(data, path, name)
	if err != nil {
		return nil, err
	}
	nl := newline(data)
	var b strings.Builder
	b.Write(data)
	if len(data) > 0 && data[len(data)-1] != '\n' {
		b.WriteString(nl)
	}
	if len(bytes.TrimSpace(data)) > 0 {
		b.WriteString(nl)
	}
	b.WriteString("[" + header(append(slices.Clone(path), name)) + "]" + nl)
	for _, f := range entry {
		b.WriteString(tomlKey(f.Key) + " = " + tomlValue(f.Value) + nl)
	}
	return []byte(b.String()), nil
}

func header(path []string) string {
	parts := make([]string, len(path))
	for i, key := range path {
		parts[i] = tomlKey(key)
	}
	return strings.Join(parts, ".")
}

func tomlKey(key string) string {
	for _, r := range key {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_') {
			return tomlText(key)
		}
	}
	if key == "" {
		return `""`
	}
	return key
}

func tomlText(s string) string {
	// JSON's escapes are TOML's, but for the rune that JSON leaves as it is.
	return strings.ReplaceAll(jsonedit.Quote(s), "\x7f", `\u007f`)
}

func tomlValue(v any) string {
	inline := func(fields []jsonedit.Field) string {
		var parts []string
		for _, f := range fields {
			parts = append(parts, tomlKey(f.Key)+" = "+tomlValue(f.Value))
		}
		if len(parts) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	switch v := v.(type) {
	case jsonedit.Object:
		return inline(v)
	case jsonedit.Inline:
		return inline(v.Given())
	case []string:
		parts := make([]string, len(v))
		for i, s := range v {
			parts[i] = tomlText(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return tomlText(v)
	}
	return fmt.Sprint(v)
}

// table is the head of a table, and the first line behind what belongs to it.
type table struct {
	key   []string
	start int // of the line of its head
}

// takeTOML cuts the lines of one table and those below it out.
func takeTOML(data []byte, path []string, name string) ([]byte, error) {
	tables, other, err := tables(data, append(slices.Clone(path), name))
	if err != nil {
		return nil, err
	}
	if other {
		return nil, fmt.Errorf("%q: %w", name, ErrForm)
	}
	key := append(slices.Clone(path), name)
	for i := len(tables) - 1; i >= 0; i-- {
		if !below(tables[i].key, key) {
			continue
		}
		end := len(data)
		if i+1 < len(tables) {
			end = tables[i+1].start
			if !below(tables[i+1].key, key) {
				end = beforeComments(data, tables[i].start, end)
			}
		} else {
			end = beforeComments(data, tables[i].start, end)
		}
		start := tables[i].start
		if len(bytes.TrimSpace(data[end:])) == 0 { // the last one: with the empty line before it
			start = withoutEmptyLine(data, start)
		}
		data = slices.Concat(data[:start], data[end:])
	}
	return data, nil
}

func below(key, of []string) bool { return len(key) >= len(of) && slices.Equal(key[:len(of)], of) }

// tables lists the heads of a file's tables, and whether a key that is searched
// for is written in another form: dotted, or in one line.
func tables(data []byte, search []string) (list []table, other bool, err error) {
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	offset := len(data) - len(text)
	var p unstable.Parser
	p.Reset(text)
	var current []string
	for p.NextExpression() {
		e := p.Expression()
		var key []string
		first := -1
		for it := e.Key(); it.Next(); {
			n := it.Node()
			if first < 0 {
				first = int(n.Raw.Offset)
			}
			key = append(key, string(n.Data))
		}
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			current = key
			start := bytes.LastIndexByte(text[:max(first, 0)], '\n') + 1
			list = append(list, table{key, start + offset})
		case unstable.KeyValue:
			whole := append(slices.Clone(current), key...)
			if below(whole, search) && !below(current, search) || below(search, whole) {
				other = other || below(whole, search) || inlineHas(e, search[len(whole):])
			}
		}
	}
	return list, other, p.Error()
}

// inlineHas reports whether a value is a table on one line that has a key.
func inlineHas(e *unstable.Node, rest []string) bool {
	v := e.Value()
	if v.Kind != unstable.InlineTable || len(rest) == 0 {
		return len(rest) == 0
	}
	for it := v.Children(); it.Next(); {
		kv := it.Node()
		k := kv.Key()
		if k.Next() && string(k.Node().Data) == rest[0] {
			return true
		}
	}
	return false
}

// beforeComments steps back from end over lines that are empty or comments: they
// are about what follows.
func beforeComments(data []byte, start, end int) int {
	for {
		line := bytes.LastIndexByte(data[start:max(end-1, start)], '\n')
		if line < 0 {
			return end
		}
		text := bytes.TrimSpace(data[start+line+1 : end])
		if len(text) > 0 && text[0] != '#' {
			return end
		}
		end = start + line + 1
	}
}

func withoutEmptyLine(data []byte, start int) int {
	for _, nl := range []string{"\r\n\r\n", "\n\n"} {
		if bytes.HasSuffix(data[:start], []byte(nl)) {
			return start - len(nl)/2
		}
	}
	return start
}
