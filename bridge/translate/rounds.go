package translate

import (
	"crypto/rand"
	"strings"

	"bridgekeeper/bridge/rpc"
)

// InputRequest is one question inside an input_required result.
type InputRequest struct {
	Key    string
	Method string
	Params []byte // raw; nil when absent
}

// InputResponse is the answer to the question of that key; Result is raw.
type InputResponse struct {
	Key    string
	Result []byte
}

// Needed is an input_required result taken apart.
type Needed struct {
	Requests []InputRequest
	State    []byte // requestState as a JSON string; nil when absent
}

// InputRequired takes a result (the object at the span of raw) apart when it is
// input_required; false for any other. A result without a resultType is
// complete, whatever else it carries. What it returns is a copy.
func InputRequired(raw []byte, result rpc.Span) (Needed, bool) {
	var need Needed
	if !result.Ok() {
		return need, false
	}
	in := raw[result.Start:result.End]
	kind := rpc.Find(in, "resultType")
	if !kind.Ok() || rpc.Text(in[kind.Start:kind.End]) != "input_required" {
		return need, false
	}
	if at := rpc.Find(in, "requestState"); at.Ok() && in[at.Start] == '"' {
		need.State = append([]byte(nil), in[at.Start:at.End]...)
	}
	if at := rpc.Find(in, "inputRequests"); at.Ok() {
		all := append([]byte(nil), in[at.Start:at.End]...)
		_ = rpc.Members(all, func(key []byte, at rpc.Span) bool { // no object: no questions
			one := all[at.Start:at.End]
			q := InputRequest{Key: string(key)}
			if m := rpc.Find(one, "method"); m.Ok() {
				q.Method = rpc.Text(one[m.Start:m.End])
			}
			if p := rpc.Find(one, "params"); p.Ok() {
				q.Params = one[p.Start:p.End]
			}
			need.Requests = append(need.Requests, q)
			return true
		})
	}
	return need, true
}

// Question makes the request that a legacy host knows from a question. A web
// address to be visited gets the id that 2025-11-25 wants; note is then the
// notification that says the visit is over.
func Question(q InputRequest) (m *rpc.Message, note []byte) {
	params := q.Params
	if q.Method == rpc.Elicit && params != nil {
		mode, id := rpc.Find(params, "mode"), rpc.Find(params, "elicitationId")
		if mode.Ok() && rpc.Text(params[mode.Start:mode.End]) == "url" && !id.Ok() {
			name := rpc.Quote("bk-" + rand.Text())
			whole := rpc.Span{Start: 0, End: len(params)}
			params = rpc.Splice(nil, params, rpc.InsertMember(params, whole, "elicitationId", name))
			note = rpc.AppendNotification(nil, rpc.ElicitationCompleted, append(append([]byte(`{"elicitationId":`), name...), '}'))
		}
	}
	line := append([]byte(`{"jsonrpc":"2.0","id":0,"method":`), rpc.Quote(q.Method)...)
	if params != nil {
		line = append(append(line, `,"params":`...), params...)
	}
	scanned, err := rpc.Scan(append(line, '}'))
	if err != nil { // parts of valid JSON: it can't be
		scanned, _ = rpc.Scan([]byte(`{"jsonrpc":"2.0","id":0,"method":""}`))
	}
	return &scanned, note
}

// PageOf returns the web address that a question wants visited; "" for any other.
func PageOf(q InputRequest) string {
	mode, url := rpc.Find(q.Params, "mode"), rpc.Find(q.Params, "url")
	if q.Method != rpc.Elicit || !mode.Ok() || rpc.Text(q.Params[mode.Start:mode.End]) != "url" || !url.Ok() {
		return ""
	}
	return rpc.Text(q.Params[url.Start:url.End])
}

// Unanswered is the answer to a question that a host refused with an error, so
// that the server can go on; nil where there is none to give.
func Unanswered(method string) []byte {
	switch method {
	case rpc.Elicit:
		return []byte(`{"action":"cancel"}`)
	case rpc.ListRoots:
		return []byte(`{"roots":[]}`)
	}
	return nil
}

