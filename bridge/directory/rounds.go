package directory

import (
	"context"
	"fmt"
	"sync"
	"time"

	"bridgekeeper/bridge/rpc"
	"bridgekeeper/bridge/translate"
	"bridgekeeper/bridge/upstream"
)

// Bounds of the rounds of one call.
const (
	// maxRounds is how often a server may ask before it gives its answer.
	maxRounds = 10
	// roundPause is the first wait when a server only says "not yet".
	roundPause = time.Second
)

// answersRounds reports whether a result of the method may be input_required
// (2026-07-28, multi round-trip requests).
func answersRounds(m *rpc.Message) bool {
	return m.Is(rpc.CallTool) || m.Is(rpc.GetPrompt) || m.Is(rpc.ReadResource)
}

// rounds puts a modern server's questions to a legacy host, which knows them as
// requests on the call's own stream, and repeats the call with the answers
// until the server has what it needs.
func (d *Directory) rounds(ctx context.Context, r *Request, session *upstream.Session, req *upstream.Request, reply upstream.Reply) (upstream.Reply, error) {
	host, _ := r.Sink.(Asker)
	edits := req.Edits
	for round := range maxRounds {
		need, ok := translate.InputRequired(reply.Raw, reply.Result)
		if !ok {
			return reply, nil
		}
		reply.Free()
		if len(need.Requests) == 0 {
			if err := pause(ctx, roundPause<<min(round, 4)); err != nil {
				return upstream.Reply{}, err
			}
		}
		responses, completed, err := d.answerAll(ctx, host, need.Requests)
		if err != nil {
			return upstream.Reply{}, err
		}
		again := *req
		again.Edits = append(edits[:len(edits):len(edits)], translate.Retry(r.Message, responses, need.State)...)
		if reply, err = session.Do(ctx, &again); err != nil {
			return upstream.Reply{}, err
		}
		for _, note := range completed {
			r.Sink.Notify(note)
		}
	}
	if _, more := translate.InputRequired(reply.Raw, reply.Result); more {
		reply.Free()
		return upstream.Reply{}, &rpc.Error{Code: rpc.CodeInternal, Message: fmt.Sprintf("The server asked more than %d times.", maxRounds)}
	}
	return reply, nil
}

// answerAll asks all questions of one round at once. The responses are raw by
// key; completed are the notifications that tell the host of a web page that
// was visited.
func (d *Directory) answerAll(ctx context.Context, host Asker, requests []translate.InputRequest) (responses []translate.InputResponse, completed [][]byte, err error) {
	responses = make([]translate.InputResponse, len(requests))
	refusals := make([]*rpc.Error, len(requests))
	notes := make([][]byte, len(requests))
	var wait sync.WaitGroup
	for i, q := range requests {
		wait.Go(func() {
			m, note := translate.Question(q)
			result, refused := d.opts.Question(ctx, host, m)
			responses[i], refusals[i], notes[i] = translate.InputResponse{Key: q.Key, Result: result}, refused, note
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	for i, refused := range refusals {
		if refused != nil {
			// The modern wire has no form for a refusal but not to repeat the call.
			return nil, nil, &rpc.Error{Code: rpc.CodeInternal, Message: "The call needs an answer that was refused: " + refused.Message}
		}
		if notes[i] != nil {
			completed = append(completed, notes[i])
		}
	}
	return responses, completed, nil
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
