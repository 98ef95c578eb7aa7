package wire

import "errors"

// Code is a stable name of a failure; docs/errors.md has one entry for each.
type Code string

const (
	CodeBadRequest     Code = "bad_request"      // a malformed argument or body
	CodeNoSuchServer   Code = "no_such_server"   // the config has no server of that name
	CodeServerExists   Code = "server_exists"    // add: the name is taken
	CodeBadName        Code = "bad_name"         // a name outside [A-Za-z0-9_-]{1,64}
	CodeBadEntry       Code = "bad_entry"        // a server entry that can't be started as written
	CodeNoSuchTool     Code = "no_such_tool"     // the server lists no tool of that name
	CodeServerDown     Code = "server_down"      // it isn't ready and didn't become so in time
	CodeServerFailed   Code = "server_failed"    // crash loop: a person must act
	CodeNoSuchHost     Code = "no_such_host"     // no host of that name was added
	CodeHostExists     Code = "host_exists"      // host add: the name is taken
	CodeConfigBroken   Code = "config_broken"    // the config file doesn't parse; it is left as it is
	CodeConfigNewer    Code = "config_newer"     // the file was written by a newer version of us
	CodeConfigWrite    Code = "config_write"     // the file couldn't be replaced
	CodeNotRunning     Code = "not_running"      // no core answers on the socket
	CodeAlreadyRuns    Code = "already_running"  // another core holds the lock
	CodePort           Code = "port"             // no loopback port could be bound
	CodeNotAllowed     Code = "not_allowed"      // this caller lacks the permission
	CodeDenied         Code = "denied"           // the gate, or the person who was asked, said no
	CodeNoSuchQuestion Code = "no_such_question" // no question of that name is or was open
	CodeAnswered       Code = "already_answered" // somebody else was first, or the question has ended
	CodeBadAnswer      Code = "bad_answer"       // an answer that the question doesn't take
	CodeHeld           Code = "held"             // everything is held
	CodeRPC            Code = "rpc"              // the server answered with a JSON-RPC error
	CodeBodyTooLarge   Code = "too_large"        // a request over its cap
	CodeNoWindow       Code = "no_window"        // the window can't be opened
	CodeNoDesktop      Code = "no_desktop"       // no display: neither tray nor window
	CodeInternal       Code = "internal"         // a bug of ours
	CodeBadSetting     Code = "bad_setting"      // a rule, a host's terms, a model or another setting that can't be so
	CodeNoSuchRule     Code = "no_such_rule"     // the rules changed in the meantime
	CodeNoSuchModel    Code = "no_such_model"    // the config has no model of that name
	CodeRecordBroken   Code = "record_broken"    // the record of calls isn't as it was written
	CodeHostFile       Code = "host_file"        // a host's file can't be read, or changed without changing more
	CodeHostChanged    Code = "host_changed"     // another program wrote the host's file
	CodeNotConnected   Code = "not_connected"    // the host has no entry of ours
	CodeBadRule        Code = "bad_rule"         // a rule, preset or limit that can't be kept as written
	CodeBadDraft       Code = "bad_draft"        // a source that isn't understood, or can't be added as it is
	CodeBadInput       Code = "bad_input"        // a draft's input without a value, or with one that can't be
	CodeNoSuchDraft    Code = "no_such_draft"    // the draft was added, or forgotten
	CodeBadBundle      Code = "bad_bundle"       // a bundle that is refused
	CodeCatalog        Code = "catalog"          // the registry, or what it names, can't be read
	CodeNotInCatalog   Code = "not_in_catalog"   // neither the list nor the registry has that name
	CodeCheck          Code = "check"            // server check found something to mend
	CodeMissingProgram Code = "missing_program"  // a program that the server needs isn't on this computer
)

// Error is a failure at the edge: a stable code, a sentence in plain words and
// what to try. It is the body of every non-2xx answer of the local API.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// AsError returns err as an *Error; one that carries none becomes CodeInternal
// with err's text.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Code: CodeInternal, Message: err.Error()}
}
