package keychain

import "context"

// Backend holds the values, one item a key. The Store calls it from one
// goroutine at a time, with a context that carries the time limit; a method
// that outlives its context blocks the next call, never the caller.
type Backend interface {
	About() About
	// State looks without ever asking a person.
	State(ctx context.Context) Status
	// Get returns ErrNotFound (by code) for a key that holds nothing.
	Get(ctx context.Context, key string) (Secret, error)
	Set(ctx context.Context, key string, value Secret) error
	// Delete of a key that holds nothing is ErrNotFound.
	Delete(ctx context.Context, key string) error
}

// About is what is fixed about a backend.
type About struct {
	Name      string // "system", "file", "memory"; part of the index file's name
	ItemLimit int    // bytes one item may hold; 0 is no limit
	Weaker    string // why it protects less than a system keychain; "" if it doesn't
}

// State is whether secrets can be read now.
type State string

const (
	Available State = "available"
	Locked    State = "locked"  // a person must do something, or it doesn't answer
	Missing   State = "missing" // there is none here, or it isn't running yet
)

// Status is a State with its reason in plain words, empty when available.
type Status struct {
	State  State
	Reason string
	Hint   string
}

// Err is the status as an error; nil when available.
func (s Status) Err() error {
	switch s.State {
	case Available:
		return nil
	case Locked:
		return &Error{Code: CodeLocked, Message: s.Reason, Hint: s.Hint}
	default:
		return &Error{Code: CodeMissing, Message: s.Reason, Hint: s.Hint}
	}
}

// Unlocker is a Backend that a person can unlock: the system's shows its own
// dialog and ignores the passphrase, the file needs it.
type Unlocker interface {
	Unlock(ctx context.Context, passphrase Secret) error
}

// Watcher is a Backend that hears when its state may have changed. Watch calls
// changed until ctx ends; an error says that it can't listen now.
type Watcher interface {
	Watch(ctx context.Context, changed func()) error
}
