package app

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"bridgekeeper/app/ask"
	"bridgekeeper/app/elicit"
	"bridgekeeper/app/wire"
	"bridgekeeper/bridge/directory"
	"bridgekeeper/bridge/rpc"
)

// answerQuestion answers what a server asks: by a rule, by our own dialog, by the
// calling host, or by declining, in that order (directory.Options.Question).
func (a *App) answerQuestion(ctx context.Context, q *directory.Question) ([]byte, *rpc.Error) {
	m := q.Message
	if a.gate.held() && !m.Is(rpc.ListRoots) {
		return refusedQuestion(m, "The user has put everything on hold.")
	}
	switch {
	case m.Is(rpc.ListRoots):
		return a.answerRoots(ctx, q)
	case m.Is(rpc.Elicit):
		return a.answerElicitation(ctx, q)
	case m.Is(rpc.CreateMessage):
		return a.answerSampling(ctx, q)
	}
	return nil, &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "Method not found: " + m.MethodName()}
}

func refusedQuestion(m *rpc.Message, why string) ([]byte, *rpc.Error) {
	if m.Is(rpc.Elicit) {
		return []byte(`{"action":"decline"}`), nil
	}
	return nil, &rpc.Error{Code: rpc.CodeUserRejected, Message: why}
}

// can reports whether the calling host can be asked, and declared that.
func can(q *directory.Question, capability string) bool {
	return q.Asker != nil && q.Asker.Declares(capability)
}

// here reports whether questions for that host's calls are put in our own dialog.
func (a *App) here(host string) bool {
	return a.queue.Attended() && !a.rules.Load().InHost(host)
}

// answerRoots tells a server its folders: those that a person chose for it, else
// the calling host's, where the instance is that host's alone. It is never an
// error: some servers would fail at their start.
func (a *App) answerRoots(ctx context.Context, q *directory.Question) ([]byte, *rpc.Error) {
	if s, ok := a.config.Current().Lookup(q.Server); ok && len(s.Entry.Roots) > 0 {
		return rootsResult(s.Entry.Roots, a.person), nil
	}
	if can(q, "roots") && !q.Shared {
		if result, refused := q.Asker.Ask(ctx, q.Message); refused == nil {
			return result, nil
		}
	}
	return []byte(`{"roots":[]}`), nil
}

// rootsResult makes the result of roots/list from folders; person is where ~
// leads.
func rootsResult(folders []string, person string) []byte {
	type root struct {
		URI  string `json:"uri"`
		Name string `json:"name,omitempty"`
	}
	var out struct {
		Roots []root `json:"roots"`
	}
	for _, f := range folders {
		if f == "~" || strings.HasPrefix(f, "~/") || strings.HasPrefix(f, `~\`) {
			f = filepath.Join(person, f[1:])
		}
		out.Roots = append(out.Roots, root{fileURL(f, runtime.GOOS), filepath.Base(f)})
	}
	raw, _ := json.Marshal(out) // texts only: it can't fail
	return raw
}

// fileURL is a folder as MCP wants it; goos says how the folder is written.
func fileURL(folder, goos string) string {
	if goos == "windows" {
		folder = strings.ReplaceAll(folder, `\`, "/")
		if share, ok := strings.CutPrefix(folder, "//"); ok {
			host, path, _ := strings.Cut(share, "/")
			return (&url.URL{Scheme: "file", Host: host, Path: "/" + path}).String()
		}
		folder = "/" + folder
	}
	return (&url.URL{Scheme: "file", Path: folder}).String()
}

// answerElicitation has a person fill in a form or look at a web page's address.
func (a *App) answerElicitation(ctx context.Context, q *directory.Question) ([]byte, *rpc.Error) {
	m := q.Message
	req, refusal := elicit.Parse(m.Bytes(m.Params))
	capability := "elicitation.form"
	if refusal == nil && req.Mode == elicit.ModeURL || refusal != nil && urlMode(m) {
		capability = "elicitation.url"
	}
	if can(q, capability) && !a.here(q.Host) {
		// What the host said it can do is its own business; only where somebody is
		// here for what its revision doesn't know are they asked instead.
		fits := refusal != nil
		if !fits {
			fits, _ = req.Fits(q.About.Revision)
		}
		if fits || !a.queue.Attended() {
			return q.Asker.Ask(ctx, m)
		}
	}
	switch {
	case refusal != nil:
		return nil, &rpc.Error{Code: refusal.Code, Message: refusal.Message}
	case a.queue.Attended():
		return a.elicitHere(ctx, q, req)
	}
	return []byte(`{"action":"decline"}`), nil
}

// urlMode reports an elicitation that wants a web address opened.
func urlMode(m *rpc.Message) bool {
	params := m.Bytes(m.Params)
	at := rpc.Find(params, "mode")
	return at.Ok() && rpc.Text(params[at.Start:at.End]) == "url"
}

// elicitHere puts the question in our own dialog.
func (a *App) elicitHere(ctx context.Context, q *directory.Question, req *elicit.Request) ([]byte, *rpc.Error) {
	one := &ask.Ask{Question: wire.Question{Kind: wire.AskForm, Host: q.Host, Server: q.Server, Tool: q.About.Tool, Notes: req.Notes, Form: req.Form, URL: req.URL,
		Choices: []string{wire.ChooseDeny, wire.ChooseCancel, wire.ChooseOnce}, Why: "The server asks you for this in the middle of a call."}}
	if q.Host == "" {
		one.Why = "The server asks you for this; it isn't known for which application."
	}
	if req.Mode == elicit.ModeURL {
		one.Kind = wire.AskURL
	} else {
		one.Check = func(answer wire.Answer) *wire.Error { return checkForm(req.Form, answer) }
	}
	o := a.queue.Ask(ctx, one)
	switch {
	case o.Yes() && one.Kind == wire.AskURL:
		return []byte(`{"action":"accept"}`), nil
	case o.Yes():
		return append(append([]byte(`{"action":"accept","content":`), o.Content...), '}'), nil
	case o.End == ask.Answered && o.Choice == wire.ChooseDeny, o.End == ask.Denied:
		return []byte(`{"action":"decline"}`), nil
	}
	return []byte(`{"action":"cancel"}`), nil
}

// checkForm refuses an accepted form whose values don't fit.
func checkForm(form *wire.FormDetail, answer wire.Answer) *wire.Error {
	if answer.Choice != wire.ChooseOnce {
		return nil
	}
	content := answer.Content
	if len(content) == 0 {
		content = json.RawMessage("{}")
	}
	wrong := elicit.Check(form, content)
	if len(wrong) == 0 {
		return nil
	}
	texts := make([]string, 0, len(wrong))
	for _, w := range wrong {
		texts = append(texts, w.Error())
	}
	return &wire.Error{Code: wire.CodeBadAnswer, Message: "The form can't be sent like this: " + strings.Join(texts, "; ") + "."}
}
