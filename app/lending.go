package app

import (
	"cmp"
	"context"
	"fmt"

	"bridgekeeper/app/ask"
	"bridgekeeper/app/sampling"
	"bridgekeeper/app/sampling/provider"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// defaultMaxTokens caps one answer where the server's entry says nothing: a few
// pages.
const defaultMaxTokens = 4096

// prompt is one wish of a server that a model answers.
type prompt struct {
	app   *App
	q     *directory.Question
	terms wire.SamplingTerms
	req   *sampling.Request
	place *sampling.Reservation
}

// answerSampling has a model answer a server's prompt: the calling host's where it
// lends one, else one that the person configured. A person sees the prompt, and
// the answer before the server does.
func (a *App) answerSampling(ctx context.Context, q *directory.Question) ([]byte, *rpc.Error) {
	s, _ := a.config.Current().Lookup(q.Server)
	if !lends(&s.Entry) {
		return nil, rejected("The user has not given this server a model: sampling is off for it.")
	}
	req, refusal := sampling.Parse(q.Message.Bytes(q.Message.Params))
	if refusal != nil && can(q, "sampling") && !a.here(q.Host) {
		return q.Asker.Ask(ctx, q.Message) // it may know more than we do
	}
	if refusal != nil {
		return nil, &rpc.Error{Code: refusal.Code, Message: refusal.Message}
	}
	p := &prompt{app: a, q: q, terms: *s.Entry.Sampling, req: req}
	var err error
	p.place, err = a.budget.Reserve(q.Server, q.About.Session, req, p.maxTokens(), sampling.Limits{Requests: p.terms.PerHour, Tokens: p.terms.TokensPerHour})
	if err != nil {
		return nil, rejected(err.Error())
	}
	defer p.place.Cancel()
	fits, _ := req.Fits(q.About.Revision, can(q, "sampling.tools"))
	if can(q, "sampling") && (fits || !p.modelHere()) {
		return p.byHost(ctx)
	}
	return p.byModel(ctx)
}

// modelHere reports whether a model of the person's could answer.
func (p *prompt) modelHere() bool {
	return len(p.app.config.Current().Settings.Models) > 0 && (p.app.queue.Attended() || p.app.opts.Answers == AnswerAllow)
}

func rejected(why string) *rpc.Error {
	return &rpc.Error{Code: rpc.CodeUserRejected, Message: why}
}

// maxTokens is the least of what is asked for and what is allowed.
func (p *prompt) maxTokens() int {
	most := cmp.Or(p.terms.MaxTokens, defaultMaxTokens)
	if p.req.MaxTokens > 0 {
		most = min(most, p.req.MaxTokens)
	}
	return most
}

// byHost passes the prompt to the calling host. Where questions are put here the
// person sees it first; a host that shows questions itself shows this one, too.
func (p *prompt) byHost(ctx context.Context) ([]byte, *rpc.Error) {
	if !p.app.here(p.q.Host) {
		return p.q.Asker.Ask(ctx, p.q.Message)
	}
	if refused := p.show(ctx, "the model of "+p.q.Host); refused != nil {
		return nil, refused
	}
	m, err := p.message()
	if err != nil {
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
	}
	raw, refused := p.q.Asker.Ask(ctx, m)
	if refused != nil {
		return nil, refused
	}
	result, err := sampling.ParseResult(raw)
	if err != nil {
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: "The host's answer can't be read: " + err.Error()}
	}
	edited, refused := p.showResult(ctx, result)
	switch {
	case refused != nil:
		return nil, refused
	case edited == result:
		return raw, nil // byte for byte
	}
	return p.raw(edited)
}

// message is the server's question with the person's edits.
func (p *prompt) message() (*rpc.Message, error) {
	raw := rpc.Splice(nil, p.q.Message.Raw, rpc.Edit{Span: p.q.Message.Params, With: p.req.Raw()})
	m, err := rpc.Scan(raw)
	return &m, err
}

