package supervisor

import "time"

// State is the observed state of an instance.
type State string

// The states and their moves are drawn in ARCHITECTURE.md.
const (
	Disabled State = "disabled"
	Starting State = "starting"
	Ready    State = "ready"
	Backoff  State = "backoff"
	Failed   State = "failed" // crash loop, or the command can't be run: a person must act
	Held     State = "held"   // a person hasn't yet seen what would run
	Stopping State = "stopping"
	Stopped  State = "stopped"
)

// Phase says what a Starting instance is doing.
type Phase string

const (
	Resolving   Phase = "resolving environment"
	Installing  Phase = "installing packages" // a package runner (npx, uvx, ...) that has not yet answered
	Handshaking Phase = "handshaking"
)

// Exit describes how a process ended and what it said last.
type Exit struct {
	At     time.Time
	Code   int      // exit code; -1 when a signal ended it or it never ran
	Signal string   // "SIGKILL" and the like; "" otherwise
	Reason string   // a plain sentence: "`uvx` is not on the PATH", "exited before it answered initialize"
	Stderr []string // its last lines, at most 20
	Stray  []string // its last stdout lines that were not MCP, at most 5
}

// Status is one instance as it is seen from outside: a copy, never changed.
type Status struct {
	Key      Key
	State    State
	Phase    Phase // only in Starting
	Gen      uint64
	PID      int       // 0 when nothing runs
	Since    time.Time // when State was entered
	Started  time.Time // when the running process was started; zero when none runs
	Restarts int       // starts after the first since the core came up or a person restarted it
	NextTry  time.Time // only in Backoff
	LastExit *Exit     // nil until the first one
	ByPerson bool      // only in Stopped: a person did it, and nothing but a person starts it again
	Strays   uint64    // stdout lines that were not MCP, this generation
}
