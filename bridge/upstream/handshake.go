package upstream

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"bridgekeeper/bridge/rpc"
)

// Info is what the handshake taught about the server. Raw values are as the
// server wrote them.
type Info struct {
	Era          Era
	Version      string // the negotiated revision
	Result       []byte // the whole InitializeResult or DiscoverResult
	Capabilities []byte // ServerCapabilities; "{}" when absent
	ServerInfo   []byte // Implementation; nil when the server didn't say
	Instructions []byte // a JSON string; nil when absent
}

// Has reports whether the server declared the capability (tools, prompts, ...).
func (i *Info) Has(capability string) bool { return rpc.Find(i.Capabilities, capability).Ok() }

// HasSub reports a flag inside a capability, such as resources.subscribe.
func (i *Info) HasSub(capability, flag string) bool {
	in := rpc.Find(i.Capabilities, capability)
	if !in.Ok() {
		return false
	}
	raw := i.Capabilities[in.Start:in.End]
	value := rpc.Find(raw, flag)
	return value.Ok() && string(raw[value.Start:value.End]) == "true"
}

// Text returns a string member of serverInfo, "" when absent.
func (i *Info) Text(member string) string {
	at := rpc.Find(i.ServerInfo, member)
	if !at.Ok() {
		return ""
	}
	return rpc.Text(i.ServerInfo[at.Start:at.End])
}

// refusal is an initialize or discover that the server answered with an error.
type refusal struct {
	method string
	code   string
	text   string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the server refused %s: %s (code %s)", r.method, r.text, r.code)
}

// handshake speaks legacy first unless modern is pinned: most servers are
// legacy, and dual-era ones ask their questions in full on that wire only.
// (Probing discover first would end servers that exit on an unknown request
// before initialize, and Go servers then refuse initialize.)
func (s *Session) handshake(ctx context.Context) (*Info, error) {
	if s.opts.Era == Modern {
		return s.discover(ctx)
	}
	info, err := s.initialize(ctx)
	if _, refused := err.(*refusal); refused && s.opts.Era != Legacy {
		if modern, merr := s.discover(ctx); merr == nil {
			return modern, nil
		}
	}
	return info, err
}

