// Package read understands what hosts have in their files: the bytes, whatever
// their encoding; JSON with its mistakes, TOML and YAML as one kind of tree; and
// every dialect in which a server is written down.
//
// It is pure: it runs nothing, expands nothing and looks no file up. What it can't
// use it reports by server, and the rest is read all the same. app/hostcfg calls it.
package read

import "slices"

// Map is an object, a table or a mapping, in the order of the file.
type Map struct {
	Members []Member
	Twice   []string // names that are there more than once; the last one counts
}

// Member is one member of a Map. A value is a *Map, []any, string, bool, Number,
// or nil.
type Member struct {
	Key   string
	Value any
	Line  int // of the key, from 1; 0: not known
}

// Number is a number as it is written.
type Number string

// Get returns the value of a name, and whether there is one. A Map that is nil has none.
func (m *Map) Get(key string) (any, bool) {
	if m == nil {
		return nil, false
	}
	for _, one := range slices.Backward(m.Members) {
		if one.Key == key {
			return one.Value, true
		}
	}
	return nil, false
}

// Map returns the object of a name, or nil.
func (m *Map) Map(key string) *Map {
	v, _ := m.Get(key)
	inner, _ := v.(*Map)
	return inner
}

// At returns the value at a path of names.
func (m *Map) At(path ...string) (any, bool) {
	if len(path) == 0 {
		return m, m != nil
	}
	for _, key := range path[:len(path)-1] {
		m = m.Map(key)
	}
	return m.Get(path[len(path)-1])
}

// Text returns the text of the first of these names that has one.
func (m *Map) Text(keys ...string) string {
	for _, key := range keys {
		if v, _ := m.Get(key); v != nil {
			if s, ok := v.(string); ok && s != "" {
				return s
			}
		}
	}
	return ""
}

// add appends a member and notes a name that was there.
func (m *Map) add(one Member) {
	if _, there := m.Get(one.Key); there && !slices.Contains(m.Twice, one.Key) {
		m.Twice = append(m.Twice, one.Key)
	}
	m.Members = append(m.Members, one)
}

// Plain is a value without the order, the lines and the kinds of numbers: what
// two readings are compared by.
func Plain(v any) any {
	switch v := v.(type) {
	case *Map:
		out := map[string]any{}
		for _, m := range v.Members {
			out[m.Key] = Plain(m.Value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = Plain(e)
		}
		return out
	case Number:
		return string(v)
	}
	return v
}
