package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"bridgekeeper/app/wire"
)

// editor changes a text by one splice after the other, reading it again after
// each: offsets are never carried over a change.
type editor struct{ text text }

func (e *editor) apply(splices []splice) error {
	src := apply(e.text.src, splices...)
	next, problem := parseText(src)
	if problem != nil {
		return fmt.Errorf("edit the config: %s", problem.Message)
	}
	next.bom, next.pad = e.text.bom, e.text.pad
	e.text = next
	return nil
}

// find returns the value at a path of names, or nil.
func (e *editor) find(path ...string) *hujson.Value {
	v := &e.text.root
	for _, name := range path {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		if v = member(o, name); v == nil {
			return nil
		}
	}
	return v
}

// set gives the member at path a value, replacing what it had or as the last
// member of its object, which must be there.
func (e *editor) set(value any, path ...string) error {
	if old := e.find(path...); old != nil {
		if same(*old, value) {
			return nil
		}
		in, _ := indentAt(e.text.src, old.StartOffset)
		text := e.render(value, in)
		return e.apply([]splice{{old.StartOffset, old.EndOffset, text}})
	}
	parent, name := path[:len(path)-1], path[len(path)-1]
	v := e.find(parent...)
	b := e.text.block(v)
	return e.apply(b.insert(len(b.items), func(in string) string {
		return quote(name) + ": " + e.render(value, in)
	}))
}

// unset removes every member of that name: with one of two gone, the other would
// come back to life.
func (e *editor) unset(path ...string) error {
	parent, name := path[:len(path)-1], path[len(path)-1]
	for {
		v := e.find(parent...)
		if v == nil {
			return nil
		}
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return key(m) == name })
		if i < 0 {
			return nil
		}
		if err := e.apply(e.text.block(v).remove(i)); err != nil {
			return err
		}
	}
}

// setList changes a list of texts element by element, so that comments between
// elements stay.
func (e *editor) setList(want []string, path ...string) error {
	v := e.find(path...)
	if v == nil || v.Value.Kind() != '[' {
		return e.set(want, path...)
	}
	for i := 0; ; i++ {
		v := e.find(path...)
		elements := v.Value.(*hujson.Array).Elements
		b := e.text.block(v)
		var edit []splice
		switch {
		case i < len(want) && i < len(elements):
			if same(elements[i], want[i]) {
				continue
			}
			edit = []splice{{b.items[i].from, b.items[i].to, quote(want[i])}}
		case i < len(want):
			edit = b.insert(i, func(string) string { return quote(want[i]) })
		case i < len(elements):
			edit = b.remove(i)
			i--
		default:
			return nil
		}
		if err := e.apply(edit); err != nil {
			return err
		}
	}
}

// addServer adds an entry behind the others.
func (e *editor) addServer(name string, entry wire.Entry) error {
	if v := e.find(serversKey); v == nil || v.Value.Kind() == 'n' {
		if err := e.set(object{}, serversKey); err != nil {
			return err
		}
	}
	return e.set(entryObject(entry), serversKey, name)
}

// editServer changes the keys that req names.
func (e *editor) editServer(name string, req wire.EditServer) error {
	at := func(key string) []string { return []string{serversKey, name, key} }
	if e.find(serversKey, name).Value.Kind() != '{' {
		if err := e.set(object{}, serversKey, name); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		key   string
		value *string
	}{
		{"command", req.Command},
		{"cwd", req.Cwd},
		{"start", req.Start},
		{"idleStop", req.IdleStop},
		{"sharing", req.Sharing},
		{"era", req.Era},
	} {
		if f.value == nil {
			continue
		}
		if err := e.setOrUnset(*f.value, *f.value == "", at(f.key)...); err != nil {
			return err
		}
	}
	if req.Disabled != nil && (*req.Disabled || e.find(at("disabled")...) != nil) {
		if err := e.set(*req.Disabled, at("disabled")...); err != nil {
			return err
		}
	}
	if req.MaxLine != nil {
		if err := e.setOrUnset(*req.MaxLine, *req.MaxLine == 0, at("maxLine")...); err != nil {
			return err
		}
	}
	if req.Args != nil {
		if err := e.editArgs(*req.Args, at("args")); err != nil {
			return err
		}
	}
	return e.editEnv(req.Env, at("env"))
}

func (e *editor) editArgs(args []string, path []string) error {
	if len(args) == 0 && e.find(path...) == nil {
		return nil
	}
	return e.setList(args, path...)
}

func (e *editor) editEnv(env map[string]*string, path []string) error {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		value := env[name]
		if value == nil {
			if err := e.unset(append(path[:3:3], name)...); err != nil {
				return err
			}
			continue
		}
		if v := e.find(path...); v == nil || v.Value.Kind() != '{' {
			if err := e.set(object{}, path...); err != nil {
				return err
			}
		}
		if err := e.set(*value, append(path[:3:3], name)...); err != nil {
			return err
		}
	}
	return nil
}

func (e *editor) setOrUnset(value any, empty bool, path ...string) error {
	if empty {
		return e.unset(path...)
	}
	return e.set(value, path...)
}

// object is a JSON object whose members have an order.
type object []field

type field struct {
	key   string
	value any
}

func entryObject(e wire.Entry) object {
	o := object{{"command", e.Command}}
	add := func(key string, value any, given bool) {
		if given {
			o = append(o, field{key, value})
		}
	}
	add("args", e.Args, len(e.Args) > 0)
	var env object
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		env = append(env, field{name, e.Env[name]})
	}
	add("env", env, len(env) > 0)
	add("cwd", e.Cwd, e.Cwd != "")
	add("disabled", true, e.Disabled)
	add("start", e.Start, e.Start != "")
	add("idleStop", e.IdleStop, e.IdleStop != "")
	add("sharing", e.Sharing, e.Sharing != "")
	add("era", e.Era, e.Era != "")
	add("maxLine", e.MaxLine, e.MaxLine != 0)
	return o
}

// render writes a value: objects over several lines, all else on one.
func (e *editor) render(value any, in string) string {
	switch v := value.(type) {
	case object:
		if len(v) == 0 {
			return "{}"
		}
		nl, deeper := newline(e.text.src), in+e.text.unit()
		var lines []string
		for _, f := range v {
			lines = append(lines, deeper+quote(f.key)+": "+e.render(f.value, deeper))
		}
		return "{" + nl + strings.Join(lines, ","+nl) + nl + in + "}"
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case string:
		return quote(v)
	}
	return fmt.Sprint(value) // numbers and booleans
}

// quote writes a text as JSON, with < and & as people write them.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// same reports whether a value of the file is this string, number or boolean already.
func same(v hujson.Value, value any) bool {
	lit, ok := v.Value.(hujson.Literal)
	if !ok {
		return false
	}
	switch value := value.(type) {
	case string:
		return lit.Kind() == '"' && lit.String() == value
	case bool:
		return lit.Kind() == hujson.Bool(value).Kind()
	case int:
		return string(lit) == fmt.Sprint(value)
	}
	return false
}
