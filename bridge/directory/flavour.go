package directory

import (
	"bytes"
	"strings"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/translate"
)

// The merged tools look a little different to hosts of which we know that they
// would refuse the whole list: those of the revisions before 2026-07-28, and those
// of them that don't follow references in schemas. Hosts of 2026-07-28 all see the
// same, as that revision wants.

// flavour is the list of merged tools for some hosts.
type flavour struct {
	list   []byte
	hidden map[toolKey]string // why those hosts don't see it
}

// toolKey is a tool by its server and own name.
type toolKey struct{ server, name string }

// noReferences are hosts that fail on "$ref" in a schema, by a part of the name
// that they give themselves, or that a person gave them here. (gemini-cli's issue
// 13326, opencode's 12295, copilot-cli's 1876.)
var noReferences = []string{"gemini", "opencode", "copilot"}

// flavourFor returns the merged tools for the seat.
func (v *View) flavourFor(seat *Seat) []byte {
	switch {
	case seat.Modern():
		return v.merged[tools]
	case followsReferences(seat.Client) && followsReferences(seat.Host):
		return v.legacy().list
	}
	return v.inlined().list
}

func followsReferences(name string) bool {
	name = strings.ToLower(name)
	for _, part := range noReferences {
		if strings.Contains(name, part) {
			return false
		}
	}
	return true
}

// flavoured renders the merged tools, each changed by fit, which says why one
// can't be shown.
func (v *View) flavoured(fit func(definition []byte) (fixed []byte, hidden string)) flavour {
	f := flavour{hidden: make(map[toolKey]string)}
	out := []byte(`{"tools":[`)
	first := len(out)
	shown := make(map[string]bool)
	same := true
	for _, server := range v.order {
		for _, it := range v.servers[server].raw[tools] {
			as := seenAs(server, it.name)
			if t := v.tools[as]; it.hidden != "" || t.server != server || t.name != it.name || shown[as] {
				continue
			}
			shown[as] = true
			raw, at := it.shown()
			fixed, hidden := fit(raw)
			if hidden != "" {
				f.hidden[toolKey{server, it.name}] = hidden
				same = false
				continue
			}
			if len(fixed) != len(raw) || !bytes.Equal(fixed, raw) {
				same, at = false, rpc.Find(fixed, "name")
			}
			if len(out) > first {
				out = append(out, ',')
			}
			out = rpc.Splice(out, fixed, rpc.Edit{Span: at, With: rpc.Quote(as)})
		}
	}
	if f.list = append(out, "]}"...); same {
		f.list = v.merged[tools] // as nearly always: kept once
	}
	return f
}

// inlining is forLegacy for hosts that don't follow references. All tools together
// have one allowance of work: a few hostile ones must not keep us busy.
func inlining() func([]byte) ([]byte, string) {
	work := translate.MaxInlineWork
	return func(definition []byte) ([]byte, string) {
		definition, hidden := forLegacy(definition)
		if hidden != "" || !bytes.Contains(definition, []byte(`"$ref"`)) {
			return definition, hidden
		}
		for _, name := range []string{"inputSchema", "outputSchema"} {
			at := rpc.Find(definition, name)
			if !at.Ok() {
				continue
			}
			schema, ok := translate.InlineRefs(definition[at.Start:at.End], &work)
			if !ok {
				return nil, "references in its " + name + " can't be replaced by what they stand for"
			}
			definition = rpc.Splice(nil, definition, rpc.Edit{Span: at, With: schema})
		}
		return definition, ""
	}
}

// Limits says which of a server's tools only some hosts see on the merged endpoint,
// by own name, and why.
func (v *View) Limits(server string) map[string]string {
	limits := make(map[string]string)
	for _, f := range []struct {
		flavour
		from string
	}{
		{v.inlined(), "hosts that don't follow references (such as Gemini CLI, opencode, Copilot CLI)"},
		{v.legacy(), "hosts of revisions before 2026-07-28"},
	} {
		for at, why := range f.hidden {
			if at.server == server {
				limits[at.name] = "from " + f.from + ": " + why
			}
		}
	}
	return limits
}
