package httpd

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"

	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/translate"
)

// removed are methods that 2026-07-28 no longer has; a legacy server behind us
// must not be reached by them through the modern door. A listen stream is one
// host's and can't be opened on a session that all share.
var removed = []string{rpc.Initialize, rpc.Ping, rpc.SetLevel, rpc.Subscribe, rpc.Unsubscribe}

// nameOf returns the target of a method whose target stands in the Mcp-Name
// header.
func nameOf(m *rpc.Message) (value string, named bool) {
	switch {
	case m.Is(rpc.CallTool), m.Is(rpc.GetPrompt):
		return m.Text(m.Name), true
	case m.Is(rpc.ReadResource):
		return m.Text(m.URI), true
	case m.Is("tasks/get"), m.Is("tasks/update"), m.Is("tasks/cancel"): // the tasks extension
		params := m.Bytes(m.Params)
		if at := rpc.Find(params, "taskId"); at.Ok() {
			return rpc.Text(params[at.Start:at.End]), true
		}
	}
	return "", false
}

// modern takes one stateless request of 2026-07-28. The checks come in the
// order of the specification's own suite.
func (s *Server) modern(x *exchange) {
	m := x.m
	id := m.Bytes(m.ID)
	switch m.Kind() {
	case rpc.Notification:
		s.opts.Directory.Told(x.r.Context(), &directory.Seat{Endpoint: x.endpoint, Host: x.host, Version: rpc.V20260728, Capabilities: m.Bytes(m.MetaCapabilities)}, m)
		x.w.WriteHeader(http.StatusAccepted)
		return
	case rpc.Response:
		fail(x.w, http.StatusBadRequest, nil, &rpc.Error{Code: rpc.CodeInvalidRequest, Message: "Revision 2026-07-28 has no responses of hosts."})
		return
	}
	bad := checkModern(x.r, m)
	if bad == nil && m.Is(rpc.CallTool) {
		bad = checkParams(x.r, m, s.opts.Directory.View().Called(x.endpoint, m.Text(m.Name)))
	}
	if bad != nil {
		fail(x.w, modernStatus(bad.Code), id, bad)
		return
	}
	if bad = wasRemoved(m); bad != nil {
		fail(x.w, http.StatusNotFound, id, bad)
		return
	}
	seat := s.modernSeat(x.host, x.endpoint, m)
	if m.Is(rpc.Listen) {
		s.listen(x, seat)
		return
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(x.r.Context()))
	defer cancel(nil)
	// A closed connection cancels the request (streamable HTTP, "Cancellation").
	stop := context.AfterFunc(x.r.Context(), func() { cancel(s.whyGone()) })
	defer stop()
	x.level = m.Text(m.MetaLogLevel)
	x.run(ctx, seat)
}

// modernSeat is the seat of one modern request, whose host has been seen.
func (s *Server) modernSeat(host, endpoint string, m *rpc.Message) *directory.Seat {
	if s.opts.Seen != nil {
		s.opts.Seen(host, clientName(m.Bytes(m.MetaClientInfo)), rpc.V20260728)
	}
	return &directory.Seat{Endpoint: endpoint, Host: host, Version: rpc.V20260728, Capabilities: m.Bytes(m.MetaCapabilities)}
}

// whyGone tells a host that left from our own end, which ends connections, too.
func (s *Server) whyGone() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return errShutdown
	}
	return errDisconnected
}

// checkModern makes the checks of a modern request's _meta and headers.
func checkModern(r *http.Request, m *rpc.Message) *rpc.Error {
	version, bad := metaVersion(m)
	if bad != nil {
		return bad
	}
	if got := header(r, "Mcp-Protocol-Version"); got != version {
		return mismatch("MCP-Protocol-Version", got, version)
	}
	if bad := supported(version); bad != nil {
		return bad
	}
	if got := decodeHeader(header(r, "Mcp-Method")); got != m.MethodName() {
		return mismatch("Mcp-Method", got, m.MethodName())
	}
	if want, named := nameOf(m); named {
		if got := decodeHeader(header(r, "Mcp-Name")); got != want || got == "" {
			return mismatch("Mcp-Name", got, want)
		}
	}
	return nil
}

// metaVersion returns the revision that a modern request names.
func metaVersion(m *rpc.Message) (string, *rpc.Error) {
	version := m.Text(m.MetaVersion)
	if version == "" || !m.MetaCapabilities.Ok() || m.Raw[m.MetaCapabilities.Start] != '{' {
		return "", &rpc.Error{Code: rpc.CodeInvalidParams, Message: "params._meta needs " + rpc.MetaProtocolVersion + " and " + rpc.MetaClientCapabilities}
	}
	return version, nil
}

func supported(version string) *rpc.Error {
	if version == rpc.V20260728 {
		return nil
	}
	data := append(rpc.AppendQuote([]byte(`{"supported":["`+rpc.V20260728+`"],"requested":`), version), '}')
	return &rpc.Error{Code: rpc.CodeUnsupportedVersion, Message: "Unsupported protocol version", Data: data}
}

// wasRemoved refuses the methods that this revision no longer has.
func wasRemoved(m *rpc.Message) *rpc.Error {
	for _, method := range removed {
		if m.Is(method) {
			return &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "Method not found: " + method}
		}
	}
	return nil
}

// checkParams compares the headers that repeat arguments with the arguments.
func checkParams(r *http.Request, m *rpc.Message, tool *directory.Tool) *rpc.Error {
	if tool == nil {
		return nil
	}
	for _, h := range tool.Headers {
		name := "Mcp-Param-" + h.Name
		argument := h.Argument(m.Bytes(m.Arguments))
		values := r.Header.Values(name)
		switch {
		case argument == nil && len(values) == 0:
		case len(values) != 1:
			return &rpc.Error{Code: rpc.CodeHeaderMismatch, Message: "The header " + name + " must be there once when its argument is, and only then."}
		case argument == nil:
			return &rpc.Error{Code: rpc.CodeHeaderMismatch, Message: "The header " + name + " is there, its argument is not."}
		default:
			if got := decodeHeader(strings.Trim(values[0], " \t")); !translate.SameValue(got, argument) {
				return mismatch(name, got, string(argument))
			}
		}
	}
	return nil
}

func mismatch(name, got, want string) *rpc.Error {
	sentence := "The " + name + " header says " + got + " where the body says " + want + "."
	if got == "" {
		sentence = "The " + name + " header is missing, or there more than once."
	}
	return &rpc.Error{Code: rpc.CodeHeaderMismatch, Message: sentence}
}

// header returns the header's value; "" also when it is there more than once,
// since another reader might believe the other one.
func header(r *http.Request, name string) string {
	values := r.Header[name]
	if len(values) != 1 {
		return ""
	}
	return strings.Trim(values[0], " \t")
}

// decodeHeader undoes the escape for values that a header can't carry
// (streamable HTTP, "Header encoding").
func decodeHeader(value string) string {
	in, ok := strings.CutPrefix(value, "=?base64?")
	if !ok {
		return value
	}
	if in, ok = strings.CutSuffix(in, "?="); !ok {
		return value
	}
	raw, err := base64.StdEncoding.DecodeString(in)
	if err != nil {
		return value
	}
	return string(raw)
}

// modernStatus is the HTTP status that goes with an error code of ours.
func modernStatus(code int) int {
	switch code {
	case rpc.CodeMethodNotFound:
		return http.StatusNotFound
	case rpc.CodeHeaderMismatch, rpc.CodeMissingCapability, rpc.CodeUnsupportedVersion, rpc.CodeInvalidParams:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
