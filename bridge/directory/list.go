package directory

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// item is one element of a list: its definition as the server wrote it, and
// where its name (or uri) stands in it.
type item struct {
	raw      []byte
	name     string // tool and prompt: name; resource: uri; template: uriTemplate
	nameAt   rpc.Span
	readOnly bool   // a tool's annotations.readOnlyHint
	fixed    []byte // what makes it fit for hosts, on the merged endpoint only; nil: raw does
	hidden   string // why hosts don't see it there; "" when they do
	off      string // why no host may see it anywhere (Options.Screen)
}

var listMethods = [kinds]string{rpc.ListTools, rpc.ListPrompts, rpc.ListResources, rpc.ListTemplates}
var listMembers = [kinds]string{"tools", "prompts", "resources", "resourceTemplates"}
var nameMembers = [kinds]string{"name", "name", "uri", "uriTemplate"}
var listCapabilities = [kinds]string{"tools", "prompts", "resources", "resources"}

// fetch reads all pages of one list. A server without the capability has an
// empty one; so has one that doesn't know the method (templates are optional).
func fetch(ctx context.Context, s *upstream.Session, k kind) ([]item, error) {
	if !s.Info().Has(listCapabilities[k]) {
		return nil, nil
	}
	var items []item
	var params, cursor []byte
	size := 0
	for range maxPages {
		reply, err := s.Request(ctx, listMethods[k], params)
		if err != nil {
			return nil, err
		}
		page, next, err := readPage(&reply, k)
		size += len(reply.Raw)
		reply.Free()
		if err != nil {
			return nil, err
		}
		if bytes.Equal(next, cursor) && cursor != nil && len(page) <= len(items) && equalItems(page, items[len(items)-len(page):]) {
			return items, nil // the server doesn't move on: this was the same page once more
		}
		items = append(items, page...)
		if len(items) > maxItems || size > maxBytes {
			return nil, fmt.Errorf("more than %d entries or %d MiB", maxItems, maxBytes>>20)
		}
		if next == nil { // an empty string is a cursor like any other
			return items, nil
		}
		cursor = next
		params = append(append([]byte(`{"cursor":`), next...), '}')
	}
	return nil, fmt.Errorf("more than %d pages", maxPages)
}

// readPage copies one page's items out of the reply; next is the raw cursor.
func readPage(reply *upstream.Reply, k kind) (items []item, next []byte, err error) {
	if reply.Error.Ok() {
		code := rpc.Find(reply.Bytes(reply.Error), "code")
		raw := reply.Bytes(reply.Error)
		if code.Ok() && string(raw[code.Start:code.End]) == "-32601" {
			return nil, nil, nil
		}
		message := rpc.Find(raw, "message")
		return nil, nil, errors.New(rpc.Text(raw[message.Start:message.End]))
	}
	result := bytes.Clone(reply.Bytes(reply.Result))
	var at rpc.Span
	err = rpc.Members(result, func(key []byte, value rpc.Span) bool {
		switch string(key) {
		case listMembers[k]:
			at = value
		case "nextCursor":
			if result[value.Start] == '"' { // null means the end, too
				next = result[value.Start:value.End]
			}
		}
		return true
	})
	if err != nil || !at.Ok() {
		return nil, nil, fmt.Errorf("the answer has no %s", listMembers[k])
	}
	whole := result[at.Start:at.End]
	err = rpc.Elements(whole, func(at rpc.Span) bool {
		items = append(items, readItem(whole[at.Start:at.End], k)) // one odd entry must not cost the list
		return true
	})
	return items, next, err
}

func readItem(raw []byte, k kind) item {
	it := item{raw: raw}
	err := rpc.Members(raw, func(key []byte, value rpc.Span) bool {
		switch string(key) {
		case nameMembers[k]:
			it.nameAt, it.name = value, ""
			if raw[value.Start] == '"' {
				it.name = rpc.Text(raw[value.Start:value.End])
			}
		case "annotations":
			hints := raw[value.Start:value.End]
			if at := rpc.Find(hints, "readOnlyHint"); at.Ok() {
				it.readOnly = string(hints[at.Start:at.End]) == "true"
			}
		}
		return true
	})
	switch {
	case err != nil:
		it.hidden = "its definition is no object"
	case !it.nameAt.Ok():
		it.hidden = "it has no " + nameMembers[k]
	case it.name == "":
		it.hidden = "its " + nameMembers[k] + " is no string, or an empty one"
	case k == tools:
		it.fixed, it.hidden = repair(raw)
	}
	return it
}
