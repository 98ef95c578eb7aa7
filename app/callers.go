package app

import (
	"context"
	"crypto/subtle"
	"os"
	"path/filepath"
	"sync"

	"bridgekeeper/app/ask"
	"bridgekeeper/app/localapi"
	"bridgekeeper/app/wire"
	"bridgekeeper/supervisor/proc"
)

// caller says what may be believed of who uses the local API.
type caller struct {
	name  string // for the record: window, cli, program
	child bool   // it runs below one of our servers
	own   bool   // it is this program, started by the person
	shim  bool   // it is the shim that lies beside this program
}

// secrets are what programs that the core started itself bring along.
type secrets struct {
	mu    sync.Mutex          // guards known
	known map[string]struct{} // of windows that run now
}

// admit makes a secret good until the window that has it is gone.
func (s *secrets) admit(secret string) (forget func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = make(map[string]struct{})
	}
	s.known[secret] = struct{}{}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.known, secret)
	}
}

func (s *secrets) good(secret string) bool {
	if secret == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := 0
	for known := range s.known {
		found |= subtle.ConstantTimeCompare([]byte(known), []byte(secret))
	}
	return found == 1
}

// who looks at the process that makes a request.
func (a *App) who(ctx context.Context) caller {
	c := localapi.CallerOf(ctx)
	switch {
	case a.secrets.good(c.Secret):
		return caller{name: "window", own: true}
	case c.PID == os.Getpid():
		return caller{name: "cli", own: true}
	case c.PID == 0:
		return caller{name: "program"}
	}
	o, ok := proc.OriginOf(c.PID)
	switch {
	case !ok:
		return caller{name: "program"}
	case o.Child:
		return caller{name: "server", child: true}
	case o.Ours:
		return caller{name: "cli", own: true}
	}
	return caller{name: "program", shim: isShim(o.Path)}
}

// isShim reports whether the program is the shim of this installation. Where it was
// replaced since, by an update, its path counts.
func isShim(path string) bool {
	own, err := os.Executable()
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(own); err == nil {
		own = real
	}
	beside := filepath.Join(filepath.Dir(own), ShimProgram+filepath.Ext(own))
	if path == beside {
		return true
	}
	a, err := os.Stat(path) // the case of letters, or a link on the way
	if err != nil {
		return false
	}
	b, err := os.Stat(beside)
	return err == nil && os.SameFile(a, b)
}

// mayAnswer says who answers, or why the caller may not.
func (a *App) mayAnswer(ctx context.Context) (by string, refused *wire.Error) {
	c := a.who(ctx)
	switch {
	case c.name == "window":
		return c.name, nil
	case c.child:
		a.opts.Log.Warn("a server's process tried to answer a question", "pid", localapi.CallerOf(ctx).PID)
		a.note("a process of a server tried to answer a question, and was refused")
		return "", &wire.Error{Code: wire.CodeNotAllowed, Message: "A server's own process can't answer questions.",
			Hint: "Answer in the terminal of `serve`, or from a terminal of your own."}
	case !c.own:
		return "", &wire.Error{Code: wire.CodeNotAllowed, Message: "Only Bridgekeeper's own programs can answer questions.",
			Hint: "Use `bridgekeeper question answer`."}
	case (a.opts.Answers == AnswerDeny || a.opts.Answers == AnswerWindow) && !a.config.Current().Settings.Questions.CLI:
		return "", &wire.Error{Code: wire.CodeNotAllowed, Message: "The command line may not answer questions here.",
			Hint: "Start the core with `serve --answers tty`, or write \"questions\": {\"cli\": true} into the config file by hand."}
	}
	return c.name, nil
}

// ownHand reports whether a change comes from the person: from their window or
// their own command line. What a server started is never that, and neither is
// another program that found the socket. Where everything is allowed, so is this.
func (a *App) ownHand(ctx context.Context) bool {
	return a.opts.Answers == AnswerAllow || a.who(ctx).own
}

// mayConnect asks a person before a program that isn't ours gives itself a
// host's token.
func (a *App) mayConnect(ctx context.Context, name string) error {
	if a.ownHand(ctx) {
		return nil
	}
	o := a.queue.Ask(ctx, &ask.Ask{Question: wire.Question{Kind: wire.AskNewHost, Host: name, Choices: []string{wire.ChooseDeny, wire.ChooseOnce},
		Why: "A program asked for a token with which it can call your servers' tools, by your rules."}})
	if o.Yes() {
		return nil
	}
	e := &wire.Error{Code: wire.CodeDenied, Message: "The host was not added: a person said no."}
	if o.End != ask.Answered {
		e.Message = "The host was not added: a program that isn't Bridgekeeper's own asked for it, which needs a person's answer (" + o.Reason + ")."
		e.Hint = "Use `bridgekeeper host add` in a terminal of your own."
	}
	return e
}
