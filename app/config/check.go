package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"bridgekeeper/app/wire"
)

// The values of an entry's keys; "" is the first of each.
var (
	startValues   = []string{"always", "on-demand", "manual"}
	eraValues     = []string{"auto", "legacy", "modern"}
	sharingValues = []string{"shared", "per-host", "per-session"}
)

// check returns the key that is wrong in e, a sentence about it and a hint, or
// empty strings.
func check(e wire.Entry) (key, sentence, hint string) {
	if strings.TrimSpace(e.Command) == "" {
		return "command", "the command is missing", "Name the program that starts the server."
	}
	if key, sentence := checkBytes(e); sentence != "" {
		return key, sentence, ""
	}
	if e.Start != "" && !slices.Contains(startValues, e.Start) {
		return "start", oneOf("start", e.Start, startValues), ""
	}
	if e.Era != "" && !slices.Contains(eraValues, e.Era) {
		return "era", oneOf("era", e.Era, eraValues), ""
	}
	if e.Sharing != "" && !slices.Contains(sharingValues, e.Sharing) {
		return "sharing", oneOf("sharing", e.Sharing, sharingValues), ""
	}
	if e.IdleStop != "" {
		if d, err := time.ParseDuration(e.IdleStop); err != nil || d < minIdleStop {
			return "idleStop", fmt.Sprintf("idleStop is %.40q: it must be a time of at least a second", e.IdleStop), `Write it like "10m" or "1h30m".`
		}
	}
	if e.MaxLine < 0 || e.MaxLine > maxLineMiB {
		return "maxLine", fmt.Sprintf("maxLine is %d: it must be between 1 and %d MiB", e.MaxLine, maxLineMiB), ""
	}
	return "", "", ""
}

// checkBytes refuses what no system can pass to a process.
func checkBytes(e wire.Entry) (key, sentence string) {
	const zero = "must not contain a zero byte"
	if strings.Contains(e.Command, "\x00") {
		return "command", "the command " + zero
	}
	if strings.Contains(e.Cwd, "\x00") {
		return "cwd", "the folder " + zero
	}
	for _, arg := range e.Args {
		if strings.Contains(arg, "\x00") {
			return "args", "an argument " + zero
		}
	}
	for name, value := range e.Env {
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			return "env", fmt.Sprintf("%.40q can't be the name of a variable", name)
		case strings.Contains(value, "\x00"):
			return "env", fmt.Sprintf("the value of %q %s", name, zero)
		case value == wire.Mask:
			return "env", fmt.Sprintf("the value of %q is a mask, not a value", name)
		}
	}
	return "", ""
}

func oneOf(key, value string, values []string) string {
	return fmt.Sprintf("%s is %.40q: it must be %s", key, value, strings.Join(values, " or "))
}
