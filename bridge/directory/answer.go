package directory

import (
	"strconv"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// Answer is what a request comes to: a server's reply to pass on with its own
// bytes, a result of ours, or an error. Exactly one of the three is set; all
// zero means an empty result.
type Answer struct {
	Reply  upstream.Reply // when Raw isn't nil: splice the host's id and Edits, then Free
	Edits  []rpc.Edit
	Result []byte // raw; shared, not to be changed
	Error  *rpc.Error

	// Denied and Down say why a tool call was not sent; the result then has the
	// sentence for the model.
	Denied, Down bool

	code int          // of the reply's error, where it was changed
	era  upstream.Era // of the server that the reply comes from
}

// Free gives a reply's bytes back.
func (a *Answer) Free() { a.Reply.Free() }

// Append appends the whole response message for the host's raw id.
func (a *Answer) Append(dst, id []byte) []byte {
	switch {
	case a.Error != nil:
		return rpc.AppendError(dst, id, a.Error)
	case a.Reply.Raw != nil:
		edits := append(a.Edits, rpc.Edit{Span: a.Reply.ID, With: id})
		return rpc.Splice(dst, a.Reply.Raw, edits...)
	case a.Result != nil:
		return rpc.AppendResult(dst, id, a.Result)
	}
	return rpc.AppendResult(dst, id, []byte("{}"))
}

// Code is the code of the error that the answer is; 0 when it is a result.
func (a *Answer) Code() int {
	switch {
	case a.Error != nil:
		return a.Error.Code
	case a.Reply.Raw != nil && a.Reply.Error.Ok() && a.code != 0:
		return a.code
	case a.Reply.Raw != nil && a.Reply.Error.Ok():
		return rawError(&a.Reply).Code
	}
	return 0
}

// recode changes the code of the error that the reply is, and nothing else.
func (a *Answer) recode(code int) {
	raw := a.Reply.Bytes(a.Reply.Error)
	number := strconv.AppendInt(nil, int64(code), 10)
	at := rpc.Find(raw, "code")
	switch {
	case at.Ok() && string(raw[at.Start:at.End]) == string(number):
		return
	case at.Ok():
		start := a.Reply.Error.Start
		a.Edits = append(a.Edits, rpc.Edit{Span: rpc.Span{Start: start + at.Start, End: start + at.End}, With: number})
	case len(raw) > 0 && raw[0] == '{':
		a.Edits = append(a.Edits, rpc.InsertMember(a.Reply.Raw, a.Reply.Error, "code", number))
	}
	a.code = code
}

func failure(code int, message string) Answer {
	return Answer{Error: &rpc.Error{Code: code, Message: message}}
}

// toolFailure is a failed tool call as the model should see it: a result, so
// that it can read why and go on (server/tools, "Error Handling").
func toolFailure(sentence string) Answer {
	out := append([]byte(`{"content":[{"type":"text","text":`), rpc.Quote(sentence)...)
	return Answer{Result: append(out, `}],"isError":true}`...)}
}

func unknownResource(uri string) *rpc.Error {
	data := append(rpc.AppendQuote([]byte(`{"uri":`), uri), '}')
	return &rpc.Error{Code: rpc.CodeResourceNotFound, Message: "Resource not found", Data: data}
}

// rawError copies the error object of a reply.
func rawError(reply *upstream.Reply) *rpc.Error {
	return rpc.ReadError(reply.Bytes(reply.Error))
}

// Pieces returns the whole response of a reply as pieces to be written one
// after the other, without copying its bytes, and their total length.
func (a *Answer) Pieces(id []byte) (pieces [][]byte, length int) {
	edits := append(a.Edits, rpc.Edit{Span: a.Reply.ID, With: id})
	pieces = rpc.Pieces(a.Reply.Raw, edits...)
	for _, p := range pieces {
		length += len(p)
	}
	return pieces, length
}
