package translate

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bridgekeeper/bridge/rpc"
)

// Bounds of inlining: a few lines of schema can stand for more than there is
// memory, when each definition uses the one before it twice.
const (
	maxInlined     = 256 << 10 // bytes of a schema, before and after; no model reads a larger one
	maxInlineDepth = 64        // of schemas in schemas, as they end up
	// MaxInlineWork is a good allowance for all schemas of a list together, in bytes
	// looked at and copied: a schema is copied once for each level above it.
	MaxInlineWork = 64 << 20
)

// InlineRefs returns the schema with each local $ref replaced by what it points
// to, for hosts that don't follow references. It is not ok when that can't be
// exact: a reference that leads outside or back into itself, keywords that give
// references another meaning, or more than the bounds allow. Its work is taken off
// what is left of an allowance.
func InlineRefs(schema []byte, allowance *int) (out []byte, ok bool) {
	if len(schema) > maxInlined {
		return nil, false
	}
	in := inliner{root: schema, known: make(map[string][]byte), left: *allowance}
	out, ok = in.schema(schema)
	*allowance = max(in.left, 0)
	return out, ok
}

// inliner is one run over one schema.
type inliner struct {
	root  []byte
	known map[string][]byte // where references lead
	open  []string          // the references that are being replaced now, outermost first
	depth int
	left  int // of the allowance
}

// What stands under a keyword: a schema, a list of schemas or schemas by name.
// Everything else is data, in which "$ref" means nothing.
var (
	holdsSchema = words("additionalItems additionalProperties contains contentSchema else if items not propertyNames then unevaluatedItems unevaluatedProperties")
	holdsList   = words("allOf anyOf items oneOf prefixItems")
	holdsNames  = words("dependencies dependentSchemas patternProperties properties")
	// Nothing points to these any more when all references are replaced.
	definitions = []string{"$defs", "definitions"}
	// Beside a reference these change nothing of what it allows.
	annotations = words("$comment default deprecated description examples readOnly title writeOnly")
)

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// schema returns one schema with its references replaced.
func (in *inliner) schema(schema []byte) (out []byte, ok bool) {
	if schema[0] != '{' {
		return schema, true // true, false, or no schema at all
	}
	in.depth++
	defer func() { in.depth-- }()
	if in.depth > maxInlineDepth || !in.plain(schema) {
		return nil, false
	}
	at := rpc.Find(schema, "$ref")
	if !at.Ok() {
		out, ok = in.members(schema)
	} else if schema[at.Start] == '"' {
		out, ok = in.reference(schema, rpc.Text(schema[at.Start:at.End]))
	}
	in.left -= len(out)
	return out, ok && len(out) <= maxInlined && in.left >= 0
}

// plain reports whether nothing in the schema gives references a base or a way
// of their own. The root may have a name: "#/..." still means the root.
func (in *inliner) plain(schema []byte) bool {
	if rpc.Find(schema, "$dynamicRef").Ok() || rpc.Find(schema, "$recursiveRef").Ok() {
		return false
	}
	return &schema[0] == &in.root[0] || !based(schema)
}

// based reports an identifier, in the spelling of any draft.
func based(schema []byte) bool {
	for _, name := range []string{"$id", "id"} {
		if at := rpc.Find(schema, name); at.Ok() && schema[at.Start] == '"' {
			return true
		}
	}
	return false
}

