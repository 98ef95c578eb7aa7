package translate

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"bridgekeeper/bridge/rpc"
)

// ParamHeader is one argument of a tool that a modern host must repeat as the
// HTTP header Mcp-Param-Name (2026-07-28 streamable HTTP, "Custom Headers").
type ParamHeader struct {
	Name string
	Path []string // of property names, from the arguments object
}

// maxSchemaDepth bounds how deep annotations are looked for.
const maxSchemaDepth = 32

// ParamHeaders returns the annotations x-mcp-header in a tool's definition.
func ParamHeaders(definition []byte) []ParamHeader {
	if !bytes.Contains(definition, []byte("x-mcp-header")) {
		return nil // as nearly all
	}
	at := rpc.Find(definition, "inputSchema")
	if !at.Ok() {
		return nil
	}
	return paramHeaders(nil, definition[at.Start:at.End], nil)
}

func paramHeaders(found []ParamHeader, schema []byte, path []string) []ParamHeader {
	at := rpc.Find(schema, "properties")
	if !at.Ok() || len(path) > maxSchemaDepth {
		return found
	}
	properties := schema[at.Start:at.End]
	_ = rpc.Members(properties, func(key []byte, at rpc.Span) bool { // no object: no properties
		property := properties[at.Start:at.End]
		here := append(path[:len(path):len(path)], string(key))
		if h := rpc.Find(property, "x-mcp-header"); h.Ok() {
			if name := rpc.Text(property[h.Start:h.End]); isToken(name) {
				found = append(found, ParamHeader{name, here})
			}
		}
		found = paramHeaders(found, property, here)
		return true
	})
	return found
}

// isToken reports whether text can be part of a header's name (RFC 9110, 5.6.2):
// an annotation that can't be followed asks for nothing.
func isToken(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return text != ""
}

// Argument returns the raw argument that the header repeats; nil when it is
// absent or null, and then there must be no header.
func (h *ParamHeader) Argument(arguments []byte) []byte {
	for _, name := range h.Path {
		at := rpc.Find(arguments, name)
		if !at.Ok() {
			return nil
		}
		arguments = arguments[at.Start:at.End]
	}
	if len(arguments) == 0 || string(arguments) == "null" {
		return nil
	}
	return arguments
}

// SameValue reports whether a header's decoded value says what the raw argument
// says: texts by letter, integers by value.
func SameValue(header string, argument []byte) bool {
	if argument[0] == '"' {
		return rpc.Text(argument) == header
	}
	if string(argument) == header {
		return true
	}
	a, okA := number(string(argument))
	b, okB := number(header)
	return okA && okB && a.Cmp(b) == 0
}

// Bounds of numbers that are compared by value: large powers of ten take long to
// write out.
const (
	maxDigits   = 64
	maxExponent = 100
)

func number(text string) (*big.Rat, bool) {
	if len(text) > maxDigits || !json.Valid([]byte(text)) || text != strings.TrimSpace(text) || strings.IndexByte("-0123456789", text[0]) < 0 {
		return nil, false // also what Rat reads beside JSON: fractions, hexadecimals
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || e > maxExponent || e < -maxExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}
