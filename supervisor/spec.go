package supervisor

import (
	"context"
	"time"

	"bridgekeeper/supervisor/stdio"
)

// StartMode says when a server's shared instance runs.
type StartMode string

// The values are those of the config file's "start" key.
const (
	StartAlways   StartMode = "always"    // with the core, and again after every crash
	StartOnDemand StartMode = "on-demand" // at the first Acquire; ended after Spec.IdleStop without use
	StartManual   StartMode = "manual"    // only when a person says so
)

// Spec is what one server's instances are started from. Two equal Specs start
// equal processes; Apply restarts the instances of a server whose Spec changed.
type Spec struct {
	Server  string // the name in the config; unique
	Command string // a program name looked up on the PATH of Env, or a path
	Args    []string
	Env     []string // the child's whole environment, KEY=VALUE; nothing is added but the instance mark
	Dir     string   // working directory; "" is the person's home

	Start    StartMode
	IdleStop time.Duration // on-demand only; 0 means DefaultIdleStop
	Disabled bool
	Held     bool // a person hasn't yet seen what would run: nothing is started
	MaxLine  int  // bytes a line of stdout may have; 0 means stdio.DefaultMaxLine
	// Terms is whatever else the conversation depends on; only compared.
	Terms string
}

// barred reports whether the server must not run at all, and the state that this is.
func (s *Spec) barred() (State, bool) {
	switch {
	case s.Disabled:
		return Disabled, true
	case s.Held:
		return Held, true
	}
	return "", false
}

func (s *Spec) off() bool { return s.Disabled || s.Held }

// Key names one instance: a server, and for whom it runs. Scope is "" for the
// shared instance, a host's name for per-host, a session's id for per-session.
type Key struct {
	Server string
	Scope  string
}

// Instance tells Attach which start of which instance it is talking to.
type Instance struct {
	Key Key
	Gen uint64 // counts starts of this instance, from 1; never reused in one run of the core
	PID int
}

// Attach opens the conversation with a child that was just started: it performs
// the handshake on the lines and returns the session that owns them from then
// on. It must return soon after ctx ends. An error fails this start; its text
// is shown to the person.
type Attach func(ctx context.Context, inst Instance, lines *stdio.Conn) (Session, error)

// Session is what the supervisor asks of the conversation. The concrete type
// (the app's, over bridge/upstream) is handed back by Acquire.
type Session interface {
	// Ping makes one cheap round trip; the child is alive when it returns nil.
	Ping(ctx context.Context) error
	// Load reports the calls in flight now, whether one of them has reported
	// progress since it began, and when the session was last used.
	Load() (inFlight int, progressing bool, lastUsed time.Time)
	// Done is closed when the conversation can't go on (the reader saw an end,
	// the writer timed out). The supervisor then ends the process.
	Done() <-chan struct{}
	// Close fails every call in flight with cause, at once, and ends the
	// session. It is called exactly once per session, as soon as the process is
	// known dead or is about to be ended.
	Close(cause error)
}