// members replaces the references in what a schema without one of its own holds.
func (in *inliner) members(schema []byte) (out []byte, ok bool) {
	schema = without(schema, definitions...)
	var edits []rpc.Edit
	ok = true
	replace := func(at rpc.Span) {
		var with []byte
		if with, ok = in.schema(schema[at.Start:at.End]); ok {
			edits = append(edits, rpc.Edit{Span: at, With: with})
		}
	}
	err := rpc.Members(schema, func(key []byte, value rpc.Span) bool {
		inside := func(at rpc.Span) bool {
			replace(rpc.Span{Start: value.Start + at.Start, End: value.Start + at.End})
			return ok
		}
		raw, name := schema[value.Start:value.End], string(key)
		switch {
		case raw[0] == '[' && holdsList[name]:
			ok = rpc.Elements(raw, inside) == nil && ok
		case raw[0] == '{' && holdsNames[name]:
			ok = rpc.Members(raw, func(_ []byte, at rpc.Span) bool { return inside(at) }) == nil && ok
		case raw[0] == '{' && holdsSchema[name]:
			replace(value)
		}
		return ok
	})
	if err != nil || !ok {
		return nil, false
	}
	return rpc.Splice(nil, schema, edits...), true
}

// reference puts what the name points to in the place of the schema.
func (in *inliner) reference(schema []byte, name string) (out []byte, ok bool) {
	target := in.find(name)
	if target == nil || slices.Contains(in.open, name) {
		return nil, false
	}
	in.open = append(in.open, name)
	out, ok = in.schema(target)
	in.open = in.open[:len(in.open)-1]
	if !ok {
		return nil, false
	}
	beside, ok := in.members(without(schema, "$ref"))
	if !ok {
		return nil, false
	}
	return join(beside, out)
}

// join adds what stands beside a reference to what it points to.
func join(beside, target []byte) (out []byte, ok bool) {
	var names []string
	var members []byte
	only := true                                                 // annotations, which go before those of the target
	_ = rpc.Members(beside, func(key []byte, at rpc.Span) bool { // an object: the caller looked
		names = append(names, string(key))
		members = rpc.AppendMember(members, string(key), beside[at.Start:at.End])
		only = only && annotations[string(key)]
		return true
	})
	switch {
	case len(names) == 0:
		return target, true
	case only && target[0] == '{':
		target = without(target, names...)
		return rpc.Splice(nil, target, rpc.InsertMembers(target, rpc.Span{End: len(target)}, members)), true
	case slices.Contains(names, "allOf"), slices.Contains(names, "$schema"):
		return nil, false // what it says beside a reference depends on the draft
	}
	all := append(append([]byte{'['}, target...), ']')
	return append(append([]byte{'{'}, rpc.AppendMember(members, "allOf", all)...), '}'), true
}

// without returns the object without the members of these names.
func without(object []byte, names ...string) []byte {
	for _, name := range names {
		for {
			e, found := rpc.RemoveMember(object, rpc.Span{End: len(object)}, name)
			if !found {
				break
			}
			object = rpc.Splice(nil, object, e)
		}
	}
	return object
}

// find returns the schema that a local reference points to (RFC 6901), nil when
// there is none or it isn't the root's alone.
func (in *inliner) find(name string) []byte {
	if known, ok := in.known[name]; ok {
		return known
	}
	in.left -= len(in.root)
	in.known[name] = lookup(in.root, name)
	return in.known[name]
}

func lookup(root []byte, name string) []byte {
	fragment, local := strings.CutPrefix(name, "#")
	pointer, err := url.PathUnescape(fragment)
	if !local || err != nil || pointer != "" && pointer[0] != '/' {
		return nil
	}
	at := root
	for i, token := range strings.Split(pointer, "/") {
		if i == 0 {
			continue // before the first slash
		}
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		var next rpc.Span
		if at[0] == '[' {
			next = element(at, token)
		} else if i == 1 || !based(at) {
			next = rpc.Find(at, token)
		}
		if !next.Ok() {
			return nil
		}
		at = at[next.Start:next.End]
	}
	if at[0] != '{' && at[0] != 't' && at[0] != 'f' {
		return nil
	}
	return at
}

func element(list []byte, token string) (found rpc.Span) {
	want, err := strconv.Atoi(token)
	if err != nil || strconv.Itoa(want) != token {
		return rpc.Span{}
	}
	n := 0
	_ = rpc.Elements(list, func(at rpc.Span) bool { // a list: the caller looked
		if n == want {
			found = at
		}
		n++
		return n <= want
	})
	return found
}