func (s *Session) initialize(ctx context.Context) (*Info, error) {
	params := fmt.Appendf(nil, `{"protocolVersion":"%s","capabilities":%s,"clientInfo":%s}`,
		rpc.V20251125, s.opts.Capabilities, s.clientInfo())
	result, err := s.ask(ctx, rpc.Initialize, params)
	if err != nil {
		return nil, err
	}
	info := &Info{Era: Legacy, Result: result, Capabilities: []byte("{}")}
	err = rpc.Members(result, func(key []byte, at rpc.Span) bool {
		value := result[at.Start:at.End]
		switch string(key) {
		case "protocolVersion":
			info.Version = rpc.Text(value)
		case "capabilities":
			info.Capabilities = value
		case "serverInfo":
			info.ServerInfo = value
		case "instructions":
			info.Instructions = value
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("the server's answer to initialize is no object")
	}
	if !rpc.IsLegacy(info.Version) {
		return nil, fmt.Errorf("the server speaks revision %q, which we don't", info.Version)
	}
	if err := s.Notify(ctx, rpc.Initialized, nil); err != nil {
		return nil, fmt.Errorf("send initialized: %w", err)
	}
	return info, nil
}

func (s *Session) discover(ctx context.Context) (*Info, error) {
	result, err := s.ask(ctx, rpc.Discover, nil)
	if err != nil {
		return nil, err
	}
	info := &Info{Era: Modern, Version: rpc.V20260728, Result: result, Capabilities: []byte("{}")}
	var versions []string
	err = rpc.Members(result, func(key []byte, at rpc.Span) bool {
		value := result[at.Start:at.End]
		switch string(key) {
		case "supportedVersions":
			_ = rpc.Elements(value, func(v rpc.Span) bool { // not an array: stays empty and is refused below
				versions = append(versions, rpc.Text(value[v.Start:v.End]))
				return true
			})
		case "capabilities":
			info.Capabilities = value
		case "instructions":
			info.Instructions = value
		case "_meta":
			if at := rpc.Find(value, rpc.MetaServerInfo); at.Ok() {
				info.ServerInfo = value[at.Start:at.End]
			}
		case "serverInfo":
			if info.ServerInfo == nil {
				info.ServerInfo = value
			}
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("the server's answer to server/discover is no object")
	}
	if !slices.Contains(versions, rpc.V20260728) {
		return nil, fmt.Errorf("the server speaks revisions %q, none of which we do", versions)
	}
	return info, nil
}

// ask makes one round trip of the handshake and returns a copy of the result.
func (s *Session) ask(ctx context.Context, method string, params []byte) ([]byte, error) {
	reply, err := s.request(ctx, method, params, true)
	if err != nil {
		return nil, err
	}
	defer reply.Free()
	if reply.Error.Ok() {
		raw := reply.Bytes(reply.Error)
		r := &refusal{method: method}
		if at := rpc.Find(raw, "message"); at.Ok() {
			r.text = rpc.Text(raw[at.Start:at.End])
		}
		if at := rpc.Find(raw, "code"); at.Ok() {
			r.code = string(raw[at.Start:at.End])
		}
		return nil, r
	}
	return bytes.Clone(reply.Bytes(reply.Result)), nil
}

func (s *Session) clientInfo() []byte {
	return fmt.Appendf(nil, `{"name":%s,"version":%s}`, rpc.Quote(s.opts.ClientName), rpc.Quote(s.opts.ClientVer))
}

// speaksModern reports whether a request of ours carries the modern _meta.
func (s *Session) speaksModern(method string) bool {
	return s.info.Era == Modern || method == rpc.Discover
}

// meta returns the members every modern request carries (2026-07-28, basic).
func (s *Session) meta(capabilities []byte) []byte {
	if capabilities == nil {
		capabilities = s.opts.Capabilities
	}
	return fmt.Appendf(nil, `%q:%q,%q:%s,%q:%s`, rpc.MetaProtocolVersion, rpc.V20260728,
		rpc.MetaClientInfo, s.clientInfo(), rpc.MetaClientCapabilities, capabilities)
}

// withMeta adds the modern _meta to params of our own.
func (s *Session) withMeta(params, capabilities []byte) []byte {
	meta := append(append([]byte("{"), s.meta(capabilities)...), '}')
	if params == nil {
		return fmt.Appendf(nil, `{"_meta":%s}`, meta)
	}
	at := rpc.Span{Start: 0, End: len(params)}
	return rpc.Splice(nil, params, rpc.InsertMember(params, at, "_meta", meta))
}

// modernMeta appends the edits that make a host's request a modern one. What
// the host itself declared stays; what is missing is added.
func (s *Session) modernMeta(edits []rpc.Edit, m *rpc.Message, req *Request) []rpc.Edit {
	meta := s.meta(req.Capabilities)
	if req.LogLevel != "" {
		meta = rpc.AppendMember(meta, rpc.MetaLogLevel, rpc.Quote(req.LogLevel))
	}
	switch {
	case m.MetaVersion.Ok() && m.MetaCapabilities.Ok():
		return edits
	case m.Meta.Ok() && m.Raw[m.Meta.Start] == '{':
		return append(edits, rpc.InsertMembers(m.Raw, m.Meta, meta))
	case m.Params.Ok() && m.Raw[m.Params.Start] == '{':
		object := append(append([]byte("{"), meta...), '}')
		return append(edits, rpc.InsertMember(m.Raw, m.Params, "_meta", object))
	case m.Params.Ok():
		return edits // params that are no object: the server's to refuse
	}
	object := append(append([]byte(`{"_meta":{`), meta...), '}', '}')
	start := bytes.IndexByte(m.Raw, '{')
	return append(edits, rpc.InsertMember(m.Raw, rpc.Span{Start: start, End: len(m.Raw)}, "params", object))
}

// modernMembers make a request modern.
var modernMembers = []string{rpc.MetaProtocolVersion, rpc.MetaClientInfo, rpc.MetaClientCapabilities, rpc.MetaLogLevel}

// legacyMeta appends the edit that takes what makes a request modern out of its
// _meta: a server of both eras would otherwise answer in the other one. Our
// progress token takes the place of the host's.
func legacyMeta(edits []rpc.Edit, m *rpc.Message, id []byte) []rpc.Edit {
	meta := m.Bytes(m.Meta)
	for _, name := range modernMembers {
		if e, ok := rpc.RemoveMember(meta, rpc.Span{End: len(meta)}, name); ok {
			meta = rpc.Splice(nil, meta, e)
		}
	}
	if at := rpc.Find(meta, "progressToken"); at.Ok() {
		meta = rpc.Splice(nil, meta, rpc.Edit{Span: at, With: id})
	}
	if len(bytes.TrimSpace(meta[1:len(meta)-1])) == 0 {
		if e, ok := rpc.RemoveMember(m.Raw, m.Params, "_meta"); ok {
			return append(edits, e)
		}
	}
	return append(edits, rpc.Edit{Span: m.Meta, With: meta})
}
