package directory

import (
	"bytes"
	"context"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/upstream"
)

// Pass is what the gate says of a call.
type Pass struct {
	ID uint64 // names the call in the record; End must follow when it ran
	// Refusal is a sentence for the model; "" lets the call run.
	Refusal string
	// Lead is set when identical calls wait for the answer of this one.
	Lead *Joint
	// Follow is set when this call must not run, because an identical one does: it
	// gets that one's answer.
	Follow *Joint
}

// Joint gives several identical calls the answer of the one of them that runs.
type Joint struct {
	done   chan struct{} // closed once answer is set
	answer Answer        // the bytes are the Joint's own
}

// NewJoint returns a Joint without an answer.
func NewJoint() *Joint { return &Joint{done: make(chan struct{})} }

// settle gives the answer to those who wait. It keeps a copy: the answer's bytes
// go back to their pool when it has been written.
func (j *Joint) settle(answer *Answer) {
	if j == nil {
		return
	}
	j.answer = answer.clone()
	close(j.done)
}

// wait returns the answer of the call that runs.
func (j *Joint) wait(ctx context.Context) Answer {
	select {
	case <-j.done:
		return j.answer.clone()
	case <-ctx.Done():
		return failure(rpc.CodeInternal, context.Cause(ctx).Error())
	}
}

// clone copies an answer that nobody has edited yet.
func (a *Answer) clone() Answer {
	out := *a
	out.Reply = upstream.Reply{}
	if a.Reply.Raw != nil {
		out.Reply.Message = a.Reply.Message
		out.Reply.Raw = bytes.Clone(a.Reply.Raw)
	}
	return out
}
