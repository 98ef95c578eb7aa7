package translate

import (
	"bridgekeeper/bridge/rpc"
)

// cacheable are the methods whose complete results carry ttlMs and cacheScope
// (2026-07-28, caching).
var cacheable = map[string]bool{
	rpc.Discover: true, rpc.ListTools: true, rpc.ListPrompts: true, rpc.ListResources: true,
	rpc.ListTemplates: true, rpc.ReadResource: true,
}

// ModernResult appends the edits that make a legacy server's result (the
// object at the span of raw) one of 2026-07-28: resultType, our identity in
// _meta, and for cacheable methods a life of zero for this host alone, since a
// legacy server never promised more.
func ModernResult(edits []rpc.Edit, raw []byte, result rpc.Span, method string, identity []byte) []rpc.Edit {
	var kind, meta, ttl, scope rpc.Span
	err := rpc.Members(raw[result.Start:result.End], func(key []byte, at rpc.Span) bool {
		at = rpc.Span{Start: at.Start + result.Start, End: at.End + result.Start}
		switch string(key) {
		case "resultType":
			kind = at
		case "_meta":
			meta = at
		case "ttlMs":
			ttl = at
		case "cacheScope":
			scope = at
		}
		return true
	})
	if err != nil {
		return edits
	}
	var members []byte
	add := func(name, value string) { members = rpc.AppendMember(members, name, []byte(value)) }
	if !kind.Ok() {
		add("resultType", `"complete"`)
	}
	if cacheable[method] && (!kind.Ok() || rpc.Text(raw[kind.Start:kind.End]) == "complete") {
		if !ttl.Ok() {
			add("ttlMs", "0")
		}
		if !scope.Ok() {
			add("cacheScope", `"private"`)
		}
	}
	switch {
	case !meta.Ok():
		add("_meta", `{"`+rpc.MetaServerInfo+`":`+string(identity)+`}`)
	case raw[meta.Start] == '{' && !rpc.Find(raw[meta.Start:meta.End], rpc.MetaServerInfo).Ok():
		edits = append(edits, rpc.InsertMember(raw, meta, rpc.MetaServerInfo, identity))
	}
	if members != nil {
		edits = append(edits, rpc.InsertMembers(raw, result, members))
	}
	return edits
}

// LegacyResult appends the edit that takes resultType "complete" out of a
// modern server's result. Other additions of 2026-07-28 are members that a
// legacy host ignores.
func LegacyResult(edits []rpc.Edit, raw []byte, result rpc.Span) []rpc.Edit {
	at := rpc.Find(raw[result.Start:result.End], "resultType")
	if !at.Ok() || rpc.Text(raw[result.Start+at.Start:result.Start+at.End]) != "complete" {
		return edits
	}
	if e, ok := rpc.RemoveMember(raw, result, "resultType"); ok {
		edits = append(edits, e)
	}
	return edits
}

// ModernError changes an error of a legacy server to what 2026-07-28 allows:
// its own range is used as the specification defines it and no other way.
func ModernError(e *rpc.Error) {
	switch {
	case e.Code == rpc.CodeResourceNotFound:
		e.Code = rpc.CodeInvalidParams
	case e.Code == rpc.CodeMissingCapability && e.Data != nil:
		// A dual-era server says what it misses, as that revision defines it.
	case reserved(e.Code), e.Code == 0:
		e.Code = rpc.CodeInternal
	}
}

// LegacyError changes an error of a modern server that no legacy host knows, and
// reports whether it did: what such a server says of its request is about what
// we wrote, not about what the host did.
func LegacyError(e *rpc.Error) bool {
	if !reserved(e.Code) {
		return false
	}
	e.Code = rpc.CodeInternal
	return true
}

// reserved are the codes that 2026-07-28 gives a meaning or keeps for itself.
func reserved(code int) bool { return code <= -32020 && code >= -32099 }
