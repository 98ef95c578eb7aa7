package directory

import (
	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/translate"
	"bridgekeeper/bridge/upstream"
)

// modernise makes an answer fit 2026-07-28.
func (d *Directory) modernise(r *Request, a *Answer) {
	method := r.Message.MethodName()
	switch {
	case a.era == upstream.Modern: // it speaks for itself
		d.sealState(r, a)
	case a.Error != nil:
		translate.ModernError(a.Error)
	case a.Reply.Raw != nil && a.Reply.Error.Ok():
		e := rawError(&a.Reply)
		translate.ModernError(e)
		a.recode(e.Code)
	case a.Reply.Raw != nil:
		a.Edits = translate.ModernResult(a.Edits, a.Reply.Raw, a.Reply.Result, method, d.identity())
	default:
		result := a.Result
		if result == nil {
			result = []byte("{}")
		}
		whole := rpc.Span{Start: 0, End: len(result)}
		a.Result = rpc.Splice(nil, result, translate.ModernResult(nil, result, whole, method, d.identity())...)
	}
}

// legacise makes an answer fit the revisions that begin with initialize.
func (d *Directory) legacise(r *Request, a *Answer) {
	switch {
	case a.era != upstream.Modern:
	case a.Reply.Result.Ok():
		a.Edits = translate.LegacyResult(a.Edits, a.Reply.Raw, a.Reply.Result)
	case a.Reply.Error.Ok():
		if e := rawError(&a.Reply); translate.LegacyError(e) {
			a.recode(e.Code)
		}
	}
}

// identity is our own Implementation object, raw.
func (d *Directory) identity() []byte {
	out := append([]byte(`{"name":`), rpc.Quote(d.opts.Name)...)
	out = append(out, `,"version":`...)
	return append(rpc.AppendQuote(out, d.opts.Version), '}')
}
