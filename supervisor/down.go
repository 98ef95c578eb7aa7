package supervisor

import (
	"fmt"
	"time"
)

// DownError says why Acquire has no session.
type DownError struct {
	Server  string
	State   State
	Reason  string    // a plain sentence
	NextTry time.Time // in Backoff; zero otherwise
	cause   error     // why waiting ended; nil when nothing was waited for
}

func (e *DownError) Error() string { return fmt.Sprintf("server %s: %s", e.Server, e.Reason) }

func (e *DownError) Unwrap() error { return e.cause }

var barredReasons = map[State]string{
	Disabled: "it is disabled",
	Held:     "it waits for a person to look at what would run",
}

// down describes a view that has no session.
func (i *instance) down(v *view, cause error) *DownError {
	e := &DownError{Server: i.key.Server, State: v.status.State, NextTry: v.status.NextTry, cause: cause}
	last := ""
	if v.status.LastExit != nil {
		last = v.status.LastExit.Reason
	}
	switch v.status.State {
	case Disabled, Held:
		e.Reason = barredReasons[v.status.State]
	case Starting:
		e.Reason = "it is still starting: " + string(v.status.Phase)
	case Backoff:
		e.Reason = "it is being restarted, try again: " + last
	case Failed:
		e.Reason = last
	case Stopping:
		e.Reason = "it is being stopped"
	default:
		e.Reason = "it is stopped"
	}
	return e
}
