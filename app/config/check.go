package config

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"bridgekeeper/app/wire"
)

// Bounds of an entry's own values.
const (
	maxLineMiB  = 1024        // a longer line would not fit into a host's request either
	minIdleStop = time.Second // below it a server would be ended between two calls
	maxOff      = 1000        // patterns; more than any server has tools
	maxRoots    = 100         // folders; servers get the list whole at each change
	maxRoot     = 4096        // bytes of a folder's path: what Linux takes
)

// The values of keys; of an entry's own, "" is the first of each.
var (
	startValues   = []string{"always", "on-demand", "manual"}
	eraValues     = []string{"auto", "legacy", "modern"}
	sharingValues = []string{"shared", "per-host", "per-session"}
	trustValues   = []string{wire.TrustFull, wire.TrustLimited, wire.TrustPending}
	changesValues = []string{"ask", "accept"}
	presetValues  = []string{wire.PresetEverything, wire.PresetChanges, wire.PresetDestructive, wire.PresetNever}
)

// entryKeys are all keys of an entry.
var entryKeys = keysOf[wire.Entry]()

// fault is what is wrong with a value: where, a sentence about it, and what to try.
type fault struct {
	path           string // keys with dots between them
	sentence, hint string
}

// check returns what is wrong in e, or nil.
func check(e wire.Entry) *fault {
	if strings.TrimSpace(e.Command) == "" {
		return &fault{"command", "the command is missing", "Name the program that starts the server."}
	}
	if key, sentence := checkBytes(e); sentence != "" {
		return &fault{key, sentence, ""}
	}
	if e.IdleStop != "" {
		if d, err := time.ParseDuration(e.IdleStop); err != nil || d < minIdleStop {
			return &fault{"idleStop", fmt.Sprintf("idleStop is %.40q: it must be a time of at least a second", e.IdleStop), `Write it like "10m" or "1h30m".`}
		}
	}
	return firstOf(
		checkValue("start", e.Start, startValues),
		checkValue("era", e.Era, eraValues),
		checkValue("sharing", e.Sharing, sharingValues),
		checkNumber("maxLine", e.MaxLine, maxLineMiB),
		checkValue("ask", e.Ask, presetValues),
		checkOff(e.Off),
		checkValue("trust", e.Trust, trustValues),
		checkValue("changes", e.Changes, changesValues),
		checkLimits("limits", e.Limits),
		checkSampling("sampling", e.Sampling),
		checkRoots(runtime.GOOS, e.Roots),
	)
}

func firstOf(faults ...*fault) *fault {
	for _, f := range faults {
		if f != nil {
			return f
		}
	}
	return nil
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

func checkOff(patterns []string) *fault {
	if len(patterns) > maxOff {
		return &fault{"off", fmt.Sprintf("off has %d names: %d are allowed", len(patterns), maxOff), "Use * for many names at once."}
	}
	for _, p := range patterns {
		if p == "" {
			return &fault{"off", "off has an empty name", "Name a tool; * stands for any run of characters."}
		}
		if f := checkPattern("off", p); f != nil {
			return f
		}
	}
	return nil
}

func checkRoots(goos string, roots []string) *fault {
	if len(roots) > maxRoots {
		return &fault{"roots", fmt.Sprintf("roots has %d folders: %d are allowed", len(roots), maxRoots), ""}
	}
	for _, dir := range roots {
		switch {
		case len(dir) > maxRoot || strings.Contains(dir, "\x00"):
			return &fault{"roots", fmt.Sprintf("%.40q can't be a folder", dir), ""}
		case !absolute(goos, dir):
			return &fault{"roots", fmt.Sprintf("the folder %.80q of roots must be an absolute path, or start with ~/", dir), ""}
		}
	}
	return nil
}

// absolute reports whether a folder is the same wherever one looks from; ~ is
// the person's home folder.
func absolute(goos, dir string) bool {
	if dir == "~" || strings.HasPrefix(dir, "~/") {
		return true
	}
	if goos != "windows" {
		return strings.HasPrefix(dir, "/")
	}
	slash := func(i int) bool { return i < len(dir) && (dir[i] == '/' || dir[i] == '\\') }
	drive := len(dir) >= 2 && dir[1] == ':' && ('a' <= dir[0]|0x20 && dir[0]|0x20 <= 'z')
	return strings.HasPrefix(dir, `~\`) || drive && slash(2) || slash(0) && slash(1)
}

func checkValue(key, value string, values []string) *fault {
	if value == "" || slices.Contains(values, value) {
		return nil
	}
	return &fault{path: key, sentence: fmt.Sprintf("%s is %.40q: it must be %s", lastKey(key), value, strings.Join(values, " or "))}
}

// checkNumber is for numbers that are 0 when they are not given.
func checkNumber(key string, n, most int) *fault {
	if n >= 0 && n <= most {
		return nil
	}
	return &fault{path: key, sentence: fmt.Sprintf("%s is %d: it must be between 1 and %d", lastKey(key), n, most)}
}

func lastKey(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
