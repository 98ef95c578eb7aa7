package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"bridgekeeper/app/ask"
	"bridgekeeper/app/hosts"
	"bridgekeeper/app/localapi"
	"bridgekeeper/app/wire"
)

// ShimProgram is the name of the small program that connects hosts which only
// start commands; it lies beside this one.
const ShimProgram = "bridgekeeper-stdio"

// Lines admits a host that only starts commands. It needs no token: the kernel
// tells that the caller is ours and runs as the same person.
func (a *App) Lines(ctx context.Context, req wire.Lines) (func(context.Context, net.Conn, io.Reader) error, error) {
	switch c := a.who(ctx); {
	case c.child:
		a.opts.Log.Warn("a server's process tried to come as a host", "pid", localapi.CallerOf(ctx).PID, "host", req.Host)
		a.note("a process of a server tried to come as the host " + req.Host + ", and was refused")
		return nil, &wire.Error{Code: wire.CodeNotAllowed, Message: "A server's own process can't come as a host through the shim.",
			Hint: "Give it a token of its own with `bridgekeeper host add`, and the URL."}
	case !c.own && !c.shim:
		return nil, &wire.Error{Code: wire.CodeNotAllowed, Message: "Only Bridgekeeper's own shim may connect a host this way.",
			Hint: "Start `bridgekeeper stdio --host NAME`, or use the URL with a token."}
	}
	if err := wire.CheckName("host", req.Host); err != nil {
		return nil, err
	}
	if req.Host == cliHost {
		return nil, &wire.Error{Code: wire.CodeBadName, Message: `"cli" is the name of the command line itself.`, Hint: "Choose another name."}
	}
	if req.Server != "" {
		if _, err := a.entryOf(req.Server); err != nil {
			return nil, err
		}
	}
	if err := a.admit(ctx, req); err != nil {
		return nil, err
	}
	return func(ctx context.Context, pipe net.Conn, in io.Reader) error {
		return a.door.ServeLines(ctx, pipe, in, req.Host, req.Server)
	}, nil
}

// admit lets a known host in, and asks a person about another one.
func (a *App) admit(ctx context.Context, req wire.Lines) error {
	known := func() bool {
		return slices.ContainsFunc(a.hosts.List(), func(h hosts.Host) bool { return h.Name == req.Host })
	}
	if known() {
		return nil
	}
	unknown := &wire.Error{Code: wire.CodeNoSuchHost, Message: fmt.Sprintf("Bridgekeeper knows no host called %q.", req.Host),
		Hint: fmt.Sprintf("Let it in with `bridgekeeper host add %s`.", req.Host)}
	if a.opts.Answers != AnswerAllow {
		if !req.Ask {
			return unknown
		}
		o := a.queue.Ask(ctx, &ask.Ask{Question: wire.Question{Kind: wire.AskNewHost, Host: req.Host, Choices: []string{wire.ChooseDeny, wire.ChooseOnce},
			Why: "An application that nobody connected yet started Bridgekeeper's command, to use your servers' tools by your rules."}})
		switch {
		case o.Yes():
		case o.End == ask.Answered:
			return &wire.Error{Code: wire.CodeDenied, Message: fmt.Sprintf("The host %q was not let in: a person said no.", req.Host)}
		default:
			unknown.Message += " It wasn't let in: " + o.Reason + "."
			return unknown
		}
	}
	_, err := a.hosts.Add(req.Host) // its token is nobody's: the kernel vouches for the shim
	if e, ok := errors.AsType[*wire.Error](err); ok && e.Code == wire.CodeHostExists {
		return nil // somebody else was first
	}
	a.news.poke()
	return err
}
