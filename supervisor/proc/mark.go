package proc

import (
	"bytes"
	"encoding/binary"
	"net/url"
	"strconv"
	"strings"
)

// MarkVariable is set in every child's environment and inherited by what the
// child starts: it finds members of a tree that left the group and lost their
// parent.
const MarkVariable = "BRIDGEKEEPER_INSTANCE"

// Mark names one start of one instance: RUN.SERVER.GEN, with @SCOPE after the
// server for scoped instances. run is random per run of the core.
func Mark(run, server, scope string, gen uint64) string {
	name := url.QueryEscape(server)
	if scope != "" {
		name += "@" + url.QueryEscape(scope)
	}
	return run + "." + name + "." + strconv.FormatUint(gen, 10)
}

// withMark returns env with the mark in front, where it is found quickly, and
// without one inherited from an outer core.
func withMark(env []string, mark string) []string {
	out := append(make([]string, 0, len(env)+1), MarkVariable+"="+mark)
	for _, kv := range env {
		if !strings.HasPrefix(kv, MarkVariable+"=") {
			out = append(out, kv)
		}
	}
	return out
}

// markIn finds the mark in a block of NUL-terminated KEY=VALUE strings.
func markIn(block []byte) string {
	key := []byte(MarkVariable + "=")
	for len(block) > 0 {
		var kv []byte
		kv, block, _ = bytes.Cut(block, []byte{0})
		if value, ok := bytes.CutPrefix(kv, key); ok {
			return string(value)
		}
	}
	return ""
}

// markInArgs finds the mark in what macOS tells of a process: a 32-bit count of
// arguments, the program's path, NULs, the arguments, the environment.
func markInArgs(block []byte) string {
	if len(block) < 4 {
		return ""
	}
	args := int(int32(binary.NativeEndian.Uint32(block)))
	_, block, _ = bytes.Cut(block[4:], []byte{0})
	block = bytes.TrimLeft(block, "\x00")
	for ; args > 0 && len(block) > 0; args-- {
		_, block, _ = bytes.Cut(block, []byte{0})
	}
	return markIn(block)
}