// ModernQuestion returns the params of a legacy server's question as 2026-07-28
// has them: the id of a visit to a web page is no more.
func ModernQuestion(params []byte) []byte {
	mode := rpc.Find(params, "mode")
	if !mode.Ok() || rpc.Text(params[mode.Start:mode.End]) != "url" {
		return params
	}
	if e, ok := rpc.RemoveMember(params, rpc.Span{End: len(params)}, "elicitationId"); ok {
		return rpc.Splice(nil, params, e)
	}
	return params
}

// Pages returns the questions that an error -32042 carries in its data: the web
// pages that a person must visit before the call works (2025-11-25,
// elicitation). The keys are left to the caller.
func Pages(data []byte) (pages []InputRequest) {
	at := rpc.Find(data, "elicitations")
	if !at.Ok() {
		return nil
	}
	all := data[at.Start:at.End]
	_ = rpc.Elements(all, func(at rpc.Span) bool { // no array: no pages
		params := all[at.Start:at.End]
		mode, url := rpc.Find(params, "mode"), rpc.Find(params, "url")
		if mode.Ok() && rpc.Text(params[mode.Start:mode.End]) == "url" && url.Ok() {
			pages = append(pages, InputRequest{Method: rpc.Elicit, Params: append([]byte(nil), ModernQuestion(params)...)})
		}
		return true
	})
	return pages
}

// Answers reports whether a host's raw answer has the form that answers to a
// question of that method have; servers trip over others.
func Answers(method string, raw []byte) bool {
	if len(raw) == 0 || raw[0] != '{' {
		return false
	}
	begins := func(member, with string) bool {
		at := rpc.Find(raw, member)
		return at.Ok() && strings.IndexByte(with, raw[at.Start]) >= 0
	}
	switch method {
	case rpc.Elicit:
		switch action(raw) {
		case "accept", "decline", "cancel":
			return true
		}
		return false
	case rpc.ListRoots:
		return begins("roots", "[")
	case rpc.CreateMessage:
		return begins("role", `"`) && begins("content", "{[")
	}
	return true
}

// Accepted reports whether the answer to an elicitation says yes.
func Accepted(raw []byte) bool { return action(raw) == "accept" }

func action(raw []byte) string {
	at := rpc.Find(raw, "action")
	if !at.Ok() {
		return ""
	}
	return rpc.Text(raw[at.Start:at.End])
}

// Retry returns the edits that repeat a call with the answers and the state.
func Retry(m *rpc.Message, responses []InputResponse, state []byte) []rpc.Edit {
	var answers []byte
	for _, r := range responses {
		answers = rpc.AppendMember(answers, r.Key, r.Result)
	}
	members := rpc.AppendMember(nil, "inputResponses", append(append([]byte{'{'}, answers...), '}'))
	if state != nil {
		members = rpc.AppendMember(members, "requestState", state)
	}
	return []rpc.Edit{rpc.InsertMembers(m.Raw, m.Params, members)}
}

// AppendInputRequired appends the result that asks a modern host these
// questions; state is the requestState.
func AppendInputRequired(dst []byte, requests []InputRequest, state string) []byte {
	var asked []byte
	for _, q := range requests {
		one := rpc.AppendMember(nil, "method", rpc.Quote(q.Method))
		if q.Params != nil {
			one = rpc.AppendMember(one, "params", q.Params)
		}
		asked = rpc.AppendMember(asked, q.Key, append(append([]byte{'{'}, one...), '}'))
	}
	dst = append(dst, `{"resultType":"input_required","inputRequests":{`...)
	dst = append(dst, asked...)
	dst = append(dst, `},"requestState":`...)
	dst = rpc.AppendQuote(dst, state)
	return append(dst, '}')
}

// Untagged returns the notification without the mark that ties it to our own
// subscriptions/listen at the server: hosts have marks of their own, or none.
func Untagged(m *rpc.Message) []byte {
	if !m.Meta.Ok() || m.Raw[m.Meta.Start] != '{' {
		return m.Raw
	}
	e, ok := rpc.RemoveMember(m.Raw, m.Meta, rpc.MetaSubscriptionID)
	if !ok {
		return m.Raw
	}
	return rpc.Splice(nil, m.Raw, e)
}
