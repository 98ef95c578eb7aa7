package translate

import (
	"crypto/rand"

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
