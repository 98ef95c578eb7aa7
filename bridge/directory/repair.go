package directory

import (
	"fmt"

	"bridgekeeper/bridge/rpc"
)

// Hosts check a list whole: one definition that breaks the rules costs them all
// tools of all servers. On the merged endpoint such a definition is repaired
// where the repair says exactly what the server meant, else hidden alone. The
// endpoint of a server alone shows what the server wrote.

// optional are members that a tool need not have, and how their values begin.
// A server's null says that there is none; hosts want it left out.
var optional = []struct {
	name   string
	begins byte
	kind   string
}{
	{"description", '"', "text"}, {"title", '"', "text"}, {"annotations", '{', "object"}, {"outputSchema", '{', "object"},
	{"execution", '{', "object"}, {"icons", '[', "list"}, {"_meta", '{', "object"},
}

// repair looks for what hosts refuse in a tool's definition. fixed is a definition
// that says the same and is right, nil when the server's own is; when there is
// none, hidden says why.
func repair(definition []byte) (fixed []byte, hidden string) {
	now := definition
	for _, o := range optional {
		at := rpc.Find(now, o.name)
		for at.Ok() && now[at.Start] == 'n' {
			e, _ := rpc.RemoveMember(now, rpc.Span{End: len(now)}, o.name)
			now = rpc.Splice(nil, now, e)
			at = rpc.Find(now, o.name) // it may be there twice
		}
		if at.Ok() && now[at.Start] != o.begins {
			return nil, "its " + o.name + " is no " + o.kind
		}
	}
	edits, hidden := repairInput(now)
	switch {
	case hidden != "":
		return nil, hidden
	case edits != nil:
		return rpc.Splice(nil, now, edits...), ""
	case len(now) != len(definition):
		return now, ""
	}
	return nil, ""
}

// repairInput does that for the schema of the arguments.
func repairInput(definition []byte) (edits []rpc.Edit, hidden string) {
	schema := rpc.Find(definition, "inputSchema")
	if !schema.Ok() {
		return []rpc.Edit{appendMembers(definition, rpc.Span{End: len(definition)}, rpc.AppendMember(nil, "inputSchema", []byte(anyObject)))}, ""
	}
	switch definition[schema.Start] {
	case 'n': // null: a server's way to say nothing
		return []rpc.Edit{{Span: schema, With: []byte(anyObject)}}, ""
	case '{':
		return repairSchema(definition, schema)
	}
	return nil, "its inputSchema is no object"
}

// forLegacy is a definition as hosts of revisions before 2026-07-28 take it: there
// a structured result is always an object, and its schema must say so.
func forLegacy(definition []byte) (fixed []byte, hidden string) {
	schema := rpc.Find(definition, "outputSchema")
	if !schema.Ok() {
		return definition, ""
	}
	raw := definition[schema.Start:schema.End]
	kind := rpc.Find(raw, "type")
	at := rpc.Span{Start: schema.Start + kind.Start, End: schema.Start + kind.End}
	switch {
	case !kind.Ok():
		return rpc.Splice(nil, definition, appendMembers(definition, schema, rpc.AppendMember(nil, "type", []byte(`"object"`)))), ""
	case isText(raw, kind, "object"):
		return definition, ""
	case listsObject(raw[kind.Start:kind.End]):
		return rpc.Splice(nil, definition, rpc.Edit{Span: at, With: []byte(`"object"`)}), ""
	}
	return nil, fmt.Sprintf("the type of its outputSchema is %.40s, not \"object\"", raw[kind.Start:kind.End])
}

// anyObject is the schema of a tool that says nothing of its arguments, which
// are always an object.
const anyObject = `{"type":"object","properties":{}}`

func repairSchema(definition []byte, schema rpc.Span) (edits []rpc.Edit, hidden string) {
	var kind, properties rpc.Span
	_ = rpc.Members(definition[schema.Start:schema.End], func(key []byte, at rpc.Span) bool { // an object: the caller looked
		at = rpc.Span{Start: schema.Start + at.Start, End: schema.Start + at.End}
		switch string(key) {
		case "type":
			kind = at
		case "properties":
			properties = at
		}
		return true
	})
	var missing []byte
	switch {
	case !kind.Ok():
		missing = rpc.AppendMember(missing, "type", []byte(`"object"`))
	case isText(definition, kind, "object"):
	case listsObject(definition[kind.Start:kind.End]):
		// Of several types only this one can ever be: arguments are an object.
		edits = append(edits, rpc.Edit{Span: kind, With: []byte(`"object"`)})
	default:
		return nil, fmt.Sprintf("the type of its inputSchema is %.40s, not \"object\"", definition[kind.Start:kind.End])
	}
	switch {
	case !properties.Ok():
		missing = rpc.AppendMember(missing, "properties", []byte("{}"))
	case definition[properties.Start] == '{':
	case saysNothing(definition[properties.Start:properties.End]):
		edits = append(edits, rpc.Edit{Span: properties, With: []byte("{}")})
	default:
		return nil, "the properties of its inputSchema are no object"
	}
	if missing != nil {
		edits = append(edits, appendMembers(definition, schema, missing))
	}
	return edits, ""
}

func isText(raw []byte, at rpc.Span, text string) bool {
	return raw[at.Start] == '"' && rpc.Text(raw[at.Start:at.End]) == text
}

// listsObject reports whether a schema's type is a list with "object" in it.
func listsObject(kind []byte) (found bool) {
	_ = rpc.Elements(kind, func(at rpc.Span) bool { // no list: not found
		found = found || isText(kind, at, "object")
		return !found
	})
	return found
}

// saysNothing reports null, and the empty list that languages without a type of
// its own for maps write for an empty one.
func saysNothing(properties []byte) bool {
	if string(properties) == "null" {
		return true
	}
	empty := true
	err := rpc.Elements(properties, func(rpc.Span) bool { empty = false; return false })
	return err == nil && empty
}

// appendMembers is rpc.InsertMembers at the end of the object, where a reader
// of the list looks for what isn't the server's own.
func appendMembers(raw []byte, object rpc.Span, members []byte) rpc.Edit {
	empty := true
	_ = rpc.Members(raw[object.Start:object.End], func([]byte, rpc.Span) bool { empty = false; return false })
	if !empty {
		members = append([]byte{','}, members...)
	}
	end := object.End - 1 // before the brace
	return rpc.Edit{Span: rpc.Span{Start: end, End: end}, With: members}
}
