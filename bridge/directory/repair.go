package directory

import (
	"fmt"

	"bridgekeeper/bridge/rpc"
)

// Hosts check a list whole: one definition that breaks the rules costs them all
// tools of all servers. On the merged endpoint such a definition is repaired
// where the repair says exactly what the server meant, else hidden alone. The
// endpoint of a server alone shows what the server wrote.

// repair looks for what hosts refuse in a tool's definition: edits make it
// right; when nothing can, hidden says why.
func repair(definition []byte) (edits []rpc.Edit, hidden string) {
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
