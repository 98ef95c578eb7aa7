package keychain

import (
	"errors"
	"strings"
)

// Codes of Error; stable, explained in the docs.
const (
	CodeSecretMissing  = "secret_missing"      // no value is stored under the name
	CodeSecretName     = "secret_name"         // the name can't be used
	CodeSecretExists   = "secret_exists"       // the name is taken, perhaps in another case
	CodeSecretValue    = "secret_value"        // the value can't be passed to a process
	CodeSecretTooLarge = "secret_too_large"    // over MaxValue
	CodeLocked         = "keychain_locked"     // a person must unlock it, or it doesn't answer
	CodeMissing        = "keychain_missing"    // this system has none that can be reached
	CodeFailed         = "keychain_failed"     // it answered with an error
	CodePassphrase     = "keychain_passphrase" // the passphrase of the file is wrong or too short
	CodeKeyFile        = "keychain_key_file"   // the key file can't be used
	CodeIndex          = "keychain_index"      // our list of names can't be read or written
	CodeBadRef         = "bad_reference"       // a ${...} that isn't understood
	CodeVariable       = "variable_missing"    // a ${env:NAME} without a value
)

// Error is a failure in plain words, shaped like those of the local API: a
// stable code, a sentence, what to try. No text in it ever holds a value.
type Error struct {
	Code    string
	Message string
	Hint    string
	Names   []string // the secrets or variables it is about, if any
	cause   error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.cause }

// Is matches by code, so that errors.Is(err, ErrNotFound) works for every
// missing secret.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Because returns e with the error that led to it, for errors.Is; the text stays.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// What errors.Is is asked for; only the code is compared.
var (
	ErrNotFound = &Error{Code: CodeSecretMissing, Message: "no such secret"}
	ErrLocked   = &Error{Code: CodeLocked, Message: "the keychain is locked"}
	ErrMissing  = &Error{Code: CodeMissing, Message: "there is no keychain"}
)

// CodeOf is the code of the first Error in err's tree, or "".
func CodeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// notFound is the error for secrets that have no value.
func notFound(names ...string) *Error {
	what := "there is no secret "
	if len(names) > 1 {
		what = "there are no secrets "
	}
	return &Error{
		Code:    CodeSecretMissing,
		Message: what + strings.Join(names, ", "),
		Hint:    "Store it with: bridgekeeper secret set " + names[0],
		Names:   names,
	}
}
