package httpd

import (
	"bytes"
	"errors"
	"net/http"
	"strings"

	"bridgekeeper/bridge/rpc"
)

// post takes one POST: reads it, tells its era and hands it on (protocol
// revisions share one URL).
func (s *Server) post(w http.ResponseWriter, r *http.Request, host, endpoint string) {
	accept := accepts(r.Header.Values("Accept"))
	if !accept.json && !accept.sse {
		refuse(w, http.StatusNotAcceptable, "The Accept header must allow application/json and text/event-stream.")
		return
	}
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	defer freeBody(body)
	x := &exchange{server: s, w: w, r: r, host: host, endpoint: endpoint, accept: accept}
	m, array, ok := readMessage(w, body.Bytes())
	switch {
	case !ok:
	case array != nil:
		s.batch(x, array)
	case isModern(r, m):
		x.m = m
		s.modern(x)
	default:
		x.m = m
		s.legacy(x)
	}
}

// readMessage reads a body, which is one message or, for the sessions that may
// send them, an array of some. On failure it has answered.
func readMessage(w http.ResponseWriter, body []byte) (one *rpc.Message, array []byte, ok bool) {
	raw := bytes.TrimPrefix(body, bom)
	m, err := rpc.Scan(raw)
	rpc.Flatten(raw)
	switch {
	case errors.Is(err, rpc.ErrNotObject) && bytes.TrimLeft(raw, " \t")[0] == '[':
		return nil, raw, true
	case errors.Is(err, rpc.ErrNotObject):
		fail(w, http.StatusBadRequest, nil, &rpc.Error{Code: rpc.CodeInvalidRequest, Message: "The message is no JSON object."})
	case err != nil:
		fail(w, http.StatusBadRequest, nil, &rpc.Error{Code: rpc.CodeParse, Message: "Parse error: the message is " + err.Error()})
	case m.Kind() == rpc.Invalid:
		fail(w, http.StatusBadRequest, nil, &rpc.Error{Code: rpc.CodeInvalidRequest, Message: "The message is no JSON-RPC request, notification or response."})
	case m.Repeated:
		fail(w, http.StatusBadRequest, m.Bytes(m.ID), repeated)
	default:
		return &m, nil, true
	}
	return nil, nil, false
}

var repeated = &rpc.Error{Code: rpc.CodeInvalidRequest,
	Message: "A member that decides what the message does is there twice, or in two spellings."}

// isModern: the request says so itself, never by its method (a bare initialize
// opens a session, a modern one is refused).
func isModern(r *http.Request, m *rpc.Message) bool {
	return m.MetaVersion.Ok() || r.Header.Get("Mcp-Protocol-Version") >= rpc.V20260728
}

// acceptance is what the Accept header allows.
type acceptance struct{ json, sse bool }

// accepts reads the Accept header leniently: absent and wildcards allow all.
func accepts(headers []string) acceptance {
	if len(headers) == 0 {
		return acceptance{true, true}
	}
	if len(headers) == 1 && headers[0] == "application/json, text/event-stream" {
		return acceptance{true, true}
	}
	var a acceptance
	for part := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		kind, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "*/*", "":
			a = acceptance{true, true}
		case "application/json", "application/*":
			a.json = true
		case "text/event-stream", "text/*":
			a.sse = true
		}
	}
	return a
}
