package supervisor

import (
	"errors"
	"fmt"
	"time"

	"bridgekeeper/supervisor/proc"
)

// Why the supervisor itself ends a process. The texts are shown to people and
// given to calls in flight.
var (
	errStopped  = errors.New("the server was stopped")
	errRestart  = errors.New("the server is being restarted")
	errChanged  = errors.New("the server is being restarted with its new configuration")
	errRemoved  = errors.New("the server was removed")
	errDisabled = errors.New("the server was disabled, or held for a person to look at")
	errIdle     = errors.New("the server was not used and has been stopped")
	errShutdown = errors.New("Bridgekeeper is shutting down")
	errReleased = errors.New("this copy of the server is no longer needed")
	errSilent   = errors.New("closed its output but kept running")
)

// sentence says how a process ended by itself. before: it had not answered
// initialize yet.
func sentence(x proc.Exit, before bool) string {
	when := ""
	if before {
		when = " before it answered initialize"
	}
	switch {
	case x.Signal == "SIGKILL":
		return "ended by SIGKILL (out of memory?)" + when
	case x.Signal != "":
		return "ended by " + x.Signal + when
	case before:
		return fmt.Sprintf("exited before it answered initialize (code %d)", x.Code)
	case x.Code == 0:
		return "exited by itself (code 0)"
	default:
		return fmt.Sprintf("exited with code %d", x.Code)
	}
}

func loopSentence(count int, within time.Duration, last string) string {
	return fmt.Sprintf("ended %d times within %s; the last time: %s", count, short(within), last)
}

func timeoutError(limit time.Duration, installing bool) error {
	if installing {
		return fmt.Errorf("wrote nothing within %s while packages were being installed", short(limit))
	}
	return fmt.Errorf("did not answer initialize within %s", short(limit))
}

func missesError(n int) error { return fmt.Errorf("did not answer %d pings in a row", n) }

// short prints 2m0s as 2m.
func short(d time.Duration) string {
	s := d.String()
	if len(s) > 2 && s[len(s)-2:] == "0s" && s[len(s)-3] == 'm' {
		s = s[:len(s)-2]
	}
	if len(s) > 2 && s[len(s)-2:] == "0m" && s[len(s)-3] == 'h' {
		s = s[:len(s)-2]
	}
	return s
}
