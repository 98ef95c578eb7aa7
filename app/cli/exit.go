package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"bridgekeeper/app/wire"
)

// The exit codes are a contract; docs/cli.md explains each.
const (
	exitOK          = 0
	exitOther       = 1
	exitUsage       = 2
	exitNotRunning  = 3
	exitNotFound    = 4
	exitDenied      = 5
	exitTool        = 6
	exitConfig      = 7
	exitServer      = 8
	exitConflict    = 9
	exitCheck       = 10
	exitInterrupted = 130
)

// exitCode is the one place where failures become exit codes.
func exitCode(code wire.Code) int {
	switch code {
	case wire.CodeBadRequest, wire.CodeBadName, wire.CodeBadEntry, wire.CodeBadAnswer, wire.CodeBadSetting, wire.CodeBadDraft, wire.CodeBadInput, wire.CodeBadBundle:
		return exitUsage
	case wire.CodeNotRunning:
		return exitNotRunning
	case wire.CodeNoSuchServer, wire.CodeNoSuchTool, wire.CodeNoSuchHost, wire.CodeNoSuchQuestion, wire.CodeNoSuchRule, wire.CodeNoSuchModel, wire.CodeNoSuchDraft, wire.CodeNotInCatalog, wire.CodeMissingProgram:
		return exitNotFound
	case wire.CodeDenied, wire.CodeNotAllowed, wire.CodeHeld:
		return exitDenied
	case wire.CodeConfigBroken, wire.CodeConfigNewer, wire.CodeConfigWrite:
		return exitConfig
	case wire.CodeServerDown, wire.CodeServerFailed, wire.CodeRPC, wire.CodeCatalog:
		return exitServer
	case wire.CodeCheck:
		return exitCheck
	case wire.CodeServerExists, wire.CodeHostExists, wire.CodeAlreadyRuns, wire.CodeAnswered:
		return exitConflict
	}
	return exitOther
}

// finish says what went wrong and returns the exit code.
func (p *program) finish(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, errTool):
		p.complain(&wire.Error{Code: "tool_error", Message: err.Error()})
		return exitTool
	}
	e := wire.AsError(err)
	if u, ok := errors.AsType[*usageError](err); ok {
		e = &wire.Error{Code: wire.CodeBadRequest, Message: u.Message, Hint: u.Hint}
	} else if !p.began {
		// cobra's own words about flags and arguments
		e = &wire.Error{Code: wire.CodeBadRequest, Message: err.Error(), Hint: "`bridgekeeper help` and --help show how."}
	}
	p.complain(e)
	return exitCode(e.Code)
}

func (p *program) complain(e *wire.Error) {
	if p.asJSON {
		data, err := json.Marshal(map[string]*wire.Error{"error": e})
		if err == nil {
			p.err.line("%s", data)
		}
		return
	}
	p.err.line("%s %s", p.err.paint(red, "error:"), visible(e.Message))
	if e.Hint != "" {
		p.err.line("%s %s", p.err.paint(faint, "hint:"), strings.ReplaceAll(visibleLines(e.Hint), "\n", "\n  "))
	}
}
