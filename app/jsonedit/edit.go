package jsonedit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Editor changes a text by one splice after the other, reading it again after
// each: offsets are never carried over a change.
type Editor struct{ Text Text }

// apply carries out splices that don't overlap; a result that can't be read is an error.
func (e *Editor) apply(splices []splice) error {
	src := spliced(e.Text.Src, splices...)
	next, problem := Parse(src)
	if problem != nil {
		return fmt.Errorf("edit a file: %w", problem)
	}
	next.bom, next.pad = e.Text.bom, e.Text.pad
	e.Text = next
	return nil
}

// Find returns the value at a path of names, or nil.
func (e *Editor) Find(path ...string) *hujson.Value {
	v := &e.Text.Root
	for _, name := range path {
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		if v = Member(o, name); v == nil {
			return nil
		}
	}
	return v
}

// Set gives the member at path a value, replacing what it had or as the last
// member of its object, which must be there.
func (e *Editor) Set(value any, path ...string) error {
	if old := e.Find(path...); old != nil {
		if Same(*old, value) {
			return nil
		}
		in, _ := indentAt(e.Text.Src, old.StartOffset)
		text := e.render(value, in)
		return e.apply([]splice{{old.StartOffset, old.EndOffset, text}})
	}
	parent, name := path[:len(path)-1], path[len(path)-1]
	v := e.Find(parent...)
	if v == nil || v.Value.Kind() != '{' {
		return fmt.Errorf("edit a file: %q is no object", strings.Join(parent, "."))
	}
	b := e.Text.block(v)
	return e.apply(b.insert(len(b.items), func(in string) string {
		return Quote(name) + ": " + e.render(value, in)
	}))
}

// Unset removes every member of that name: with one of two gone, the other would
// come back to life.
func (e *Editor) Unset(path ...string) error {
	parent, name := path[:len(path)-1], path[len(path)-1]
	for {
		v := e.Find(parent...)
		if v == nil {
			return nil
		}
		o, ok := v.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		i := slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return Key(m) == name })
		if i < 0 {
			return nil
		}
		if err := e.apply(e.Text.block(v).remove(i)); err != nil {
			return err
		}
	}
}

// SetList changes a list of texts element by element, so that comments between
// elements stay.
func (e *Editor) SetList(want []string, path ...string) error {
	v := e.Find(path...)
	if v == nil || v.Value.Kind() != '[' {
		return e.Set(want, path...)
	}
	for i := 0; ; i++ {
		v := e.Find(path...)
		elements := v.Value.(*hujson.Array).Elements
		b := e.Text.block(v)
		var edit []splice
		switch {
		case i < len(want) && i < len(elements):
			if Same(elements[i], want[i]) {
				continue
			}
			edit = []splice{{b.items[i].from, b.items[i].to, Quote(want[i])}}
		case i < len(want):
			edit = b.insert(i, func(string) string { return Quote(want[i]) })
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

// SetObject changes the members of an object one by one, so that comments between
// them stay. A member whose value is nil is not wanted; without any the whole
// object goes.
func (e *Editor) SetObject(want Inline, path ...string) error {
	if len(want.Given()) == 0 {
		return e.Unset(path...)
	}
	if v := e.Find(path...); v == nil || v.Value.Kind() != '{' {
		return e.Set(want, path...)
	}
	for _, f := range want {
		at := append(slices.Clone(path), f.Key)
		if nested, ok := f.Value.(Inline); ok {
			if err := e.SetObject(nested, at...); err != nil {
				return err
			}
			continue
		}
		if err := e.SetOrUnset(f.Value, f.Value == nil, at...); err != nil {
			return err
		}
	}
	return nil
}

// SetOrUnset sets a member, or takes it away when the value is empty.
func (e *Editor) SetOrUnset(value any, empty bool, path ...string) error {
	if empty {
		return e.Unset(path...)
	}
	return e.Set(value, path...)
}

// Append adds an element behind the others of a list, which must be there.
func (e *Editor) Append(value any, path ...string) error {
	v := e.Find(path...)
	b := e.Text.block(v)
	return e.apply(b.insert(len(b.items), func(in string) string { return e.render(value, in) }))
}

// Remove takes the item at an index of the list or object at path away.
func (e *Editor) Remove(index int, path ...string) error {
	return e.apply(e.Text.block(e.Find(path...)).remove(index))
}

// Replace writes the element at an index of a list anew.
func (e *Editor) Replace(index int, value any, path ...string) error {
	at := e.Text.block(e.Find(path...)).items[index]
	return e.apply([]splice{{at.from, at.to, e.render(value, "")}})
}

// Member returns the last member of that name: what JSON readers take when one
// is there twice.
func Member(o *hujson.Object, name string) *hujson.Value {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if Key(o.Members[i]) == name {
			return &o.Members[i].Value
		}
	}
	return nil
}

// Key is a member's name.
func Key(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// Repeated returns the names that occur more than once.
func Repeated(o *hujson.Object) []string {
	var names []string
	count := map[string]int{}
	for _, m := range o.Members {
		name := Key(m)
		if count[name]++; count[name] == 2 {
			names = append(names, name)
		}
	}
	return names
}
