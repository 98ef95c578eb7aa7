package config

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tailscale/hujson"

	"bridgekeeper/app/wire"
)

// editor changes a text by one splice after the other, reading it again after
// each: offsets are never carried over a change.
type editor struct {
	text   text
	before *reading // what the text said at first
}

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
		{"ask", req.Ask},
		{"trust", req.Trust},
		{"changes", req.Changes},
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
	if req.Args != nil && (len(*req.Args) > 0 || e.find(at("args")...) != nil) {
		if err := e.setList(*req.Args, at("args")...); err != nil {
			return err
		}
	}
	if err := e.editEnv(req.Env, at("env")); err != nil {
		return err
	}
	_, bad := e.before.config.Problems[name]
	return e.editProtection(req, bad, at)
}

// editProtection changes what is hidden, limited and granted. In an entry with
// mistakes objects are written anew: the mistake may be in them.
func (e *editor) editProtection(req wire.EditServer, bad bool, at func(string) []string) error {
	for _, f := range []struct {
		key  string
		list *[]string
	}{{"off", req.Off}, {"roots", req.Roots}} {
		if f.list == nil {
			continue
		}
		if len(*f.list) == 0 {
			if err := e.unset(at(f.key)...); err != nil {
				return err
			}
			continue
		}
		if err := e.setList(*f.list, at(f.key)...); err != nil {
			return err
		}
	}
	if req.Limits != nil {
		if err := e.renewObject(limitsObject(req.Limits), bad, at("limits")...); err != nil {
			return err
		}
	}
	if req.Sampling == nil {
		return nil
	}
	if !req.Sampling.Enabled {
		return e.unset(at("sampling")...)
	}
	return e.renewObject(samplingObject(req.Sampling), bad, at("sampling")...)
}

// renewObject is setObject, or writes the object anew when it may have mistakes.
func (e *editor) renewObject(want inline, bad bool, path ...string) error {
	if bad {
		if err := e.unset(path...); err != nil {
			return err
		}
	}
	return e.setObject(want, path...)
}

// setObject changes the members of an object one by one, so that comments between
// them stay. A member whose value is nil is not wanted; without any the whole
// object goes.
func (e *editor) setObject(want inline, path ...string) error {
	if len(want.given()) == 0 {
		return e.unset(path...)
	}
	if v := e.find(path...); v == nil || v.Value.Kind() != '{' {
		return e.set(want, path...)
	}
	for _, f := range want {
		at := append(slices.Clone(path), f.key)
		if nested, ok := f.value.(inline); ok {
			if err := e.setObject(nested, at...); err != nil {
				return err
			}
			continue
		}
		if err := e.setOrUnset(f.value, f.value == nil, at...); err != nil {
			return err
		}
	}
	return nil
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
