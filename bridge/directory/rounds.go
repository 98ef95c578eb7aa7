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
	// roundPause is the first wait when a server only says "not yet"; each is
	// twice as long as the one before, up to the last.
	roundPause    = time.Second
	maxRoundPause = 16 * time.Second
	// maxNotYet bounds those waits together: as long as a person may take.
	maxNotYet = holdTime
)

// answersRounds reports whether a result of the method may be input_required
// (2026-07-28, multi round-trip requests).
func answersRounds(m *rpc.Message) bool {
	return m.Is(rpc.CallTool) || m.Is(rpc.GetPrompt) || m.Is(rpc.ReadResource)
}

// conversation is one call of a legacy host at a modern server, repeated until
// the server has what it needs. It belongs to the goroutine of its request.
type conversation struct {
	d       *Directory
	request *Request
	host    Asker // nil when it can't be asked
	asked   int   // rounds with questions
	pause   time.Duration
	waited  time.Duration // on "not yet", together
	pages   map[string]page
}

// page is a web page that the person agreed to visit; the server may say for a
// while that it is still waiting for that.
type page struct {
	result []byte
	done   []byte // the notification that it is over
}

// rounds puts a modern server's questions to a legacy host, which knows them as
// requests on the call's own stream, and repeats the call with the answers
// until the server has what it needs.
func (d *Directory) rounds(ctx context.Context, r *Request, session *upstream.Session, req *upstream.Request, reply upstream.Reply) (upstream.Reply, error) {
	host, _ := r.Sink.(Asker)
	c := &conversation{d: d, request: r, host: host, pause: roundPause, pages: make(map[string]page)}
	edits := req.Edits
	for {
		need, more := translate.InputRequired(reply.Raw, reply.Result)
		c.close(need.Requests)
		if !more || r.Seat.Modern() && !answeredHere(need.Requests) {
			return reply, nil
		}
		reply.Free()
		responses, err := c.answer(ctx, need)
		if err != nil {
			return upstream.Reply{}, err
		}
		again := *req
		again.Edits = append(edits[:len(edits):len(edits)], translate.Retry(r.Message, responses, need.State)...)
		if reply, err = session.Do(ctx, &again); err != nil {
			return upstream.Reply{}, err
		}
	}
}

// answeredHere reports whether all that a server asks of a modern host is put to
// a person here; the rest is the host's to answer.
func answeredHere(requests []translate.InputRequest) bool {
	for _, q := range requests {
		if q.Method != rpc.Elicit && q.Method != rpc.CreateMessage {
			return false
		}
	}
	return len(requests) > 0
}

// answer answers one round: it asks the host what is new, and waits a little when
// the server has nothing new to ask.
func (c *conversation) answer(ctx context.Context, need translate.Needed) ([]translate.InputResponse, error) {
	if len(need.Requests) == 0 && need.State == nil || !c.request.Message.Name.Ok() && !c.request.Message.URI.Ok() {
		// Repeated, the call would be the same, and so would its effects.
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: "The server wants input and doesn't say which."}
	}
	responses := make([]translate.InputResponse, len(need.Requests))
	var fresh []int
	for i, q := range need.Requests {
		responses[i].Key = q.Key
		if p, ok := c.pages[translate.PageOf(q)]; ok {
			responses[i].Result = p.result
		} else {
			fresh = append(fresh, i)
		}
	}
	if len(fresh) == 0 {
		return responses, c.notYet(ctx)
	}
	if c.asked++; c.asked > maxRounds {
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: fmt.Sprintf("The server asked more than %d times.", maxRounds)}
	}
	c.pause = roundPause
	return responses, c.ask(ctx, need.Requests, fresh, responses)
}

// notYet waits before the server is asked again.
func (c *conversation) notYet(ctx context.Context) error {
	if c.waited += c.pause; c.waited > maxNotYet {
		return &rpc.Error{Code: rpc.CodeInternal, Message: "The server kept the call waiting for too long."}
	}
	wait := c.pause
	c.pause = min(2*wait, maxRoundPause)
	return pause(ctx, wait)
}

// ask puts the fresh questions of one round to the host, all at once.
func (c *conversation) ask(ctx context.Context, requests []translate.InputRequest, fresh []int, responses []translate.InputResponse) error {
	refusals := make([]*rpc.Error, len(requests))
	notes := make([][]byte, len(requests))
	var wait sync.WaitGroup
	for _, i := range fresh {
		wait.Go(func() {
			q := requests[i]
			m, note := translate.Question(q)
			r := c.request
			result, refused := c.d.opts.Question(ctx, &Question{Server: r.server, Host: r.Seat.Host, About: r.about(), Asker: c.host, Message: m})
			if refused != nil {
				result = translate.Unanswered(q.Method)
			}
			responses[i].Result, refusals[i], notes[i] = result, refused, note
		})
	}
	wait.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, i := range fresh {
		if responses[i].Result == nil {
			// The modern wire has no form for this refusal but not to repeat the call.
			why := "no answer"
			if refusals[i] != nil {
				why = refusals[i].Message
			}
			return &rpc.Error{Code: rpc.CodeInternal, Message: "The call needs an answer that was refused: " + why}
		}
		if url := translate.PageOf(requests[i]); url != "" && notes[i] != nil && translate.Accepted(responses[i].Result) {
			c.pages[url] = page{responses[i].Result, notes[i]}
		}
	}
	return nil
}

// close tells the host of the pages that the server waits for no longer.
func (c *conversation) close(still []translate.InputRequest) {
	if len(c.pages) == 0 {
		return
	}
	open := make(map[string]bool)
	for _, q := range still {
		open[translate.PageOf(q)] = true
	}
	for url, p := range c.pages {
		if !open[url] {
			delete(c.pages, url)
			if c.request.Sink != nil {
				c.request.Sink.Notify(p.done)
			}
		}
	}
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
