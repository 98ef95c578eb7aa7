// Package elicit understands what a server wants from a person (elicitation):
// it reads the request into a form or a web page's address, says what about it a
// person should know, and checks and builds the answer. It knows no hosts, shows
// nothing and keeps nothing; the core's queue of questions calls it, and what the
// person sees is made from wire.FormDetail and wire.URLDetail.
package elicit

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"bridgekeeper/app/plain"
	"bridgekeeper/app/rawjson"
	"bridgekeeper/app/wire"
)

// Modes of a request.
const (
	ModeForm = "form"
	ModeURL  = "url"
)

// Bounds of what a server may ask. A person reads all of it, so they are far
// above what a form can sensibly be, and small enough to keep 100 of them.
const (
	maxParams  = 256 << 10 // bytes of the whole request
	maxMessage = 8 << 10   // bytes of the message above a form
	maxID      = 1 << 10   // bytes of an elicitationId
)

// CodeInvalidParams is JSON-RPC's code of every Refusal.
const CodeInvalidParams = -32602

// Request is one elicitation/create, read.
type Request struct {
	Mode  string
	Form  *wire.FormDetail // of ModeForm
	URL   *wire.URLDetail  // of ModeURL
	ID    string           // elicitationId, when there is one
	Notes []string         // sentences: what the person should look at

	needs []need // what not every revision's hosts can show
}

// Refusal is why a request can't be put before anybody: a JSON-RPC error for the
// server.
type Refusal struct {
	Code    int
	Message string
}

func (r *Refusal) Error() string { return r.Message }

func refuse(format string, args ...any) *Refusal {
	return &Refusal{Code: CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// Parse reads the params of an elicitation/create of any revision. Without a mode
// it is a form. Texts that are shown come without hidden characters; names and
// values stay as they are.
func Parse(params json.RawMessage) (*Request, *Refusal) {
	if len(params) > maxParams {
		return nil, refuse("The request is %d bytes long, at most %d are shown to a person.", len(params), maxParams)
	}
	members, err := rawjson.Members(params)
	if err != nil {
		return nil, refuse("The params of elicitation/create are no proper JSON object: %v.", err)
	}
	m := object{params, members}
	r := &Request{Mode: ModeForm}
	if mode := m.get("mode"); mode != nil {
		if r.Mode, _ = text(mode); r.Mode != ModeForm && r.Mode != ModeURL {
			return nil, refuse("The mode %.40s is unknown, it must be \"form\" or \"url\".", mode)
		}
	}
	message, ok := text(m.get("message"))
	switch {
	case !ok:
		return nil, refuse("The message that tells the person why is missing.")
	case len(message) > maxMessage:
		return nil, refuse("The message is %d bytes long, at most %d are shown to a person.", len(message), maxMessage)
	}
	message = r.shown("message", message)
	if id := m.get("elicitationId"); id != nil {
		if r.ID, ok = text(id); !ok || len(r.ID) > maxID {
			return nil, refuse("The elicitationId must be a text of at most %d bytes.", maxID)
		}
	}
	if r.Mode == ModeURL {
		return r.page(m, message)
	}
	return r.form(m, message)
}

func (r *Request) page(m object, message string) (*Request, *Refusal) {
	address, ok := text(m.get("url"))
	if !ok {
		return nil, refuse("The url is missing.")
	}
	page, err := CheckURL(address)
	if err != nil {
		return nil, refuse("The url can't be opened: %v.", err)
	}
	page.Message = message
	r.URL, r.Notes = &page, append(r.Notes, page.Notes...)
	r.needs = append(r.needs, need{"a web page to open", since202511})
	return r, nil
}

// shown is a text as a person may see it; what was hidden in it is told.
func (r *Request) shown(where, s string) string {
	out, hidden := plain.Text(s)
	if hidden {
		r.Notes = append(r.Notes, fmt.Sprintf("Characters that can't be seen were left out of the %s.", where))
	}
	return out
}

// object is a scanned JSON object.
type object struct {
	text    []byte
	members []rawjson.Member
}

// get is a member's value; nil if there is none.
func (o object) get(name string) json.RawMessage {
	for _, m := range o.members {
		if m.Name == name {
			return m.Of(o.text)
		}
	}
	return nil
}

// text reads a JSON string.
func text(raw []byte) (string, bool) {
	if rawjson.Kind(raw) != "string" {
		return "", false
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil || !utf8.ValidString(s) {
		return "", false
	}
	return s, true
}
