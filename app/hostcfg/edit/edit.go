// Package edit puts an entry into a host's file, or takes entries out, without
// touching anything else: comments, order, indentation, line ends and a byte
// order mark stay as they are.
//
// It works on bytes and writes no file. Each result is read again and compared
// with what it should say; one that says anything else is an error, never a
// result. app/hostcfg calls it.
package edit

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"bridgekeeper/app/hostcfg/known"
	"bridgekeeper/app/hostcfg/read"
	"bridgekeeper/app/jsonedit"
)

// ErrForm is in errors about files that are in order, but written in a form that
// can't be changed at one place alone.
var ErrForm = errors.New("it is written in a form that can't be changed at that place alone")

// ErrEncoding is in errors about files that would have to be converted.
var ErrEncoding = errors.New("it isn't UTF-8: convert it first")

// Put returns data with an entry at the path, anew or in the place of the one that
// has its name.
func Put(data []byte, format known.Format, path []string, name string, entry jsonedit.Object) ([]byte, error) {
	before, err := sound(data, format)
	if err != nil {
		return nil, err
	}
	if v, there := before.Root.At(path...); there && !isRoom(v) {
		return nil, fmt.Errorf("%s is no object", strings.Join(path, "."))
	}
	want, _ := read.Plain(before.Root).(map[string]any)
	reach(want, path)[name] = Plain(entry)
	var next []byte
	switch format {
	case known.TOML:
		next, err = putTOML(data, path, name, entry)
	case known.YAML:
		next, err = putYAML(data, path, name, entry)
	default:
		next, err = putJSON(data, before.Bare, path, name, entry)
	}
	if err != nil {
		return nil, err
	}
	return verified(next, format, want)
}

// Take returns data without the entries of these names at the path; those that
// are not there are no error.
func Take(data []byte, format known.Format, path []string, names ...string) ([]byte, error) {
	before, err := sound(data, format)
	if err != nil {
		return nil, err
	}
	v, _ := before.Root.At(path...)
	m, _ := v.(*read.Map)
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, there := m.Get(name)
		return !there
	})
	if len(names) == 0 {
		return data, nil
	}
	want, _ := read.Plain(before.Root).(map[string]any)
	room := reach(want, path)
	for _, name := range names {
		delete(room, name)
	}
	next := data
	for _, name := range names {
		switch format {
		case known.TOML:
			next, err = takeTOML(next, path, name)
		case known.YAML:
			next, err = takeYAML(next, path, name)
		default:
			next, err = takeJSON(next, path, name)
		}
		if err != nil {
			return nil, err
		}
	}
	if format == known.TOML && len(room) == 0 {
		drop(want, path) // a table without members is not there
	}
	return verified(next, format, want)
}

// sound reads a file that may be edited.
func sound(data []byte, format known.Format) (*read.File, error) {
	f, err := read.Parse(data, format)
	switch {
	case err != nil:
		return nil, err
	case f.Encoding != read.UTF8 && f.Encoding != read.UTF8BOM:
		return nil, ErrEncoding
	case !f.Whole:
		return nil, errors.New("it has no braces around it")
	}
	return f, nil
}

// isRoom reports whether entries can be put where v is. An empty list stands for
// nothing, as programs write it whose language has one kind of both.
func isRoom(v any) bool {
	switch v := v.(type) {
	case *read.Map, nil:
		return true
	case []any:
		return len(v) == 0
	}
	return false
}

// reach is the object at a path, made where it isn't there.
func reach(m map[string]any, path []string) map[string]any {
	for _, key := range path {
		inner, ok := m[key].(map[string]any)
		if !ok {
			inner = map[string]any{}
			m[key] = inner
		}
		m = inner
	}
	return m
}

func drop(m map[string]any, path []string) {
	parent := reach(m, path[:len(path)-1])
	delete(parent, path[len(path)-1])
}

func verified(next []byte, format known.Format, want map[string]any) ([]byte, error) {
	after, err := read.Parse(next, format)
	if err != nil {
		return nil, fmt.Errorf("%w (the result could not be read: %v)", ErrForm, err)
	}
	if !reflect.DeepEqual(read.Plain(after.Root), any(want)) {
		return nil, fmt.Errorf("%w (the result would say something else, too)", ErrForm)
	}
	return next, nil
}

// Plain is an entry as read.Plain would give it.
func Plain(v any) any {
	members := func(fields []jsonedit.Field) map[string]any {
		out := map[string]any{}
		for _, f := range fields {
			out[f.Key] = Plain(f.Value)
		}
		return out
	}
	switch v := v.(type) {
	case jsonedit.Object:
		return members(v)
	case jsonedit.Inline:
		return members(v.Given())
	case []string:
		out := make([]any, len(v))
		for i, s := range v {
			out[i] = s
		}
		return out
	case string, bool:
		return v
	case jsonedit.Raw:
		f, err := read.Parse([]byte(`{"v": `+string(v)+`}`), known.JSONC)
		if err != nil {
			return nil
		}
		inner, _ := f.Root.Get("v")
		return read.Plain(inner)
	}
	return fmt.Sprint(v) // numbers
}

// newline is the line end that a text uses.
func newline(data []byte) string { return jsonedit.Newline(data) }