// byModel asks a model of the person's.
func (p *prompt) byModel(ctx context.Context) ([]byte, *rpc.Error) {
	models := p.app.config.Current().Settings.Models
	chosen, ok := sampling.Choose(p.req.Preferences, modelConfigs(models))
	if !ok {
		return nil, rejected("No model is set up here, and the calling application lends none.")
	}
	if p.app.opts.Answers != AnswerAllow {
		if refused := p.show(ctx, chosen.Name); refused != nil {
			return nil, refused
		}
	}
	model, err := modelOf(models, chosen.Name)
	if err != nil {
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
	}
	result, err := model.Complete(ctx, p.req, chosen.Model, p.maxTokens())
	p.place.Settle(result)
	if err != nil {
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
	}
	if p.app.opts.Answers != AnswerAllow {
		var refused *rpc.Error
		if result, refused = p.showResult(ctx, result); refused != nil {
			return nil, refused
		}
	}
	return p.raw(result)
}

func (p *prompt) raw(result *sampling.Result) ([]byte, *rpc.Error) {
	revision := rpc.V20251125
	if s := p.app.dir.View().Server(p.q.Server); s != nil && s.Info != nil {
		revision = s.Info.Version
	}
	raw, err := result.Raw(revision)
	if err != nil {
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
	}
	return raw, nil
}

// show puts the prompt before a person, who may change its texts.
func (p *prompt) show(ctx context.Context, model string) *rpc.Error {
	detail := p.req.Detail()
	detail.Model, detail.MaxTokens = model, p.maxTokens()
	q := p.question(wire.AskSampling, &detail, "The server wants a model to answer this; the model may cost you something and sees these texts.")
	q.Notes = p.req.Notes
	q.Check = func(a wire.Answer) *wire.Error {
		if a.Sampling == nil {
			return nil
		}
		_, err := p.req.Edit(*a.Sampling)
		return badEdit(err)
	}
	o := p.app.queue.Ask(ctx, q)
	if !o.Yes() {
		return rejected(whyNot(&o))
	}
	if o.Sampling != nil {
		edited, err := p.req.Edit(*o.Sampling)
		if err != nil {
			return &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
		}
		p.req = edited
	}
	return nil
}

// showResult puts a model's answer before a person, who may change its texts.
func (p *prompt) showResult(ctx context.Context, result *sampling.Result) (*sampling.Result, *rpc.Error) {
	detail := result.Detail()
	q := p.question(wire.AskSamplingResult, &detail, "The server gets this answer.")
	q.Check = func(a wire.Answer) *wire.Error {
		if a.Sampling == nil {
			return nil
		}
		_, err := result.Edit(*a.Sampling)
		return badEdit(err)
	}
	o := p.app.queue.Ask(ctx, q)
	switch {
	case !o.Yes():
		return nil, rejected(whyNot(&o))
	case o.Sampling == nil:
		return result, nil
	}
	edited, err := result.Edit(*o.Sampling)
	if err != nil {
		return nil, &rpc.Error{Code: rpc.CodeInternal, Message: err.Error()}
	}
	return edited, nil
}

func (p *prompt) question(kind string, detail *wire.SamplingDetail, why string) *ask.Ask {
	return &ask.Ask{Question: wire.Question{Kind: kind, Host: p.q.Host, Server: p.q.Server, Tool: p.q.About.Tool, Why: why, Sampling: detail,
		Choices: []string{wire.ChooseDeny, wire.ChooseOnce}}}
}

func badEdit(err error) *wire.Error {
	if err == nil {
		return nil
	}
	return &wire.Error{Code: wire.CodeBadAnswer, Message: "The texts can't be changed like this: " + err.Error() + "."}
}

// whyNot is for the server: what became of a question.
func whyNot(o *ask.Outcome) string {
	if o.End == ask.Answered {
		return "The user said no."
	}
	return "Sampling was declined: " + o.Reason + "."
}

func modelConfigs(models []wire.Model) (all []sampling.ModelConfig) {
	for i, m := range models {
		all = append(all, sampling.ModelConfig{Name: m.Name, Model: m.Model, Default: i == 0,
			Cost: score(m.Cost), Speed: score(m.Speed), Intelligence: score(m.Intelligence)})
	}
	return all
}

// score turns 1 to 10 into a share; what isn't said is in the middle.
func score(of10 int) float64 {
	if of10 == 0 {
		return 0.5
	}
	return float64(of10) / 10
}

func modelOf(models []wire.Model, name string) (sampling.Model, error) {
	for _, m := range models {
		if m.Name != name {
			continue
		}
		e := provider.Endpoint{BaseURL: m.URL, Key: provider.Key(m.Key)}
		if m.Kind == wire.ModelAnthropic {
			return provider.NewAnthropic(e)
		}
		return provider.NewOpenAI(e)
	}
	return nil, fmt.Errorf("there is no model called %s", name)
}
